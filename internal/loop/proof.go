package loop

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// How far a check proves a task: it is verified if the check was red before the work and is green
// after it, and not broken if it was green before. Either way the worker has not changed the check.

// checkOf is the command that proves a task: its own, else the list's. The pull request, nil, has
// the list's.
func (r *TaskRun) checkOf(item *TaskItem) string {
	if item == nil {
		return r.Check
	}
	return cmp.Or(item.Check, r.Check)
}

// of reports whether a run of a check was of this command, on a commit without other changes.
func (c *CheckRun) of(command, head string) bool {
	return c != nil && head != "" && c.Head == head && c.Command == command
}

// red reports whether a check looked at the work and was not green. A program that could not be
// started, or that was stopped, has not looked.
func (c *CheckRun) red() bool {
	return c != nil && c.Exit > 0 && c.Exit != 126 && c.Exit != 127 && !c.Stopped && c.Unsure == ""
}

// byWorker names the pinned files that differ from the run's start, as a sentence begins with them;
// "" where none does.
func (c *CheckRun) byWorker() string {
	if c == nil || len(c.Changed) == 0 {
		return ""
	}
	return "check changed by the worker: " + strings.Join(c.Changed, ", ")
}

// proven is the verdict on a task whose check is green, and what keeps it from a better one.
func (r *TaskRun) proven() (verdict TaskDone, why string) {
	item := r.item()
	switch {
	case item == nil: // the pull request changes nothing
	case item.measured(r.checkOf(item), "") && item.Before.red():
		return Verified, ""
	case item.Before == nil || item.Before.Exit != 0:
		why = "it is not known how the check ends without the work"
	}
	return Unbroken, why
}

// Unmeasured is the command that has to be run before the next task's worker begins, so that it is
// known how it ends without the work; "" for none. head is the commit that is checked out, "" if
// anything is not committed; an open iteration knows it itself. at is the task's place in the list.
func (s State) Unmeasured(head string) (at int, command string) {
	if s.Run.Tasks == nil {
		return 0, ""
	}
	r := s.Run.Tasks.clone()
	if s.Tick != nil && s.Tick.Attempt != nil {
		a := s.Tick.Attempt
		if head = ""; a.Judged != nil {
			r.fold(a, *a.Judged, 0, 0)
			a = &Attempt{Head: a.EndHead, Tree: a.EndTree}
		}
		if a.Tree == "" {
			head = a.Head
		}
	}
	item := r.item()
	if item == nil {
		return 0, ""
	}
	if command = r.checkOf(item); item.measured(command, head) || r.Last.of(command, head) {
		return 0, ""
	}
	return r.Index, command
}

// unmeasured reports whether the check has still to run before the open attempt's worker is sent.
func (s State) unmeasured() bool {
	_, command := s.Unmeasured("")
	return command != ""
}

// measured reports whether it is known how the check ended before the task's first attempt.
func (i *TaskItem) measured(command, head string) bool {
	b := i.Before
	return b != nil && b.Command == command &&
		(i.Tries > 0 || head == "" || b.Head == "" || b.Head == head)
}

// begins notes how the check ended before the work of an attempt.
func (r *TaskRun) begins(item *TaskItem, a *Attempt) {
	if command := r.checkOf(item); a.Tree == "" && !item.measured(command, a.Head) {
		if item.Before = nil; r.Last.of(command, a.Head) {
			item.Before = r.Last
		}
	}
}

// lacksMeasure has the check run before the next task's worker begins. Its time is a Stop, or
// between two processes of a driver: a prompt would wait for it.
func (s State) lacksMeasure(k *Known) bool {
	at, command := s.Unmeasured("")
	switch {
	case command == "":
	case k.lacks(&k.Before):
		return true
	case s.Run.NoCheck(*k.Before.Is) == "": // else it runs again once a person resumes
		s.Run.Tasks.note(at, command, *k.Before.Is)
	}
	return false
}

// NoCheck is why the first run of any check shows that it cannot run at all, "" where it can.
func (b *Budget) NoCheck(c CheckRun) string {
	why, known := map[int]string{126: "is not executable", 127: "does not exist"}[c.Exit]
	ran := func(i TaskItem) bool { return i.Before != nil }
	if r := b.Tasks; !known || r.Last != nil || slices.ContainsFunc(r.List, ran) {
		return ""
	}
	said := c.Tail[strings.LastIndexByte(c.Tail, '\n')+1:]
	return fmt.Sprintf("The check's command %s: exit %d: %s; install it, or resume with another "+
		"--check", why, c.Exit, cmp.Or(said, "it printed nothing"))
}

func (r *TaskRun) note(at int, command string, c CheckRun) {
	c.Command = command
	r.List[at].Before = &c
}

// Worked reports whether a worker has begun any task.
func (r *TaskRun) Worked() bool {
	return slices.ContainsFunc(r.List, func(i TaskItem) bool { return i.Tries > 0 })
}

// Measured is a run of the check by a driver, before any worker has begun.
type Measured struct {
	Turn
	At      int
	Command string
	Check   CheckRun
}

func (e Measured) step(s State, _ *Known) Outcome {
	if s.Run == nil || s.Run.Tasks == nil || e.At >= len(s.Run.Tasks.List) {
		return Outcome{}
	}
	s.Run.Tasks.note(e.At, e.Command, e.Check)
	return Outcome{Save: Save{Run: s.Run}}
}

// unprovenDue asks where no one can tell whether a task is done, or where a person asked for more
// proof than there is.
func unprovenDue(f *Facts) []Gate {
	item, j := judged(f)
	if item == nil {
		return nil
	}
	text := fmt.Sprintf("%s, and this run is to verify its tasks", j)
	switch {
	case j.Verdict == CannotTell:
		text = j.Why
	case f.Run.Tasks.Require == "" || j.Verdict == Verified || !j.Verdict.Worked():
		return nil
	}
	n := f.Tick.Attempt.Task
	return []Gate{{
		Question: fmt.Sprintf("Task %d (%s): %s. Accept it, or try the task again?", n, item.Title,
			text),
		Target: fmt.Sprintf("task %d", n), HeadSHA: j.SHA,
	}}
}

// applyUnproven takes a task for done on a person's word, and the check as it is now.
func applyUnproven(run *Budget, tick *Tick, g Gate, act, answer string) {
	const why = "a person did not accept it without proof"
	r, task := run.Tasks, g.task()
	if r == nil || act != "accept" {
		takeBack(run, tick, g, act, why)
		return
	}
	r.Start = cmp.Or(g.HeadSHA, r.Start)
	a := tick.Attempt
	switch {
	case a != nil && a.Task == task && a.Judged != nil:
		if j := *a.Judged; j.Verdict == CannotTell {
			j.Verdict, a.Judged = Claimed, &j
		}
	case r.Index == task-1 && r.item() != nil: // the run was paused in between
		item := r.item()
		item.Result, item.SHA, r.Tip = Claimed, g.HeadSHA, g.HeadSHA
		r.moveOn()
	}
}

// String is a verdict as people read it.
func (d TaskDone) String() string {
	switch d {
	case Unbroken:
		return "not broken"
	case CannotTell:
		return "cannot tell"
	}
	return string(d)
}

// String is the verdict with the reason that keeps it from a better one.
func (j *Judgement) String() string {
	text := j.Verdict.String()
	if by := j.Check.byWorker(); by != "" && j.Verdict.Worked() {
		text += "; " + by
	}
	if j.Why != "" && j.Verdict.Worked() {
		text += "; " + j.Why
	}
	return text
}
