//go:build e2e && linux

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"

	"hooks/internal/brake"
	"hooks/internal/seal"
)

// braked is a world whose model makes Bash calls one after another. A step may also be done by the
// test, in between.
type braked struct {
	*World
	session string
	once    sync.Map
}

func (b *braked) home() string { return filepath.Join(b.Home, ".local", "state", "hooks") }

func (b *braked) env(name string) string { return map[string]string{"HOME": b.Home}[name] }

// on is what a loop's entry does: the links first, then the switch.
func (b *braked) on() {
	program := filepath.Join(b.Plugins[0], "bin", "hooks")
	if err := brake.Dress(b.home(), b.session, program); err != nil {
		b.t.Error(err)
	}
	b.write(seal.SwitchPath(b.home(), b.session), fmt.Sprintf(`{"project":%q}`, b.Project), 0o600)
}

func (b *braked) off() {
	if err := os.Remove(seal.SwitchPath(b.home(), b.session)); err != nil {
		b.t.Error(err)
	}
}

// alone leaves SessionStart of the registered hooks, so that nothing but the brake judges a call.
func (b *braked) alone() {
	path := filepath.Join(b.Plugins[0], "hooks.json")
	start := gjson.Get(mustRead(b.t, path), "hooks.SessionStart").Raw
	b.write(path, `{"hooks":{"SessionStart":`+start+`}}`, 0o644)
}

// do makes a call; before it, once, the test does something of its own.
func (b *braked) do(before func(), call Call) func(string) Call {
	return func(at string) Call {
		if _, done := b.once.LoadOrStore(at, true); !done && before != nil {
			before()
		}
		return call
	}
}

// merging are ways to merge a PR: typed, computed, in a file, by another program.
func merging(first int) (calls []Call) {
	for i, form := range []string{
		"gh pr merge %d",
		`python3 -c "import subprocess; subprocess.run(['g'+'h', 'pr', 'mer'+'ge', '%d'])"`,
		"sh ./land.sh %d", "echo %d | xargs gh pr merge", "bash -c 'gh pr merge %d'",
		`python3 -c "import os; ` +
			`os.system('curl -sX PUT https://forge.invalid/repos/o/r/pulls/%d/merge')"`,
		`env -i PATH="$PATH" HOME=/nowhere gh pr merge %d`,
	} {
		calls = append(calls, bash(fmt.Sprintf(form, first+i)+" || true"))
	}
	return calls
}

// In the real client the line of SessionStart is without effect until a session's switch is there,
// stops every merge that meets a link then, of the main thread and of workers, and leaves nothing
// behind.
func TestBrakeStopsWhatMeetsALink(t *testing.T) {
	b := &braked{}
	var steps, worker, resumed []func(string) Call
	b.World = newWorld(t, func(r Request) Turn {
		b.session = r.Session
		list, who := steps, "main"
		switch {
		case strings.Contains(r.Prompt(), "WORKER"):
			list, who = worker, "worker"
		case strings.Contains(r.Prompt(), "AGAIN"):
			list, who = resumed, "resumed"
		}
		if n := len(r.Calls()); n < len(list) {
			return Turn{Calls: []Call{list[n](fmt.Sprint(who, n))}}
		}
		return Turn{Text: "done"}
	})
	b.alone()
	b.write(filepath.Join(b.Project, "land.sh"), "verb=mer\ngh pr \"${verb}ge\" \"$1\"\n", 0o644)

	steps = append(steps, b.do(nil, bash("gh pr merge 1; command -v gh")),
		b.do(b.on, bash("command -v gh; git status --short; gh pr view 1 || true")))
	for _, call := range merging(100) {
		steps = append(steps, b.do(nil, call))
	}
	for _, call := range merging(200) {
		worker = append(worker, b.do(nil, call))
	}
	steps = append(steps, b.do(nil, dispatch("WORKER merge", "haiku", false)),
		b.do(b.off, bash("gh pr merge 2; command -v gh; echo \"PATH is $PATH.\"")))
	b.Headless("go")

	if diff := cmp.Diff([]string{"pr merge 1", "pr merge 2"}, b.Merges()); diff != "" {
		t.Errorf("merges (-want +got):\n%s", diff)
	}
	for _, first := range []int{100, 200} {
		for i := range merging(first) {
			pr := first + i
			if !b.told("error: not run: ", fmt.Sprintf(" %d", pr), fmt.Sprintf("/%d/merge", pr)) {
				t.Errorf("the merge of PR #%d was not told to be refused", pr)
			}
		}
	}
	links := seal.LinksPath(b.home(), b.session)
	if !b.Model.Told(links+"/gh") || !brake.Armed(b.env, b.session) {
		t.Errorf("the links were not found first, armed: %v", brake.Armed(b.env, b.session))
	}
	for _, text := range b.results() {
		if strings.Contains(text, "PATH is ") && strings.Contains(text, "/brake/") {
			t.Errorf("after the loop: %s", text)
		}
	}
	if _, err := os.Stat(filepath.Join(b.Project, ".sdd")); err == nil {
		t.Error("something was written into the project")
	}

	resumed = append(resumed, b.do(b.on, bash("gh pr merge 300 || true")),
		b.do(b.off, bash("gh pr merge 3")))
	b.Headless("AGAIN", "--resume", b.session)
	want := []string{"pr merge 1", "pr merge 2", "pr merge 3"}
	if diff := cmp.Diff(want, b.Merges()); diff != "" {
		t.Errorf("merges after a resume (-want +got):\n%s", diff)
	}
}

// A seal that cannot be read may be an audit loop's, so nothing is published: the links refuse it,
// with the other hooks and alone.
func TestABrokenSealPublishesNothing(t *testing.T) {
	for name, alone := range map[string]bool{"links alone": true, "all hooks": false} {
		t.Run(name, func(t *testing.T) {
			b := &braked{}
			tear := func() {
				b.on()
				b.write(seal.SwitchPath(b.home(), b.session), `{"project"`, 0o600)
			}
			var steps []func(string) Call
			b.World = newWorld(t, func(r Request) Turn {
				b.session = r.Session
				if n := len(r.Calls()); n < len(steps) {
					return Turn{Calls: []Call{steps[n](fmt.Sprint(n))}}
				}
				return Turn{Text: "done"}
			})
			if alone {
				b.alone()
			}
			steps = []func(string) Call{
				b.do(nil, bash("git push origin HEAD:one")),
				b.do(tear, bash("git push origin HEAD:two || true")),
				b.do(nil, bash("gh pr create --fill || true")),
				b.do(nil, bash(`python3 -c "import subprocess; `+
					`subprocess.run(['g'+'it', 'pu'+'sh', 'origin', 'HEAD:three'])"`)),
				b.do(nil, bash("git status --short; gh pr view 1")),
			}
			b.Headless("go")
			branches := b.git(b.Project, "ls-remote", "--heads", "origin")
			for branch, want := range map[string]bool{"one": true, "two": false, "three": false} {
				if got := strings.Contains(branches, "/"+branch); got != want {
					t.Errorf("the branch %s was pushed: %v", branch, got)
				}
			}
			for _, line := range []string{"git push origin HEAD:two", "git push origin HEAD:three",
				"gh pr create --fill"} {
				if !b.told("the loop's record cannot be read", line, line) {
					t.Errorf("%s was not told to be refused", line)
				}
			}
			if b.told("not run", "git status", "gh pr view") {
				t.Error("a look was refused")
			}
		})
	}
}

// results are the texts of all results of Bash that the model got.
func (b *braked) results() (texts []string) {
	for _, r := range b.Model.Requests() {
		for _, m := range r.Messages {
			for _, block := range m.Blocks {
				if block.Type == "tool_result" {
					texts = append(texts, block.Text)
				}
			}
		}
	}
	return texts
}

// told reports whether one result has the text and one of the others.
func (b *braked) told(text, one, other string) bool {
	for _, result := range b.results() {
		named := strings.Contains(result, one) || strings.Contains(result, other)
		if named && strings.Contains(result, text) {
			return true
		}
	}
	return false
}

// A session that begins with /clear has a line of its own, which the client takes over as well.
func TestBrakeOfAClearedSession(t *testing.T) {
	b := &braked{}
	b.World = newWorld(t, func(r Request) Turn {
		if !strings.Contains(r.Prompt(), "MERGE") || len(r.Calls()) > 0 {
			return Turn{Text: "all is done"}
		}
		b.session = r.Session
		return Turn{Calls: []Call{b.do(b.on, bash("gh pr merge 400 || true"))("merge")}}
	})
	b.alone()
	term := b.Interactive()
	term.Enter("hello")
	term.WaitShowed("all is done", 60*time.Second)
	term.Enter("/clear")
	sessions := func() int {
		list, _ := filepath.Glob(filepath.Join(b.Home, ".claude", "session-env", "*", "*"))
		return len(list)
	}
	for end := time.Now().Add(30 * time.Second); sessions() < 2; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d sessions have a line", sessions())
		}
	}
	term.Enter("MERGE it")
	b.waitResult(t, "Bash", "not run: gh pr merge 400: ")
	if len(b.Merges()) != 0 || !brake.Armed(b.env, b.session) {
		t.Errorf("merges %v, armed %v", b.Merges(), brake.Armed(b.env, b.session))
	}
}

// A client that the model starts inherits PATH: its commands meet the links of the session around
// it, also under another home, and with no plugin of its own.
func TestBrakeOfANestedClient(t *testing.T) {
	b := &braked{}
	const nested = `"$CLAUDE_CODE_EXECPATH" -p NESTED --allowedTools Bash </dev/null`
	b.World = newWorld(t, func(r Request) Turn {
		switch n := len(r.Calls()); {
		case strings.Contains(r.Prompt(), "NESTED") && n == 0:
			return Turn{Calls: []Call{bash("gh pr merge 500 || true")}}
		case strings.Contains(r.Prompt(), "NESTED"):
			return Turn{Text: "nested is done"}
		case n == 0:
			b.session = r.Session
			return Turn{Calls: []Call{b.do(b.on, bash(nested))("on")}}
		case n == 1:
			elsewhere := filepath.Join(b.Home, "other")
			settings := mustRead(t, filepath.Join(b.Home, ".claude.json"))
			b.write(filepath.Join(elsewhere, ".claude.json"), settings, 0o600)
			other := "HOME=" + elsewhere + " HOOKS_STATE_HOME=" + elsewhere + " "
			return Turn{Calls: []Call{bash(other + nested)}}
		}
		return Turn{Text: "done"}
	})
	b.alone()
	b.Headless("go")
	all := strings.Join(b.results(), "\n")
	if n := strings.Count(all, "not run: gh pr merge 500: "); n < 2 || len(b.Merges()) != 0 {
		t.Errorf("%d refusals, merges %v\n%s", n, b.Merges(), all)
	}
}

func mustRead(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Error(err)
	}
	return string(text)
}
