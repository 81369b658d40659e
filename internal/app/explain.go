package app

import (
	"fmt"

	"hooks/internal/guard"
	"hooks/internal/report"
	"hooks/internal/tracker"
)

// Explain reads a command as the guard reads it and says what would happen to it while a loop runs. Nothing is run,
// and no state is looked at.
func (a *App) Explain(command string) report.Explanation {
	v := &visit{App: a, now: a.now()}
	v.ev.Cwd = a.cwd()
	v.project = tracker.Project(a.Env, v.ev.Cwd)
	call := guard.Call{Tool: "Bash", Command: command, Cwd: v.ev.Cwd, Own: v.own(), PID: a.Env("CLAUDE_PID")}
	r := guard.Read(call, v.repo(), files{v.ev.Cwd, v.home()})
	e := report.Explanation{Command: command, ReadOnly: guard.ReadOnly(call)}
	for _, act := range r.Acts {
		e.Acts = append(e.Acts, report.ExplainedAct{
			Kind: string(act.Kind), PR: act.PR, Ref: act.Ref, Repo: act.Repo, SHA: act.SHA, Auto: act.Auto, Admin: act.Admin,
			Command: act.Command, Via: act.Via,
		})
	}
	for _, o := range r.Opaque {
		e.Opaque = append(e.Opaque, fmt.Sprintf("%s (%s)", o.Text, o.Reason))
	}
	if r.Unparsable != "" {
		e.Opaque = append(e.Opaque, r.Unparsable)
	}
	e.Verdict = v.verdict(r)
	return e
}

// verdict is what the rules make of a reading while an iteration is open.
func (v *visit) verdict(r guard.Reading) string {
	switch {
	case len(v.tampers(r)) > 0:
		return "denied: it touches the loop's own files, gates or registration"
	case len(r.Merges()) > 0:
		for _, a := range r.Merges() {
			if reason := refuseMerge(a); reason != "" {
				return "denied: " + reason
			}
		}
		return "held back until a person allowed it at gate post-feedback-merge, or the facts show that no human feedback was addressed"
	case r.Bound != "":
		return "denied: it is not read to its end, and what is left could land something"
	case r.ReachesForge():
		return "passes where the brake judges what it starts, else it is denied: it could reach a forge"
	case unreadable(r) != "":
		return "passes, but is denied in a review loop while a merge gate waits: it cannot be read to its end"
	}
	return "passes"
}
