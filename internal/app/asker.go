package app

import (
	"hooks/internal/event"
	"hooks/internal/loop"
	"hooks/internal/usage"
)

// typed reports whether the prompt of this turn is itself the looping command, as in "/loop 1m
// /sdd:work --loop", with the flags that a tool call now names. The prompt's words are taken from
// the transcript: the client writes them, and the guard keeps the model from it. They are those of
// the person, or of a schedule that Request.Scheduled tells apart.
func (v *visit) typed(start usage.Start, skill loop.Skill, flags loop.Flags) bool {
	c, ok := loop.ParsePrompt(start.Prompt)
	if !ok || c.Skill != skill {
		return false
	}
	own, _, err := loop.ParseFlags(c.Skill, c.Args)
	return err == nil && own.Same(flags)
}

// ofModel reports whether the model invokes the skill by itself.
func (v *visit) ofModel(start usage.Start, skill loop.Skill, flags loop.Flags) bool {
	return v.ev.Name == event.PreToolUse && !v.typed(start, skill, flags)
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

// otherFlags refuses to schedule the run's own skill with flags that no person typed for it. A
// person who types /loop with new flags has them scheduled before the first tick begins.
func (v *visit) otherFlags(t *thread, prompt string) string {
	c, ok := loop.ParsePrompt(prompt)
	if !ok || c.Skill != t.skill {
		return ""
	}
	flags, _, err := loop.ParseFlags(c.Skill, c.Args)
	if err != nil {
		return "Not scheduled: " + err.Error() + "\nhint: schedule it as " + t.Budget.Command
	}
	start, _ := usage.PromptStart(v.ev.Transcript, v.ev.PromptID)
	if t.Budget.Agrees(flags) || v.typed(start, c.Skill, flags) && start.Origin != "scheduled" {
		return ""
	}
	return "Not scheduled: no person typed these flags for the running loop, which has " +
		t.Budget.Flags + "\nhint: schedule it as " + t.Budget.Command +
		", or let a person type the command with new flags"
}
