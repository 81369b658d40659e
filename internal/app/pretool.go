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
	if v.ev.Asks() {
		if err := v.dialogBegins(); err != nil {
			return found, err
		}
	}
	call := v.toolCall()
	reply, err := v.stepEach(v.addressed, func(*thread) loop.Event { return call })
	return reply.And(found), err
}

// dialogBegins records which call asks, and what it shows: the questions of one loop.
func (v *visit) dialogBegins() error {
	begins := loop.DialogBegins{
		Turn: v.turn(), ID: v.ev.ToolUseID, Forged: v.ev.Answers().Forged,
	}
	_, err := v.stepEach(v.addressed, func(t *thread) loop.Event {
		e := begins
		if !v.ev.InSubagent() && v.asksFirst(t) {
			e.Shows = event.MostQuestions
		}
		return e
	})
	return err
}

// asksFirst reports whether a loop is the first one of the session that has questions to show.
func (v *visit) asksFirst(t *thread) bool {
	for _, o := range v.addressed(v.runs) {
		if len(v.turn().Asks(o.values())) > 0 {
			return o.skill == t.skill
		}
	}
	return false
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
		if _, err = v.stepEach(every, catchUp); err != nil {
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
