package app

import (
	"errors"
	"slices"

	"hooks/internal/event"
	"hooks/internal/hint"
	"hooks/internal/kind"
	"hooks/internal/loop"
	"hooks/internal/seal"
	"hooks/internal/store"
	"hooks/internal/term"
	"hooks/internal/tracker"
)

// failed returns the answer if the program itself fails. A Stop is allowed, with the reason. An
// entry is refused. A tool call is allowed unless it merges, dispatches, schedules or touches the
// state, because a loop may be active. Other events get no decision.
func (h *handler) failed(err error) Answer {
	a := Answer{Name: h.ev.Name, After: h.out.After, Err: err}
	text := hint.Text(store.Hinted(err))
	_, entering := h.invocation()
	changed, isChanged := errors.AsType[*store.ChangedError](err)
	_, isNewer := errors.AsType[*store.NewerError](err) // the state may belong to this session
	switch {
	case entering:
		a.Reply = event.Block(text)
	case h.ev.Name == event.Stop && errors.Is(err, store.ErrClosed):
		a.Reply = event.Nothing().Say("hooks lets this turn end; its iteration is closed in the " +
			"history, and the next event continues from there\n" + text)
	case h.ev.Name == event.Stop && h.out.Reply.Blocks(): // another loop keeps the turn open
		a.Reply = event.Nothing().Say(text)
	case h.ev.Name == event.Stop && !isNewer && h.bystander():
	case h.ev.Name == event.Stop && isChanged:
		a.Reply = h.sayOnce(changed, text)
	case h.ev.Name == event.Stop:
		a.Reply = event.Nothing().Say("hooks lets this turn end without having closed its " +
			"iteration\n" + text)
	case h.ev.Name == event.PreToolUse && h.mustStayShut(err):
		a.Reply = h.heldBack(err)
	}
	a.Reply = h.out.Reply.And(a.Reply)
	return a
}

// bystander reports whether this session has no loop in its seal or in any readable state file.
func (h *handler) bystander() bool {
	own := func(skill loop.Skill) bool {
		s, _ := h.files.Load(skill)
		return s.Budget != nil && s.Budget.SessionID == h.ev.SessionID ||
			s.Tick != nil && s.Tick.SessionID == h.ev.SessionID ||
			s.Lock != nil && s.Lock.SessionID == h.ev.SessionID
	}
	return !h.seal.on && h.files != nil && !slices.ContainsFunc(kind.Skills(), own)
}

// heldBack denies a call because the state of a loop cannot be trusted.
func (h *handler) heldBack(err error) event.Reply {
	return event.Deny(h.ev.Tool + " is held back while the loop's state cannot be trusted\n" +
		inTwoLines(store.Hinted(err)))
}

// inTwoLines formats an error on one line and its hint on the next.
func inTwoLines(err error) string {
	return hint.Text(hint.New(hint.Of(err), "%s", term.Line(err.Error())))
}

// mustStayShut judges the call without any state. After a change to the seal or the files, the
// brake may be missing too, so a call that cannot be fully read is also refused.
func (h *handler) mustStayShut(err error) bool {
	if _, schedule := h.ev.Schedules(); schedule && !h.ev.EndsSchedule() {
		return true
	}
	if h.ev.Dispatches() {
		return true
	}
	call := h.call()
	r := call.Read()
	_, changed := errors.AsType[*store.ChangedError](err)
	unread := r.Unparsable != "" || changed && (r.Bound != "" || len(r.Opaque) > 0)
	return len(r.Merges()) > 0 || len(call.Tampers(r)) > 0 || unread || call.Rewires() != ""
}

// unreadable answers a payload that cannot be read. It denies a tool call while a loop is active in
// the project, so that malformed input cannot bypass the guard. Otherwise it decides nothing.
func (a *App) unreadable(name string, err error) Answer {
	answer := Answer{Name: name, Err: err}
	_, other := errors.AsType[*event.OtherEventError](err)
	if name != event.PreToolUse || other {
		return answer
	}
	project := tracker.Project(a.Env, a.cwd())
	record, serr := seal.At(seal.Home(a.Env)).Active(a.Env("CLAUDE_CODE_SESSION_ID"))
	if record == nil && serr == nil && (!store.Exists(project) || !anyActive(project)) {
		return answer
	}
	answer.Reply = event.Deny("The call cannot be read, and a loop is active\n" + inTwoLines(err))
	return answer
}

func anyActive(project string) bool {
	files, err := store.Open(project)
	if err != nil {
		return true
	}
	for _, skill := range kind.Skills() {
		s, err := files.Load(skill)
		if err != nil || s.Budget != nil && s.Budget.Status == loop.Active {
			return true
		}
	}
	return false
}
