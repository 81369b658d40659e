package doctor

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hooks/internal/install"
	"hooks/internal/kind/backlog"
	"hooks/internal/loop"
	"hooks/internal/proc"
	"hooks/internal/report"
	"hooks/internal/store"
	"hooks/scripts/driver"
	"hooks/scripts/forgetest"
)

// built is the program itself, as it would be installed, and builtVersion what it prints of itself.
var built, builtVersion string

func TestMain(m *testing.M) {
	forgetest.Alone()
	driver.InMemory()
	dir, err := os.MkdirTemp("", "hooks-doctor-test-")
	if err == nil {
		built = filepath.Join(dir, "hooks")
		err = driver.Build(built, "hooks/hooks")
	}
	if err == nil {
		var out []byte
		out, err = exec.Command(built, "version").Output()
		builtVersion = strings.TrimSpace(string(out))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// world is a person's machine: a home, a git project, a PATH with git and a shell only.
type world struct {
	*testing.T
	home, project, bin string
	env                map[string]string
	live               bool
}

// healthy is a machine on which nothing is wrong: the program is registered in the person's
// settings.
func healthy(t *testing.T) *world {
	t.Helper()
	root := t.TempDir()
	w := &world{T: t, home: filepath.Join(root, "home"), project: filepath.Join(root, "p"),
		bin: filepath.Join(root, "bin"), env: map[string]string{}}
	for _, dir := range []string{w.home, w.project, w.bin} {
		w.must(os.MkdirAll(dir, 0o755))
	}
	for _, tool := range []string{"git", "sh"} {
		path, err := exec.LookPath(tool)
		w.must(err)
		w.must(os.Symlink(path, filepath.Join(w.bin, tool)))
	}
	for k, v := range map[string]string{"PATH": w.bin, "HOME": w.home,
		"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_SYSTEM": os.DevNull} {
		t.Setenv(k, v)
		w.env[k] = v
	}
	w.must(os.Symlink(built, filepath.Join(w.bin, "hooks")))
	w.git("init", "-q", "-b", "main")
	w.write("p/.gitignore", ".sdd/\n")
	w.register("home/.claude/settings.json", built)
	w.write("home/.claude/skills/work/SKILL.md", "work")
	return w
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *world) path(name string) string { return filepath.Join(filepath.Dir(w.project), name) }

func (w *world) write(name, text string) {
	w.Helper()
	w.must(os.MkdirAll(filepath.Dir(w.path(name)), 0o755))
	if info, err := os.Lstat(w.path(name)); err == nil && info.Mode()&os.ModeSymlink != 0 {
		w.must(os.Remove(w.path(name))) // a link to the program
	}
	w.must(os.WriteFile(w.path(name), []byte(text), 0o600))
}

// tool puts a program on PATH.
func (w *world) tool(name, script string) string {
	w.Helper()
	w.write("bin/"+name, "#!/bin/sh\n"+script+"\n")
	w.must(os.Chmod(w.path("bin/"+name), 0o755))
	return w.path("bin/" + name)
}

// audited puts a budget of an audit loop into a worktree.
func (w *world) audited(worktree, fields string) {
	w.write(worktree+"/.sdd/loop/.gitignore", "*\n")
	w.write(worktree+"/.sdd/loop/audit.budget.json", `{"run_id":"r","skill":"audit",`+fields+
		`,"started_at":"2026-11-20T12:00:00Z","max_iterations":7,"max_prs":20,"max_minutes":60,`+
		`"max_dollars":25,"iterations_used":3,"prs_touched":[],"comments_pushed":0,`+
		`"merges_attempted":0,"minutes_elapsed":24,"tokens_in":10,"tokens_out":20,`+
		`"agents_dispatched":2,"dollars_estimate":1,"rate_table_source":"x",`+
		`"qmd_failures_consecutive":0,"audit":{"plan":"plan.md","sections":["one"],`+
		`"phase":"complete","branch":"audit"}}`)
}

func (w *world) git(args ...string) {
	w.Helper()
	cmd := exec.Command("git", append([]string{"-C", w.project, "-c", "user.name=x", "-c",
		"user.email=x@x"}, args...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		w.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// change alters the entry of an event, or drops it by returning false.
type change func(name string, group, hook map[string]any) bool

// entries are the registration of every event, as hooks install writes it, with a change.
func entries(program string, change change) map[string]any {
	file := filepath.Join(os.TempDir(), fmt.Sprintf("hooks-doctor-test-%d.json", os.Getpid()))
	defer os.Remove(file)
	if _, err := install.Install(file, program, false); err != nil {
		panic(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		panic(err)
	}
	return entriesOf(text, change)
}

// entriesOf are those of a file with hooks.
func entriesOf(text []byte, change change) map[string]any {
	var all struct{ Hooks map[string]any }
	if err := json.Unmarshal(text, &all); err != nil {
		panic(err)
	}
	for name, groups := range all.Hooks {
		group := groups.([]any)[0].(map[string]any)
		hook := group["hooks"].([]any)[0].(map[string]any)
		if change != nil && !change(name, group, hook) {
			delete(all.Hooks, name)
		}
	}
	return all.Hooks
}

func (w *world) json(name string, v any) {
	w.Helper()
	text, err := json.Marshal(v)
	w.must(err)
	w.write(name, string(text))
}

func (w *world) register(file, program string) {
	w.Helper()
	w.json(file, map[string]any{"hooks": entries(program, nil)})
}

// changed registers with one thing other than it should be.
func (w *world) changed(change change) {
	w.Helper()
	w.json("home/.claude/settings.json", map[string]any{"hooks": entries(built, change)})
}

func (w *world) doctor() Doctor {
	return Doctor{
		Env: func(k string) string { return w.env[k] }, Dir: w.project,
		Version: builtVersion, Managed: w.path("managed"), Live: w.live,
	}
}

func (w *world) machine() *machine {
	m := w.doctor().machine()
	m.self.Path = built
	return m
}

// look runs one check.
func (w *world) look(name string, fix bool) report.Check {
	w.Helper()
	m := w.machine()
	m.Fix = fix
	for _, c := range table() {
		if c.name == name {
			return m.examine(c).Check
		}
	}
	w.Fatalf("there is no check %q", name)
	return report.Check{}
}

// state opens the loop state, made if need be.
func (w *world) state() *store.Store {
	w.Helper()
	s, err := store.Create(w.project)
	w.must(err)
	w.Cleanup(s.Close)
	return s
}

var began = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// run saves a run that this process owns.
func (w *world) run(change func(*loop.Budget)) {
	w.Helper()
	b := loop.Budget{
		RunID: "run-1", SessionID: "s1", Skill: backlog.Work, StartedAt: began, ActiveSince: began,
		Status: loop.Active,
		Owner:  proc.Describe(os.Getpid(), "client"), Command: "/sdd:work --loop",
		RateTableSource: "built-in default",
	}
	change(&b)
	w.save(loop.Save{Run: &b})
}

// save writes what a loop of any kind has on disk.
func (w *world) save(what loop.Save) {
	w.Helper()
	st := store.State{Skill: backlog.Work}
	if what.Run != nil {
		st.Skill = what.Run.Skill
	}
	tx, err := w.state().Begin(w.Context())
	w.must(err)
	_, err = tx.Commit(&st, what)
	w.must(errors.Join(err, tx.End()))
}

// line commits a history line, with an answer in it.
func (w *world) line(seq int, answer string) {
	w.Helper()
	b := loop.Budget{RunID: "run-1", SessionID: "s1", Skill: backlog.Work, StartedAt: began,
		ActiveSince: began, Status: loop.Active, Seq: seq}
	it := loop.Iteration{
		RunID: "run-1", Seq: seq, SessionID: "s1", Iteration: seq, Skill: backlog.Work,
		StartedAt: began, EndedAt: began, Outcome: loop.OK, Budget: b,
		Gates: []loop.GateAnswer{{Name: "question", Question: "which?", Answer: answer, At: began}},
	}
	w.save(loop.Save{Line: &it})
}
