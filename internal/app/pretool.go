package app

import (
	"errors"
	"slices"

	"hooks/internal/event"
	"hooks/internal/loop"
	"hooks/internal/store"
)

// preToolUse is the guard of everything an agent does while a loop of its session is on. Most calls meet two or three
// small files and an opinion of nothing.
func (v *visit) preToolUse() (event.Reply, error) {
	list, found, err := v.upToDate()
	if err != nil || found.Blocks() {
		return v.recordAny(list, found), err
	}
	if changed, ok := errors.AsType[*store.ChangedError](v.damage); ok && v.mustStayShut(changed) {
		return v.heldBack(changed), nil
	}
	if slices.ContainsFunc(list, v.mindsDialog) {
		if err := v.noteDialog(); err != nil {
			return found, err
		}
	}
	for _, t := range v.addressed(list) {
		r, err := v.judge(t)
		if err != nil || r.Decides() {
			return v.record(t, r).And(found), err
		}
		found = r.And(found)
	}
	return found, nil
}

// upToDate loads the runs and takes in what no event has told: answers and calls that only the transcript has, and the end
// of a turn that was cut off.
func (v *visit) upToDate() (list []*thread, found event.Reply, err error) {
	if list, err = v.mine(); err != nil {
		return nil, found, err
	}
	if slices.ContainsFunc(list, v.behind) {
		catchUp := func(t *thread) loop.Event {
			return loop.CatchUp{Turn: v.turn(), Counts: v.countsUnheard(t)}
		}
		all := func(list []*thread) []*thread { return list }
		if _, err = v.stepEach(all, catchUp); err != nil {
			return nil, found, err
		}
		list = v.runs
	}
	cutOff := func(t *thread) bool { return v.unknownPrompt(t) && !t.Tick.Draining }
	switch {
	case !v.ev.InSubagent() && slices.ContainsFunc(list, cutOff):
		found, err = v.step(v.prompted())
	case slices.ContainsFunc(list, v.forces) && !v.ev.EndsSchedule():
		found, err = v.missedForce(list)
	default:
		return list, found, nil
	}
	if err == nil {
		list, err = v.mine()
	}
	return list, found, err
}

// behind reports whether the transcript may have what no event brought and this call depends on.
func (v *visit) behind(t *thread) bool {
	return v.open(t) && (t.Tick.Unheard() || v.countsUnheard(t))
}

// unknownPrompt reports whether an iteration of this session is open and this prompt is none of its
// own.
func (v *visit) unknownPrompt(t *thread) bool {
	return v.open(t) && v.ev.PromptID != "" && !v.ours(t)
}

// addressed leaves out the open loops that this prompt is none of, where it is one of another: what a turn does is
// counted and judged once.
func (v *visit) addressed(list []*thread) []*thread {
	if !slices.ContainsFunc(list, v.ours) {
		return list
	}
	return only(list, func(t *thread) bool { return !v.open(t) || v.ours(t) })
}

func (v *visit) judge(t *thread) (event.Reply, error) {
	if v.ev.EndsSchedule() {
		return event.Nothing(), nil
	}
	if v.forces(t) {
		return v.atGate(t, []loop.Gate{*t.Claim.Gate})
	}
	if t.Budget == nil {
		return v.neverAgain(t.Claim), nil
	}
	if v.open(t) {
		if waiting := t.Tick.Held(); len(waiting) > 0 || v.ev.Asks() && len(t.Tick.Pending) > 0 {
			if r, err := v.atGate(t, t.Tick.Pending); err != nil || !r.Empty() {
				return r, err
			}
		}
	}
	if !v.governs(t) {
		return v.afterHalt(t), nil
	}
	told := v.ceiling(t)
	if told.Blocks() {
		return told, nil
	}
	for _, rule := range []struct {
		name  string
		judge func(*thread) (event.Reply, error)
	}{
		{loop.ScheduleRule, v.scheduling},
		{loop.DispatchRule, v.dispatch},
		{loop.OtherRule, v.acts},
	} {
		if r, err := rule.judge(t); err != nil || !r.Empty() {
			return r.By(rule.name).And(told), err
		}
	}
	return told, nil
}

// governs: a run that goes on, or one that ended in this very prompt, whose turn is not over yet.
func (v *visit) governs(t *thread) bool {
	return t.Budget.Status == loop.Active || slices.Contains(t.Budget.LastPrompts, v.ev.PromptID)
}
