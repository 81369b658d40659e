package app

import (
	"hooks/internal/event"
	"hooks/internal/loop"
	"hooks/internal/usage"
)

// ofModel reports whether the model invokes the skill by itself.
func (h *handler) ofModel(start usage.Start, skill loop.Skill, flags loop.Flags) bool {
	return h.ev.Name == event.PreToolUse && !loop.Typed(start.Prompt, skill, flags)
}

// otherBudget refuses a request that no person typed where it names another budget file than the
// run on record: that would be another run, with ceilings of its own.
func (e *entry) otherBudget() (refusal loop.Admission, refused bool) {
	if !e.req.Model && !e.req.Scheduled {
		return refusal, false
	}
	s, err := e.files.LoadRun(e.req.Command.Skill)
	if err != nil || s.Budget == nil || s.BudgetPath == e.path {
		return refusal, false
	}
	if !e.req.Model && !s.Budget.OwnedBy(e.req) {
		return refusal, false
	}
	refusal.Text = "Not begun: the loop on record has another budget file, " + s.BudgetPath +
		"\nhint: a person types a command that names another one"
	return refusal, true
}
