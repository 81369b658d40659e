//go:build e2e && linux

package e2e

import (
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The plugin's own skills are there for people who have none: /hooks:work loops like any other (w;
// R1, R2).
func TestOwnSkillsLoop(t *testing.T) {
	w := newWorld(t, func(r Request) Turn {
		prompt, done := r.Prompt(), len(r.Calls())
		if strings.Contains(prompt, "Do one iteration over the backlog of this repository") &&
			done == 0 {
			return Turn{Calls: []Call{bash("hooks report <<'JSON'\n" + `{"outcome":"ok"}` +
				"\nJSON")}}
		}
		return Turn{Text: "the turn is over"}
	})
	for _, skill := range []string{"work", "review"} {
		name := filepath.Join("skills", skill, "SKILL.md")
		w.copy(filepath.Join(repository(), name), filepath.Join(w.Plugins[0], name), 0o644)
	}
	term := w.Interactive()
	term.Enter("/hooks:work --loop")
	line := w.WaitHistory("work", 1, 60*time.Second)[0]
	if line.Outcome != "ok" || w.Budget("work").Status != "active" {
		t.Errorf("the iteration is %s, the run %+v", line.Outcome, w.Budget("work"))
	}
	if !w.Model.Told("Loop Iteration 1/5 — /hooks:work --loop") ||
		!w.Model.Told("Arguments: --loop") {
		t.Error("the model was not told of the iteration")
	}
}
