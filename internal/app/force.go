package app

import (
	"slices"

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
			shown := func(d loop.Dialog) bool { return d.ID == a.ToolUseID }
			if !h.forces(t) || t.Claim.Heard || !slices.ContainsFunc(t.Claim.Dialogs, shown) {
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

// forceAnswered steps the entry with a person's answer to the force-unlock gate (R104).
func (h *handler) forceAnswered(t *loopState, id string, given event.Answers) (event.Reply, error) {
	c := t.Claim
	i := slices.IndexFunc(given.List, func(a event.Answer) bool {
		return restored(a.Question, []loop.Gate{*c.Gate}) == c.Gate.Question && a.Unanswered == ""
	})
	forged := slices.ContainsFunc(c.Dialogs, func(d loop.Dialog) bool {
		return d.ID == id && d.Forged
	})
	asked := slices.ContainsFunc(c.Dialogs, func(d loop.Dialog) bool {
		return d.ID == id && d.Shows(c.Gate.Question)
	})
	if i < 0 || given.AFK || forged || !asked {
		return event.Nothing(), nil
	}
	cmd, _ := loop.ParseCommand(c.Command, c.Args)
	flags, _, err := loop.ParseFlags(cmd.Skill, cmd.Args)
	if err != nil {
		return event.Nothing(), err
	}
	e := h.request(cmd, flags)
	e.asks.Answer = &loop.GateAnswer{Name: c.Gate.Name, Question: c.Gate.Question,
		Answer: given.List[i].Text, At: h.now}
	return e.settle()
}
