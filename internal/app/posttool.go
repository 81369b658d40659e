package app

import (
	"slices"

	"hooks/internal/event"
	"hooks/internal/loop"
)

// postToolUse takes what a tool call brought: a person's answers, workers that were sent off, PRs opened, comments
// pushed, a failing qmd.
func (v *visit) postToolUse() (event.Reply, error) {
	list, err := v.mine()
	v.keepRunning(v.addressed(list))
	if err == nil {
		err = v.hearForClaims(list)
	}
	if err != nil || !v.tellsAnything(list) {
		return event.Nothing(), err
	}
	reply, err := v.decided(func(list []*thread) (event.Reply, error) { return v.inTurn(v.addressed(list), v.learn) })
	if err != nil || !v.answersDialog() {
		return reply, err
	}
	forcing := only(list, (*thread).forcing)
	forced, err := v.inTurn(forcing, func(t *thread) (event.Reply, error) { return v.forceAnswered(t, v.ev.ToolUseID, v.ev.Answers()) })
	return reply.And(forced), err
}

// hearForClaims notes in a session without a run that PostToolUse reaches the program, as a receipt
// does for a run.
func (v *visit) hearForClaims(list []*thread) error {
	deaf := func(t *thread) bool { return t.forcing() && !t.Claim.Heard }
	if v.ev.Name != event.PostToolUse || v.answersDialog() || !slices.ContainsFunc(list, deaf) {
		return nil
	}
	return v.guarded(func(list []*thread) error {
		for _, t := range only(list, deaf) {
			t.Claim.Heard = true
			if err := v.files.SaveClaim(t.Claim); err != nil {
				return err
			}
		}
		return nil
	})
}

func (v *visit) answersDialog() bool { return v.ev.Asks() && v.ev.Name == event.PostToolUse }

// tellsAnything spares most events the guard: nothing is written for a call that brings no fact.
func (v *visit) tellsAnything(list []*thread) bool {
	if !slices.ContainsFunc(list, func(t *thread) bool { return v.open(t) || t.Claim != nil }) {
		return false
	}
	merged := func(t *thread) bool { return t.Tick != nil && t.Tick.Ended(v.ev.ToolUseID) }
	unreviews := func(t *thread) bool {
		return v.ev.Name == event.PostToolUseFailure && t.Tick != nil &&
			t.Tick.Unreview(v.ev.ToolUseID, v.ev.Input.Raw)
	}
	switch {
	case slices.ContainsFunc(list, merged), slices.ContainsFunc(list, unreviews):
		return true
	case v.answersDialog(), v.ev.Dispatches():
		return true
	case v.ev.Name == event.PostToolUseFailure && qmdDown(v.ev):
		return true
	}
	return len(v.brought()) > 0
}

func (v *visit) learn(t *thread) (event.Reply, error) {
	if !v.open(t) {
		return event.Nothing(), nil
	}
	t.Tick.Ended(v.ev.ToolUseID)
	if v.ev.Name == event.PostToolUseFailure {
		t.Tick.Unreview(v.ev.ToolUseID, v.ev.Input.Raw)
	}
	if v.answersDialog() {
		reply := v.takeAnswers(t, v.ev.ToolUseID, v.ev.Answers())
		return reply, v.save(t)
	}
	v.observe(t.Tick)
	return event.Nothing(), v.files.SaveTick(t.Tick)
}

// observe takes the facts that a call brought.
func (v *visit) observe(tick *loop.Tick) {
	switch {
	case v.ev.Dispatches() && v.ev.Name == event.PostToolUse:
		if v.ev.Result("status").Str == "async_launched" {
			tick.Workers = loop.AppendNew(tick.Workers, v.ev.Result("agentId").Str)
		}
	case v.ev.Name == event.PostToolUseFailure && qmdDown(v.ev):
		tick.QmdDown, tick.QmdError = true, qmdLine(v.ev.Error)
	}
	if tick.Once(v.ev.Name, v.ev.ToolUseID, v.ev.Input.Raw) {
		v.count(tick)
	}
}
