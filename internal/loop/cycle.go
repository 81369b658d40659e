package loop

import (
	"maps"
	"slices"
)

// Cycle returns the numbers on a cycle of edges (from, to), such as (blocker, blocked). They follow
// the edges, beginning with the lowest number. If there are several cycles, Cycle returns the first
// one found by searching from the lowest number. It returns nil if there is no cycle (R39–R42).
func Cycle(edges [][2]int) []int {
	next := map[int][]int{}
	for _, e := range edges {
		next[e[0]] = append(next[e[0]], e[1])
	}
	var path []int
	done := map[int]bool{} // numbers known to be on no cycle
	var search func(n int) []int
	search = func(n int) []int {
		if at := slices.Index(path, n); at >= 0 {
			return path[at:]
		}
		if done[n] {
			return nil
		}
		path = append(path, n)
		for _, to := range slices.Sorted(slices.Values(next[n])) {
			if cycle := search(to); cycle != nil {
				return cycle
			}
		}
		path, done[n] = path[:len(path)-1], true
		return nil
	}
	for _, n := range slices.Sorted(maps.Keys(next)) {
		if cycle := search(n); cycle != nil {
			lowest := slices.Index(cycle, slices.Min(cycle))
			return slices.Concat(cycle[lowest:], cycle[:lowest])
		}
	}
	return nil
}
