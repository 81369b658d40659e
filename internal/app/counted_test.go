package app

import (
	"os"
	"path/filepath"
	"testing"
	"time"

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
		{"a prompt that finds it cut off", "p2", own, loop.PromptSubmit{}, "tick.jsonl"},
		{"/loop stop between two", "p2", nil, loop.PromptSubmit{Stops: true}, "run.jsonl"},
		{"the session's end between two", "", nil, loop.SessionEnd{}, "event.jsonl"},
		{"the session's end in one", "", own, loop.SessionEnd{}, "tick.jsonl"},
		{"the session's end in another's", "", &other, loop.SessionEnd{}, "event.jsonl"},
		{"another session's", "p2", &other, loop.Abandoned{}, "tick.jsonl"},
		{"a call", "p2", own, loop.Call{}, "event.jsonl"},
	} {
		h := &handler{App: New(func(string) string { return "" }), ev: event.Event{
			SessionID: "s1", PromptID: c.prompt, Transcript: "event.jsonl",
		}}
		s := &store.State{Skill: backlog.Work, Budget: run, Tick: c.tick}
		if got := h.transcript(s, c.event); got != c.want {
			t.Errorf("%s: counted from %s, want %s", c.name, got, c.want)
		}
	}
}

// The first call of a worker that began in this iteration reads nothing of the history, however
// long that is. A worker that was there before may have its cursor in it.
func TestTheHistoryIsSearchedForEarlierWorkersAlone(t *testing.T) {
	project, began := t.TempDir(), time.Date(2026, 5, 9, 12, 0, 0, 0, time.UTC)
	files, err := store.Create(project)
	if err != nil {
		t.Fatal(err)
	}
	defer files.Close()
	unreadable := filepath.Join(project, store.HistoryPath(backlog.Work))
	path := filepath.Join(project, "s1.jsonl")
	for _, dir := range []string{unreadable, filepath.Join(project, "s1", "subagents")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for at, searched := range map[time.Time]bool{
		began.Add(time.Minute): false, began.Add(-time.Minute): true,
	} {
		line := `{"timestamp":"` + at.Format(time.RFC3339) + `"}` + "\n"
		worker := filepath.Join(project, "s1", "subagents", "agent-a1.jsonl")
		if err := os.WriteFile(worker, []byte(line), 0o600); err != nil {
			t.Fatal(err)
		}
		h := &handler{App: New(func(string) string { return "" }), files: files,
			ev: event.Event{SessionID: "s1", Transcript: path, AgentID: "a1"}}
		tick := &loop.Tick{SessionID: "s1", Transcript: path, StartedAt: began}
		run := &loop.Budget{SessionID: "s1", Skill: backlog.Work}
		_, _, fresh := h.growing(&store.State{Skill: backlog.Work, Budget: run, Tick: tick})
		if failed := h.out.Err != nil; failed != searched || len(fresh) != 1 {
			t.Errorf("began at %s: %v, fresh %q", at, h.out.Err, fresh)
		}
	}
}
