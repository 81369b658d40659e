package loop

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// The list of a task loop: which task is next, and what becomes of a list that is edited.

// Pick moves on to the first task that is not done and waits for no other.
func (r *TaskRun) Pick() {
	r.Index = slices.IndexFunc(r.List, func(i TaskItem) bool {
		return !i.Result.done() && !slices.ContainsFunc(i.Depends, func(n int) bool {
			return n > 0 && n <= len(r.List) && !r.List[n-1].Result.done()
		})
	})
	if r.Index < 0 {
		r.Index, r.Phase = len(r.List), Verification
	}
}

// Finished returns the number of tasks that need no further attempt.
func (r *TaskRun) Finished() (n int) {
	for _, i := range r.List {
		if i.Result.done() {
			n++
		}
	}
	return n
}

// compare compares the list on disk with the one last read; now is nil if it cannot be read. A
// change is its author's: the worker's if it was there as the last attempt ended, a person's if
// nothing ran since then. A person's change is taken in, and the note says so. Anything else waits
// for a person, as does any new check.
func (r *TaskRun) compare(now *ReadList, alone bool) (note string) {
	if now == nil || r.ListSum == "" {
		return ""
	}
	if r.Changed = now; now.Sum == r.ListSum {
		r.Changed = nil
		return ""
	}
	if c := r.clone(); r.difference(now.List) == sameTasks { // also a sum of an earlier version
		if c.take(now); slices.EqualFunc(c.List, r.List, TaskItem.named) {
			r.ListSum, r.Changed = now.Sum, nil
			return ""
		}
	}
	checks := slices.ContainsFunc(now.List, func(i TaskItem) bool {
		return i.Check != "" && !slices.ContainsFunc(r.List, func(old TaskItem) bool {
			return old.Check == i.Check
		})
	})
	if !alone || r.Seen != r.ListSum || checks {
		return ""
	}
	note = fmt.Sprintf("You changed the task list %s: %s", r.ListPath, r.difference(now.List))
	r.take(now)
	return note
}

// author describes who changed the list, as far as that is known.
func (r *TaskRun) author() string {
	switch r.Seen {
	case r.Changed.Sum:
		return "while a worker ran"
	case r.ListSum:
		return "since the last worker ended"
	}
	return "since it was read"
}

// difference describes for a person how a list differs from the run's.
func (r *TaskRun) difference(now []TaskItem) string {
	var parts []string
	old := slices.Clone(r.List)
	for _, i := range now {
		at := slices.IndexFunc(old, func(o TaskItem) bool { return o.Title == i.Title })
		check := ""
		if i.Check != "" {
			check = fmt.Sprintf(" (check: `%s`)", i.Check)
		}
		switch {
		case at < 0:
			parts = append(parts, "+ "+i.Title+check)
			continue
		case old[at].Criteria != i.Criteria, old[at].Check != i.Check,
			old[at].Checkpoint != i.Checkpoint, old[at].NoCommit != i.NoCommit,
			!slices.Equal(old[at].Depends, i.Depends):
			parts = append(parts, "~ "+i.Title+check)
		}
		old = slices.Delete(old, at, at+1)
	}
	for _, o := range old {
		if !o.Added && !o.Result.done() {
			parts = append(parts, "- "+o.Title)
		}
	}
	return cmp.Or(strings.Join(parts, "; "), sameTasks)
}

// sameTasks is the difference of lists that have the same tasks.
const sameTasks = "the order"

func (i TaskItem) named(o TaskItem) bool { return i.Title == o.Title }

// take continues with a list as it was read again. Tasks keep their record by their title; those
// that are done, and those that a person added, stay.
func (r *TaskRun) take(now *ReadList) {
	under, old := r.item(), slices.Clone(r.List)
	var list []TaskItem
	for _, i := range now.List {
		at := slices.IndexFunc(old, func(o TaskItem) bool { return o.Title == i.Title })
		if at >= 0 {
			was := old[at]
			was.Criteria, was.Checkpoint, was.NoCommit = i.Criteria, i.Checkpoint, i.NoCommit
			was.Check, was.Depends, i = i.Check, i.Depends, was
			old = slices.Delete(old, at, at+1)
		}
		list = append(list, i)
	}
	for _, o := range old {
		if o.Depends = nil; o.Added || o.Result.done() {
			list = append(list, o)
		}
	}
	title := ""
	if under != nil {
		title = under.Title
	}
	r.List, r.ListSum, r.Changed, r.Phase = list, now.Sum, nil, Execution
	if r.Pick(); r.item() == nil || r.item().Title != title {
		r.Try, r.Reason, r.Words = 1, "", ""
	}
}

// absorb takes in what a person added in a terminal, once no attempt is open, and returns a note
// about it.
func (r *TaskRun) absorb() (note string) {
	if len(r.Added) == 0 {
		return ""
	}
	if r.item() == nil {
		r.Try, r.Reason, r.Words, r.Phase = 1, "", "", Execution
	}
	var parts []string
	for _, i := range r.Added {
		r.List = append(r.List, i)
		parts = append(parts, fmt.Sprintf("%d %s", len(r.List), i.Title))
	}
	r.Added = nil
	return "You added to the task list: " + strings.Join(parts, "; ")
}

func appendNote(notes []string, note string) []string {
	if note == "" {
		return notes
	}
	return append(slices.Clip(notes), note)
}

// PersonAdds is a person's `hooks tasks add` in a terminal.
type PersonAdds struct {
	Turn
	Item TaskItem
}

func (e PersonAdds) step(s State, _ *Known) Outcome {
	if TasksOf(s.Run) == nil {
		return Outcome{}
	}
	r := TasksOf(s.Run)
	e.Item.Added = true
	r.Added = append(slices.Clip(r.Added), e.Item)
	return Outcome{Save: Save{Run: s.Run}}
}

// ownChecks are the tasks' own checks, as gate 2 shows them.
func (r *TaskRun) ownChecks() string {
	var parts []string
	for n, i := range r.List {
		if i.Check != "" && !i.Result.done() {
			parts = append(parts, fmt.Sprintf("%d `%s`", n+1, i.Check))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return " These checks of single tasks will run: " + strings.Join(parts, ", ") + "."
}

// SyncEvent is one thing that happened to a task loop, for the tracker of a person (T67–T73).
type SyncEvent struct {
	// Key is the same however often an event is sent: the run and what happened in it.
	Key   string `json:"key"`
	Event string `json:"event"` // started, resumed, task, gate, blocked or complete
	Issue string `json:"issue"`
	Text  string `json:"text"`
}

// Begins returns the events of a command that a person typed. It returns nil if the Stop hook fed
// the iteration.
func (b *Budget) Begins(fed bool) []SyncEvent {
	r := TasksOf(b)
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
	r := TasksOf(b)
	if r == nil {
		return nil
	}
	seq := strconv.Itoa(l.Seq)
	if t := TaskOf(l); t != nil && t.Task <= len(r.List) && t.Judgement.Verdict.done() &&
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
	return SyncEvent{Key: b.RunID + "/" + at + "/" + name, Event: name, Issue: TasksOf(b).Issue,
		Text: text}
}
