//go:build e2e && linux

package e2e

import (
	"errors"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// A job's typed flags answer in advance: the iteration at 80 percent of a ceiling begins unasked, a
// merge is refused although nobody commented, and each answer is recorded with its origin. `hooks
// result` has a code for every end (R92–R102, R107; interface: near-limit, merges, hooks result).
func TestAJobAnswersInAdvanceAndReadsTheResult(t *testing.T) {
	var fails atomic.Bool
	w := newWorld(t, Worker{
		Usage: spends85cents,
		Work:  func(int) []Call { return []Call{bash("gh pr merge 142 --squash")} },
		Report: func(int) string {
			if fails.Load() {
				return `{"outcome":"errored","note":"the tests are red"}`
			}
			return quiet
		},
	}.Say)
	w.forge()
	result := func(code int, text string) {
		t.Helper()
		out, err := w.tryHooks("result")
		got := 0
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
			got = exit.ExitCode()
		}
		if got != code || !strings.Contains(out, text) {
			t.Errorf("hooks result ends with %d, want %d with %q:\n%s", got, code, text, out)
		}
		t.Logf("%d %s", got, out)
	}
	recorded := func(want ...string) {
		t.Helper()
		lines, got := w.History("work"), []string{}
		for _, g := range lines[len(lines)-1].Gates {
			got = append(got, g.Name+" "+g.Answer+" "+g.Origin)
		}
		if !slices.Equal(got, want) {
			t.Errorf("the iteration's gates are %q, want %q", got, want)
		}
	}

	w.Headless("hello")
	result(6, "no loop: ")

	r := w.Headless("/sdd:work --loop --max-dollars 1 --near-limit continue --merges never")
	if !strings.Contains(strings.Join(r.Said, "\n"),
		"answered in advance: --near-limit continue --merges never") {
		t.Errorf("the person read %q", r.Said)
	}
	if len(w.Merges()) != 0 || !w.Model.Told("This run merges nothing (--merges never)") {
		t.Errorf("merges: %q", w.Merges())
	}
	recorded("post-feedback-merge hold flag")
	result(0, "succeeded: work loop, 1 iteration")

	w.Headless("/sdd:work --loop --resume")
	recorded("budget-escalation continue flag", "post-feedback-merge hold flag")
	if len(w.Merges()) != 0 {
		t.Errorf("merges of a resume: %q", w.Merges())
	}

	w.Headless("/sdd:work --loop --resume --near-limit ask")
	result(3, "waits for a person: work loop, 3 iterations") // with the one that waits
	w.Headless("/sdd:work --loop --resume --near-limit stop")
	recorded("budget-escalation stop flag")
	result(4, "stopped by --near-limit stop")

	fails.Store(true)
	w.Headless("/sdd:work --loop --max-iterations 3 --merges never")
	result(5, "failed: work loop, 1 iteration")
}

// A slip in the line behind /loop is refused as the client expands /loop, with what was meant, so
// that nothing is scheduled and no request is made. A skill's own flags pass (R2, R10–R13;
// interface: the line behind /loop).
func TestASlipBehindLoopSchedulesNothing(t *testing.T) {
	w := newWorld(t, Worker{}.Say)
	term := w.Interactive()
	for line, said := range map[string]string{
		"1m /sdd:work --lop":                    "did you mean --loop",
		"1m /sdd:work --max-dollars 3":          "limits a loop, but work has no --loop",
		"1m /sdd:work --loop --max-dolars 3":    "did you mean --max-dollars",
		"/sdd:work --loop --near-limit never":   "is not one of ask, continue, stop",
		"1m /hooks:work --loop --max-prs":       "is not a whole number from 1",
		"1m /hooks:review --loop --max-prs 1=2": "is not a whole number from 1",
	} {
		term.Enter("/loop " + line)
		term.WaitShowed(said, 30*time.Second)
	}
	if n := len(w.Model.Requests()); n != 0 {
		t.Errorf("%d requests were made, the last one said %q", n, w.Model.Requests()[n-1].Prompt())
	}
	t.Logf("the screen:\n%s", term.Screen())
	term.Enter("/loop 1m /sdd:work --loop --max-iterations 1 --no-chain --max-agents 2")
	w.WaitHistory("work", 1, 60*time.Second)
}
