package loop

import (
	"cmp"
	"fmt"
	"slices"
)

func (e Invocation) step(s State, k *Known) Outcome {
	if e.Answers != nil {
		e.answer = s.Claim.answer(e.Now, *e.Answers)
		if e.answer == nil || s.Claim.SessionID != e.SessionID {
			return Outcome{}
		}
	}
	k.Require(&k.Standing)
	at := *k.Standing.Value
	at.Run, at.Tick, at.Claim = s.Run, s.Tick, s.Claim
	if e.answer != nil {
		return e.answered(at, k)
	}
	switch a := admit(e.Request, at); a.Verdict {
	case Already:
		return Outcome{}
	case CloseFirst:
		return Outcome{Abandon: true, Again: true}
	case Skip, Wait, AskForce:
		return e.contend(at, k, a)
	case Start:
		return e.start(at, k, a)
	default:
		scheduled := s.Run != nil && len(s.Run.Scheduled) > 0 ||
			s.Claim != nil && len(s.Claim.Scheduled) > 0
		if a.Text != "" && e.Scheduled && scheduled {
			a.Text += "\nhint: " + StillFires
		}
		// the session's own tick, which has just been closed, may still hold the lock
		return Outcome{Reply: Reply{Refuse: a.Text}, Unlock: at.Tick == nil}
	}
}

// StillFires is the hint shown to a person if the run has ended and the agent may not know that.
const StillFires = "the loop's schedule still fires; tell the agent to delete it (CronList, then " +
	"CronDelete)"

// answered applies a person's answer about another iteration's lock. Only yes takes the lock
// (R104). The facts for the entry are fetched before anything is removed.
func (e Invocation) answered(at Standing, k *Known) Outcome {
	if at.Claim.Gate.Act(e.answer.Answer) != "yes" {
		return e.decline(at, k)
	}
	a := identify(e.Request, at, Admission{})
	switch {
	case !e.Cleared:
		k.wantEntry(a.Mode)
		k.Require()
		out := Outcome{Abandon: at.Tick != nil, Again: true, Save: Save{Force: at.Lock}}
		if at.Lock != nil {
			out.Reply.Note = fmt.Sprintf("Force-unlocked previous iteration (was pid %d) — "+
				"proceeding", at.Lock.PID)
		}
		return out
	case at.Lock != nil: // another session took it in the meantime
		return Outcome{Reply: Reply{Context: "Another iteration took the lock first. " +
			"End the turn; the next tick tries again."}}
	case a.Verdict != Start:
		return Outcome{Reply: Reply{Context: a.Text + ". End the turn now."}}
	}
	return e.start(at, k, a)
}

// start returns the changes that begin the tick, such as its run and its lock.
func (e Invocation) start(at Standing, k *Known, a Admission) Outcome {
	k.wantEntry(a.Mode)
	k.wantIf(a.Mode != FreshRun, &k.Previous)
	// usage before the session joined the run, or during a pause, does not count
	counted := a.Mode != FreshRun && at.Run.SessionID == e.SessionID && at.Run.Status == Active
	k.wantIf(!counted, &k.Baseline)
	k.Require()
	in := &Entering{Opens: Opens{Invocation: e, Mode: a.Mode, Notes: a.Notes, Between: counted}}
	var run Budget
	switch a.Mode {
	case FreshRun:
		run, in.Archive = newRun(e.Request), cmp.Or(at.Run, e.Other.Run)
		if at.Run == nil && in.Archive != nil {
			in.Opens.Notes = append(slices.Clip(a.Notes), fmt.Sprintf(
				"Fresh run: the earlier run %s in %s is archived", in.Archive.RunID, e.Other.Path))
		}
	case ResumeRun:
		run = resumeRun(latest(*at.Run, *k.Previous.Value), e.Request)
	default:
		run = continueRun(*at.Run, e.Request)
	}
	if !counted {
		run.Cursors = *k.Baseline.Value
	}
	if a.Mode != FreshRun && run.Ask != at.Run.Ask {
		in.Opens.Notes = AppendNew(a.Notes, "The run now uses the current Ask command")
	}
	if a.Reap {
		in.Reap = at.Lock
	}
	in.Run = &run
	in.Lock = Lock{
		Iteration: run.IterationsUsed + 1, StartedAt: e.Now, Skill: e.Command.Skill,
		SessionID: e.SessionID, RunID: run.RunID, Process: e.Owner,
	}
	return Outcome{Save: Save{Enter: in}}
}

// Opens is the event of an entry that has taken the lock and begins its iteration.
type Opens struct {
	Invocation
	Mode   Mode
	Notes  []string // one-line notes for the status block
	Braked bool     // the brake's links come first in PATH for the session's Bash commands
	// Between reports whether the session may have spent something since the run's last iteration.
	Between bool
}

func (e Opens) step(s State, k *Known) Outcome {
	if s.Run == nil {
		return Outcome{}
	}
	k.wantEntry(e.Mode)
	k.wantIf(e.Mode != FreshRun, &k.Previous)
	k.wantIf(e.Between, &k.Count)
	k.Require()
	facts, previous := *k.Entry.Value, (*Iteration)(nil)
	if e.Mode != FreshRun {
		previous = *k.Previous.Value
	}
	facts.Notes, facts.Gates = slices.Concat(e.Notes, facts.Notes), slices.Clone(facts.Gates)
	if e.Between {
		facts.Notes = AppendNew(facts.Notes, k.Count.Value.Notes...)
		s.outside(k)
	}
	tick := openTick(s.Run, previous, e.Request, facts)
	tick.Braked = e.Braked
	if e.answer != nil {
		tick.Answered = append(tick.Answered, *e.answer)
	}
	s.Tick = &tick
	out := Outcome{Save: Save{Tick: s.Tick, Run: s.Run}, Reply: Reply{Began: true}}
	if len(tick.Fired) > 0 || len(tick.Pending) > 0 && !e.Attended {
		out = e.closeUnbegun(s, k)
	}
	if s.Claim != nil {
		out.Save.leave(s.Claim, e.SessionID)
	}
	return out
}

// closeUnbegun ends an iteration before its body begins, because a condition holds at its entry or
// a gate waits in a headless session.
func (e Opens) closeUnbegun(s State, k *Known) Outcome {
	k.Require(&k.Count, &k.Previous)
	ending := Ending{Now: e.Now, Spent: k.spent(), Pause: len(s.Tick.Fired) == 0}
	ending.Unanswered = s.Tick.unanswered(e.Attended, e.DontAsk)
	out := s.close(ending, k)
	out.Reply.AtStop = true
	return out
}

// Open returns the PRs that were open when the iteration ended.
func (l *Iteration) Open() []TrackedPR {
	return slices.DeleteFunc(slices.Clone(l.TrackedPRs), func(p TrackedPR) bool {
		return p.StateAtEnd != "open"
	})
}

// Reattach compares the previous iteration's PRs with the heads on the remote. It asks about every
// open PR whose head differs from the recorded one or whose branch is gone (R139–R141). A PR whose
// head could not be looked up is re-attached as recorded, with a note. For an already merged or
// closed PR, it only adds a note (R142).
func (e *EntryFacts) Reattach(previous *Iteration) {
	for _, p := range previous.TrackedPRs {
		head, known := e.Asked.head(p, e.Heads)
		switch {
		case p.StateAtEnd != "open":
			e.Notes = append(e.Notes, fmt.Sprintf("PR #%d was already %s at prior iteration end — "+
				"not re-attaching", p.Number, p.StateAtEnd))
		case p.EndSHA == "" || !known && (e.Heads == nil || p.Branch == ""):
			e.Notes = append(e.Notes, fmt.Sprintf("PR #%d: its remote head could not be looked "+
				"up — re-attached as recorded", p.Number))
		case !known || !SameSHA(head, p.EndSHA):
			e.Gates = append(e.Gates, asGate(ResumeDivergence, Gate{
				Question: fmt.Sprintf("PR #%d has diverged since the prior iteration crashed — "+
					"re-attach, skip, or stop the loop?", p.Number),
				Target: prTarget(p.Number),
			}))
		}
	}
}

// wantEntry asks for the facts needed to begin an iteration in mode m. It drops facts that were
// fetched for another mode.
func (k *Known) wantEntry(m Mode) {
	if e := k.Entry.Value; e != nil && e.Mode != m && !k.Bare {
		k.Entry.Value = nil
	}
	k.Mode = m
	k.Want(&k.Entry)
}
