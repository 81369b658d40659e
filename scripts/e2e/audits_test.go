//go:build e2e && linux

package e2e

import (
	"context"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
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

// An auditor only looks, and no phase reaches out: not by a tool, not by a shell, not by another
// client. The word clean counts for nothing beside an open bug (A33, A67–A71).
func TestNoPhaseReachesOut(t *testing.T) {
	out := []Call{bash("git push -q origin HEAD"), bash("gh pr create --fill"),
		{"AskUserQuestion", askInOwnWords()[1].Input},
		{"Skill", map[string]any{"skill": "hooks:audit", "args": "docs/plan.md"}},
		{"CronCreate", map[string]any{"cron": "* * * * *", "prompt": "/hooks:turn"}},
		bash("claude -p '/hooks:audit docs/plan.md'"), bash("hooks go audit docs/plan.md")}
	writes := append([]Call{{"Write", map[string]any{"file_path": "part-9", "content": "x"}},
		bash("echo x > part-9"), bash("git commit -q --allow-empty -m x"),
		bash("hooks audit findings > part-9")}, out...)
	w := auditWorld(t, 1, func(p Phase) Turn {
		switch {
		case p.Iteration > 2:
			return auditsOnce(p)
		case p.Name == "auditing" && p.Done < len(writes):
			return Turn{Calls: writes[p.Done : p.Done+1]}
		case p.Name == "auditing" && p.Done == len(writes):
			return Turn{Calls: []Call{report(strings.Replace(bug, "dirty", "clean", 1))}}
		case p.Name == "coding" && p.Done < len(out):
			return Turn{Calls: out[p.Done : p.Done+1]}
		case p.Name == "coding" && p.Done == len(out):
			return Turn{Calls: []Call{commit("touch part-1")}}
		}
		return Turn{Text: p.sings()}
	})
	w.Headless("/hooks:audit docs/plan.md")
	want := []string{"coding 1 ended", "auditing 1 dirty +F1", "coding 1 ended",
		"auditing 1 clean -F1", "post_action 1 ended"}
	if diff := cmp.Diff(want, w.Phases()); diff != "" {
		t.Errorf("phases (-want +got):\n%s", diff)
	}
	for _, r := range w.Model.Requests() {
		p, _ := r.phase()
		tried := map[int][]Call{1: out, 2: writes}[p.Iteration]
		if results := r.results(); len(tried) > 0 && len(results) == len(tried) {
			for i, b := range results {
				t.Logf("%s %v: %.150s", p.Name, tried[i], b.Text)
				if !b.IsError {
					t.Errorf("%s may use %v: %s", p.Name, tried[i], b.Text)
				}
			}
			delete(map[int][]Call{}, p.Iteration)
		}
	}
	if _, err := w.stat("part-9"); err == nil {
		t.Error("the auditor has written")
	}
	cmd := exec.Command("git", "ls-remote", "origin", "side")
	cmd.Dir = w.Project
	if refs, err := cmd.Output(); err != nil || len(refs) > 0 {
		t.Errorf("the remote has %s, %v", refs, err)
	}
}

// A client that is killed in a phase costs none: a new one with --resume begins the same phase
// again. A post action is not tried again (A9, A11, A18, A57).
func TestAKilledAuditIsResumed(t *testing.T) {
	hang, killed := make(chan struct{}), sync.Map{}
	w := auditWorld(t, 1, func(p Phase) Turn {
		if first, _ := killed.LoadOrStore(p.Name, p.Token); first == p.Token {
			return Turn{Hold: hang}
		}
		switch {
		case p.Name == "auditing" && !p.Open && p.Iteration < 6:
			return p.reports(bug)
		}
		return auditsOnce(p)
	})
	command := "/hooks:audit docs/plan.md"
	for _, phase := range []string{"coding", "auditing", "post_action"} {
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
	want := []string{"coding 1 outage", "coding 1 ended", "auditing 1 outage",
		"auditing 1 dirty +F1", "coding 1 ended", "auditing 1 clean -F1", "post_action 1 outage"}
	if diff := cmp.Diff(want, w.Phases()); diff != "" {
		t.Errorf("phases (-want +got):\n%s", diff)
	}
	if b := w.Budget("audit"); b.StopCause != "audit_complete" || w.auditRun().Post.Summary != "" {
		t.Errorf("the run is %+v", b)
	}
	w.provesFreshPhases()
}

// Three phases that change nothing stall the loop. A person restarts it: the same run, phase and
// findings, with iterations counted anew (A4–A10, A28, T91). A conductor that ends its turn without
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

// An audit loop runs in a linked worktree only. `claude -w` makes one from the remote's default
// branch, where the client refuses a here-document of JSON; the loop's state is in it (A8, A34,
// A37).
func TestAnAuditLoopWantsAWorktree(t *testing.T) {
	w := newWorld(t, Conductor{Phase: auditsOnce}.Say)
	w.planned(1)
	w.git(w.Project, "push", "--quiet", "origin", "main")
	r := w.Headless("/hooks:audit docs/plan.md")
	if !strings.Contains(r.Result, "start the client in one with: claude -w plan; there type "+
		"/hooks:audit docs/plan.md") || len(w.Model.Requests()) != 0 {
		t.Errorf("%d requests, and the person was told: %s", len(w.Model.Requests()), r.Result)
	}
	w.Headless("/hooks:audit docs/plan.md", "-w", "plan")
	w.Project = filepath.Join(w.Project, ".claude", "worktrees", "plan")
	want := []string{"coding 1 ended", "auditing 1 dirty +F1", "coding 1 ended",
		"auditing 1 clean -F1", "post_action 1 ended"}
	if diff := cmp.Diff(want, w.Phases()); diff != "" {
		t.Errorf("phases (-want +got):\n%s", diff)
	}
	if a := w.auditRun(); a.Worktree != w.Project || a.Verdict.SHA != w.head() {
		t.Errorf("the audit is %+v, HEAD %s", a, w.head())
	}
}
