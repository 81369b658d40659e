//go:build e2e && linux

package e2e

import (
	"path/filepath"
	"testing"
	"time"
)

// promptSkill gives the world the plugin's own skill that takes a person's prompt.
func (w *World) promptSkill() {
	w.t.Helper()
	name := filepath.Join("skills", "do", "SKILL.md")
	w.copy(filepath.Join(repository(), name), filepath.Join(w.Plugins[0], name), 0o644)
}

// does is a model that runs /loop, and in an iteration makes the calls once and ends its turn.
func does(calls ...Call) Script {
	return func(r Request) Turn {
		prompt, done := r.Prompt(), len(r.Calls())
		steps, last := Worker{}.plan(prompt)
		if iterationPattern.MatchString(prompt) {
			steps = append(steps, calls...)
		}
		if done < len(steps) {
			return Turn{Calls: steps[done : done+1]}
		}
		return last
	}
}

// A prompt of a person's own runs under /loop, one iteration a minute, calls the skill that it
// names with each one, and halts at its ceiling; its schedule goes with it.
func TestAPromptLoopRepeatsItsPromptUnderLoop(t *testing.T) {
	w := newWorld(t, does(Call{"Skill", map[string]any{"skill": "watch", "args": "staging"}}))
	w.promptSkill()
	w.write(filepath.Join(w.Project, ".claude", "skills", "watch", "SKILL.md"),
		"---\nname: watch\ndescription: Look at a host.\n---\n\nLOOK AT: $ARGUMENTS\n", 0o644)
	term := w.Interactive()
	term.Enter("/loop 1m /hooks:do --max-iterations 2 -- /watch staging")

	lines := w.WaitHistory("prompt", 2, 4*time.Minute)
	if b := w.Budget("prompt"); b.Status != "halted" || b.StopCause != "iteration_budget" {
		t.Errorf("the run ended as %+v", b)
	}
	for _, l := range lines {
		if l.RunID != lines[0].RunID {
			t.Errorf("iteration %d is of another run", l.Iteration)
		}
	}
	for _, text := range []string{"Loop Iteration 2/2 — /hooks:do", "> /watch staging",
		`skill "watch", args "staging"`, "LOOK AT: staging"} {
		if !w.Model.Told(text) {
			t.Errorf("the model was not told %q", text)
		}
	}
	term.WaitShowed("Cause: iteration_budget", 10*time.Second)
	w.waitResult(t, "CronDelete", "Cancelled")
}

// Typed alone it is one iteration, and a merge waits for a person as anywhere.
func TestAPromptLoopTypedAlone(t *testing.T) {
	var w *World
	w = newWorld(t, func(r Request) Turn {
		return does(append([]Call{bash(w.merge(142))}, askInOwnWords()...)...)(r)
	})
	w.promptSkill()
	question := w.mergeAsked(142, "no tracker is configured")
	term := w.Interactive()
	term.Enter("/hooks:do --max-dollars 3 -- merge what is green")
	term.WaitShowed("loop iteration 1/50 begins, 49 iterations, $3.00 left", 60*time.Second)
	term.WaitScreen(question, 60*time.Second)
	term.Choose(2)

	line := w.WaitHistory("prompt", 1, 60*time.Second)[0]
	if len(w.Merges()) > 0 {
		t.Error("the merge ran")
	}
	if line.Outcome != "ok" || len(line.Gates) != 1 || line.Gates[0].Answer != "hold" {
		t.Errorf("the iteration is %+v", line)
	}
	if b := w.Budget("prompt"); b.Status != "active" || b.IterationsUsed != 1 {
		t.Errorf("the run is %+v", b)
	}
}
