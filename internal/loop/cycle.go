package loop

import "slices"

// ShortestCycle returns the numbers of a shortest cycle among edges (from, to), such as those from
// blocker to blocked, in order, the lowest number first. If several have the same length, it
// returns the one with the lowest numbers. It returns nil if there is no cycle (R39–R42).
func ShortestCycle(edges [][2]int) (best []int) {
	g := newGraph(edges)
	for start, blockers := range g.blockers {
		if blockers == 0 { // no cycle leads through an issue that can be done
			continue
		}
		if c := g.cycle(start, len(best)); c != nil {
			best = c
		}
	}
	return best
}

// graph holds the issues by index, in the order of their numbers.
type graph struct {
	issues   []int
	next     [][]int
	blockers []int // number of blockers that can never be done
	from     []int // the predecessor in the current search
	seen     []int // the last search that reached the issue, as its start + 1
}

func newGraph(edges [][2]int) *graph {
	var issues []int
	for _, e := range edges {
		issues = append(issues, e[0], e[1])
	}
	slices.Sort(issues)
	issues = slices.Compact(issues)
	n := len(issues)
	g := &graph{issues, make([][]int, n), make([]int, n), make([]int, n), make([]int, n)}
	for _, e := range edges {
		a, _ := slices.BinarySearch(issues, e[0])
		b, _ := slices.BinarySearch(issues, e[1])
		g.next[a] = append(g.next[a], b)
		g.blockers[b]++
	}
	var done []int
	for n, blockers := range g.blockers {
		slices.Sort(g.next[n])
		if blockers == 0 {
			done = append(done, n)
		}
	}
	for len(done) > 0 {
		n := done[len(done)-1]
		done = done[:len(done)-1]
		for _, to := range g.next[n] {
			if g.blockers[to]--; g.blockers[to] == 0 {
				done = append(done, to)
			}
		}
	}
	return g
}

// cycle searches breadth-first for a shortest cycle whose lowest issue is start. It returns nil if
// every such cycle has limit issues or more. A limit of 0 means no limit.
func (g *graph) cycle(start, limit int) []int {
	layer := []int{start}
	for depth := 1; len(layer) > 0 && (limit == 0 || depth < limit); depth++ {
		var following []int
		for _, n := range layer {
			for _, to := range g.next[n] {
				if to == start {
					return g.path(n, start)
				}
				if to > start && g.seen[to] != start+1 {
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
