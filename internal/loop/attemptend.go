package loop

import (
	"fmt"
	"slices"
)

// ClaimSeen holds the claims of a worker's last message (T85).
type ClaimSeen struct {
	Done    bool
	Blocked bool
	Why     string // it is blocked
	Near    string // why what looks like a claim is none, "" without one
	Flagged string // text under Blocked / Flagged of the progress file (T35)
	List    string // the sum of the task list, "" where it cannot be read
	Last    string // the last words of a post action, redacted and cut (A58)
}

// WorkerSeen holds the facts from a worker's own transcript.
type WorkerSeen struct {
	Ours  bool // it was sent for the open attempt
	Fresh bool // it begins with the attempt's prompt and nothing before
	Known bool // the transcript could be read, and the call that sent it
}

// Evidence holds the facts from git and the progress file about a claim (T36, T87).
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

// maxHolds bounds how often a worker is held because its claim is incomplete (T61).
const maxHolds = 2

// dropped explains that the branch lost a commit that the run has seen.
func (e *Evidence) dropped() string {
	return "the branch no longer contains commit " + abbreviated(e.Dropped)
}

// Keeps are the commits that HEAD must contain as the attempt ends: the one on which it began, and
// that of the last task or phase that is done.
func (s State) Keeps() []string {
	return AppendNew(nil, s.Tick.Attempt.Head, s.Run.tip())
}

// red explains why a check is not green on that commit. It returns "" if it is green.
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

// judged has the kind judge the attempt, and notes the tree that it leaves. Without a claim no
// process is started to look at it (kinds of loop, §6).
func (s State) judged(k *Known) (missing bool, hold *Continue) {
	if missing, hold = s.Run.Own.Judge(s, k); missing || hold != nil {
		return missing, hold
	}
	if s.Run.attempts().Looks && k.lacks(&k.Evidence) {
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
	p := s.Run.Own
	text := upper(p.Name(a)) + " is not done: " + j.Why + "."
	if more != "" {
		text += "\n" + more
	}
	return &Continue{Name: fmt.Sprintf("miss-%d", a.Holds), Text: text + "\n" + p.Ending(a)}
}

// works reports whether the open attempt still waits for its worker.
func (s State) works() bool {
	t := s.Tick
	return t.Attempt != nil && s.Run.Own != nil && t.Attempt.Judged == nil && t.Started &&
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

// attempt looks at a task loop's attempt as its turn ends. decided is false if the iteration may
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

// Unmeasured returns the command that has to run before the next worker begins, to learn its result
// without the work, or "" if there is none. head is the commit that is checked out, or "" if
// anything is uncommitted; an open iteration knows it itself. at is the place in the run's list.
func (s State) Unmeasured(head string) (at int, command string) {
	if p := s.Run.Own; p != nil {
		return p.Unmeasured(s.Tick, head)
	}
	return 0, ""
}

// unmeasured reports whether the check has still to run before the open attempt's worker is sent.
func (s State) unmeasured() bool {
	_, command := s.Unmeasured("")
	return command != ""
}

// lacksMeasure has the check run before the next worker begins. Its time is a Stop, or between two
// processes of a driver: a prompt would wait for it.
func (s State) lacksMeasure(k *Known) bool {
	at, command := s.Unmeasured("")
	switch {
	case command == "":
	case k.lacks(&k.Before):
		return true
	case s.Run.NoCheck(*k.Before.Is) == "": // else it runs again once a person resumes
		s.Run.Own.Measured(at, command, *k.Before.Is)
	}
	return false
}

// NoCheck explains why the first run of any check shows that it cannot run at all. It returns "" if
// the check can run.
func (b *Budget) NoCheck(c CheckRun) string { return b.Own.NoCheck(c) }

// Measured is a run of the check by a driver, before any worker has begun.
type Measured struct {
	Turn
	At      int
	Command string
	Check   CheckRun
}

func (e Measured) step(s State, _ *Known) Outcome {
	if s.Run == nil || s.Run.Own == nil {
		return Outcome{}
	}
	s.Run.Own.Measured(e.At, e.Command, e.Check)
	return Outcome{Save: Save{Run: s.Run}}
}

// between reports whether a conductor's turn continues between two tasks or phases.
func (e Call) between(s State) bool {
	return s.Tick == nil && s.Run.feeds() && s.Run.Status == Active && e.Agent == "" &&
		e.Session == s.Run.SessionID &&
		slices.Contains(s.Run.LastPrompts, e.Prompt)
}
