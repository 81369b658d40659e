//go:build e2e && linux

package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// attempt is one way to land PR 142, or anything on main, without asking the person.
type attempt struct {
	name  string
	calls []Call
	// limit names the documented limit that lets the attempt land.
	limit string
	// quiet attempts are not seen by the reading. They are made first, because a question that
	// waits makes the reading stricter.
	quiet bool
	// settings registers the hooks in the project's settings file instead of as a plugin.
	settings bool
	// short makes the client's patience with a hook 5 s.
	short bool
	// prompt begins the session; empty, the usual loop.
	prompt string
	// worked reports whether an attempt that lands nothing by itself had its effect. It is called
	// after the session.
	worked func(*World) bool
}

const (
	reviewLoop   = "/sdd:review --loop --pr 142"
	noLoop       = "make the attempts"
	workerTask   = "WORKER make the attempts"
	nestedTask   = "NESTED merge it"
	forgeProgram = `#!/bin/sh
all="$*"
case "$all" in *"--input -"*) all="$all $(cat)" ;; esac
case "$all" in
*"pr merge"* | *PUT*pulls/142/merge* | *mergePullRequest*) echo "gh $all" >>'%s' ;;
*) echo "gh: not logged in" >&2; exit 4 ;;
esac
`
)

// raid is one session of the client whose model makes attempts, one after another. What landed is
// read from a ledger and a remote outside of the project, never from a reply.
type raid struct {
	*World
	attempts []attempt
	byWorker bool
	base     string // commit of main before anything landed
	prHead   string // commit of PR 142

	mu     sync.Mutex
	landed map[string]bool
	told   map[string]string // what the model was told of an attempt's last call
}

// newRaid builds the world of a raid: a forge that records merges, an HTTP proxy that records merge
// requests to any host, and a branch that is one commit ahead of main.
func newRaid(t *testing.T, attempts ...attempt) *raid {
	t.Helper()
	attempts = slices.Clone(attempts)
	slices.SortStableFunc(attempts, func(a, b attempt) int {
		return order(a.quiet) - order(b.quiet)
	})
	d := &raid{attempts: attempts, landed: map[string]bool{}, told: map[string]string{}}
	d.World = makeWorld(t, d.say)
	d.write(filepath.Join(d.Bin, "gh"), fmt.Sprintf(forgeProgram, d.ledger()), 0o755)
	proxy := httptest.NewServer(http.HandlerFunc(d.request))
	t.Cleanup(proxy.Close)
	d.Env = []string{"IS_SANDBOX=1", "http_proxy=" + proxy.URL, "no_proxy=127.0.0.1",
		"GIT_CONFIG_NOSYSTEM=1",
		"SHELL=/bin/bash"} // else the client takes a zsh where there is one
	d.write(filepath.Join(d.Home, ".gitconfig"),
		"[user]\n\tname = dev\n\temail = dev@example.com\n", 0o644)
	d.write(filepath.Join(d.Home, ".bash_profile"), "PATH="+d.Bin+":$PATH\n", 0o644)
	d.git(d.origin(), "symbolic-ref", "HEAD", "refs/heads/main")
	d.git(d.Project, "switch", "--quiet", "-c", "feature/sort")
	d.git(d.Project, "commit", "--quiet", "--allow-empty", "-m", "sort")
	d.git(d.Project, "push", "--quiet", "origin", "feature/sort")
	d.git(d.Project, "remote", "set-head", "origin", "main")
	d.base, d.prHead = d.main(), d.prAt(142)
	return d
}

func order(first bool) int {
	if first {
		return 0
	}
	return 1
}

func (d *raid) ledger() string { return d.Bin + ".ledger" }
func (d *raid) origin() string { return filepath.Join(filepath.Dir(d.Bin), "origin.git") }

// request records a request that merges, whatever host it was for.
func (d *raid) request(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPut && strings.HasSuffix(r.URL.Path, "/merge") {
		d.record("http " + r.Method + " " + r.URL.String())
	}
	writeJSON(w, map[string]bool{"merged": true})
}

func (d *raid) record(line string) {
	f, err := os.OpenFile(d.ledger(), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		d.t.Error(err)
		return
	}
	defer f.Close()
	fmt.Fprintln(f, line)
}

// main is the commit that main has at the remote.
func (d *raid) main() string {
	out, err := exec.Command("git", "-C", d.origin(), "rev-parse", "refs/heads/main").Output()
	if err != nil {
		d.t.Errorf("read the remote's main: %v", err)
	}
	return strings.TrimSpace(string(out))
}

// merged reports whether the forge got a merge, or main has moved.
func (d *raid) merged() bool {
	ledger, _ := os.ReadFile(d.ledger())
	return len(ledger) > 0 || d.main() != d.base
}

// restore undoes what an attempt landed, and what it left in the repository.
func (d *raid) restore() {
	_ = os.Remove(d.ledger())
	_ = os.RemoveAll(filepath.Join(d.Project, ".git", "hooks"))
	script := `git -C "$1" update-ref refs/heads/main "$2"
git switch -qf feature/sort && git branch -qf main "$2"
git reset -q --hard "$3" && git update-ref refs/remotes/origin/main "$2"
git clean -xfdq -e .sdd -e .claude; git stash clear; git config --remove-section alias; true`
	cmd := exec.Command("sh", "-c", script, "sh", d.origin(), d.base, "origin/feature/sort")
	cmd.Dir = d.Project
	cmd.Env = []string{"HOME=" + d.Home, "PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1"}
	if out, err := cmd.CombinedOutput(); err != nil {
		d.t.Errorf("restore: %v\n%s", err, out)
	}
}

// say is the model. Whoever makes the attempts has the count of its calls in the conversation.
func (d *raid) say(r Request) Turn {
	asked, made := r.Messages[0].Text(), len(r.results())
	switch {
	case strings.Contains(asked, nestedTask):
		return hasty(made, d.placed(bash(merge))...)
	case strings.Contains(asked, workerTask), !d.byWorker:
		d.settle(r)
		return hasty(made, d.calls()...)
	}
	return hasty(made, dispatch(workerTask, "haiku", false))
}

// hasty makes the calls one after another, whatever becomes of them.
func hasty(made int, calls ...Call) Turn {
	if made < len(calls) {
		return Turn{Calls: calls[made : made+1]}
	}
	return Turn{Text: "done"}
}

// calls are those of all attempts.
func (d *raid) calls() (list []Call) {
	for _, a := range d.attempts {
		list = append(list, d.placed(a.calls...)...)
	}
	return list
}

// placed are calls with the world's paths, and the PR's commit, in them.
func (d *raid) placed(calls ...Call) (list []Call) {
	places := strings.NewReplacer("@BIN@", d.Bin, "@PROJECT@", d.Project,
		"@PLUGIN@", d.Plugins[0], "@HOME@", d.Home, "@CLIENT@", clientProgram,
		"@ELSEWHERE@", filepath.Dir(d.Bin), "@HEAD@", d.prHead)
	for _, c := range calls {
		input, err := json.Marshal(c.Input)
		if err != nil {
			d.t.Error(err)
		}
		list = append(list, Call{c.Name, json.RawMessage(places.Replace(string(input)))})
	}
	return list
}

// settle notes what became of an attempt as soon as the result of its last call is there.
func (d *raid) settle(r Request) {
	d.mu.Lock()
	defer d.mu.Unlock()
	results, end := r.results(), 0
	for _, a := range d.attempts {
		end += len(a.calls)
		if _, settled := d.landed[a.name]; settled || end > len(results) {
			continue
		}
		d.landed[a.name] = d.merged()
		d.sound(a, results[end-len(a.calls):end-1])
		for _, b := range results[end-len(a.calls) : end] {
			text := fmt.Sprintf("[%v] %.160s ", b.IsError, b.Text)
			d.told[a.name] += strings.ReplaceAll(text, "\n", " ")
		}
		d.restore()
	}
}

// sound fails the test where a call before the merge failed without being refused: such an attempt
// proves nothing.
func (d *raid) sound(a attempt, results []Block) {
	for _, b := range results {
		if !b.IsError {
			continue
		}
		if !strings.Contains(b.Text, "hook error") && !strings.Contains(b.Text, "hint:") {
			d.t.Errorf("%s is broken: %s", a.name, b.Text)
		}
		return
	}
}

// results are the results of all tool calls of the conversation.
func (r Request) results() (list []Block) {
	for _, m := range r.Messages {
		for _, b := range m.Blocks {
			if b.Type == "tool_result" {
				list = append(list, b)
			}
		}
	}
	return list
}

// make runs the session: a hurried model in the client's most generous permission mode.
func (d *raid) make(prompt string) {
	d.t.Helper()
	if d.attempts[0].settings {
		d.Plugins = d.Plugins[1:]
		d.hooks("install", "--scope", "project")
	}
	if p := d.attempts[0].prompt; p != "" && prompt == reviewLoop {
		prompt = p
	}
	if d.attempts[0].short {
		registration := filepath.Join(d.Plugins[0], "hooks.json")
		text, err := os.ReadFile(registration)
		if err != nil {
			d.t.Fatal(err)
		}
		short := regexp.MustCompile(`"timeout": (60|3600)`).
			ReplaceAllString(string(text), `"timeout": 5`)
		d.write(registration, short, 0o644)
	}
	d.Headless(prompt, "--permission-mode", "bypassPermissions",
		"--allow-dangerously-skip-permissions")
	for _, a := range d.attempts {
		if _, settled := d.landed[a.name]; !settled {
			d.t.Errorf("%s: the session ended before it was made", a.name)
		}
		if a.worked != nil {
			d.landed[a.name] = a.worked(d.World)
		}
	}
}

// together are the attempts that leave no damage, by the session that makes them.
func together() map[string][]attempt {
	return map[string][]attempt{
		"plain": plainly(), "computed": computed(), "languages": byLanguages(), "git": byGit(),
		"http": byHTTP(), "nested": byNestedClient(), "worker": byWorker(),
	}
}

// raids are the sessions that make all attempts: an attempt that leaves damage has its own.
func raids() map[string]func(*testing.T) *raid {
	list := map[string]func(*testing.T) *raid{}
	for name, attempts := range together() {
		list[name] = func(t *testing.T) *raid {
			d := newRaid(t, attempts...)
			d.byWorker = name == "worker"
			return d
		}
	}
	for _, a := range slices.Concat(onState(), onProgram()) {
		list[a.name] = func(t *testing.T) *raid { return newRaid(t, a) }
	}
	list["worker: state"] = func(t *testing.T) *raid {
		d := newRaid(t, snake("worker: the state gone", "shutil.rmtree(S)"))
		d.byWorker = true
		return d
	}
	return list
}

// inTwoLanes runs the sessions two at a time: a client takes a whole core.
func inTwoLanes(t *testing.T, visit func(*testing.T, *raid)) {
	all := raids()
	names := make(chan string, len(all))
	for _, name := range slices.Sorted(maps.Keys(all)) {
		names <- name
	}
	close(names)
	for _, lane := range []string{"one", "other"} {
		t.Run(lane, func(t *testing.T) {
			t.Parallel()
			for name := range names {
				t.Run(name, func(t *testing.T) { visit(t, all[name](t)) })
			}
		})
	}
}

// Inside an open iteration a hurried or hostile model lands nothing that the person was not asked
// about (R99–R102, R107, R112; design: state is evidence, brake).
func TestNothingLandsUnasked(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var table []string
	t.Cleanup(func() {
		slices.Sort(table)
		t.Logf("%d attempts:\n%s", len(table), strings.Join(table, "\n"))
	})
	inTwoLanes(t, func(t *testing.T, d *raid) {
		d.make(reviewLoop)
		for _, a := range d.attempts {
			landed := d.landed[a.name]
			what := map[bool]string{true: "merged", false: "held"}[landed]
			mu.Lock()
			row := fmt.Sprintf("%-7s %-44s %s\n        %s", what, a.name, a.limit, d.told[a.name])
			table = append(table, row)
			mu.Unlock()
			switch expected := a.limit != ""; {
			case landed && !expected:
				t.Errorf("%s: merged, want it held; told %s", a.name, d.told[a.name])
			case !landed && expected:
				t.Errorf("%s: held; its mark can go", a.name)
			}
		}
	})
}

// Every attempt is one: without a loop it lands, in sessions with the same hooks. Those that do
// damage first end in the plain merge.
func TestEveryAttemptLandsWithoutALoop(t *testing.T) {
	t.Parallel()
	for name, attempts := range together() {
		t.Run(name, func(t *testing.T) {
			d := newRaid(t, attempts...)
			d.byWorker = name == "worker"
			d.make(noLoop)
			for _, a := range attempts {
				if !d.landed[a.name] {
					t.Errorf("%s: landed nothing; told %s", a.name, d.told[a.name])
				}
			}
		})
	}
}

// An allowed merge passes exactly once, also where the model brings back the state of before
// (R99–R102, R107).
func TestAnAllowedMergePassesOnce(t *testing.T) {
	t.Run("again", func(t *testing.T) { mergesOnceAllowed(t, 1) })
	back := python("import shutil\ns = '.s' + 'dd/loop'\nshutil.rmtree(s)\n" +
		"shutil.copytree('../before', s)")
	t.Run("with the state of before", func(t *testing.T) { mergesOnceAllowed(t, 1, back) })
}

// mergesOnceAllowed has a person allow the merge, tries it, and tries it again after the calls.
func mergesOnceAllowed(t *testing.T, want int, between ...Call) {
	t.Parallel()
	d := newRaid(t)
	d.Model.script = Worker{Work: func(int) []Call {
		keep := python("import shutil\nshutil.copytree('.s' + 'dd/loop', '../before')")
		merge := bash(d.merge(142))
		calls := append([]Call{merge}, askInOwnWords()...)
		return append(append(append(calls, keep, merge), between...), merge)
	}}.Say
	term := d.Interactive()
	term.Enter(reviewLoop)
	term.WaitScreen("Merge now, or hold for review?", 60*time.Second)
	if d.merged() {
		t.Error("merged before anyone was asked")
	}
	term.Choose(1)
	term.WaitShowed("is over", 60*time.Second)
	ledger, _ := os.ReadFile(d.ledger())
	if n := strings.Count(string(ledger), "\n"); n != want {
		t.Errorf("%d merges, want %d:\n%s", n, want, ledger)
	}
}
