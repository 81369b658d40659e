package loop

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// The list of a task loop: which task is next, and what becomes of a list that is edited.

// pick moves on to the first task that is not done and waits for no other.
func (r *TaskRun) pick() {
	r.Index = slices.IndexFunc(r.List, func(i TaskItem) bool {
		return !i.Result.done() && !slices.ContainsFunc(i.Depends, func(n int) bool {
			return n <= len(r.List) && !r.List[n-1].Result.done()
		})
	})
	if r.Index < 0 {
		r.Index, r.Phase = len(r.List), Verification
	}
}

// Finished is how many tasks need no further attempt.
func (r *TaskRun) Finished() (n int) {
	for _, i := range r.List {
		if i.Result.done() {
			n++
		}
	}
	return n
}

// compare holds the list on disk against the one last read; nil where it cannot be read. A change
// is its author's: the worker's if it was there as the last attempt ended, a person's if nothing
// ran since then. What a person changed is taken in, and the note says so. Anything else waits for
// a person, as does any new check.
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

// author is who changed the list, as far as that is known.
func (r *TaskRun) author() string {
	switch r.Seen {
	case r.Changed.Sum:
		return "while a worker ran"
	case r.ListSum:
		return "since the last worker ended"
	}
	return "since it was read"
}

// difference is how a list differs from the run's, for a person.
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
	if r.pick(); r.item() == nil || r.item().Title != title {
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
	if s.Run == nil || s.Run.Tasks == nil {
		return Outcome{}
	}
	r := s.Run.Tasks
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
