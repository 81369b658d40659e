package tasks

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"hooks/internal/attempt"
	"hooks/internal/loop"
)

// How much a green check proves depends on its result before the work. If it was red, the task is
// verified. If it was green or unknown, the task is "not broken". If the worker changed the check,
// it runs with the original files.

// checkOf returns the task's own check command, or the list's if it has none. item is nil for the
// pull request.
func (r *Run) checkOf(item *Item) string {
	if item == nil {
		return r.Check
	}
	return cmp.Or(item.Check, r.Check)
}

// proven returns the verdict on a task with a green check. If the result of the check before the
// work is unknown, why says so.
func (r *Run) proven() (verdict attempt.Verdict, why string) {
	item := r.item()
	switch {
	case item == nil: // the pull request changes nothing
	case item.measured(r.checkOf(item), "") && item.Before.Red():
		return attempt.Verified, ""
	case item.Before == nil || item.Before.Exit != 0:
		why = "the result of the check before the work is unknown"
	}
	return attempt.Unbroken, why
}

// Unmeasured implements Payload for the task that follows the open attempt.
func (r *Run) Unmeasured(t *loop.Tick, head string) (at int, command string) {
	r = r.clone()
	if t != nil && t.Attempt != nil {
		a := t.Attempt
		if head = ""; a.Judged != nil {
			r.count(a, *a.Judged, 0, 0)
			a = &attempt.Attempt{Head: a.EndHead, Tree: a.EndTree}
		}
		if a.Tree == "" {
			head = a.Head
		}
	}
	item := r.item()
	if item == nil {
		return 0, ""
	}
	if command = r.checkOf(item); item.measured(command, head) || r.Last.Of(command, head) {
		return 0, ""
	}
	return r.Index, command
}

// measured reports whether the result of command before the first attempt is known.
func (i *Item) measured(command, head string) bool {
	b := i.Before
	return b != nil && b.Command == command &&
		(i.Tries > 0 || head == "" || b.Head == "" || b.Head == head)
}

// begins stores the last check as the result before the work if it ran on the commit where the
// attempt begins.
func (r *Run) begins(item *Item, a *attempt.Attempt) {
	if command := r.checkOf(item); a.Tree == "" && !item.measured(command, a.Head) {
		if item.Before = nil; r.Last.Of(command, a.Head) {
			item.Before = r.Last
		}
	}
}

// NoCheck implements Payload.
func (r *Run) NoCheck(c attempt.CheckRun) string {
	why, known := map[int]string{126: "is not executable", 127: "does not exist"}[c.Exit]
	ran := func(i Item) bool { return i.Before != nil }
	if !known || r.Last != nil || slices.ContainsFunc(r.List, ran) {
		return ""
	}
	said := c.Tail[strings.LastIndexByte(c.Tail, '\n')+1:]
	return fmt.Sprintf("The check command %s (exit %d: %s); install it, or resume with another "+
		"`--check`", why, c.Exit, cmp.Or(said, "it printed nothing"))
}

// Measured records the result of a task's check before its first attempt.
func (r *Run) Measured(at int, c attempt.CheckRun) {
	if at < len(r.List) {
		r.List[at].Before = &c
	}
}

// unprovenDue asks a person about a task if its check is inconclusive, or if its verdict is weaker
// than the run requires.
func unprovenDue(f *loop.Facts) []loop.Gate {
	item, j := judged(f)
	if item == nil {
		return nil
	}
	text := fmt.Sprintf("%s, but this run requires verified tasks", j)
	switch {
	case j.Verdict == attempt.CannotTell:
		text = j.Why
	case Of(f.Run).Require == "" || j.Verdict == attempt.Verified || !j.Verdict.Worked():
		return nil
	}
	n := f.Tick.Attempt.Task
	due := ask(n, "Task %d (%s): %s. Accept it, or try the task again?", n, item.Title, text)
	due[0].HeadSHA = j.SHA
	return due
}

// applyUnproven counts a task as done if a person accepted it, and then pins the check in its
// current form. Otherwise it calls takeBack.
func applyUnproven(run *loop.Budget, tick *loop.Tick, g loop.Gate, act, answer string) {
	const why = "a person rejected the unproven work"
	r, task := Of(run), numberOf(g)
	if act != "accept" {
		takeBack(run, tick, g, act, why)
		return
	}
	r.Start = cmp.Or(g.HeadSHA, r.Start)
	a := tick.Attempt
	switch {
	case a != nil && a.Task == task && a.Judged != nil:
		if j := *a.Judged; j.Verdict == attempt.CannotTell {
			j.Verdict, a.Judged = attempt.Claimed, &j
		}
	case r.Index == task-1 && r.item() != nil: // the run was paused in between
		item := r.item()
		item.Result, item.SHA, r.Tip = attempt.Claimed, g.HeadSHA, g.HeadSHA
		r.moveOn()
	}
}

// Judge judges the worker's last message. hold is the reason to keep the worker running, or nil if
// the attempt is judged.
func (r *Run) Judge(s loop.State, k *loop.Known) (hold *loop.Continue) {
	k.Require(&k.Claim)
	claim := k.Claim.Value
	s.Tick.Attempt.List = ""
	if now := r.reread(claim.List); now != nil {
		s.Tick.Attempt.List = now.Sum
	}
	flagged := Flagged([]byte(claim.Progress))
	switch {
	case claim.Blocked:
		return s.Settle(attempt.Judgement{Verdict: attempt.Flagged, Why: claim.Why})
	case flagged != "": // flagging is a valid end, even without a claim (T56)
		return s.Settle(attempt.Judgement{Verdict: attempt.Flagged, Why: flagged})
	case !claim.Done:
		const why = "the last line is not the claim"
		return s.Miss(attempt.Judgement{Verdict: attempt.Unfinished, Why: why}, "")
	}
	k.Require(&k.Evidence)
	j := attempt.Judgement{Verdict: attempt.Claimed, SHA: k.Evidence.Value.Head,
		Weakened: k.Evidence.Value.Weakened}
	if why, more := whyLacking(s, claim, k.Evidence.Value); why != "" {
		j.Verdict, j.Why = attempt.Overruled, why
		return s.Miss(j, more)
	}
	if r.checkOf(r.item()) == "" {
		return s.Settle(j)
	}
	k.Require(&k.Check)
	check := k.Check.Value
	j.Check = check
	switch why := check.Fails(k.Evidence.Value.Head); {
	case check.Unsure != "":
		j.Verdict, j.Why = attempt.CannotTell, check.Unsure
		if by := check.ByWorker(); by != "" {
			j.Why = by + "; " + check.Unsure
		}
		return s.Miss(j, "Undo the changes to the check; otherwise a person is asked.")
	case why != "":
		j.Verdict, j.Why = attempt.Overruled, why
		if by := check.ByWorker(); by != "" {
			j.Why = by + "; with the original files, " + why
		}
		return s.Miss(j, check.Tail)
	}
	j.Verdict, j.Why = r.proven()
	return s.Settle(j)
}

// whyLacking explains why the evidence does not support a claim. why is "" if it does; more has
// details for the worker.
func whyLacking(s loop.State, c *attempt.Claim, e *attempt.Evidence) (why, more string) {
	a, item := s.Tick.Attempt, Of(s.Run).item()
	lost := Lost([]byte(c.Wrote), []byte(c.Progress))
	switch {
	case len(lost) > 0:
		return "lines of the progress file were removed or changed", strings.Join(lost, "\n")
	case item == nil && cmp.Or(a.PR, Of(s.Run).PR) == 0:
		return "no pull request was seen", ""
	case a.NoGit:
		return "", ""
	case a.Unread != "":
		return "git could not tell where the attempt began: " + a.Unread, ""
	}
	switch why, more = e.Untidy(a.Branch, "attempt"); {
	case why != "", item == nil, item.NoCommit:
		return why, more
	case e.Head == a.Base, e.Head == "":
		return "no commit since the task began", ""
	case e.Same:
		return "the commits since the task began change nothing", ""
	}
	return "", ""
}
