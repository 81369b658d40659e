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
	switch r := h.seal.record; h.ev.Name {
	case event.Stop, event.UserPromptSubmit, event.UserPromptExpansion: // a person sees the reply
		if h.files != nil && r != nil && r.Rewired != "" && !r.Told {
			reply = h.sayRewired(reply)
		}
	}
	if h.runs.news {
		h.keepReceipt()
	}
	h.out.Name, h.out.Reply = ev.Name, reply.Say(strings.Join(h.healed(), "\n"))
	tell, ring := h.theirs().Later(h.attended())
	if h.out.Notify = tell; ring {
		h.out.Reply = h.out.Reply.Ring()
	}
	if len(h.out.asks) > 0 {
		h.out.Notify = func() (err error) {
			for _, skill := range h.out.asks {
				_, failed := h.startAsking(skill)
				err = errors.Join(err, failed)
			}
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
	if h.ev.Name == event.SessionStart { // even without a loop, because no later event can do this
		_ = brake.Arm(h.Env, h.ev.SessionID) // a loop checks the result when it begins
	}
	err := h.findProject()
	switch {
	case h.ev.Name == event.ConfigChange:
		return h.settingsChanged(), err
	case err != nil:
		return event.Nothing(), err
	}
	switch h.ev.Name {
	case event.UserPromptExpansion, event.UserPromptSubmit, event.PreToolUse:
		return h.beginning()
	}
	return h.inState()
}

// beginning answers an event with which a person or the model may begin an iteration.
func (h *handler) beginning() (reply event.Reply, err error) {
	note, err := h.loopLine()
	if err != nil {
		return event.Block(hint.Text(err)), nil
	}
	if cmd, ok := h.invocation(); ok {
		reply, err = h.enter(cmd)
		reply = h.recordEntry(reply)
	} else if cmd, ok := h.fed(); ok {
		reply, err = h.feed(cmd)
	} else {
		reply, err = h.inState()
	}
	return reply.Say(note), err
}

// inState answers the event from the project's state, if there is any.
func (h *handler) inState() (reply event.Reply, err error) {
	if !h.seal.on && !store.Exists(h.project) {
		return reply, nil
	}
	if err = h.openState(); err != nil {
		if h.seal.record != nil && !h.seal.record.Runs() && h.ev.Name != event.PreToolUse {
			err = nil // a person removed the files of an ended loop
		}
		return reply, err
	}
	if h.seal.on && h.files.HasNotes() {
		if err = h.takeNotes(); err != nil {
			return reply, err
		}
	}
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
	return reply, nil
}
