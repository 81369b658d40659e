package app

import (
	"hooks/internal/event"
	"hooks/internal/loop"
	"hooks/internal/usage"
)

// forces reports whether a person is asked in this very turn whether it may take another's lock.
func (h *handler) forces(t *loopState) bool {
	return t.forcing() && t.Claim.PromptID == h.ev.PromptID
}

// missedForce takes that answer from the transcript, for a client in which PostToolUse is not
// registered.
func (h *handler) missedForce(list []*loopState) (event.Reply, error) {
	r, err := usage.Count(h.ev.Transcript, nil, usage.NewTable(nil))
	if err != nil {
		return event.Nothing(), nil
	}
	return h.forEachRun(list, func(t *loopState) (event.Reply, error) {
		for _, a := range r.Answers {
			if !h.forces(t) || t.Claim.Heard {
				continue
			}
			if reply, err := h.forceAnswered(t, a.ToolUseID,
				event.ParseAnswers(a.Result)); err != nil || !reply.Empty() {
				return reply, err
			}
		}
		return event.Nothing(), nil
	})
}

// forceAnswered steps the entry that asked about another's lock with what a dialog brought (R104).
func (h *handler) forceAnswered(t *loopState, id string, given event.Answers) (event.Reply, error) {
	answers := answersOf([]loop.Gate{*t.Claim.Gate}, id, "", given)
	asks := loop.Invocation{Request: loop.Request{SessionID: h.ev.SessionID}, Answers: &answers}
	if loop.Step(t.values(), loop.Known{}, asks).Nothing() {
		return event.Nothing(), nil
	}
	cmd, _ := loop.ParseCommand(t.Claim.Command, t.Claim.Args,
		loop.Namespace(t.Claim.Command))
	flags, _, err := loop.ParseFlags(cmd.Skill, cmd.Args)
	if err != nil {
		return event.Nothing(), err
	}
	e := h.request(cmd, flags)
	e.asks.Answers = &answers
	return e.settle()
}
