package backlog

import "slices"

// ShortestCycle returns the issues of a shortest cycle among dependency edges (blocker, blocked) in
// order, the lowest number first. If several have the same length, it returns the one with the
// lowest numbers. It returns nil if there is no cycle (R39–R42).
//
// It searches breadth-first from one issue after the other, never deeper than the best cycle so
// far. It then removes the issue, because no other cycle through it is of interest, and with it the
// issues that no longer lie on a cycle.
func ShortestCycle(edges [][2]int) []int {
	g := newGraph(edges)
	for n := range g.issues {
		g.peel(n)
	}
	var best []int
	for n := range g.issues {
		if g.gone[n] {
			continue
		}
		if c := g.cycle(n, len(best)); c != nil {
			best = c
		}
		g.remove(n)
	}
	return best
}

// graph holds the issues by index, in the order of their numbers.
type graph struct {
	issues     []int
	next, prev [][]int
	out, in    []int  // number of edges to and from issues that are not removed
	gone       []bool // removed
	from       []int  // the predecessor in the present search
	seen       []int  // the last search that reached the issue: its start + 1
}

func newGraph(edges [][2]int) *graph {
	at := make(map[int]int, len(edges))
	var issues []int
	for _, e := range edges {
		for _, n := range e {
			if _, known := at[n]; !known {
				at[n] = 0
				issues = append(issues, n)
			}
		}
	}
	slices.Sort(issues)
	for i, n := range issues {
		at[n] = i
	}
	n := len(issues)
	g := &graph{
		issues: issues, next: make([][]int, n), prev: make([][]int, n), out: make([]int, n),
		in:   make([]int, n),
		gone: make([]bool, n), from: make([]int, n), seen: make([]int, n),
	}
	for _, e := range edges {
		a, b := at[e[0]], at[e[1]]
		g.next[a], g.prev[b] = append(g.next[a], b), append(g.prev[b], a)
		g.out[a]++
		g.in[b]++
	}
	for _, list := range g.next {
		slices.Sort(list)
	}
	return g
}

// peel removes an issue without blockers or without dependents, and then all issues that have
// become so.
func (g *graph) peel(n int) {
	if !g.gone[n] && (g.in[n] == 0 || g.out[n] == 0) {
		g.remove(n)
	}
}

func (g *graph) remove(n int) {
	g.gone[n] = true
	todo := []int{n}
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, to := range g.next[n] {
			if g.in[to]--; g.in[to] == 0 && !g.gone[to] {
				g.gone[to] = true
				todo = append(todo, to)
			}
		}
		for _, before := range g.prev[n] {
			if g.out[before]--; g.out[before] == 0 && !g.gone[before] {
				g.gone[before] = true
				todo = append(todo, before)
			}
		}
	}
}

// cycle returns a shortest path from start back to start, or nil if there is none shorter than
// limit. A limit of 0 means no limit.
func (g *graph) cycle(start, limit int) []int {
	layer := []int{start}
	for depth := 1; len(layer) > 0 && (limit == 0 || depth < limit); depth++ {
		var following []int
		for _, n := range layer {
			for _, to := range g.next[n] {
				if to == start {
					return g.path(n, start)
				}
				if !g.gone[to] && g.seen[to] != start+1 {
					g.seen[to], g.from[to] = start+1, n
					following = append(following, to)
				}
			}
		}
		layer = following
	}
	return nil
}

func (g *graph) path(n, start int) []int {
	path := []int{g.issues[n]}
	for n != start {
		n = g.from[n]
		path = append(path, g.issues[n])
	}
	slices.Reverse(path)
	return path
}
