//go:build e2e && linux

package e2e

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Dollars hold whatever a thread does: a run spends at most its ceiling, the overrun of a tenth,
// and one answer of each running worker and of the main thread (R30, R58, T88).
func TestDollarsHold(t *testing.T) {
	const answer = 0.10 // dollars, as 5,000 tokens of the model
	costs := Usage{Output: 5000}
	dear := func(s Script) Script {
		return func(r Request) Turn {
			turn := s(r)
			turn.Usage = costs
			return turn
		}
	}
	holds := func(t *testing.T, w *World, skill string, workers int) {
		t.Helper()
		ended := func() bool { return w.Budget(skill).StopCause != "" && !w.Locked(skill) }
		if !patiently(60*time.Second, ended) {
			t.Fatalf("the run has not ended: %+v", w.Budget(skill))
		}
		time.Sleep(3 * time.Second) // what still runs would ask again
		spent := answer * float64(len(w.Model.Requests()))
		if most := 1.10 + answer*float64(workers+1); spent > most+1e-9 || spent < 1 {
			t.Errorf("$%.2f were spent, at most $%.2f may be", spent, most)
		}
		b := w.Budget(skill)
		t.Logf("$%.2f in %d requests, the run counts $%.2f", spent, len(w.Model.Requests()),
			b.Dollars)
		if b.StopCause != "cost_budget" {
			t.Errorf("the run is %+v", b)
		}
	}
	for name, call := range map[string]Call{
		"reads":               reads,
		"is refused for ever": bash(landing),
	} {
		t.Run("a worker that only "+name, func(t *testing.T) {
			w := taskWorld(t, 2, Conductor{})
			w.noRemote()
			w.begins("/hooks:go docs/spec.md --max-dollars 1")
			w.Model.script = dear(Conductor{Work: func(int, Work) Turn {
				return Turn{Calls: []Call{w.absolute(call)}}
			}}.Say)
			w.Headless("/hooks:go --resume")
			holds(t, w, "task", 1)
		})
	}
	t.Run("a process that only reads", func(t *testing.T) {
		w := drivenWorld(t, 2, nil)
		w.noRemote()
		w.approved("docs/spec.md", "--max-dollars", "1")
		w.Model.script = dear(inline(func(int, Work) Turn {
			return Turn{Calls: []Call{w.absolute(reads)}}
		}))
		w.goes(4, []string{"--resume"})
		holds(t, w, "task", 0)
	})
	t.Run("an auditor that only reads", func(t *testing.T) {
		w := auditSide(newWorld(t, nil), 1)
		w.Model.script = dear(Conductor{Phase: func(p Phase) Turn {
			if p.Name == "coding" {
				return p.codes()
			}
			return Turn{Calls: []Call{w.absolute(reads)}}
		}}.Say)
		w.Headless("/hooks:audit docs/plan.md --max-dollars 1")
		holds(t, w, "audit", 1)
	})
	t.Run("two workers and a main thread that only read", func(t *testing.T) {
		w := newWorld(t, nil)
		send := func(n int) Call {
			return Call{"Agent", map[string]any{"subagent_type": "general-purpose",
				"description": fmt.Sprint("part ", n), "prompt": fmt.Sprintf("Read for #%d", 142+n),
				"run_in_background": true}}
		}
		main := Worker{AtOnce: true, Work: func(int) (list []Call) {
			for range 40 {
				list = append(list, w.absolute(reads))
			}
			return append([]Call{send(1), send(2)}, list...)
		}}
		w.Model.script = dear(func(r Request) Turn {
			if strings.Contains(r.All(), "Do one work iteration") {
				turn := main.Say(r)
				if n := len(turn.Calls); n > 0 && turn.Calls[0].Name == "Read" {
					turn.Calls = turn.Calls[:1]
				}
				return turn
			}
			return Turn{Calls: []Call{w.absolute(reads)}}
		})
		w.Headless("/sdd:work --loop --max-dollars 1")
		holds(t, w, "work", 2)
	})
}

var reads = Call{"Read", map[string]any{"file_path": "README.md"}}

// absolute is a call whose file is in the project.
func (w *World) absolute(c Call) Call {
	input, ok := c.Input.(map[string]any)
	if path, file := input["file_path"].(string); ok && file {
		c.Input = map[string]any{"file_path": filepath.Join(w.Project, path)}
	}
	return c
}
