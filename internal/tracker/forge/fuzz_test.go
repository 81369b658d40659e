package forge

import (
	"os"
	"path/filepath"
	"testing"

	"hooks/internal/loop"
	"hooks/internal/tracker/backlog"
)

// Whatever a program prints: no panic, no number out of bounds, and what is whole was readable to
// its end.
func FuzzAnswers(f *testing.F) {
	files, _ := filepath.Glob("testdata/*/*.json")
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
		f.Add(text[:len(text)/2])
	}
	r := reader{Tracker: loop.Tracker{Host: "github.com", Repo: "acme/app", Client: "x"}}
	gh, gl, te, co := newGitHub(r), newGitLab(r), &gitea{reader: r}, newCommand(r)
	f.Fuzz(func(t *testing.T, out []byte) {
		c := connected(out, nil, "data.repository", "issues")
		nodes, whole, fail := c.rows, c.whole, c.fail
		if whole && fail != nil || !whole && fail == nil && len(nodes) == 0 && len(out) == 0 {
			t.Errorf("whole %v, %v", whole, fail)
		}
		docs, _ := documents(out)
		for _, n := range append(nodes, docs...) {
			for _, i := range []backlog.Issue{gh.issue(n), gl.issue(n)} {
				if i.Number < 0 || i.Number > 1_000_000_000 {
					t.Errorf("issue %+v", i)
				}
			}
			for _, p := range []PR{gh.pr(n), gl.pr(n), te.pr(n), co.pr(n)} {
				if p.Number < 0 || p.Number > 1_000_000_000 {
					t.Errorf("PR %+v", p)
				}
			}
			co.refs(n)
		}
		for _, path := range []string{"data.repository.pullRequest", "data.project.mergeRequest",
			"pr"} {
			if p, fail := readOne(out, nil, path, gh.pr); (p.Number > 0) == (fail != nil) {
				t.Errorf("PR %d and %v", p.Number, fail)
			}
		}
	})
}
