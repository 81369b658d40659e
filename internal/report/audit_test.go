package report

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"hooks/internal/hint"
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
		run := &loop.Budget{Skill: loop.Audit}
		run.Own = &loop.AuditRun{Phase: loop.Auditing, Sections: []string{"one"}, Audits: 2}
		tick := &loop.Tick{Iteration: 1, Attempt: &loop.Attempt{Task: 1, Sent: true}}
		tick.Attempt.Phase = loop.Auditing
		for _, text := range [][]byte{first, second} {
			facts, err := Facts(text)
			if err != nil {
				continue
			}
			before := loop.AuditOf(run)
			was := *before
			_, wrong := (&loop.Facts{Run: run, Tick: tick}).TakeAudit(facts, head, false)
			if wrong != nil && (hint.Of(wrong) == "" || !cmp.Equal(&was, loop.AuditOf(run))) {
				t.Errorf("%q: %v, hint %q\n%s", text, wrong, hint.Of(wrong),
					cmp.Diff(&was, loop.AuditOf(run)))
			}
			counted := *loop.AuditOf(run)
			if counted.Tally(); counted.Found != loop.AuditOf(run).Found &&
				!cmp.Equal(&was, loop.AuditOf(run)) {
				t.Errorf("%q: counted %+v, kept %+v", text, counted.Found, loop.AuditOf(run).Found)
			}
			ids := map[string]bool{}
			for _, f := range loop.AuditOf(run).Findings {
				if ids[f.ID] {
					t.Errorf("%q: %s twice", text, f.ID)
				}
				ids[f.ID] = true
			}
			if open := loop.AuditOf(run).Which(loop.OpenFinding); len(open) > loop.MaxFindings {
				t.Errorf("%q: %d are open", text, len(open))
			}
		}
	})
}
