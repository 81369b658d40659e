package app

import (
	"slices"

	"hooks/internal/event"
	"hooks/internal/hint"
	"hooks/internal/loop"
	"hooks/internal/proc"
)

// Events come the way their run's entry came: over a socket that the client itself made.
// docs/security.md has the argument, in "Where events come from".

// caller is the process over whose socket this event came; nil where that is not known.
func (h *handler) caller() *loop.Process {
	if !h.asked && h.replayRepo == nil && h.ev.Name != "" {
		h.asked, h.from = true, proc.Caller()
	}
	return h.from
}

// clientSocket is the caller where it is the client itself, so that later events can be held
// against it. A wrapper of the person's own that feeds the program is another process each time.
func (h *handler) clientSocket(owner loop.Process) *loop.Process {
	if from := h.caller(); from != nil && from.PID == owner.PID {
		return from
	}
	return nil
}

// checkEventFrom refuses an event that came from somebody else than the run's client. With an error
// the event decides nothing: an entry is refused, a call that could do harm is held back, and
// nothing is written.
func (h *handler) checkEventFrom(client *loop.Process) error {
	if client == nil || h.ev.Name == "" {
		return nil // not known how events come, or a person's command and no event
	}
	from := h.caller()
	switch {
	case from != nil && from.PID == client.PID && from.Start == client.Start:
		return nil
	case proc.Of(*client) == loop.Alive:
	case from != nil: // its client is gone: the session was taken up again by another one
		return nil
	}
	return hint.New(
		"a person may close that client, or use `hooks loop stop` and then `hooks loop reset`",
		"this %s did not come from the client of the loop (process %d), so it decides nothing",
		h.ev.Name, client.PID)
}

// checkSender is believe for what this session has of a loop.
func (h *handler) checkSender(t *loopState) error {
	if t.Budget != nil {
		if err := h.checkEventFrom(t.Budget.EventsFrom); err != nil {
			return err
		}
	}
	if t.Claim != nil {
		return h.checkEventFrom(t.Claim.EventsFrom)
	}
	return nil
}

// mayEnter refuses a request that comes from inside of another loop of this project: from a script
// that plays the client, or from a client that a tool call started.
func (h *handler) mayEnter(owner loop.Process) error {
	for _, skill := range loop.Skills() {
		s, err := h.files.LoadRun(skill)
		if err != nil || s.Budget == nil {
			continue // the entry itself reports damage
		}
		b := s.Budget
		known := b.EventsFrom != nil && proc.Of(*b.EventsFrom) == loop.Alive
		if b.SessionID == h.ev.SessionID || known && h.caller() == nil {
			if err := h.checkEventFrom(b.EventsFrom); err != nil {
				return err
			}
		}
		from := h.caller()
		other := owner.PID != b.Owner.PID ||
			known && (from == nil || from.PID != b.EventsFrom.PID)
		if other && h.inside(b.Owner) {
			return hint.New("a person starts it in a terminal of their own",
				"a client inside of the %s loop's own (process %d) begins no loop here",
				skill, b.Owner.PID)
		}
	}
	return nil
}

// inside reports whether this process was started by a run's client.
func (a *App) inside(client loop.Process) bool {
	if a.Inside != nil {
		return a.Inside(client)
	}
	return proc.Inside(client)
}

// sessionStarted makes the process that took up a session the one whose events are believed, where
// the earlier one is gone. A script in a tool call cannot get there: while its client lives, only
// that client is believed.
func (h *handler) sessionStarted() (event.Reply, error) {
	if h.ev.Source == "startup" || h.ev.Source == "resume" {
		if _, err := h.step(loop.ClientStart{Turn: h.turn()}); err != nil {
			return event.Nothing(), err
		}
	}
	list, err := h.sessionRuns() // for the receipt too
	from := h.caller()
	moved := func(t *loopState) bool {
		return t.Budget != nil && t.Budget.EventsFrom != nil && *t.Budget.EventsFrom != *from
	}
	if err != nil || from == nil || !slices.ContainsFunc(list, moved) {
		return event.Nothing(), err
	}
	return event.Nothing(), h.withRuns(func(list []*loopState) error {
		for _, t := range only(list, moved) {
			t.Budget.EventsFrom = from
			if err := h.write(t, loop.Save{Run: t.Budget}); err != nil {
				return err
			}
		}
		return nil
	})
}
