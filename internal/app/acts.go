package app

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"hooks/internal/event"
	"hooks/internal/guard"
	"hooks/internal/loop"
	"hooks/internal/report"
	"hooks/internal/tracker"
)

// acts holds back what a call would do to a forge or to the loop's own files.
func (v *visit) acts(t *thread) (event.Reply, error) {
	r := v.read()
	if a := r.Tampers(); len(a) > 0 {
		return event.Deny(fmt.Sprintf("%s is the loop's own business while it runs: %s\nhint: reading is free; facts go through `hooks report`, "+
			"answers come from a person's dialog or terminal", a[0].Command, describe(a[0]))), nil
	}
	if merges := r.Merges(); len(merges) > 0 {
		return v.merge(t, merges)
	}
	if opaque := unreadable(r); opaque != "" && v.mergeWaits(t) {
		return event.Deny("This command cannot be read and a merge gate waits: " + opaque +
			"\nhint: write it plainly, without text that is only known when it runs"), nil
	}
	if slices.ContainsFunc(r.Acts, func(a guard.Act) bool { return a.Kind == guard.OpenPR }) {
		return v.openPR(t), nil
	}
	return event.Nothing(), nil
}

func (v *visit) read() guard.Reading {
	return guard.Read(v.call(), v.repo(), files{v.project})
}

// repo is read only for a call that could matter to it: the guard asks for nothing itself.
func (v *visit) repo() guard.Repo {
	r := tracker.Repo(v.Env, v.ev.Cwd)
	return guard.Repo{Branch: r.Branch, Default: r.Default, Remotes: r.Remotes, Config: r.Config}
}

// files lets the guard read what a command would run, inside the project and bounded.
type files struct{ root string }

const mostScript = 256 << 10

// ReadFile is part of guard.Files.
func (f files) ReadFile(path string) (string, bool) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(f.root, path)
	}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > mostScript {
		return "", false
	}
	text, err := os.ReadFile(path)
	return string(text), err == nil
}

func unreadable(r guard.Reading) string {
	switch {
	case r.Unparsable != "":
		return r.Unparsable
	case len(r.Opaque) > 0:
		return fmt.Sprintf("%s (%s)", r.Opaque[0].Text, r.Opaque[0].Reason)
	}
	return ""
}

// mergeWaits: a merge of some PR was asked for in this review and no one allowed it.
func (v *visit) mergeWaits(t *thread) bool {
	if t.skill != loop.Review || !t.open(v.ev.SessionID) {
		return false
	}
	isMerge := func(name string) bool { return name == loop.PostFeedbackMerge }
	return slices.ContainsFunc(t.Tick.Pending, func(g loop.Gate) bool { return isMerge(g.Name) }) ||
		slices.ContainsFunc(t.Tick.Answered, func(g loop.GateAnswer) bool { return isMerge(g.Name) && g.Answer != "merge" })
}

func describe(a guard.Act) string {
	s := string(a.Kind)
	if a.Ref != "" {
		s += " " + a.Ref
	}
	if len(a.Via) > 0 {
		s += " (through " + strings.Join(a.Via, ", ") + ")"
	}
	return s
}

// openPR stops before a PR that would go over the ceiling (R30).
func (v *visit) openPR(t *thread) event.Reply {
	f := loop.Look(t.Budget, t.Tick, nil, v.now)
	if t.Budget.SinglePR != 0 || len(f.PRs) < t.Budget.Ceilings.PRs {
		return event.Nothing()
	}
	return event.Deny(fmt.Sprintf("PR budget reached: %d / %d — no further PR in this run (prs_touched_budget)\n"+
		"hint: report, and end the turn; a person raises the ceiling with --max-prs N --resume", len(f.PRs), t.Budget.Ceilings.PRs))
}

// merge is the gate's rule: a merge passes when facts show that no human feedback was addressed since the previous
// iteration, or once on a person's answer in this very tick (R99–R102).
func (v *visit) merge(t *thread, acts []guard.Act) (event.Reply, error) {
	if !t.open(v.ev.SessionID) {
		return event.Deny(fmt.Sprintf("Not merged: %s. No iteration of the loop is open, so nobody can be asked\n"+
			"hint: a person merges in a terminal, or ends the loop with `hooks loop stop`", acts[0].Command)), nil
	}
	reply := event.Nothing()
	err := v.guarded(func(list []*thread) error {
		for _, now := range list {
			if now.skill != t.skill || !now.open(v.ev.SessionID) {
				continue
			}
			var err error
			reply, err = v.mergeNow(now, acts)
			return err
		}
		return nil
	})
	return reply, err
}

func (v *visit) mergeNow(t *thread, acts []guard.Act) (event.Reply, error) {
	tick := t.Tick
	if tick.Halting() {
		return event.Deny("Not merged: the loop ends with this iteration (" + why(tick) + ")\nhint: end the turn; a person may merge"), nil
	}
	for _, a := range acts {
		if reason := refuseMerge(t, a); reason != "" {
			return event.Deny(reason), nil
		}
	}
	for _, a := range acts {
		if allowed(tick, a.PR) {
			continue
		}
		if answeredMerge(tick, a.PR) { // a person's word is not lifted by a fact reported after it
			return event.Deny(fmt.Sprintf("Not merged: %s. The person's answer for PR #%d does not allow it\nhint: leave the PR open and end the turn", a.Command, a.PR)), nil
		}
		if noFeedback(tick, a.PR) && !waits(tick, a.PR) {
			continue
		}
		f := loop.Look(t.Budget, tick, nil, v.now)
		f.Merging = a.PR
		due := loop.Due(f, loop.Merging)
		tick.Pending = append(tick.Pending, due...)
		var gate []loop.Gate
		for _, g := range tick.Pending {
			if g.Name == loop.PostFeedbackMerge {
				gate = append(gate, g)
			}
		}
		return event.Deny(lines("Not merged yet: "+a.Command+" needs a person's word (post-feedback-merge).", report.Ask(gate))), v.files.SaveTick(tick)
	}
	for _, a := range acts {
		use(tick, a.PR)
	}
	tick.Merges += len(acts)
	return event.Nothing(), v.files.SaveTick(tick)
}

// refuseMerge are the ways to land code that no answer opens: they are not the merge of one named PR, now.
func refuseMerge(t *thread, a guard.Act) string {
	switch {
	case a.Auto || a.Admin:
		return fmt.Sprintf("Not merged: %s. --auto and --admin go round what the person is asked\nhint: merge it plainly with gh pr merge N once it is green", a.Command)
	case a.Kind != guard.MergePR:
		return fmt.Sprintf("Not done: %s (%s). In a loop only a PR is merged, one at a time, past its gate\nhint: open or update a PR and leave it, or merge it plainly with gh pr merge N", a.Command, describe(a))
	case a.PR == 0:
		return fmt.Sprintf("Not merged: %s does not say which PR\nhint: name it by its number: gh pr merge %s", a.Command, number(t.Budget.SinglePR))
	}
	return ""
}

func number(pr int) string {
	if pr == 0 {
		return "N"
	}
	return strconv.Itoa(pr)
}

// allowed: a person's answer for this PR is still unused.
func allowed(t *loop.Tick, pr int) bool {
	return slices.ContainsFunc(t.Approvals, func(a loop.Approval) bool { return a.PR == pr && !a.Used })
}

// noFeedback: the facts say that no human feedback was addressed on this PR since the previous iteration.
func noFeedback(t *loop.Tick, pr int) bool {
	return slices.ContainsFunc(t.Report.PRs, func(p loop.PR) bool { return p.Number == pr && p.HumanFeedback != nil && !*p.HumanFeedback })
}

// waits: the question about this PR is open, so only its answer decides.
func waits(t *loop.Tick, pr int) bool {
	return slices.ContainsFunc(t.Pending, func(g loop.Gate) bool {
		return g.Name == loop.PostFeedbackMerge && g.Target == fmt.Sprintf("PR #%d", pr)
	})
}

func answeredMerge(t *loop.Tick, pr int) bool {
	return slices.ContainsFunc(t.Answered, func(g loop.GateAnswer) bool {
		return g.Name == loop.PostFeedbackMerge && g.Target == fmt.Sprintf("PR #%d", pr)
	})
}

func use(t *loop.Tick, pr int) {
	for i := range t.Approvals {
		if t.Approvals[i].PR == pr {
			t.Approvals[i].Used = true
		}
	}
}
