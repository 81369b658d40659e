package loop

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"hooks/internal/attempt"
	"hooks/internal/english"
)

// closeTick ends the open iteration: it adds the tick to the counters of a copy of the run,
// evaluates the exit conditions, and returns the history line, which contains that copy. It changes
// neither before nor t.
func closeTick(before *Budget, t Tick, previous *Iteration, e Ending) *Iteration {
	run := before.clone()
	t.Tracked = slices.Clone(t.Tracked)
	for i := range t.Tracked {
		p := &t.Tracked[i]
		if head, known := e.Heads[p.Branch]; known && !t.Asked.elsewhere(p.Number) {
			p.EndSHA = head
			t.Observed.Heads = AppendNew(t.Observed.Heads, p.Branch)
		}
	}
	if t.Started { // after a crash, the saved run may not count the tick
		run.IterationsUsed = max(run.IterationsUsed, t.Iteration)
	}
	run.fold(&t, previous, e)
	run.RetryAt = time.Time{}
	var attempt Record
	if run.Own != nil && t.Attempt != nil {
		attempt = run.foldAttempt(&t, e)
	}
	run.foldIdle(&t, before, e)
	f := Look(run, &t, previous, e.Now)
	f.Dropped = e.Dropped
	fired := slices.Clone(t.Fired)
	if !e.Pause && (t.Started || t.Interrupted != "") {
		fired = appendFired(fired, evaluate(f, Exit))
	}
	run.haltOrPause(&t, fired, e)
	line := historyLine(run, &t, fired, e)
	if e.Spent.Cursors != nil {
		line.Cursors = run.endWorkers(t.Workers)
	}
	line.Own = attempt
	if len(t.PRs) > 0 { // issues count as taken only if they led to a PR
		line.Taken = t.Taken
	}
	if t.Asked != nil {
		about := slices.Concat(t.Report.Plan, t.Taken, t.Report.failedIssues())
		line.Titles = slices.DeleteFunc(slices.Clone(t.Asked.Titles), func(i Issue) bool {
			return !slices.Contains(about, i.Number)
		})
	}
	if t.Interrupted != "" && t.Started {
		line.Left = t.left(e)
	}
	run.Carried = t.DeferredAnswers
	if len(fired) > 0 { // this is the last line
		line.Gates, run.Carried = append(line.Gates, t.DeferredAnswers...), nil
	}
	line.Budget = *run
	return &line
}

// fold adds the tick to the run's counters (R110).
func (b *Budget) fold(t *Tick, previous *Iteration, e Ending) {
	b.Spend(e.Spent)
	b.PRsTouched = b.Touched(t)
	b.CommentsPushed += t.Comments
	b.MergesAttempted += t.Merges
	b.AgentsDispatched += t.Agents
	b.MinutesElapsed = b.Minutes(e.Now)
	failed, cut := t.Report.failedIssues(), t.Failed != "" || t.Interrupted != ""
	if cut && len(t.PRs) == 0 { // if there is a PR, one of the issues may be finished
		failed = append(failed, t.Taken...)
	}
	left := slices.DeleteFunc(slices.Clone(b.FailedIssues), func(n int) bool {
		return !cut && slices.Contains(t.Taken, n)
	})
	b.FailedIssues = AppendNew(left, failed...)
	again := previous != nil && previous.LastQmdError != "" // in two consecutive iterations (R52)
	switch {
	case t.qmdDown() && again:
		b.QmdFailuresConsecutive++
	case t.qmdDown():
		b.QmdFailuresConsecutive = 1
	case t.Started && (t.Reported || t.Worked()) && t.outcome(nil, e) == OK:
		// An iteration that neither reported nor did anything does not count as a success.
		b.QmdFailuresConsecutive = 0
	}
}

func appendFired(fired, more []Fired) []Fired {
	for _, f := range more {
		if !slices.ContainsFunc(fired, func(g Fired) bool { return g.Cause == f.Cause }) {
			fired = append(fired, f)
		}
	}
	return fired
}

func (b *Budget) haltOrPause(t *Tick, fired []Fired, e Ending) {
	b.Seq++
	b.LastPrompts = t.Prompts
	switch {
	case len(fired) > 0:
		b.halt(fired[0])
	case e.Pause:
		b.Status, b.StopCause = Paused, "gate_waiting"
		if len(t.Pending) > 0 && e.Unanswered != "" {
			b.StopText = fmt.Sprintf("Loop paused at gate %s: %s", t.Pending[0].Name, e.Unanswered)
		}
		b.Pending = t.Pending
	}
}

func (b *Budget) halt(why Fired) {
	b.Status, b.StopCause, b.StopText, b.StopDetail = Halted, why.Cause, why.Text, why.Detail
	b.Pending, b.RetryAt = nil, time.Time{}
}

func (t *Tick) outcome(fired []Fired, e Ending) LineOutcome {
	switch {
	case len(fired) > 0:
		return Stopped
	case e.Pause:
		return Waiting
	case t.Failed != "" || t.qmdDown() || t.Report.Outcome == Errored:
		return Errored
	}
	return OK
}

func historyLine(run *Budget, t *Tick, fired []Fired, e Ending) Iteration {
	spent := Sum(e.Spent.ByModel)
	l := Iteration{
		Version: Version, RunID: run.RunID, Seq: run.Seq, SessionID: t.SessionID,
		Iteration: t.Iteration, Skill: run.Skill,
		StartedAt: t.StartedAt, EndedAt: e.Now, Outcome: t.outcome(fired, e), Notes: t.Notes,
		PRsTouched: t.PRs,
		Agents:     t.Agents, Comments: t.Comments, Merges: t.Merges, MergesOf: t.MergesOf,
		TrackedPRs: t.Tracked, Worktrees: t.worktreesAtEnd(e),
		Gates: append(slices.Clone(run.Carried), t.Answered...), Failures: t.Report.Failures,
		Backlog: t.KnownBacklog(), FromTracker: t.FromTracker(), Plan: t.Report.Plan,
		UsageByModel: e.Spent.ByModel, LastQmdError: t.qmdError(),
		SkippedLines: e.Spent.Skipped, Observed: t.observed(e), Denied: t.Denied,
		EndedWorkers: t.EndedWorkers,
		TokensIn:     spent.In(), TokensOut: spent.Output, Dollars: spent.Dollars,
	}
	if l.Dollars > 0 && run.overspent(run.DollarsEstimate, 0) {
		l.Overrun = &Overrun{
			Ceiling: run.Ceilings.Dollars, Spent: run.DollarsEstimate,
			Over: run.DollarsEstimate - run.Ceilings.Dollars,
			By:   append([]Spender{}, e.Spent.By...),
		}
	}
	for i, f := range fired {
		l.Fired = append(l.Fired, f.Cause)
		if i > 0 { // the first condition's text is already the run's stop text
			l.Notes = append(slices.Clone(l.Notes), fmt.Sprintf("Also: %s — %s", f.Cause, f.Text))
		}
	}
	if run.SinglePR != 0 {
		l.PRsTouched = run.PRsTouched
	}
	if t.Started && !t.Reported && run.Kind().Owes != nil {
		l.Facts = "missing"
	}
	if t.Report.Note != "" {
		l.Notes = append(slices.Clone(l.Notes), t.Report.Note)
	}
	return l
}

// worktreesAtEnd returns the worktrees on disk or, if those are unknown, the worktrees at the
// entry. It adds worktrees that only the skill reported (R122).
func (t *Tick) worktreesAtEnd(e Ending) []Worktree {
	known := t.Worktrees
	if e.Worktrees != nil {
		known = e.Worktrees
	}
	return mergeBy(slices.Clone(t.Report.Worktrees), known, func(w Worktree) string {
		return w.Path
	}, nil)
}

// skipLine returns the history line for a tick that found the lock held. No counter advances. The
// tracked PRs and the worktrees are copied from the last line (R46, R128).
func skipLine(run Budget, last *Iteration, r Request, a Admission) Iteration {
	l := Iteration{
		Version: Version, RunID: run.RunID, Seq: run.Seq, SessionID: r.SessionID,
		Iteration: a.Iteration, Skill: r.Command.Skill,
		StartedAt: r.Now, EndedAt: r.Now, Outcome: SkippedLock,
		Notes: append([]string{a.Text}, a.Notes...), Budget: run,
		SkippedForPID: a.PID,
	}
	if last != nil {
		l.TrackedPRs, l.Worktrees = last.TrackedPRs, last.Worktrees
	}
	return l
}

// left lists the unfinished work of an interrupted iteration, which a person may finish or undo
// (R44): new worktrees, branches that are not completely pushed, uncommitted files, and labels.
func (t *Tick) left(e Ending) []string {
	var out []string
	branches := maps.Clone(e.Branches)
	for _, w := range otherWorktrees(e.Worktrees, t.Worktrees) {
		delete(branches, w.Branch)
		out = append(out,
			fmt.Sprintf("worktree %s (branch %s, %s)", w.Path, cmp.Or(w.Branch, "none"),
				pushed(w.Branch, w.HeadSHA, e.Remote)))
		out = append(out, uncommitted(w.Path, e.Dirty[w.Path])...)
	}
	if t.EndedWorkers != nil { // otherwise the files may belong to the person
		out = append(out, uncommitted("the project", e.Dirty["."])...)
	}
	for _, b := range slices.Sorted(maps.Keys(branches)) {
		if state := pushed(b, branches[b], e.Remote); state != "pushed" {
			out = append(out, fmt.Sprintf("branch %s (%s)", b, state))
		}
	}
	for _, l := range t.Labels {
		out = append(out, "label "+l)
	}
	return out
}

// maxShown bounds the files listed in a note about uncommitted files.
const maxShown = 5

// uncommitted returns a note about the uncommitted files in a folder, or nil if there are none.
func uncommitted(where string, files []string) []string {
	if len(files) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s not committed in %s: %s", english.Plural(len(files), "file"),
		where,
		FirstOf(files))}
}

// FirstOf lists the first maxShown files and counts the others.
func FirstOf(files []string) string {
	list := strings.Join(files[:min(len(files), maxShown)], ", ")
	if more := len(files) - maxShown; more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return list
}

// pushed describes whether a branch is pushed. heads is nil if the remote did not answer.
func pushed(branch, head string, heads map[string]string) string {
	remote, there := heads[branch]
	switch {
	case branch == "":
		return "detached HEAD"
	case heads == nil:
		return "unknown whether it is pushed"
	case !there:
		return "not pushed"
	case SameSHA(remote, head):
		return "pushed"
	}
	return "partly pushed, the remote is at " + attempt.Short(remote)
}

// otherWorktrees returns the worktrees in list whose paths do not appear in known.
func otherWorktrees(list, known []Worktree) []Worktree {
	return slices.DeleteFunc(slices.Clone(list), func(w Worktree) bool {
		return slices.ContainsFunc(known, func(o Worktree) bool { return o.Path == w.Path })
	})
}

// observed returns the facts that the program itself saw or the tracker reported.
func (t *Tick) observed(e Ending) Observed {
	o := t.Observed
	if t.Started {
		for _, w := range otherWorktrees(t.worktreesAtEnd(e), t.Worktrees) {
			o.Worktrees = append(o.Worktrees, w.Path)
		}
	}
	if t.Asked != nil {
		for _, p := range t.Asked.PRs {
			if t.unknown(p.Number) == "" {
				o.Tracker = AppendNew(o.Tracker, p.Number)
			}
		}
	}
	return o
}
