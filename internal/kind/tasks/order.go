package tasks

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hooks/internal/english"
	"hooks/internal/hint"
	"hooks/internal/loop"
)

// This file picks the next task and handles edits to the task list.

// Pick selects the first unfinished task whose dependencies are all done, or else the PR.
func (r *Run) Pick() {
	r.Index = slices.IndexFunc(r.List, func(i Item) bool {
		return !i.Result.Done() && !slices.ContainsFunc(i.Depends, func(n int) bool {
			return n > 0 && n <= len(r.List) && !r.List[n-1].Result.Done()
		})
	})
	if r.Index < 0 {
		r.Index, r.Phase = len(r.List), Verification
	}
}

// Finished returns the number of tasks that need no further attempt.
func (r *Run) Finished() (n int) {
	for _, i := range r.List {
		if i.Result.Done() {
			n++
		}
	}
	return n
}

// unticked returns a copy of list without ticks, with its hash. Ticks do not count as edits.
func unticked(list []Item) *ReadList {
	list = slices.Clone(list)
	for i := range list {
		list[i].Result = ""
	}
	return &ReadList{Sum: loop.Digest(fmt.Appendf(nil, "%+v", list)), List: list}
}

// reread parses the list in text, the contents of its file. It returns nil if that fails (T97).
func (r *Run) reread(text string) *ReadList {
	of := []byte(text)
	if r.ListPath == r.Spec {
		of = Section(of, "## Tasks")
	}
	list, err := ParseList(of)
	if err != nil {
		return nil
	}
	return unticked(list)
}

// compare compares the list on disk with the one last read; now is nil if it cannot be read. alone
// reports whether nothing has run since the last attempt. If so, and if the list was unchanged when
// that attempt ended, a person made the change, so compare adopts it and returns a note about it.
// Any other change, and any new check, waits for a person's answer.
func (r *Run) compare(now *ReadList, alone bool) (note string) {
	if now == nil || r.ListSum == "" {
		return ""
	}
	if r.Changed = now; now.Sum == r.ListSum {
		r.Changed = nil
		return ""
	}
	checks := slices.ContainsFunc(now.List, func(i Item) bool {
		return i.Check != "" && !slices.ContainsFunc(r.List, func(old Item) bool {
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

// author describes when the list was changed, which suggests who changed it.
func (r *Run) author() string {
	switch r.Seen {
	case r.Changed.Sum:
		return "while a worker ran"
	case r.ListSum:
		return "after the last worker ended"
	}
	return "after it was read"
}

// difference describes how a list differs from the run's.
func (r *Run) difference(now []Item) string {
	var parts []string
	old := slices.Clone(r.List)
	for _, i := range now {
		at := slices.IndexFunc(old, func(o Item) bool { return o.Title == i.Title })
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
		if !o.Added && !o.Result.Done() {
			parts = append(parts, "- "+o.Title)
		}
	}
	return cmp.Or(strings.Join(parts, "; "), "the order")
}

// take adopts a list that was reread. It matches tasks by title and keeps their state. Completed
// tasks, and tasks that a person added, stay even if the new list lacks them.
func (r *Run) take(now *ReadList) {
	under, old := r.item(), slices.Clone(r.List)
	var list []Item
	for _, i := range now.List {
		at := slices.IndexFunc(old, func(o Item) bool { return o.Title == i.Title })
		if at >= 0 {
			was := old[at]
			was.Criteria, was.Checkpoint, was.NoCommit = i.Criteria, i.Checkpoint, i.NoCommit
			was.Check, was.Depends, i = i.Check, i.Depends, was
			old = slices.Delete(old, at, at+1)
		}
		list = append(list, i)
	}
	for _, o := range old {
		if o.Depends = nil; o.Added || o.Result.Done() {
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

// absorb appends the tasks that a person added in a terminal, and returns a note about them. No
// attempt may be open.
func (r *Run) absorb() (note string) {
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

// steer adds a task from a terminal, for example `hooks tasks add "Write the page"`. The next
// iteration appends it to the run's list. The list file does not change.
func steer(s loop.State, by loop.Steering) (said string, err error) {
	list, err := ParseList([]byte("- [ ] " + by.Text))
	r := Of(s.Run)
	switch {
	case err != nil || len(list) != 1:
		return "", hint.New("give one title, as in `hooks tasks add \"Write the page\"`",
			"%q is not a single task title", by.Text)
	case r == nil || r.Complete():
		return "", hint.New("write the task into the list, then run `/sdd:go SPEC`",
			"no task loop in this project has work left")
	}
	list[0].Added = true
	r.Added = append(slices.Clip(r.Added), list[0])
	return fmt.Sprintf("task %d: %s — it begins when the tasks before it are done",
		len(r.List)+len(r.Added), list[0].Title), nil
}

// ownChecks lists the checks of individual tasks for the question that gate 2 asks.
func (r *Run) ownChecks() string {
	var parts []string
	for n, i := range r.List {
		if i.Check != "" && !i.Result.Done() {
			parts = append(parts, fmt.Sprintf("%d (`%s`)", n+1, i.Check))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return " Tasks with their own check: " + strings.Join(parts, ", ") + "."
}

// Begins returns the sync events for an iteration that a person's command started, or nil if the
// Stop hook started it.
func (r *Run) Begins(b *loop.Budget, fed bool) []loop.SyncEvent {
	switch {
	case fed || b.Status != loop.Active:
		return nil
	case b.Seq == 0:
		return []loop.SyncEvent{r.event(b, "started", "0",
			fmt.Sprintf("Started: %s of %s. Status In Progress, label spec:implementing.",
				english.Plural(len(r.List), "task"), r.Spec))}
	}
	return []loop.SyncEvent{r.event(b, "resumed", strconv.Itoa(b.Seq), r.Attempts().Resuming())}
}

// Ends returns the sync events for an iteration whose history line was just written.
func (r *Run) Ends(b *loop.Budget, l *loop.Iteration) (list []loop.SyncEvent) {
	seq := strconv.Itoa(l.Seq)
	if t := LineOf(l); t != nil && t.Task <= len(r.List) && t.Judgement.Verdict.Done() &&
		r.List[t.Task-1].Result.Done() {
		sha := t.Judgement.SHA
		list = append(list, r.event(b, "task", seq, fmt.Sprintf("Task %d/%d complete: %s -- %s",
			t.Task, len(r.List), t.Title, cmp.Or(sha[:min(len(sha), 12)], "none"))))
		if r.PRStep() {
			list = append(list, r.event(b, "complete", seq, fmt.Sprintf(
				"All %d tasks complete. Opening PR for Gate 3 review.", len(r.List)))) // T71
		}
	}
	names := map[int]string{1: "approve the spec", 2: "accept the review", 3: "review the PR"}
	if n := AwaitingGate(b); n > 0 {
		text := fmt.Sprintf("Awaiting Gate %d: %s", n, names[n])
		list = append(list, r.event(b, "gate", seq, text))
	}
	if b.StopCause == "task_blocked" {
		list = append(list, r.event(b, "blocked", seq, b.StopText))
	}
	return list
}

func (r *Run) event(b *loop.Budget, name, at, text string) loop.SyncEvent {
	return loop.SyncEvent{Key: b.RunID + "/" + at + "/" + name, Event: name, Issue: r.Issue,
		Text: text}
}
