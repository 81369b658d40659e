//go:build e2e && linux

package e2e

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A plan of three sections in one headless call: a dirty audit sends the coder back, a dirty final
// audit asks for a fix, and a clean one for the post action. Auditors have no tool to write, and
// the verdict is about the commit that is checked out (A1, A16, A18–A21, A29–A33, A40–A58, A70–A72,
// A75).
func TestAnAuditLoopEndsClean(t *testing.T) {
	w := auditWorld(t, 3, auditsOnce)
	r := w.Headless("/hooks:audit docs/plan.md --max-iterations 30")
	if diff := cmp.Diff(wholeAudit, w.Phases()); diff != "" {
		t.Errorf("phases (-want +got):\n%s\n%s", diff, strings.Join(r.Said, "\n"))
	}
	b, a := w.Budget("audit"), w.auditRun()
	if b.Status != "halted" || b.StopCause != "audit_complete" || b.IterationsUsed != 12 {
		t.Errorf("the run is %+v", b)
	}
	if a.Verdict.Verdict != "clean" || a.Verdict.SHA != w.head() || a.Audits != 6 ||
		a.Branch != "side" || a.Post.Summary != "The notes are written." {
		t.Errorf("the audit is %+v, HEAD %s", a, w.head())
	}
	if out := w.hooks("audit", "findings"); !strings.Contains(out, "F1") ||
		!strings.Contains(out, "resolved") {
		t.Errorf("the findings are:\n%s", out)
	}
	for _, r := range w.Model.Requests() {
		p, ok := r.phase()
		if ok && strings.HasSuffix(p.Name, "auditing") && slices.Contains(r.Tools, "Write") {
			t.Errorf("the auditor of %s has the tools %v", p.Token, r.Tools)
		}
	}
	w.provesFreshPhases()
}

// reaching are calls that no phase may make: to publish, to ask, and to start something else.
var reaching = []Call{bash("git push -q origin HEAD"), bash("gh pr create --fill"),
	{"AskUserQuestion", askInOwnWords()[1].Input},
	{"Skill", map[string]any{"skill": "hooks:audit", "args": "docs/plan.md"}},
	{"CronCreate", map[string]any{"cron": "* * * * *", "prompt": "/hooks:audit"}},
	bash("claude -p '/hooks:audit docs/plan.md'"), bash("hooks go audit docs/plan.md")}

// refused checks that the workers of an iteration got an error for each of the calls, and that
// nothing came of them.
func (w *World) refused(iteration int, calls []Call) {
	w.t.Helper()
	tried := false
	for _, r := range w.Model.Requests() {
		p, _ := r.phase()
		results := r.results()
		if p.Iteration != iteration || len(results) != len(calls) {
			continue
		}
		tried = true
		for i, b := range results {
			if !b.IsError {
				w.t.Errorf("%s may use %v: %s", p.Name, calls[i], b.Text)
			}
		}
	}
	if !tried {
		w.t.Errorf("iteration %d did not try them all", iteration)
	}
	if _, err := w.stat("part-9"); err == nil {
		w.t.Error("the auditor has written")
	}
	if refs := w.git(w.Project, "ls-remote", "origin", "side"); refs != "" {
		w.t.Errorf("the remote has %s", refs)
	}
}

// auditsTwice runs an audit of one section that is dirty once.
func (w *World) auditsTwice() {
	w.t.Helper()
	w.Headless("/hooks:audit docs/plan.md")
	want := []string{"coding 1 ended", "auditing 1 dirty +F1", "coding 1 ended",
		"auditing 1 clean -F1", "post_action 1 ended"}
	if diff := cmp.Diff(want, w.Phases()); diff != "" {
		w.t.Errorf("phases (-want +got):\n%s", diff)
	}
}

// An auditor only looks, and no phase reaches out: not by a tool, not by a shell, not by another
// client. The word clean counts for nothing beside an open bug (A33, A67–A71).
func TestNoPhaseReachesOut(t *testing.T) {
	writes := append([]Call{{"Write", map[string]any{"file_path": "part-9", "content": "x"}},
		bash("echo x > part-9"), bash("git commit -q --allow-empty -m x"),
		bash("hooks audit findings > part-9")}, reaching...)
	w := auditWorld(t, 1, func(p Phase) Turn {
		switch {
		case p.Iteration > 2:
			return auditsOnce(p)
		case p.Name == "auditing" && p.Done < len(writes):
			return Turn{Calls: writes[p.Done : p.Done+1]}
		case p.Name == "auditing" && p.Done == len(writes):
			return Turn{Calls: []Call{report(strings.Replace(bug, "dirty", "clean", 1))}}
		case p.Name == "coding" && p.Done < len(reaching):
			return Turn{Calls: reaching[p.Done : p.Done+1]}
		case p.Name == "coding" && p.Done == len(reaching):
			return Turn{Calls: []Call{commit("touch part-1")}}
		}
		return Turn{Text: p.sings()}
	})
	w.auditsTwice()
	w.refused(1, reaching)
	w.refused(2, writes)
}

// A client that is killed in a phase costs none: a new one with --resume begins the same phase
// again. A post action is not tried again (A9, A11, A18, A57).
func TestAKilledAuditIsResumed(t *testing.T) {
	hang, killed := make(chan struct{}), sync.Map{}
	w := auditWorld(t, 2, func(p Phase) Turn {
		if first, _ := killed.LoadOrStore(p.Name, p.Token); first == p.Token {
			return Turn{Hold: hang}
		}
		switch {
		case p.Name == "auditing":
			return p.reports(clean)
		case p.Open && p.Name == "final_auditing":
			return p.reports(`{"resolved":["F1"],"verdict":"clean"}`)
		}
		return auditsOnce(p)
	})
	command := "/hooks:audit docs/plan.md --max-iterations 30"
	for _, phase := range []string{"coding", "auditing", "final_auditing", "fix", "post_action"} {
		cmd := w.command(context.Background(), "-p", command, "--allowedTools", tools)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if !patiently(60*time.Second, func() bool {
			_, begun := killed.Load(phase)
			return begun
		}) {
			t.Errorf("no %s has begun: %v", phase, w.Phases())
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		command = "/hooks:audit --resume"
	}
	w.Headless(command)
	want := []string{"coding 1 outage", "coding 1 ended", "auditing 1 outage", "auditing 1 clean",
		"coding 2 ended", "auditing 2 clean", "final_auditing 2 outage",
		"final_auditing 2 dirty +F1", "fix 2 outage", "fix 2 ended", "final_auditing 2 clean -F1",
		"post_action 2 outage"}
	if diff := cmp.Diff(want, w.Phases()); diff != "" {
		t.Errorf("phases (-want +got):\n%s", diff)
	}
	if b := w.Budget("audit"); b.StopCause != "audit_complete" || w.auditRun().Post.Summary != "" {
		t.Errorf("the run is %+v", b)
	}
	w.provesFreshPhases()
}

// Three phases that change nothing stall the loop. A person restarts it: the same run, phase and
// findings, with iterations from 0 (A4–A10, A28, T91). A conductor that ends its turn without
// the next call is asked once more.
func TestAStalledAuditIsRestarted(t *testing.T) {
	var works atomic.Bool
	w := auditWorld(t, 1, func(p Phase) Turn {
		if p.Name == "coding" && p.Iteration > 1 && !works.Load() {
			return Turn{Text: p.sings()}
		}
		if p.Name == "auditing" && p.Open && !works.Load() {
			return p.reports(`{"verdict":"dirty"}`)
		}
		if p.Name == "auditing" && !works.Load() {
			return p.reports(bug)
		}
		return auditsOnce(p)
	})
	answer, lazy := w.Model.script, sync.Once{}
	w.Model.script = func(r Request) (turn Turn) {
		if strings.Contains(r.order(), "Next: the audit of docs/plan.md") {
			lazy.Do(func() { turn = Turn{Text: "I am done."} })
		}
		if turn.Text == "" {
			turn = answer(r)
		}
		return turn
	}
	r := w.Headless("/hooks:audit docs/plan.md")
	want := []string{"coding 1 ended", "auditing 1 dirty +F1", "coding 1 ended",
		"auditing 1 dirty"}
	if diff := cmp.Diff(want, w.Phases()); diff != "" {
		t.Errorf("phases (-want +got):\n%s\n%s", diff, strings.Join(r.Said, "\n"))
	}
	before := w.Budget("audit")
	if before.Status != "halted" || before.StopCause != "stalled" {
		t.Errorf("the run is %+v", before)
	}
	works.Store(true)
	w.Headless("/hooks:audit --restart")
	want = append(want, "coding 1 ended", "auditing 1 clean -F1", "post_action 1 ended")
	if diff := cmp.Diff(want, w.Phases()); diff != "" {
		t.Errorf("phases (-want +got):\n%s", diff)
	}
	if b := w.Budget("audit"); b.RunID != before.RunID || b.StopCause != "audit_complete" {
		t.Errorf("the run is %+v, and was %+v", b, before)
	}
}

// The example of the docs, as it stands: an audit loop runs in a linked worktree only, and
// `claude -w` makes one from the remote's default branch. There the client refuses a here-document
// of JSON, so auditors report in the docs' here-strings (A8, A34, A37).
func TestTheExampleOfTheDocsAuditsAPlan(t *testing.T) {
	docs := mustRead(t, filepath.Join(repository(), "docs", "audit-loop.md"))
	block := func(kind string) []string {
		_, text, _ := strings.Cut(docs, "```"+kind+"\n")
		text, _, _ = strings.Cut(text, "\n```")
		return strings.Split(text, "\n")
	}
	console, reports := block("console"), block("sh")
	typed := func(line int, mark string) string {
		text, ok := strings.CutPrefix(console[line], mark)
		if !ok {
			t.Fatalf("line %d of the example is %q", line+1, console[line])
		}
		return text
	}
	w := newWorld(t, Conductor{Phase: func(p Phase) Turn {
		turn := auditsOnce(p)
		switch {
		case p.Name == "coding" && p.Done == 0:
			turn.Calls = []Call{commit("echo '// " + p.Token + "' >> a.go")}
		case p.Name == "auditing" && p.Done == 1:
			turn.Calls = []Call{bash(reports[len(reports)-1])}
			if !p.Open {
				turn.Calls = []Call{bash(reports[0])}
			}
		}
		return turn
	}}.Say)
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	w.Env = []string{"GOCACHE=" + strings.TrimSpace(string(cache))}
	w.write(filepath.Join(w.Project, "go.mod"), "module app\n", 0o644)
	w.write(filepath.Join(w.Project, "a.go"), "package app\n", 0o644)
	w.planned(1)
	w.git(w.Project, "push", "--quiet", "-u", "origin", "main")
	for _, setting := range []string{"user.name", "user.email"} {
		w.git(w.Project, "config", setting, "dev@example.com")
	}
	w.write(filepath.Join(w.Project, "docs", "plan.md"), "# Parser\n\nWrite it.\n", 0o644)
	audit := typed(2, "> ")
	r := w.Headless(audit)
	if !strings.Contains(r.Result, "start the client with `claude -w plan` and type `"+
		audit+"` there") || len(w.Model.Requests()) != 0 {
		t.Errorf("%d requests, and the person was told: %s", len(w.Model.Requests()), r.Result)
	}
	saves := exec.Command("sh", "-c", typed(0, "$ "))
	saves.Dir, saves.Env = w.Project, w.command(t.Context()).Env
	if out, err := saves.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	flags := strings.Fields(typed(1, "$ claude "))
	w.Interactive(flags...).Enter(audit)
	w.Project = filepath.Join(w.Project, ".claude", "worktrees", flags[1])
	patiently(120*time.Second, func() bool { return w.Budget("audit").StopCause != "" })
	want := []string{"coding 1 ended", "auditing 1 dirty +F1", "coding 1 ended",
		"auditing 1 clean -F1", "post_action 1 ended"}
	if diff := cmp.Diff(want, w.Phases()); diff != "" {
		t.Errorf("phases (-want +got):\n%s", diff)
	}
	if a := w.auditRun(); a.Worktree != w.Project || a.Verdict.SHA != w.head() {
		t.Errorf("the audit is %+v, HEAD %s", a, w.head())
	}
}

// The main checkout shows the audit of a linked worktree. After the worktree is removed in mid-run,
// the printed command brings it back, and the run continues there with its findings (A5, A8, A9).
func TestAnAuditOutlivesItsWorktree(t *testing.T) {
	hang, begun, works := make(chan struct{}), make(chan struct{}, 1), atomic.Bool{}
	w := auditWorld(t, 1, func(p Phase) Turn {
		switch {
		case p.Open && !works.Load():
			begun <- struct{}{}
			return Turn{Hold: hang}
		case p.Name == "auditing" && !p.Open:
			return p.reports(bug)
		}
		return auditsOnce(p)
	})
	side := w.Project
	term := w.Interactive()
	term.Enter("/hooks:audit docs/plan.md")
	select {
	case <-begun:
	case <-time.After(90 * time.Second):
		t.Fatalf("no coder is at work: %v", w.Phases())
	}
	term.Kill()
	w.Project = filepath.Join(filepath.Dir(side), "app")
	shows := func(want string, command ...string) {
		t.Helper()
		if out, _ := w.tryHooks(command...); !strings.Contains(out, want) {
			t.Errorf("hooks %s has no %q:\n%s", strings.Join(command, " "), want, out)
		}
	}
	shows(side, "status")
	shows(side, "loop", "list")
	shows("F1 bug part-1", "audit", "findings")
	shows("the audit of docs/plan.md", "doctor", "-v")
	w.git(w.Project, "worktree", "remove", "--force", side)
	gone := "the worktree " + side + " is gone, and with it the audit of docs/plan.md"
	out, err := w.tryHooks("status")
	_, way, _ := strings.Cut(out, "hint: restore it with `")
	way, _, ok := strings.Cut(way, "`; there, ")
	if err == nil || !ok || !strings.Contains(out, gone) {
		t.Fatalf("hooks status: %v\n%s", err, out)
	}
	back := exec.Command("sh", "-ec", way)
	back.Dir, back.Env = w.Project, w.command(t.Context()).Env
	if out, err := back.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", way, err, out)
	}
	w.Project = side
	shows("F1 bug part-1", "audit", "findings")
	works.Store(true)
	w.Headless("/hooks:audit --resume")
	want := []string{"coding 1 ended", "auditing 1 dirty +F1", "coding 1 outage",
		"coding 1 ended", "auditing 1 clean -F1", "post_action 1 ended"}
	if diff := cmp.Diff(want, w.Phases()); diff != "" {
		t.Errorf("phases (-want +got):\n%s", diff)
	}
	if b := w.Budget("audit"); b.StopCause != "audit_complete" || b.IterationsUsed != 6 {
		t.Errorf("the run is %+v", b)
	}
}

// drivenAudit is a world in which `hooks go audit` finds the client, and each phase is done by a
// process in its main thread.
func drivenAudit(t *testing.T, n int, work func(Phase) Turn) *World {
	t.Helper()
	w := auditWorld(t, n, work)
	w.clientOnPath()
	return w
}

// A driven plan of three sections: one client process for each phase, audits with the auditor's
// tools, an outage that is no phase. The end is the conductor's (A11, A18, A62, T92, T93).
func TestTheDriverAuditsAPlan(t *testing.T) {
	var refused sync.Map // the one session of the first final audit that gets no answer
	w := drivenAudit(t, 3, auditsOnce)
	answer := w.Model.script
	w.Model.script = func(r Request) Turn {
		if p, _ := r.phase(); p.Name == "final_auditing" {
			if first, _ := refused.LoadOrStore(p.Name, r.Session); first == r.Session {
				return Turn{Overloaded: true}
			}
		}
		return answer(r)
	}
	out := w.goes(0, []string{"audit", "docs/plan.md", "--max-iterations", "30"})
	want := slices.Insert(slices.Clone(wholeAudit), 8, "final_auditing 3 outage")
	if diff := cmp.Diff(want, w.Phases()); diff != "" {
		t.Errorf("phases (-want +got):\n%s\n%s", diff, out)
	}
	for _, want := range []string{"the final audit · outage", "waiting until ",
		"the coding phase of section 1 · Part 1 · 0 of 3 sections clean, 1 open bug, " +
			"0 open warnings · $",
		"Cause: audit_complete"} {
		if !strings.Contains(out, want) {
			t.Errorf("the person was not told %q, but:\n%s", want, out)
		}
	}
	a := w.auditRun()
	if a.Verdict.Verdict != "clean" || a.Verdict.SHA != w.head() ||
		a.Post.Summary != "The notes are written." {
		t.Errorf("the audit is %+v, HEAD %s", a, w.head())
	}
	for _, r := range w.Model.Requests() {
		p, ok := r.phase()
		if ok && strings.HasSuffix(p.Name, "auditing") && slices.Contains(r.Tools, "Write") {
			t.Errorf("the auditor of %s has the tools %v", p.Token, r.Tools)
		}
	}
	w.provesFreshPhases()
}

// A client that is killed and one that falls silent cost no phase. Ctrl-C ends the run, and
// --resume continues with the same phase. Five silent clients in a row end it (A27, A28, A59, T92).
func TestTheDriverLosesAnAuditor(t *testing.T) {
	var hang atomic.Int32 // clients that are to fall silent
	hold := make(chan struct{})
	w := drivenAudit(t, 1, func(p Phase) Turn {
		if p.Name == "auditing" && hang.Add(-1) >= 0 {
			return Turn{Text: p.sings(), Hold: hold}
		}
		return auditsOnce(p)
	})
	hang.Store(2)
	cmd, out := w.driver([]string{"audit", "docs/plan.md"})
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	audits := func(left int32) {
		if !patiently(60*time.Second, func() bool { return hang.Load() == left }) {
			_ = cmd.Process.Kill()
			t.Fatalf("no auditor is running: %v", w.Phases())
		}
	}
	audits(1)
	for _, pid := range w.running("claude") {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	audits(0)
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Error(err)
	}
	_ = cmd.Wait()
	w.ended(cmd, out, 5)
	want := []string{"coding 1 ended", "auditing 1 outage", "auditing 1 outage"}
	if diff := cmp.Diff(want, w.Phases()); diff != "" {
		t.Errorf("phases (-want +got):\n%s\n%s", diff, out)
	}
	if b := w.Budget("audit"); b.Status != "halted" || b.StopCause != "user_interrupt" {
		t.Errorf("the run is %+v\n%s", b, out)
	}
	hang.Store(5)
	if said := w.goes(5, []string{"audit", "--resume", "--stall", "8s"}); !strings.Contains(said,
		"the client went silent in 5 attempts in a row") ||
		!strings.Contains(said, "hooks go audit --restart") {
		t.Errorf("the person was told:\n%s", said)
	}
	if b := w.Budget("audit"); b.Status != "halted" || b.StopCause != "stall_timeout" {
		t.Errorf("the run is %+v\n%s", b, out)
	}
	hang.Store(0)
	w.goes(0, []string{"audit", "--restart"})
	for range 5 {
		want = append(want, "auditing 1 outage")
	}
	want = append(want, "auditing 1 clean", "post_action 1 ended")
	if diff := cmp.Diff(want, w.Phases()); diff != "" {
		t.Errorf("phases (-want +got):\n%s", diff)
	}
	w.provesFreshPhases()
}

// In a driven process the phase is the main thread's, which has more tools than a worker. A coder
// reaches out by none, an auditor that ends in silence is held, a shell does not write for it, and
// the client's own limits end the phase without a verdict (A63, A67–A71, M5).
func TestADrivenAuditorOnlyLooks(t *testing.T) {
	w := drivenAudit(t, 1, func(p Phase) Turn {
		switch {
		case p.Iteration == 1 && p.Done < len(reaching):
			return Turn{Calls: reaching[p.Done : p.Done+1]}
		case p.Iteration == 1 && p.Done == len(reaching):
			return Turn{Calls: []Call{commit("touch part-1")}}
		case p.Name != "auditing":
			return auditsOnce(p)
		case p.Iteration == 2: // to the end of its turns
			return Turn{Calls: []Call{bash("git log -1")}}
		case p.Held == 0 && p.Done == 0:
			return Turn{Calls: []Call{bash("echo x > part-9")}}
		case p.Held == 0:
			return Turn{Text: "all good"}
		}
		return p.reports(clean)
	})
	out := w.goes(0, []string{"audit", "docs/plan.md"}, "--max-turns", "12")
	want := []string{"coding 1 ended", "auditing 1 no_verdict", "auditing 1 clean",
		"post_action 1 ended"}
	if diff := cmp.Diff(want, w.Phases()); diff != "" {
		t.Errorf("phases (-want +got):\n%s\n%s", diff, out)
	}
	for _, want := range []string{"Bash is refused: nothing may change during the audit",
		"The audit is not done: no verdict was reported"} {
		if !w.Model.Told(want) {
			t.Errorf("the auditor was not told: %s", want)
		}
	}
	w.refused(1, reaching)
}

// A finding that auditor and coder hand back and forth asks a person: at a terminal in the
// conductor's dialog, without one by a pause that `hooks gate answer` ends. An accepted finding
// blocks nothing and stays in the report (A33, A73, A74).
func TestARecurringFindingAsks(t *testing.T) {
	again := func(p Phase) Turn {
		if p.Name == "auditing" && p.Open {
			return p.reports(`{"verdict":"dirty"}`)
		} else if p.Name == "auditing" && p.Iteration < 7 {
			return p.reports(bug)
		}
		return auditsOnce(p)
	}
	const question = "Finding F1 is open after 3 audits"
	accepted := func(w *World, then ...string) {
		want := append([]string{"coding 1 ended", "auditing 1 dirty +F1", "coding 1 ended",
			"auditing 1 dirty", "coding 1 ended", "auditing 1 dirty"}, then...)
		if diff := cmp.Diff(want, w.Phases()); diff != "" {
			t.Errorf("phases (-want +got):\n%s", diff)
		}
		if out := w.hooks("audit", "findings"); !strings.Contains(out, "accepted  section 1  F1") {
			t.Errorf("the findings are:\n%s", out)
		}
	}
	w := auditWorld(t, 1, again)
	term := w.Interactive()
	term.Enter("/hooks:audit docs/plan.md")
	term.WaitScreen(question, 120*time.Second)
	term.Choose(2)
	patiently(120*time.Second, func() bool { return w.Budget("audit").StopCause != "" })
	accepted(w, "post_action 1 ended")

	w = auditSide(makeWorld(t, Conductor{Phase: again}.Say), 1)
	w.clientOnPath()
	out := w.goes(3, []string{"audit", "docs/plan.md"})
	if !strings.Contains(out, question) || !strings.Contains(out, "hooks gate answer") ||
		!strings.Contains(out, "hooks go audit --resume") {
		t.Errorf("the person was told:\n%s", out)
	}
	w.hooks("gate", "answer", "finding-recurring", "accept")
	w.goes(0, []string{"audit", "--resume"})
	accepted(w, "post_action 1 ended")
}
