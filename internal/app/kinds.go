package app

import (
	"hooks/internal/event"
	"hooks/internal/loop"
	"hooks/internal/tasks"
)

// attempts is what a kind whose iterations are attempts looks up on this machine. What it decides
// is in its row of loop.Kinds and in its payload.
type attempts struct {
	// enter reads what a fresh run is about, or has a command continue the run that there is. said
	// is why nothing begins, where that is no error.
	enter func(h *handler, c loop.Command, f *loop.Flags) (fresh freshRun, said string, err error)
	// entered keeps what people and workers read of the run that was begun, or says what is wrong
	// with it.
	entered func(h *handler, fresh freshRun, reply event.Reply) event.Reply
	prompt  func(h *handler, t *loopState) string // of the attempt's worker
	worker  func(h *handler, t *loopState) string // the plugin's agent, "" for the call's own type
}

// attemptsOf is false for a kind whose iterations are no attempts.
func attemptsOf(skill loop.Skill) (k attempts, ok bool) {
	switch skill {
	case loop.Tasks:
		return attempts{(*handler).taskEntry, (*handler).taskEntered, (*handler).taskPrompt,
			(*handler).taskWorker}, true
	case loop.Audit:
		return attempts{(*handler).auditEntry, (*handler).auditEntered, (*handler).auditPrompt,
			(*handler).phaseWorker}, true
	}
	return k, false
}

// freshRun is what a fresh run of such a kind begins with; empty for any other entry.
type freshRun struct {
	tasks *loop.TaskRun
	audit *loop.AuditRun
	plan  []byte   // the text of the audit's plan
	left  []string // files that a person leaves out of it
}

// claimSeen is what the worker's last message claims.
func (h *handler) claimSeen(t *loopState) loop.ClaimSeen {
	claim, near := tasks.ReadClaim(h.ev.LastMessage, t.Tick.Attempt.Token)
	text, _, _ := keptFile(h.progressPath())
	var list string
	if r := t.Budget.Tasks; r != nil {
		if now := h.reread(r); now != nil {
			list = now.Sum
		}
	}
	return loop.ClaimSeen{List: list, Done: claim.Done,
		Blocked: claim.Blocked, Why: claim.Why, Near: near,
		Flagged: tasks.Flagged(text), Last: h.lastWords(t)}
}
