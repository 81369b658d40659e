package report

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"hooks/internal/attempt"
	"hooks/internal/hint"
	"hooks/internal/kind/audit"
	"hooks/internal/loop"
)

// FuzzAuditReport takes two reports of any text into an audit, one after the other. A refused one
// changes nothing and has its next step; the counts are those of the list; ids are there once.
func FuzzAuditReport(f *testing.F) {
	f.Add([]byte(`{"findings":[{"file":"a","severity":"bug","description":"x"}],`+
		`"verdict":"dirty"}`),
		[]byte(`{"resolved":["F1"],"verdict":"clean"}`), "abc1234")
	f.Add([]byte(`{"findings":[{"file":"a","line":3,"severity":"warning","description":"0x1 y",`+
		`"scenario":"z"},{"file":"a","severity":"bug","description":"0x2 Y"}]}`),
		[]byte(`{"resolved":["F1","F1","F9"],"verdict":"dirty"}`), "")
	f.Fuzz(func(t *testing.T, first, second []byte, head string) {
		run := &loop.Budget{Skill: audit.Name}
		run.Own = &audit.Run{Phase: audit.Auditing, Sections: []string{"one"}, Audits: 2}
		tick := &loop.Tick{Iteration: 1, Attempt: &attempt.Attempt{Task: 1, Sent: true}}
		tick.Attempt.Phase = string(audit.Auditing)
		for _, text := range [][]byte{first, second} {
			facts, err := Facts(text)
			if err != nil {
				continue
			}
			before := audit.Of(run)
			was := *before
			_, wrong := audit.Take(loop.State{Run: run, Tick: tick}, facts, head, false)
			if wrong != nil && (hint.Of(wrong) == "" || !cmp.Equal(&was, audit.Of(run))) {
				t.Errorf("%q: %v, hint %q\n%s", text, wrong, hint.Of(wrong),
					cmp.Diff(&was, audit.Of(run)))
			}
			counted := *audit.Of(run)
			if counted.Tally(); counted.Found != audit.Of(run).Found &&
				!cmp.Equal(&was, audit.Of(run)) {
				t.Errorf("%q: counted %+v, kept %+v", text, counted.Found, audit.Of(run).Found)
			}
			ids := map[string]bool{}
			for _, f := range audit.Of(run).Findings {
				if ids[f.ID] {
					t.Errorf("%q: %s twice", text, f.ID)
				}
				ids[f.ID] = true
			}
			if open := audit.Of(run).Which(audit.OpenFinding); len(open) > audit.MaxFindings {
				t.Errorf("%q: %d are open", text, len(open))
			}
		}
	})
}
