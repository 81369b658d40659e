//go:build e2e && linux

package e2e

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const ledger = "changes/parser/loops/implement-01.md"

// The first attempt of a task adds a turn to its ledger and asks. A person answers below it, which
// passes no gate. The next attempt is told of the ledger and of the answer, changes neither, and
// adds a turn of its own (L13, L16, L19, L21, L22, L27, L31).
func TestFeedbackOfTheLedgerReachesTheNextAttempt(t *testing.T) {
	var w *World
	var first string // the token of the first attempt
	const blank = "(Leave blank to continue. Write notes here to guide the next iteration.)"
	turn := func(text string) string {
		return "echo '" + text + "' | hooks ledger append " + ledger
	}
	w = taskWorld(t, 1, Conductor{Work: func(n int, k Work) Turn {
		path := filepath.Join(w.Project, ledger)
		if first == "" {
			first = k.Token
		}
		calls := []Call{commit("hooks ledger new implement parser 1 && " + turn("Which format?"))}
		if k.Token != first {
			calls = []Call{
				{"Read", map[string]any{"file_path": path}},
				{"Edit", map[string]any{"file_path": path, "old_string": "second",
					"new_string": "first"}},
				{"Write", map[string]any{"file_path": path, "content": "retry\n"}},
				bash("sed -i s/second/first/ " + ledger),
				commit("hooks ledger feedback " + ledger + " && " + turn("It is the second.")),
			}
		}
		switch {
		case k.Done < len(calls):
			return Turn{Calls: calls[k.Done : k.Done+1]}
		case k.Token != first:
			return k.claim(n)
		}
		return Turn{Text: "TASK_BLOCKED " + k.Token + " which of the two formats is meant?"}
	}})
	w.noRemote()
	w.write(filepath.Join(w.Project, "changes/parser/spec.md"),
		"# Parser\n\n## Tasks\n\n- [ ] Add the parser\n", 0o644)
	w.git(w.Project, "add", ".")
	w.git(w.Project, "commit", "--quiet", "-m", "change")

	w.begins("/hooks:go changes/parser/spec.md")
	w.Headless("/hooks:go --resume")
	asked := len(w.Model.Requests())
	w.write(filepath.Join(w.Project, ledger),
		strings.Replace(w.read(ledger), blank, "retry\n\nUse the second format.", 1), 0o644)
	w.Headless("/hooks:go --resume")
	if b := w.Budget("task"); b.Status != "paused" || len(w.Model.Requests()) != asked {
		t.Errorf("feedback passed the gate: %+v after %d more requests", b,
			len(w.Model.Requests())-asked)
	}
	w.hooks("gate", "answer", "task-flagged:task 1", "retry")
	w.Headless("/hooks:go --resume", "--permission-mode", "acceptEdits")

	told := []string{"The ledger of this task is " + ledger + ". Read its last turns first",
		"Two or three rounds of critique before a turn are enough",
		"The newest feedback from a person:", "> Use the second format."}
	var tried []Block
	for _, r := range w.Model.Requests() {
		_, token := r.task()
		for _, want := range told {
			if token != "" && strings.Contains(r.first(), want) != (token != first) {
				t.Errorf("the worker of %s was told:\n%s\nwant with %q in the second attempt only",
					token, r.first(), want)
			}
		}
		if b := r.results(); token != "" && len(b) == 5 {
			tried = b[1:4]
		}
	}
	for _, b := range tried {
		if !b.IsError || !strings.Contains(b.Text, "would change a ledger") {
			t.Errorf("the worker may change the ledger: %s", b.Text)
		}
	}
	if tried == nil {
		t.Error("the second worker did not try to change the ledger")
	}
	if diff := cmp.Diff([]string{"1.1 flagged", "1.1 claimed"}, w.TaskHistory()); diff != "" {
		t.Errorf("attempts (-want +got):\n%s", diff)
	}
	var line struct{ Task struct{ Feedback string } }
	lines := strings.Split(strings.TrimSpace(w.read(".sdd/loop/task.history.jsonl")), "\n")
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &line); err != nil ||
		line.Task.Feedback != "retry\n\nUse the second format." {
		t.Errorf("the history has the feedback %q, %v", line.Task.Feedback, err)
	}
	want := "# Implementation: Task 01\n\nWhich format?\n\n## User Feedback\n\nretry\n\n" +
		"Use the second format.\n\n---\n\nIt is the second.\n\n## User Feedback\n\n" + blank +
		"\n\n---\n"
	if diff := cmp.Diff(want, w.read(ledger)); diff != "" {
		t.Errorf("the ledger (-want +got):\n%s", diff)
	}
}

// The main thread of an iteration sends the same critic three times. The fourth call is refused
// with the way on, and the iteration continues (L17, L18).
func TestTheFourthRoundWithACriticIsRefused(t *testing.T) {
	round := Call{"Agent", map[string]any{"subagent_type": "sdd:critic", "description": "round",
		"prompt": "WORKER critic\nIt is issue #44."}}
	main := Worker{Work: func(int) []Call { return []Call{round, round, round, round} }}
	w := newWorld(t, withWorkers(main, quickly))
	w.write(filepath.Join(w.Plugins[1], "agents", "critic.md"),
		"---\nname: critic\ndescription: Criticizes.\n---\n\nFind what is weak.\n", 0o644)
	w.Headless("/sdd:work --loop --max-iterations 1")
	var results []Block
	for _, r := range w.Model.Requests() {
		if all := r.results(); len(all) > len(results) {
			results = all
		}
	}
	refused := 0
	for i, b := range results {
		if strings.Contains(b.Text, "an iteration allows at most 3 cycles with critic") {
			refused++
			if i != 3 || !b.IsError || !strings.Contains(b.Text, "accept the current state, or") {
				t.Errorf("call %d: %s", i, b.Text)
			}
		}
	}
	if refused != 1 {
		t.Errorf("%d calls were refused of\n%v", refused, results)
	}
}
