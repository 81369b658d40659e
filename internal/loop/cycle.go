package loop

import "slices"

// ShortestCycle finds a shortest cycle among dependency edges (blocker, blocked) and returns its issues in order,
// the lowest number first; nil when there is none. Several of one length: the one with the lowest numbers (R39–R42).
// It costs one breadth-first search per issue that lies on a cycle.
func ShortestCycle(edges [][2]int) []int {
	next := map[int][]int{}
	for _, e := range edges {
		next[e[0]] = append(next[e[0]], e[1])
	}
	starts := onCycles(next)
	for _, n := range starts {
		slices.Sort(next[n])
	}
	var best []int
	for _, start := range starts {
		if c := cycleFrom(start, next, len(best)); c != nil {
			best = c
		}
	}
	return best
}

// onCycles peels off, again and again, the issues that nothing blocks or that block nothing; what is left, sorted,
// holds every cycle.
func onCycles(next map[int][]int) []int {
	in := map[int]int{}
	for _, to := range next {
		for _, n := range to {
			in[n]++
		}
	}
	var free []int
	for n := range next {
		if in[n] == 0 {
			free = append(free, n)
		}
	}
	for len(free) > 0 {
		n := free[len(free)-1]
		free = free[:len(free)-1]
		for _, to := range next[n] {
			if in[to]--; in[to] == 0 {
				free = append(free, to)
			}
		}
		delete(next, n)
	}
	left := make([]int, 0, len(next))
	for n := range next {
		left = append(left, n)
	}
	slices.Sort(left)
	return left
}

// cycleFrom is a breadth-first search for a shortest way from start back to start, given up when it would not be shorter than limit, 0 meaning no limit.
func cycleFrom(start int, next map[int][]int, limit int) []int {
	from := map[int]int{}
	layer := []int{start}
	for depth := 1; len(layer) > 0 && (limit == 0 || depth < limit); depth++ {
		var following []int
		for _, n := range layer {
			for _, to := range next[n] {
				if to == start {
					return pathTo(n, start, from)
				}
				if _, seen := from[to]; !seen {
					from[to] = n
					following = append(following, to)
				}
			}
		}
		layer = following
	}
	return nil
}

func pathTo(n, start int, from map[int]int) []int {
	path := []int{n}
	for n != start {
		n = from[n]
		path = append(path, n)
	}
	slices.Reverse(path)
	return path
}
