package app

import (
	"fmt"

	"hooks/internal/guard"
	"hooks/internal/loop"
	"hooks/internal/report"
	"hooks/internal/tracker"
)

// Explain reads a command as the guard reads it and says what would happen to it while a loop runs.
// Nothing is run, and no state is looked at.
func (a *App) Explain(command string) report.Explanation {
	h := &handler{App: a, now: a.now()}
	h.ev.Cwd = a.cwd()
	h.project = tracker.Project(a.Env, h.ev.Cwd)
	call := guard.Call{
		Tool:    "Bash",
		Command: command,
		Cwd:     h.ev.Cwd,
		Own:     h.own(),
		PID:     a.Env("CLAUDE_PID"),
	}
	r := guard.Read(call, h.repo, h.below(h.ev.Cwd))
	e := report.Explanation{Command: command, ReadOnly: guard.ReadOnly(call)}
	for _, act := range r.Acts {
		e.Acts = append(e.Acts, report.ExplainedAct{
			Kind: string(act.Kind), PR: act.PR, Ref: act.Ref, Repo: act.Repo, SHA: act.SHA,
			Auto: act.Auto, Admin: act.Admin,
			Command: act.Command, Via: act.Via,
		})
	}
	for _, o := range r.Opaque {
		e.Opaque = append(e.Opaque, fmt.Sprintf("%s (%s)", o.Text, o.Reason))
	}
	if r.Unparsable != "" {
		e.Opaque = append(e.Opaque, r.Unparsable)
	}
	e.Verdict, e.HeldBy = h.verdict(r, call), h.heldBy(r, call)
	return e
}

// heldBy names the layer that keeps a command from a merge that no person approved.
func (h *handler) heldBy(r guard.Reading, call guard.Call) string {
	around := guard.LeavesLinks(call.Command)
	switch {
	case len(r.Merges()) > 0 || len(h.tampers(r)) > 0:
		return "asked before it runs, by the guard"
	case r.Bound != "":
		return "refused before it runs, by the guard: it is not read to its end (" + r.Bound + ")"
	case around && reaches(r, call.Command):
		return "refused before it runs, by the guard: a login shell or an absolute path does not " +
			"meet the brake"
	case guard.ReadOnly(call):
		return ""
	case around:
		return "not held, for a login shell or an absolute path does not meet the brake: " +
			"branch protection"
	}
	return "judged when it starts, by the brake if it is a forge's program; " +
		"the seal finds what it changes of the loop's files"
}

// verdict is what the rules make of a reading while an iteration is open.
func (h *handler) verdict(r guard.Reading, call guard.Call) string {
	unread, around := unreadable(r) != "", r.Unparsable != "" || guard.LeavesLinks(call.Command)
	switch {
	case len(h.tampers(r)) > 0:
		return "denied: it would " + would(h.tampers(r)[0].Kind)
	case len(r.Merges()) > 0:
		approvals := 0
		for _, a := range r.Merges() {
			if a.Kind == guard.ApprovePR && a.PR > 0 {
				approvals++
				continue
			}
			act := h.actOf(nil, a)
			act.Elsewhere = ""
			anyLoop := loop.State{Run: &loop.Budget{Skill: loop.Review}}
			if d := anyLoop.Landable(act); d != nil {
				return "denied: " + h.denial(nil, d).Reason()
			}
		}
		if approvals == len(r.Merges()) {
			return "passes in a review loop, once a PR and iteration; denied in a work loop"
		}
		return "judged by gate post-feedback-merge: " + loop.MergePromise
	case r.Bound != "":
		return "denied: it cannot be read to its end, and the rest could land something"
	case unread && reaches(r, call.Command) && around:
		return "denied: it cannot be read, could reach a forge, and need not meet the brake"
	case unread && reaches(r, call.Command):
		return "passes where the brake works, in sessions that began after the installation; " +
			"is denied elsewhere"
	case unread && around:
		return "passes, but is denied in a review loop while a merge gate waits"
	case unread:
		return "passes where the brake works; " +
			"elsewhere it is denied in a review loop while a merge gate waits"
	}
	return "passes"
}
