package loop

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// This file holds the list of a task loop: it picks the next task and handles edits of the list.

// Pick moves on to the first task that is not done and depends only on tasks that are.
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
// change is the worker's if it was there when the last attempt ended, and a person's if nothing ran
// since then. A person's change is adopted, and the note reports it. Anything else, and any new
// check, waits for a person.
func (r *TaskRun) compare(now *ReadList, alone bool) (note string) {
	if now == nil || r.ListSum == "" {
		return ""
	}
	if r.Changed = now; now.Sum == r.ListSum {
		r.Changed = nil
		return ""
	}
	if c := r.clone(); r.difference(now.List) == sameTasks { // or a hash of an earlier version
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

// author describes when the list was changed, which hints at who changed it.
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

// sameTasks is the difference of two lists with the same tasks.
const sameTasks = "the order"

func (i TaskItem) named(o TaskItem) bool { return i.Title == o.Title }

// take adopts a list that was read again. Tasks are matched by their title and keep their record.
// Tasks that are done or that a person added stay even if the new list lacks them.
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

// absorb appends the tasks that a person added in a terminal, and returns a note about them. It is
// called while no attempt is open.
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

// ownChecks lists the checks of single tasks for the question at gate 2.
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

// SyncEvent is an event of a task loop for a person's tracker (T67–T73).
type SyncEvent struct {
	// Key identifies the event, so that a repetition can be recognized: the run and its place in
	// it.
	Key   string `json:"key"`
	Event string `json:"event"` // started, resumed, task, gate, blocked or complete
	Issue string `json:"issue"`
	Text  string `json:"text"`
}

// Begins returns the events of a command that a person typed, or nil if the Stop hook started the
// iteration.
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

// Ends returns the events of the iteration whose line was just written.
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
