package app

import (
	"slices"

	"hooks/internal/event"
	"hooks/internal/guard"
	"hooks/internal/loop"
	"hooks/internal/report"
)

// mindsDialog: the call is a dialog that shows a waiting question, or one whose answers the model brought itself.
func (v *visit) mindsDialog(t *thread) bool {
	if !v.ev.Asks() {
		return false
	}
	return t.forcing() || v.open(t) && (len(t.Tick.Pending) > 0 || v.ev.Answers().Forged)
}

// noteDialog keeps which call asked, and whether it came with answers already in it: those are no person's.
func (v *visit) noteDialog() error {
	d := loop.Dialog{ID: v.ev.ToolUseID, Forged: v.ev.Answers().Forged}
	return v.guarded(func(list []*thread) error {
		free := true // the call shows the questions of one loop
		for _, t := range v.addressed(list) {
			note := d
			if gates := v.asksFor(t); free && len(gates) > 0 && !d.Forged && !v.ev.InSubagent() {
				note.Shown, free = shown(gates), false
			}
			if err := v.noteDialogOf(t, note); err != nil {
				return err
			}
		}
		return nil
	})
}

// asksFor are the gates whose questions a dialog that begins now shows for a loop.
func (v *visit) asksFor(t *thread) []loop.Gate {
	switch {
	case v.forces(t):
		return []loop.Gate{*t.Claim.Gate}
	case t.Budget != nil && v.open(t):
		return t.Tick.Pending
	}
	return nil
}

// shown are the questions that fit in one dialog.
func shown(gates []loop.Gate) (list []string) {
	for _, g := range gates[:min(len(gates), event.MostQuestions)] {
		list = append(list, g.Question)
	}
	return list
}

func (v *visit) noteDialogOf(t *thread, d loop.Dialog) error {
	switch {
	case !v.mindsDialog(t):
		return nil
	case t.forcing():
		t.Claim.Dialogs = append(t.Claim.Dialogs, d)
		v.tellOf(t.Claim.Gate)
		return v.files.SaveClaim(t.Claim)
	case slices.ContainsFunc(t.Tick.Dialogs, d.Equal): // already recorded
		return nil
	}
	t.Tick.Dialogs = append(t.Tick.Dialogs, d)
	for i := range t.Tick.Pending {
		v.tellOf(&t.Tick.Pending[i])
	}
	return v.files.SaveTick(t.Tick)
}

// atGate fills the dialog with exactly the questions that wait, and keeps everything else of the main thread back
// until they are answered. Workers already dispatched go on.
func (v *visit) atGate(t *thread, gates []loop.Gate) (event.Reply, error) {
	if v.ev.Asks() && !v.ev.InSubagent() { // a worker's dialog answers no gate and shows none
		list, err := v.mine()
		if err != nil {
			return event.Nothing(), err
		}
		asked := questions(gates)
		for i := range asked {
			if besides(list, t) { // the words of both loops may be the same
				asked[i].Header = string(t.skill) + " loop"
			}
		}
		return event.Ask(asked...), nil
	}
	if v.ev.InSubagent() || v.ev.Tool == "ToolSearch" || guard.ReadOnly(v.call()) {
		return event.Nothing(), nil
	}
	return event.Denyf("%s is held back: gate %s waits for a person.\n%s",
		v.ev.Tool, gates[0].Name, report.Ask(gates)).By(loop.GateWaiting), nil
}

// besides reports whether the session has another loop that has not ended.
func besides(list []*thread, t *thread) bool {
	return slices.ContainsFunc(list, func(o *thread) bool {
		active := o.Budget != nil && o.Budget.Status == loop.Active
		return o.skill != t.skill && (active || o.forcing())
	})
}

func questions(gates []loop.Gate) []event.Question {
	var list []event.Question
	for _, g := range gates {
		q := event.Question{Question: g.Question, Header: g.Header}
		for _, o := range g.Options {
			q.Options = append(q.Options, event.Option{Label: o.Label, Description: o.Description})
		}
		list = append(list, q)
	}
	return list
}
