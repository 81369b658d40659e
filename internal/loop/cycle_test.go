package loop

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestCycle(t *testing.T) {
	tests := []struct {
		name  string
		edges [][2]int
		want  []int
	}{
		{"none", [][2]int{{1, 2}, {2, 3}, {1, 3}}, nil},
		{"two", [][2]int{{50, 51}, {51, 50}}, []int{50, 51}},
		{"itself", [][2]int{{7, 7}, {7, 8}}, []int{7}},
		{"three beside four", [][2]int{{3, 4}, {4, 1}, {2, 3}, {1, 2}, {9, 8}, {8, 7}, {7, 9}},
			[]int{1, 2, 3, 4}},
		{"lowest number first", [][2]int{{1, 9}, {9, 8}, {8, 7}, {7, 9}}, []int{7, 9, 8}},
		{"tail into a cycle", [][2]int{{1, 2}, {2, 3}, {3, 2}, {3, 4}}, []int{2, 3}},
		{"same edge twice", [][2]int{{3, 4}, {3, 4}, {4, 3}}, []int{3, 4}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if d := cmp.Diff(tt.want, Cycle(tt.edges)); d != "" {
				t.Error(d)
			}
		})
	}
}

// The twin connects what any walk connects. There is a cycle if an issue is connected to itself.
func TestCycleAgainstAllWalks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		edges := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) [2]int {
			return [2]int{rapid.IntRange(0, 7).Draw(t, "from"), rapid.IntRange(0, 7).Draw(t, "to")}
		}), 0, 14).Draw(t, "edges")
		var step, walk [8][8]bool
		for _, e := range edges {
			step[e[0]][e[1]] = true
		}
		walk = step // becomes the pairs that a walk of any length connects
		for via := range 8 {
			for a := range 8 {
				for b := range 8 {
					walk[a][b] = walk[a][b] || walk[a][via] && walk[via][b]
				}
			}
		}
		want := false
		for n := range 8 {
			want = want || walk[n][n]
		}
		got := Cycle(edges)
		if (got != nil) != want {
			t.Fatalf("%v: got %v, want a cycle: %v", edges, got, want)
		}
		for i, n := range got {
			if !step[n][got[(i+1)%len(got)]] {
				t.Fatalf("%v: %v is no cycle", edges, got)
			}
		}
	})
}

// A cycle through every issue of a large backlog.
func TestCycleOfManyIssues(t *testing.T) {
	const n = 5000
	var edges [][2]int
	for i := range n {
		edges = append(edges, [2]int{i + 1, (i+1)%n + 1})
	}
	if got := Cycle(edges); len(got) != n || got[0] != 1 {
		t.Errorf("%d issues", len(got))
	}
}

// BenchmarkCycle: a ring with short cuts, a ring alone, and edges at random, of 5,000
// issues and 10,000 edges.
func BenchmarkCycle(b *testing.B) {
	const n = 5000
	graphs := map[string][][2]int{}
	seed := uint32(1)
	random := func() int {
		seed = seed*1664525 + 1013904223
		return int(seed>>8)%n + 1
	}
	for i := range n {
		graphs["ring"] = append(graphs["ring"], [2]int{i + 1, (i+1)%n + 1})
		graphs["shortcuts"] = append(graphs["shortcuts"], [2]int{i + 1, (i+1)%n + 1},
			[2]int{i + 1, (i+2)%n + 1})
		graphs["random"] = append(graphs["random"], [2]int{random(), random()},
			[2]int{random(), random()})
		graphs["none"] = append(graphs["none"], [2]int{i + 1, i + 2}, [2]int{i/2 + 1, i + 2})
	}
	for name, edges := range graphs {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Cycle(edges)
			}
		})
	}
}

// FuzzCycle: edges of any kind end in a cycle that is one, or in none.
func FuzzCycle(f *testing.F) {
	f.Add([]byte{1, 2, 2, 1})
	f.Add([]byte{1, 1, 3, 4, 4, 5, 5, 3})
	f.Fuzz(func(t *testing.T, b []byte) {
		var edges [][2]int
		for i := 0; i+1 < min(len(b), 512); i += 2 {
			edges = append(edges, [2]int{int(b[i]), int(b[i+1])})
		}
		cycle := Cycle(edges)
		for i, n := range cycle {
			next := cycle[(i+1)%len(cycle)]
			there := false
			for _, e := range edges {
				there = there || e == [2]int{n, next} || e == [2]int{next, n}
			}
			if !there {
				t.Fatalf("%v is no cycle of %v", cycle, edges)
			}
		}
	})
}
