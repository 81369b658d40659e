package app

import (
	"testing"

	"hooks/internal/event"
	"hooks/internal/kind/backlog"
	"hooks/internal/loop"
	"hooks/internal/store"
)

// TestTheTranscriptThatIsCounted: an iteration's Stop is counted from the event's transcript, and a
// run that is stopped between its iterations from its own, whatever session the person types in.
func TestTheTranscriptThatIsCounted(t *testing.T) {
	run := &loop.Budget{
		SessionID: "s1", Status: loop.Active, Cursors: []loop.Cursor{{Path: "run.jsonl"}},
	}
	own := &loop.Tick{SessionID: "s1", Prompts: []string{"p1"}, Transcript: "tick.jsonl"}
	draining, other := *own, *own
	draining.Draining, other.SessionID = true, "s2"
	for _, c := range []struct {
		name, prompt string
		tick         *loop.Tick
		event        loop.Event
		want         string
	}{
		{"its own Stop", "p1", own, loop.TurnEnd{}, "event.jsonl"},
		{"a Stop without a prompt's id", "", own, loop.TurnEnd{}, "event.jsonl"},
		{"the last Stop after its workers", "p2", &draining, loop.TurnEnd{}, "event.jsonl"},
		{"a later turn's Stop", "p2", own, loop.TurnEnd{}, "tick.jsonl"},
		{"a prompt that finds it cut off", "p2", own, loop.Prompt{}, "tick.jsonl"},
		{"/loop stop between two", "p2", nil, loop.Prompt{Stops: true}, "run.jsonl"},
		{"the session's end between two", "", nil, loop.SessionEnd{}, "event.jsonl"},
		{"the session's end in one", "", own, loop.SessionEnd{}, "tick.jsonl"},
		{"the session's end in another's", "", &other, loop.SessionEnd{}, "event.jsonl"},
		{"another session's", "p2", &other, loop.Abandoned{}, "tick.jsonl"},
		{"a call", "p2", own, loop.Call{}, "event.jsonl"},
	} {
		h := &handler{App: &App{}, ev: event.Event{
			SessionID: "s1", PromptID: c.prompt, Transcript: "event.jsonl",
		}}
		s := &store.State{Skill: backlog.Work, Budget: run, Tick: c.tick}
		if got := h.transcript(s, c.event); got != c.want {
			t.Errorf("%s: counted from %s, want %s", c.name, got, c.want)
		}
	}
}
