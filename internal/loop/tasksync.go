package loop

import (
	"fmt"
	"strconv"
)

// SyncEvent is one thing that happened to a task loop, for the tracker of a person (T67–T73).
type SyncEvent struct {
	// Key is the same however often an event is sent: the run and what happened in it.
	Key   string `json:"key"`
	Event string `json:"event"` // started, resumed, task, gate, blocked or complete
	Issue string `json:"issue"`
	Text  string `json:"text"`
}

// Begins are the events of a command that a person typed. An iteration that the Stop hook fed has
// none.
func (b *Budget) Begins(fed bool) []SyncEvent {
	r := b.Tasks
	switch {
	case fed || r == nil || b.Status != Active:
		return nil
	case b.Seq == 0:
		return []SyncEvent{b.event("started", "0", fmt.Sprintf("Started: %d tasks of %s. Status "+
			"In Progress, label spec:implementing.", len(r.List), r.Spec))}
	}
	return []SyncEvent{b.event("resumed", strconv.Itoa(b.Seq), fmt.Sprintf(
		"Resuming execution from task %d/%d.", min(r.Index+1, len(r.List)), len(r.List)))}
}

// Ends are the events of the iteration whose line was just written.
func (b *Budget) Ends(l *Iteration) (list []SyncEvent) {
	r := b.Tasks
	if r == nil {
		return nil
	}
	seq := strconv.Itoa(l.Seq)
	if t := l.Task; t != nil && t.Task <= len(r.List) && t.Judgement.Verdict.done() &&
		r.List[t.Task-1].Result.done() {
		sha := t.Judgement.SHA
		list = append(list, b.event("task", seq, fmt.Sprintf("Task %d/%d complete: %s -- %s",
			t.Task, len(r.List), t.Title, orNone(sha[:min(len(sha), 12)]))))
		if r.PRStep() {
			list = append(list, b.event("complete", seq, fmt.Sprintf(
				"All %d tasks complete. Opening PR for Gate 3 review.", len(r.List))))
		}
	}
	names := map[int]string{1: "approve the spec", 2: "accept the review", 3: "review the PR"}
	if n := b.AwaitingGate(); n > 0 {
		list = append(list, b.event("gate", seq, fmt.Sprintf("Awaiting Gate %d: %s", n, names[n])))
	}
	if b.StopCause == "task_blocked" {
		list = append(list, b.event("blocked", seq, b.StopText))
	}
	return list
}

func (b *Budget) event(name, at, text string) SyncEvent {
	return SyncEvent{Key: b.RunID + "/" + at + "/" + name, Event: name, Issue: b.Tasks.Issue,
		Text: text}
}
