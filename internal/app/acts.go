package app

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"hooks/internal/event"
	"hooks/internal/guard"
	"hooks/internal/loop"
	"hooks/internal/store"
)

// acts holds back what a call would do to a forge or to the loop's own files.
func (v *visit) acts(t *thread) (event.Reply, error) {
	if path := v.touchesBudget(t); path != "" {
		return event.Denyf("%s is the loop's own business while it runs: write-state %s\n"+
			"hint: reading is free; facts go through `hooks report`", v.ev.Tool, path).
			By(loop.StateGuard), nil
	}
	r := v.read()
	if off := v.refuseActs(t, r); !off.Empty() {
		return off, nil
	}
	if merges := r.Merges(); len(merges) > 0 { // last: it uses an answer up
		reply, err := v.merge(t, merges)
		return reply.By(loop.MergeGate), err
	}
	if off := v.refuseUnread(t, r); !off.Empty() {
		return off, nil
	}
	return v.passReviews(t, r.Acts)
}

// refuseActs judges what a call would do but merge.
func (v *visit) refuseActs(t *thread, r guard.Reading) event.Reply {
	if _, whole := v.ev.Fields(); !whole {
		return event.Denyf("%s has more fields than can be looked at\n"+
			"hint: make several smaller calls", v.ev.Tool).By(loop.UnreadText)
	}
	if file := v.reconfigures(r.Acts); file != "" {
		return event.Denyf("%s would change, or could change, the SDD Configuration in %s, "+
			"by which the running loop is judged\n"+
			"hint: a person changes it between runs; other parts of the file go through Edit",
			v.ev.Tool, file).By(loop.ConfigRule)
	}
	if file := v.rewires(); file != "" {
		return event.Denyf("%s would change, or could change, the hooks that the client runs: %s\n"+
			"hint: permission rules and the model may change; "+
			"the rest waits until the loop has ended",
			v.ev.Tool, file).By(loop.StateGuard)
	}
	if a := v.tampers(r); len(a) > 0 {
		return refuseTampering(a[0])
	}
	if r.Bound != "" {
		return event.Denyf("%s is not read to its end, and what is left could land something: %s\n"+
			"hint: make several smaller calls; long text goes through a file", v.ev.Tool, r.Bound).
			By(loop.UnreadText)
	}
	if n := opened(r.Acts); n > 0 {
		if over := v.openPRs(t, n); !over.Empty() {
			return over.By(loop.PRCeiling)
		}
	}
	if contested := v.contests(t, r.Acts); !contested.Empty() {
		return contested.By(loop.InProgress)
	}
	return v.review(t, r.Acts).By(loop.DeferredRule)
}

func refuseTampering(a guard.Act) event.Reply {
	if a.Kind == guard.DropRegistration && a.Path != "" {
		return event.Denyf("%s could change how this loop is guarded: %s %s\nhint: %s",
			a.Command, a.Kind, a.Path, wayToSettings(a.Path)).By(loop.StateGuard)
	}
	return event.Denyf("%s is the loop's own business while it runs: %s\n"+
		"hint: reading is free; facts go through `hooks report`, "+
		"answers come from a person's dialog or terminal", a.Command, describe(a)).
		By(loop.StateGuard)
}

// wayToSettings is what to do instead of writing a file that registers hooks.
func wayToSettings(path string) string {
	switch filepath.Base(path) {
	case "hooks", "hooks.exe":
		return "build to another path while a loop is on, as in `go build -o /tmp/hooks ./hooks`"
	case "settings.json", "settings.local.json":
		return "use Edit, whose result can be looked at before it is written; reading is free"
	}
	return "reading is free; change it when the loop has ended"
}

const inProgress = "in-progress" // the label of an issue that is worked on

// contests keeps a sibling's in-progress label as it is (R80). One that this iteration has set, or whose issue the one
// before had planned, is the loop's own.
func (v *visit) contests(t *thread, acts []guard.Act) event.Reply {
	if !v.open(t) {
		return event.Nothing()
	}
	others := t.Tick.Elsewhere(t.Budget)
	for _, a := range acts {
		label := (a.Kind == guard.SetLabel || a.Kind == guard.DropLabel) && strings.EqualFold(a.Ref, inProgress)
		if !label || !slices.Contains(others, a.PR) || slices.Contains(t.Tick.Labels, fmt.Sprintf("#%d %s", a.PR, a.Ref)) {
			continue
		}
		if before, err := v.previous(t.skill, t.Budget); err == nil && before != nil && slices.Contains(before.Plan, a.PR) {
			continue
		}
		return event.Denyf("Not done: %s. #%d is in progress by another iteration, "+
			"and its label stays as it is\n"+
			"hint: take the next workable issue; a person clears a label that nobody works under",
			a.Command, a.PR)
	}
	return event.Nothing()
}

// review holds back a new review of a PR on which nothing has landed since the previous iteration (R81).
func (v *visit) review(t *thread, acts []guard.Act) event.Reply {
	if t.skill != loop.Review || !v.open(t) {
		return event.Nothing()
	}
	for _, a := range acts {
		name := loop.PRTarget(a.PR)
		speaks := a.Kind == guard.Comment || a.Kind == guard.ApprovePR
		if speaks && slices.Contains(t.Tick.Deferred, name) {
			return event.Deny(lines("Not posted: "+a.Command+". "+name+" is deferred to the next tick.", strings.Join(t.Tick.Notes, "\n")))
		}
	}
	return event.Nothing()
}

// touchesBudget names the run's budget file where --budget-file put it outside of the folder that the guard knows, and
// the call names it without only looking.
func (v *visit) touchesBudget(t *thread) string {
	if t.BudgetPath == store.DefaultBudgetPath(t.skill) || t.BudgetPath == "" || guard.ReadOnly(v.call()) {
		return ""
	}
	base := filepath.Base(t.BudgetPath)
	command, shell := v.ev.ShellCommand()
	path := v.ev.Text("file_path")
	if shell && strings.Contains(command, base) || path != "" && filepath.Base(path) == base {
		return t.BudgetPath
	}
	return ""
}

// mergeWaits: a merge of some PR was asked for in this review and no one allowed it.
func (v *visit) mergeWaits(t *thread) bool {
	return t.skill == loop.Review && v.open(t) && t.Tick.MergeShut()
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

// lines joins the texts that are not empty.
func lines(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "\n")
}

// openPRs stops before a PR that would go over the ceiling (R30), or whose number no result would tell (R27): that of a
// call in the background comes at once and is empty.
func (v *visit) openPRs(t *thread, n int) event.Reply {
	if v.ev.Flag("run_in_background") || v.ev.Tool == "Monitor" {
		return event.Deny("Not opened: in the background nothing tells the loop which PR it is\n" +
			"hint: open it in a call of its own that does not run in the background")
	}
	f := loop.Look(t.Budget, t.Tick, nil, v.now)
	left, unbounded := f.PRsLeft()
	switch {
	case unbounded || n <= left:
		return event.Nothing()
	case left > 0:
		return event.Denyf("%d PRs at once would go past the ceiling (%d / %d)\n"+
			"hint: open them one at a time", n, len(f.PRs), t.Budget.Ceilings.PRs)
	}
	return event.Denyf("PR budget reached: %d / %d — no further PR in this run "+
		"(prs_touched_budget)\n"+
		"hint: report, and end the turn; a person raises the ceiling with --max-prs N --resume",
		len(f.PRs), t.Budget.Ceilings.PRs)
}
