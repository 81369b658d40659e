//go:build e2e && linux

package e2e

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A worker that rewrites the check to `exit 0` is not verified by it, and neither is any later one.
// One that does its work is verified by the check as it was (T63, T86, issue 29).
func TestAWorkerThatRewritesTheCheckIsNotVerified(t *testing.T) {
	w := taskWorld(t, 3, Conductor{Work: func(n int, w Work) Turn {
		steps := map[int][]string{
			1: {`printf 'exit 0\n' > check.sh`, "touch one"},
			2: {"git rm -q one; touch two", "touch one"},
			3: {"touch three"},
		}[n]
		if w.Done == 0 && w.Held < len(steps) {
			return Turn{Calls: []Call{commit(steps[w.Held])}}
		}
		return w.claim(n)
	}})
	w.noRemote()
	w.write(w.Project+"/check.sh", "test -e one\n", 0o644)
	w.git(w.Project, "add", ".")
	w.git(w.Project, "commit", "--quiet", "-m", "check")
	w.begins(`/hooks:go docs/spec.md --check "sh check.sh"`)
	r := w.Headless("/hooks:go --resume")
	want := []string{"1.1 verified", "2.1 unbroken", "3.1 unbroken"}
	if diff := cmp.Diff(want, w.TaskHistory()); diff != "" {
		t.Errorf("attempts (-want +got):\n%s", diff)
	}
	said := strings.Join(r.Said, "\n")
	const changed = "check changed by the worker: check.sh"
	for _, text := range []string{"Task 1/3 complete: Write part 1", changed,
		"3 of 3 tasks done: 1 verified, 2 not broken"} {
		if !strings.Contains(said, text) {
			t.Errorf("the person was not told %q, but:\n%s", text, said)
		}
	}
	for _, n := range []string{"Task 1", "Task 2"} {
		if !w.Model.Told(n + " is not done: " + changed) {
			t.Errorf("the worker of %s was not held", n)
		}
	}
	w.provesFresh()
	w.provesSlim(3)
}
