package app

import (
	"slices"

	"hooks/internal/event"
	"hooks/internal/loop"
	"hooks/internal/usage"
)

// interruptMark looks for the client's own mark, after what was counted, in a turn of this tick: a person may end a turn
// of their own between two ticks.
func (v *visit) interruptMark(t *thread) bool {
	r, err := usage.Count(t.Tick.Transcript, t.Budget.Cursors, usage.NewTable(nil), usage.Options{})
	return err == nil && slices.ContainsFunc(r.Interrupted, func(prompt string) bool {
		return prompt == "" || slices.Contains(t.Tick.Prompts, prompt)
	})
}

// missedAnswers takes answers from the transcript that no event brought (PostToolUse may not be registered).
func (v *visit) missedAnswers(t *thread) (found bool) {
	if !asked(t.Tick) {
		return false
	}
	r, err := usage.Count(v.ev.Transcript, t.Budget.Cursors, usage.NewTable(nil), usage.Options{})
	if err != nil {
		return false
	}
	for _, a := range r.Answers {
		known := slices.ContainsFunc(t.Tick.Dialogs, func(d loop.Dialog) bool { return d.ID == a.ToolUseID && !d.Done })
		found = known && !v.takeAnswers(t, a.ToolUseID, answers(a)).Empty() || found
	}
	return found
}

// answers brings what the transcript says of a dialog into the event's form.
func answers(a usage.Answer) event.Answers {
	given := event.Answers{AFK: a.Away}
	for _, q := range a.Questions {
		if text, ok := a.Answers[q]; ok {
			given.List = append(given.List, event.Answer{Question: q, Text: text, Unanswered: a.Unanswered[q]})
		}
	}
	return given
}
