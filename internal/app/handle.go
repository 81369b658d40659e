package app

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"hooks/internal/brake"
	"hooks/internal/event"
	"hooks/internal/hint"
	"hooks/internal/loop"
	"hooks/internal/store"
)

// Handle answers one hook call. It recovers from panics and then returns the safe answer.
func (a *App) Handle(word string, stdin io.Reader) (answer Answer) {
	began := time.Now()
	answer.Name = event.NameOf(word)
	var h *handler
	defer func() {
		switch p := recover(); {
		case p != nil && h == nil:
			answer = a.unreadable(answer.Name, fmt.Errorf("internal error: %v", p))
		case p != nil:
			answer = h.failed(fmt.Errorf("internal error: %v", p))
		}
	}()
	ev, err := event.Read(word, stdin)
	if err != nil {
		return a.unreadable(answer.Name, err)
	}
	h = &handler{App: a, ev: ev, now: a.now(), began: began}
	reply, err := h.answer()
	if err != nil {
		answer = h.failed(err)
		answer.Reply = answer.Reply.Say(strings.Join(h.healed(), "\n"))
		return answer
	}
	reply = h.sayRewired(reply)
	h.keepReceipt()
	h.out.Name, h.out.Reply = ev.Name, reply.Say(strings.Join(h.healed(), "\n"))
	var ring bool
	if h.out.Notify, ring = h.theirs().Later(h.attended()); ring {
		h.out.Reply = h.out.Reply.Ring()
	}
	if tell := h.out.Notify; len(h.out.asks) > 0 {
		h.out.Notify = func() error {
			err := h.startAsks()
			if tell != nil {
				err = errors.Join(err, tell())
			}
			return err
		}
	}
	return h.out.Answer
}

// answer finds the project and answers the event. Only an entry creates state.
func (h *handler) answer() (event.Reply, error) {
	if h.ev.Name == event.SessionStart { // even without a loop, because no later event can
		_ = brake.Arm(h.Env, h.ev.SessionID) // a loop checks the result when it begins
	}
	err := h.findProject()
	if h.ev.Name == event.ConfigChange {
		return h.settingsChanged(), err
	} else if err != nil {
		return event.Nothing(), err
	}
	note, err := h.loopLine()
	if err != nil {
		return event.Block(hint.Text(err)), nil
	}
	reply, err := h.inProject()
	return reply.Say(note), err
}

// inProject answers an event once its project is known.
func (h *handler) inProject() (event.Reply, error) {
	if cmd, ok := h.invocation(); ok {
		reply, err := h.enter(cmd)
		return h.recordEntry(reply), err
	}
	if cmd, ok := h.fed(); ok {
		return h.feed(cmd)
	}
	if !h.seal.on && !store.Exists(h.project) {
		return event.Nothing(), nil
	}
	err := h.openState()
	switch {
	case err == nil:
		return h.inState()
	case h.seal.record != nil && !h.seal.record.Runs() && h.ev.Name != event.PreToolUse:
		return event.Nothing(), nil // a person removed the files of an ended loop
	}
	return event.Nothing(), err
}

// inState answers the event in a project that has state.
func (h *handler) inState() (event.Reply, error) {
	if err := h.takeNotes(); err != nil {
		return event.Nothing(), err
	}
	return h.dispatch()
}

// dispatch calls the method for the event.
func (h *handler) dispatch() (event.Reply, error) {
	switch h.ev.Name {
	case event.Stop:
		return h.stop()
	case event.PreToolUse:
		return h.preToolUse()
	case event.PostToolUse, event.PostToolUseFailure:
		return h.postToolUse()
	case event.UserPromptSubmit, event.UserPromptExpansion:
		return h.step(h.prompted())
	case event.SubagentStop:
		return h.workerEnded()
	case event.StopFailure:
		return h.turnFailed()
	case event.PermissionRequest:
		return h.inDialog()
	case event.SessionEnd:
		return h.step(loop.SessionEnd{Turn: h.turn(), Reason: h.ev.Reason})
	case event.SessionStart:
		return h.sessionStarted()
	}
	return event.Nothing(), nil
}
