//go:build e2e && linux

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"
)

// askScript is a person's Ask command: it keeps the question, thinks for two seconds and answers.
const askScript = `#!/bin/sh
cat >>%s
sleep 2
echo %s
`

// asks gives the person an Ask command with one answer to everything, and returns the file with the
// questions that it got.
func (w *World) asks(answer string) (questions string) {
	w.t.Helper()
	questions = filepath.Join(w.Home, "questions.jsonl")
	script := filepath.Join(w.Home, "ask.sh")
	w.write(script, fmt.Sprintf(askScript, questions, answer), 0o755)
	w.write(filepath.Join(w.Home, ".claude", "CLAUDE.md"),
		"## SDD Configuration\n\n- **Ask**: sh "+script+"\n- **Ask-After**: 3s\n", 0o644)
	return questions
}

// If no one can answer a dialog, the question reaches the person's own Ask command after the client
// has ended, and --resume continues by what that printed (R92, R96, R120, design: no one there).
func TestAnAskCommandAnswersAHeadlessGate(t *testing.T) {
	w := newWorld(t, Worker{Usage: spends85cents}.Say)
	questions := w.asks("raise")
	w.Headless(dollarLoop)
	w.Headless(dollarLoop + " --resume")
	if b := w.Budget("work"); b.Status != "paused" || b.IterationsUsed != 1 {
		t.Fatalf("the run is %+v, want paused with 1 used", b)
	}
	answered := func() bool {
		text, _ := os.ReadFile(w.state("work.budget.json"))
		return gjson.GetBytes(text, "pending_gates.0.origin").Str == "ask"
	}
	if !patiently(30*time.Second, answered) {
		t.Fatal("no answer of the Ask command is in the run")
	}
	text, _ := os.ReadFile(questions)
	if got := gjson.GetBytes(text, "question").Str; got != dollarGate {
		t.Errorf("the person was asked %q, want %q", got, dollarGate)
	}
	if n := strings.Count(string(text), `"gate"`); n != 1 {
		t.Errorf("the person was asked %d times", n)
	}

	w.Headless(dollarLoop + " --resume")
	lines := w.History("work")
	last := lines[len(lines)-1]
	if last.Outcome != "ok" || len(last.Gates) != 1 || last.Gates[0].Answer != "raise" ||
		last.Gates[0].Origin != "ask" {
		t.Errorf("after the answer the iteration is %s with gates %+v", last.Outcome, last.Gates)
	}
}

// A dialog that no one answers for the time of Ask-After is answered by the Ask command while it is
// open: it goes from the screen, and the loop continues by that answer (R92, R98, R107).
func TestAnAskCommandAnswersAnOpenDialog(t *testing.T) {
	w := newWorld(t, Worker{Usage: spends85cents}.Say)
	questions := w.asks("raise")
	term := w.Interactive()
	term.Enter(dollarLoop)
	w.WaitHistory("work", 1, 60*time.Second)
	term.Enter(dollarLoop)
	term.WaitScreen(dialogFoot, 60*time.Second)
	if text, _ := os.ReadFile(questions); len(text) > 0 {
		t.Errorf("the command was asked at once: %s", text)
	}
	lines := w.WaitHistory("work", 2, 60*time.Second)
	if gates := lines[1].Gates; len(gates) != 1 || gates[0].Question != dollarGate ||
		gates[0].Answer != "raise" || gates[0].Origin != "ask" {
		t.Errorf("the second iteration has the gates %+v", gates)
	}
	if strings.Contains(term.Screen(), dialogFoot) {
		t.Errorf("the dialog is still open:\n%s", term.Screen())
	}
}

// A person who is faster in the dialog answers it, and the command ends with its question.
func TestAPersonIsFasterThanTheirAskCommand(t *testing.T) {
	w := newWorld(t, Worker{Usage: spends85cents}.Say)
	questions := w.asks("stop")
	w.write(filepath.Join(w.Home, "ask.sh"), "#!/bin/sh\ncat >>"+questions+
		"\necho $$ >"+questions+".pid\nsleep 60\necho stop\n", 0o755)
	term := w.Interactive()
	term.Enter(dollarLoop)
	w.WaitHistory("work", 1, 60*time.Second)
	term.Enter(dollarLoop)
	term.WaitScreen(dialogFoot, 60*time.Second)
	asked := func() bool { _, err := os.Stat(questions + ".pid"); return err == nil }
	if !patiently(20*time.Second, asked) {
		t.Fatal("the command was not asked")
	}
	term.Choose(1)
	lines := w.WaitHistory("work", 2, 60*time.Second)
	if gates := lines[1].Gates; len(gates) != 1 || gates[0].Answer != "continue" ||
		gates[0].Origin != "dialog" {
		t.Errorf("the second iteration has the gates %+v", gates)
	}
	pid, _ := os.ReadFile(questions + ".pid")
	ended := func() bool {
		_, err := os.Stat("/proc/" + strings.TrimSpace(string(pid)))
		return err != nil
	}
	if !eventually(10*time.Second, ended) {
		t.Errorf("the command %s outlived its question", pid)
	}
}
