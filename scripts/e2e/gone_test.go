//go:build e2e && linux

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// heldByTheClient is what the model reads of a call that could not be judged.
const heldByTheClient = "a loop is on and its program is missing or broken: nothing runs"

// goneWorld is a world whose model makes calls that leave a trace each, after the program was taken
// away: before the session, or by the model's first call with a loop on.
func goneWorld(t *testing.T, settings bool, lost func(w *World, program string)) (w *World,
	calls []Call, run func(string, ...string) string) {
	const mcp = "mcp__jobs__create_event"
	var once sync.Once
	var program string
	w = newWorld(t, func(r Request) Turn {
		if strings.Contains(r.Messages[0].Text(), "WORKER") {
			return Turn{Text: "worked"}
		}
		made := len(r.results())
		if made == 1 {
			once.Do(func() { lost(w, program) })
		}
		return hasty(made, calls...)
	})
	log, args := w.offersOutside()
	w.Env = []string{"IS_SANDBOX=1"}
	program = filepath.Join(w.Plugins[0], "bin", "hooks")
	if settings {
		w.Plugins = w.Plugins[1:]
		program = w.register()
	}
	calls = []Call{
		load(mcp), bash("echo bash >>" + log),
		{"Write", map[string]any{"file_path": w.state("work.budget.json"), "content": "{}"}},
		dispatch("WORKER for issue #143", "haiku", false), {mcp, map[string]any{"summary": "x"}},
	}
	args = append(args, "--permission-mode", "bypassPermissions",
		"--allow-dangerously-skip-permissions")
	return w, calls, func(prompt string, more ...string) string {
		said := w.Headless(prompt, append(more, args...)...)
		return w.read(log) + said.Result
	}
}

// losses are ways to lose a program.
var losses = map[string]func(*World, string){
	"gone": func(w *World, program string) { _ = os.Remove(program) },
	"cut off": func(w *World, program string) {
		text := w.read(program)
		_ = os.Remove(program) // it may run
		w.write(program, text[:len(text)/2], 0o755)
	},
}

// Once the program is gone or cut off in the middle of a run, the client itself holds every call: a
// command, a file of the state, a worker, an MCP tool, and the next prompt. The model reads which
// file lets the session go (client contract, third round; R2).
func TestNothingRunsInALoopWhoseProgramIsGone(t *testing.T) {
	for name, lose := range losses {
		for _, settings := range []bool{false, true} {
			t.Run(registeredIn(settings)+", "+name, func(t *testing.T) {
				before := ""
				w, calls, run := goneWorld(t, settings, func(w *World, program string) {
					before = w.read(w.state("work.budget.json"))
					lose(w, program)
				})
				if said := run("/sdd:work --loop"); said != "done" {
					t.Errorf("calls ran: %s", said)
				}
				list := w.Model.Requests()
				results := list[len(list)-1].results()
				for i, b := range results[1:] {
					if !b.IsError || !strings.Contains(b.Text, heldByTheClient) {
						t.Errorf("%s was answered %q", calls[i+1].Name, b.Text)
					}
				}
				if len(results) != len(calls) {
					t.Errorf("%d of %d calls were made", len(results), len(calls))
				}
				on, _ := filepath.Glob(filepath.Join(w.Home, ".local/state/hooks/on/*"))
				if len(on) != 1 || !w.Model.Told("rm \""+on[0]+"\"") {
					t.Fatalf("the model was not told which of %v lets the session go", on)
				}
				if after := w.read(w.state("work.budget.json")); after != before || before == "" {
					t.Errorf("the budget became %s", after)
				}
				if said := run("continue", "--continue"); !strings.Contains(said, heldByTheClient) {
					t.Errorf("the next prompt led to %q", said)
				}
				if err := os.Remove(on[0]); err != nil {
					t.Fatal(err)
				}
				if said := run("continue", "--continue"); said != "done" {
					t.Errorf("once it is let go, a prompt led to %q", said)
				}
			})
		}
	}
}

// The same installation blocks nothing without a loop: prompts and calls pass.
func TestABrokenInstallationBlocksNothingWithoutALoop(t *testing.T) {
	for name, lose := range losses {
		for _, settings := range []bool{false, true} {
			t.Run(registeredIn(settings)+", "+name, func(t *testing.T) {
				w, calls, run := goneWorld(t, settings, func(*World, string) {})
				program := filepath.Join(w.Bin, "hooks")
				if !settings {
					program = filepath.Join(w.Plugins[0], "bin", "hooks")
				}
				lose(w, program)
				if said := run("do it"); said != "bash\ncreate_event\ndone" {
					t.Errorf("what ran is %q", said)
				}
				list := w.Model.Requests()
				results := list[len(list)-1].results()
				for i, b := range results {
					if b.IsError {
						t.Errorf("%s was answered %q", calls[i].Name, b.Text)
					}
				}
				if len(results) != len(calls) {
					t.Errorf("%d of %d calls were made", len(results), len(calls))
				}
			})
		}
	}
}

func registeredIn(settings bool) string {
	if settings {
		return "settings"
	}
	return "plugin"
}
