package app

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"hooks/internal/guard"
	"hooks/internal/loop"
	"hooks/internal/store"
)

// reading is what a call would do, as loops judge it.
func (h *handler) reading(t *loopState) loop.Reading {
	r := h.read()
	command, _ := h.ev.ShellCommand()
	reading := loop.Reading{
		Refused: h.refuseCall(t, r), Opaque: unreadable(r), Reaches: reaches(r, command),
		Pushes: r.Pushes, Beside: h.openInOther(t),
	}
	if reading.Opaque != "" && r.Unparsable == "" { // meetsBrake also repairs missing links
		reading.Braked = h.meetsBrake(t)
	}
	if t.Budget.Audit != nil && t.Tick != nil && !t.Tick.Braked {
		reading.Shown = guard.Shown(h.call())
	}
	for _, a := range slices.Concat(r.Acts, r.Uses) {
		act := h.actOf(t, a)
		if len(t.Budget.DeferredTargets) > 0 || act.Kind == loop.ActMerge ||
			act.Kind == loop.ActApprove {
			act.Elsewhere, act.Own = h.elsewhere(t, a)
		}
		reading.Acts = append(reading.Acts, act)
	}
	return reading
}

// reaches reports whether what is not plain in a command could land something.
func reaches(r guard.Reading, command string) bool {
	return r.ReachesForge() || r.Piped() && guard.LeavesLinks(command)
}

// actOf is an act as a loop judges it.
func (h *handler) actOf(t *loopState, a guard.Act) loop.Act {
	act := loop.Act{
		PR: a.PR, Ref: a.Ref, SHA: a.SHA, Auto: a.Auto || a.Admin, Review: a.Review,
		Command: a.Command, Words: describe(a), Alone: strings.HasPrefix(a.Command, h.ev.Tool+"("),
	}
	switch a.Kind {
	case guard.MergePR:
		act.Kind = loop.ActMerge
	case guard.ApprovePR:
		act.Kind = loop.ActApprove
	case guard.OpenPR:
		act.Kind = loop.ActOpen
	case guard.Comment:
		act.Kind = loop.ActComment
	case guard.SetLabel, guard.DropLabel:
		act.Kind = loop.ActLabel
	case guard.UseBranch:
		act.Kind = loop.ActUse
	default:
		if a.Kind.Merges() {
			act.Kind = loop.ActLand
		}
	}
	return act
}

// refuseCall is why a call may not run, whatever the loop's state.
func (h *handler) refuseCall(t *loopState, r guard.Reading) *loop.Deny {
	tool := h.ev.Tool
	if path := h.touchesBudget(t); path != "" {
		return &loop.Deny{
			Rule: loop.StateGuard,
			Text: fmt.Sprintf("Not run: %s would %s (%s %s)", tool, would(guard.WriteState),
				guard.WriteState, path),
			Hint: "reading is free; facts go through `hooks report`",
		}
	}
	if _, whole := h.ev.Fields(); !whole {
		return &loop.Deny{
			Rule: loop.UnreadText, Text: tool + " has more fields than can be looked at",
			Hint: "make several smaller calls",
		}
	}
	if file := h.rewires(); file != "" {
		return &loop.Deny{
			Rule: loop.StateGuard,
			Text: tool + " would change, or could change, the hooks that the client runs: " + file,
			Hint: "permission rules and the model may change; the rest waits until the loop has " +
				"ended",
		}
	}
	if a := h.tampers(r); len(a) > 0 {
		return refuseTampering(a[0])
	}
	if r.Bound != "" {
		return &loop.Deny{
			Rule: loop.UnreadText,
			Text: tool + " is not read to its end, and what is left could land something: " +
				r.Bound,
			Hint: "make several smaller calls; long text goes through a file",
		}
	}
	return nil
}

func refuseTampering(a guard.Act) *loop.Deny {
	if a.Kind == guard.DropRegistration && a.Path != "" {
		return &loop.Deny{
			Rule: loop.StateGuard,
			Text: a.Command + " could change how this loop is guarded: " + string(a.Kind) + " " +
				a.Path,
			Hint: wayToSettings(a.Path),
		}
	}
	if a.Kind == guard.WriteLedger {
		return &loop.Deny{
			Rule: loop.StateGuard,
			Text: notRun(a),
			Hint: "add a turn with `hooks ledger append FILE`, the turn on stdin; reading is free",
		}
	}
	hint := "reading is free; facts go through `hooks report`, " +
		"answers come from a person's dialog or terminal"
	switch {
	case a.Kind == guard.OtherSession:
		hint = "do it in this session, or send a worker with the Agent tool"
	case a.Kind == guard.WriteState && a.Passes != "":
		hint = a.Passes
	}
	return &loop.Deny{Rule: loop.StateGuard, Text: notRun(a), Hint: hint}
}

func notRun(a guard.Act) string {
	return fmt.Sprintf("Not run: %s would %s (%s)", a.Command, would(a.Kind), describe(a))
}

// would is what an act that tampers with the loop would do.
func would(kind guard.Kind) string {
	switch kind {
	case guard.WriteLedger:
		return "change a ledger, to which turns are only added"
	case guard.AnswerGate:
		return "do what only a person or the client does"
	case guard.DropRegistration:
		return "end the hooks or take them out of the client"
	case guard.OtherSession:
		return "start a client that no loop governs"
	}
	return "change the loop's own files"
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

// touchesBudget names the run's budget file where --budget-file put it outside of the folder that
// the guard knows, and the call names it without only looking.
func (h *handler) touchesBudget(t *loopState) string {
	if t.BudgetPath == store.DefaultBudgetPath(t.Skill) || t.BudgetPath == "" ||
		guard.ReadOnly(h.call()) {
		return ""
	}
	base := filepath.Base(t.BudgetPath)
	command, shell := h.ev.ShellCommand()
	path := h.ev.Text("file_path")
	if shell && strings.Contains(command, base) || path != "" && filepath.Base(path) == base {
		return t.BudgetPath
	}
	return ""
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
