package loop

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// ClaimSeen is what a worker's last message claims (T85).
type ClaimSeen struct {
	Done    bool
	Blocked bool
	Why     string // it is blocked
	Near    string // why what looks like a claim is none, "" without one
	Flagged string // text under Blocked / Flagged of the progress file (T35)
	List    string // the sum of the task list, "" where it cannot be read
	Last    string // the last words of a post action, redacted and cut (A58)
}

// WorkerSeen is what a worker's own transcript shows.
type WorkerSeen struct {
	Ours  bool // it was sent for the open attempt
	Fresh bool // it begins with the attempt's prompt and nothing before
	Known bool // the transcript could be read, and the call that sent it
}

// Evidence is what git and the progress file say of a claim (T36, T87).
type Evidence struct {
	Head     string
	Branch   string
	Dropped  string   // the commit of those it is to keep that Head does not contain, "" for none
	Same     bool     // no file differs from the commit on which the task began
	Dirty    []string // paths that are not committed
	Lost     []string // lines that are gone from the progress file
	Weakened []string // tests that were deleted or skipped since (T96)
	Failed   string   // why git could not tell, "" where it did
	Tree     string   // a sum of what is not committed, as of Attempt
	Changed  []string // the files that the audited commits change
}

// maxHolds is how often a worker is held for what its claim lacks (T61).
const maxHolds = 2

// judge decides about the last message of the thread that does the task. It returns the facts that
// it needs, or what the thread is held for; nil where the attempt is judged.
func (r *TaskRun) judge(s State, k *Known) (missing bool, hold *Continue) {
	if k.lacks(&k.Claim) {
		return true, nil
	}
	s.Tick.Attempt.List = k.Claim.Is.List
	switch {
	case k.Claim.Is.Blocked:
		return false, s.settle(Judgement{Verdict: Flagged, Why: k.Claim.Is.Why})
	case k.Claim.Is.Flagged != "": // an honest end, also without a claim (T56)
		return false, s.settle(Judgement{Verdict: Flagged, Why: k.Claim.Is.Flagged})
	case !k.Claim.Is.Done:
		why := "the last line is not the claim"
		if k.Claim.Is.Near != "" {
			why = k.Claim.Is.Near
		}
		return false, s.miss(Judgement{Verdict: Unfinished, Why: why}, "")
	case k.lacks(&k.Evidence):
		return true, nil
	}
	j := Judgement{Verdict: Claimed, SHA: k.Evidence.Is.Head, Weakened: k.Evidence.Is.Weakened}
	if why, more := s.lacking(k.Evidence.Is); why != "" {
		j.Verdict, j.Why = Overruled, why
		return false, s.miss(j, more)
	}
	if r.checkOf(r.item()) == "" {
		return false, s.settle(j)
	}
	if k.lacks(&k.Check) {
		return true, nil
	}
	check := *k.Check.Is
	check.Command, j.Check = r.checkOf(r.item()), &check
	switch why := red(&check, k.Evidence.Is.Head); {
	case check.Unsure != "":
		j.Verdict, j.Why = CannotTell, check.Unsure
		if by := check.byWorker(); by != "" {
			j.Why = by + "; " + check.Unsure
		}
		return false, s.miss(j, "Take back what changes the check, or a person is asked.")
	case why != "":
		j.Verdict, j.Why = Overruled, why
		if by := check.byWorker(); by != "" {
			j.Why = by + "; with that as it was when the run began, " + why
		}
		return false, s.miss(j, check.Tail)
	}
	j.Verdict, j.Why = r.proven()
	return false, s.settle(j)
}

// lacking is what the evidence of a claim lacks, "" when nothing, with the details for the worker.
func (s State) lacking(e *Evidence) (why, more string) {
	a, item := s.Tick.Attempt, s.Run.Tasks.item()
	switch {
	case len(e.Lost) > 0:
		return "lines of the progress file were removed or changed", strings.Join(e.Lost, "\n")
	case item == nil && cmp.Or(a.PR, s.Run.Tasks.PR) == 0:
		return "no pull request was seen to be opened", ""
	case a.NoGit:
		return "", ""
	case a.Unread != "":
		return "git could not tell where the attempt began: " + a.Unread, ""
	case e.Failed != "":
		return "git cannot tell: " + e.Failed, ""
	case e.Branch != a.Branch:
		return fmt.Sprintf("the branch is %s, the attempt began on %s", orNone(e.Branch),
			orNone(a.Branch)), ""
	case len(e.Dirty) > 0:
		return fmt.Sprintf("%s not committed", Plural(len(e.Dirty), "file")),
			strings.Join(e.Dirty[:min(len(e.Dirty), 20)], "\n")
	case e.Dropped != "":
		return e.dropped(), ""
	case item == nil, item.NoCommit:
		return "", ""
	case e.Head == a.Base, e.Head == "":
		return "no commit since the task began", ""
	case e.Same:
		return "the commits since the task began change nothing", ""
	}
	return "", ""
}

// dropped is why the history is not the one that the run has seen.
func (e *Evidence) dropped() string {
	return "the branch no longer contains commit " + abbreviated(e.Dropped)
}

// Keeps are the commits that HEAD must contain as the attempt ends: the one on which it began, and
// that of the last task or phase that is done.
func (s State) Keeps() []string {
	return AppendNew(nil, s.Tick.Attempt.Head, s.Run.tip())
}

// red is why a check is not green on that commit, "" when it is.
func red(c *CheckRun, head string) string {
	switch {
	case c.Stopped:
		return fmt.Sprintf("the check did not end by itself; it was stopped after %s",
			Plural(c.Seconds, "second"))
	case c.Exit > 0:
		return fmt.Sprintf("the check is red: exit %d", c.Exit)
	case c.Head != head:
		return "the check changed what it checked"
	}
	return ""
}

// judged is judge, and notes the tree that the judged attempt leaves. Without a claim no process is
// started to look at it (kinds of loop, §6).
func (s State) judged(k *Known) (missing bool, hold *Continue) {
	if missing, hold = s.Run.payload().judge(s, k); missing || hold != nil {
		return missing, hold
	}
	if s.Run.Audit != nil && k.lacks(&k.Evidence) {
		return true, nil
	}
	end := k.Evidence.or()
	s.Tick.Attempt.EndHead, s.Tick.Attempt.EndTree = end.Head, end.Tree
	return false, nil
}

// settle records the judgement.
func (s State) settle(j Judgement) *Continue {
	s.Tick.Attempt.Judged = &j
	return nil
}

// miss holds the worker with exactly what is missing, or records the judgement once it was held
// often enough.
func (s State) miss(j Judgement, more string) *Continue {
	a := s.Tick.Attempt
	if a.Holds >= maxHolds {
		return s.settle(j)
	}
	a.Holds++
	text := upper(a.Name()) + " is not done: " + j.Why + "."
	if more != "" {
		text += "\n" + more
	}
	return &Continue{Name: fmt.Sprintf("miss-%d", a.Holds), Text: text + "\n" + a.ending()}
}

// ending is how an attempt ends, for the thread that does it. The claim stands inside of a sentence
// only, so that no echo of it is one.
func (a *Attempt) ending() string {
	switch {
	case a.Phase.Audits():
		return "Then report findings and a verdict with `hooks report`, and end. Without a " +
			"verdict the audit does not count."
	case a.Phase != "":
		return "Then end with one short line."
	}
	return fmt.Sprintf("Then make the words TASK_COMPLETE %s the whole last line of your answer. "+
		"If only a person can continue, end with TASK_BLOCKED %s and the reason on that line.",
		a.Token, a.Token)
}

// works reports whether the open attempt still waits for its worker.
func (s State) works() bool {
	t := s.Tick
	return t.Attempt != nil && s.Run.payload() != nil && t.Attempt.Judged == nil && t.Started &&
		(!t.Halting() || t.stopsKindly(s.Run)) && t.Failed == ""
}

// stopsKindly reports whether a person has ended the run by a command while a worker was at its
// attempt: it finishes, and what it proves counts (R43).
func (t *Tick) stopsKindly(run *Budget) bool {
	return (t.Interrupted == ByTerminal || t.Interrupted == StopWord) && len(t.Fired) == 0 &&
		(t.Attempt.Sent || run.driven())
}

// workerEnds judges the worker of the open attempt as it ends. decided is false for another worker.
func (e WorkerEnd) workerEnds(s State, k *Known) (out Outcome, decided bool) {
	if !s.works() || s.Run.driven() || s.Run.feeds() && !s.Tick.Attempt.Sent {
		return Outcome{}, false
	}
	if k.lacks(&k.Worker) {
		return Outcome{Need: k}, true
	}
	if !k.Worker.Is.Ours {
		return Outcome{}, false
	}
	a := s.Tick.Attempt
	a.Sent = true
	if k.Worker.Is.Fresh {
		a.Fresh = "agent " + e.Agent
	}
	a.Stale = !k.Worker.Is.Fresh && (k.Worker.Is.Known || e.Failure == "")
	var missing bool
	var hold *Continue
	switch {
	case e.Failure != "":
		a.Reset = e.Reset
		hold = s.settle(Judgement{Verdict: Outage, Why: APIError + e.Failure})
	case !a.Stale:
		missing, hold = s.judged(k)
	}
	if missing || hold != nil && k.lacks(&k.Running, &k.Overrun) {
		return Outcome{Need: k}, true
	}
	if hold == nil || s.spends(k) {
		hold = nil
		s.Tick.Workers = without(s.Tick.Workers, e.Agent)
	}
	return Outcome{Save: Save{Tick: s.Tick}, Reply: Reply{Continue: hold}}, true
}

// spends reports whether the open iteration is past the run's dollars, so that every thread ends.
func (s State) spends(k *Known) bool {
	return s.Run.overspent(s.Run.DollarsEstimate.Plus(k.Running.Is.Dollars), *k.Overrun.Is)
}

// attempt looks at a task loop's attempt as its turn ends. decided is false where the iteration may
// end.
func (e TurnEnd) attempt(s State, k *Known) (out Outcome, decided bool) {
	if !s.works() {
		return Outcome{}, false
	}
	a := s.Tick.Attempt
	var missing bool
	var hold *Continue
	switch {
	case s.Run.driven():
		if k.lacks(&k.Worker) {
			return Outcome{Need: k}, true
		}
		if a.Sent = true; k.Worker.Is.Fresh {
			a.Fresh = "session " + e.Session
		}
		a.Stale = a.Stale || !k.Worker.Is.Fresh
		if a.Stale { // nothing that it claims is believed
			return Outcome{}, false
		}
		missing, hold = s.judged(k)
	case !a.Sent && s.Run.feeds():
		if missing = s.lacksMeasure(k); !missing {
			return e.orderAgain(s, k), true
		}
	}
	switch {
	case missing, hold != nil && k.lacks(&k.Running, &k.Overrun):
		return Outcome{Need: k}, true
	case hold != nil && !s.spends(k):
		return Outcome{
			Save:  Save{Run: s.Run, Tick: s.Tick},
			Reply: Reply{Continue: hold},
		}, true
	}
	return Outcome{}, false
}

// Feeds reports whether the last Stop asked for the next attempt in this very turn. A worker that a
// person's own prompt sends is no part of the loop.
func (b *Budget) Feeds(prompt string) bool {
	return b.feeds() && b.Status == Active && b.Blocks.PromptID == prompt &&
		slices.Contains(b.Blocks.Reasons, "next")
}
