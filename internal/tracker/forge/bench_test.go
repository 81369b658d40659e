package forge

import (
	"fmt"
	"strings"
	"testing"

	"hooks/internal/loop"
	"hooks/internal/tracker/backlog"
)

// bigBacklog is what gh prints for 5,000 issues with 10,000 dependencies, in pages of 100: bodies
// of the usual size, half of the dependencies in them, half GitHub's own. closed adds a cycle
// through all of the long chain.
func bigBacklog(closed bool) []byte {
	const n = 5000
	filler := strings.Repeat("What is to be done here is said in a few sentences, as people "+
		"write them.\\n", 8)
	var b strings.Builder
	for page := 0; page < n; page += 100 {
		fmt.Fprintf(&b,
			`{"data":{"repository":{"issues":{"pageInfo":{"hasNextPage":%v,"endCursor":"x"},"nodes":[`, page+100 < n)
		for i := page + 1; i <= page+100; i++ {
			if i > page+1 {
				b.WriteByte(',')
			}
			first, second := i-1, i/2
			if i == 1 {
				first, second = 9999, 9999 // closed long ago
				if closed {
					first = n
				}
			}
			fmt.Fprintf(&b,
				`{"number":%d,"title":"Issue %d","labels":{"nodes":[{"name":"area/x"}]},`+
					`"milestone":{"title":"v1"},"assignees":{"nodes":[]},`+
					`"blockedBy":{"totalCount":1,"nodes":[{"number":%d,"state":"OPEN","repository":{"nameWithOwner":"acme/app"}}]},"subIssues":{"totalCount":0,"nodes":[]},`+
					`"body":"## Context\n%sDepends on #%d\n\n### Acceptance Criteria\n- [ ] it works\n"}`,
				i, i, second, filler, first)
		}
		b.WriteString("]}}}}")
	}
	return []byte(strings.ReplaceAll(b.String(), "Context\n", "Context\\n"))
}

// BenchmarkBacklog is what an entry pays beside the call itself.
func BenchmarkBacklog(b *testing.B) {
	for _, closed := range []bool{false, true} {
		out := escape(bigBacklog(closed))
		b.Run(fmt.Sprintf("cycle=%v", closed), func(b *testing.B) {
			home := loop.Tracker{Kind: GitHub, Repo: "acme/app"}
			g := newGitHub(reader{Tracker: home})
			b.SetBytes(int64(len(out)))
			for b.Loop() {
				c := connected(out, nil, "data.repository", "issues")
				l := readList(c.printed, g.number, g.issue)
				if !l.whole || l.fail != nil {
					b.Fatal(l.fail)
				}
				r := backlog.Sort(&backlog.Board{Home: home, Issues: l.rows, Whole: true,
					PullsWhole: true, Shared: true}, backlog.Scope{})
				cycle := loop.Cycle(r.Edges)
				if len(r.Facts) != 5000 || len(r.Edges) < 9990 || (len(cycle) > 0) != closed {
					b.Fatal(len(r.Facts), len(r.Edges), cycle)
				}
			}
		})
	}
}

// escape turns the line feeds inside strings into what JSON has for them.
func escape(out []byte) []byte { return []byte(strings.ReplaceAll(string(out), "\n", `\n`)) }
