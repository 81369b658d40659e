package loop

import (
	"fmt"
	"slices"
	"time"

	"hooks/internal/attempt"
)

// maxHolds bounds how often an attempt's worker is kept running because something is missing (T61).
const maxHolds = 2

// judged lets the kind judge the attempt. It records the resulting tree if hold is nil.
func (s State) judged(k *Known) (hold *Continue) {
	if hold = s.Run.Own.Judge(s, k); hold == nil {
		s.recordEnd(k)
	}
	return hold
}

// recordEnd records the commit and the tree that the attempt leaves behind.
func (s State) recordEnd(k *Known) {
	k.Require(&k.Evidence)
	s.Tick.Attempt.EndHead, s.Tick.Attempt.EndTree = k.Evidence.Value.Head, k.Evidence.Value.Tree
}

// Settle records the attempt's judgement. It returns nil, which lets the worker end.
func (s State) Settle(j attempt.Judgement) *Continue {
	s.Tick.Attempt.Judged = &j
	return nil
}

// Miss keeps the worker running and sends it the reason why the attempt is not done. If the worker
// has been kept running maxHolds times already, Miss records the judgement instead.
func (s State) Miss(j attempt.Judgement, more string) *Continue {
	a := s.Tick.Attempt
	if a.Holds >= maxHolds {
		return s.Settle(j)
	}
	a.Holds++
	p := s.Run.Own
	text := upper(p.Name(a)) + " is not done: " + j.Why + "."
	if more != "" {
		text += "\n" + more
	}
	return &Continue{Name: fmt.Sprintf("miss-%d", a.Holds), Text: text + "\n" + p.Ending(a)}
}

// works reports whether the open attempt is still waiting for its worker.
func (s State) works() bool {
	t := s.Tick
	return t.Attempt != nil && s.Run.Own != nil && t.Attempt.Judged == nil && t.Started &&
		(!t.Halting() || t.stopsKindly(s.Run)) && t.Failed == ""
}

// stopsKindly reports whether a person ended the run with a command while a worker was working on
// the attempt. The worker then finishes, and its proven work counts (R43).
func (t *Tick) stopsKindly(run *Budget) bool {
	return (t.Interrupted == ByTerminal || t.Interrupted == StopWord) && len(t.Fired) == 0 &&
		(t.Attempt.Sent || run.Driven())
}

// workerEnds judges the attempt when its worker ends. For any other worker, decided is false.
func (e WorkerEnd) workerEnds(s State, k *Known) (out Outcome, decided bool) {
	if !s.works() || s.Run.Driven() || s.Run.Conducted() && !s.Tick.Attempt.Sent {
		return Outcome{}, false
	}
	k.Require(&k.Worker)
	if !k.Worker.Value.Ours {
		return Outcome{}, false
	}
	a := s.Tick.Attempt
	a.Sent = true
	if k.Worker.Value.Fresh {
		a.Fresh = "agent " + e.Agent
	}
	a.Stale = !k.Worker.Value.Fresh && (k.Worker.Value.Known || e.Failure == "")
	var hold *Continue
	switch {
	case e.Failure != "":
		a.Reset = e.Reset
		hold = s.Settle(attempt.Judgement{Verdict: attempt.Outage, Why: attempt.APIError +
			e.Failure})
	case !a.Stale:
		hold = s.judged(k)
	}
	if hold == nil || s.spends(k) {
		hold = nil
		s.Tick.Workers = Without(s.Tick.Workers, e.Agent)
	}
	return Outcome{Save: Save{Tick: s.Tick}, Reply: Reply{Continue: hold}}, true
}

// spends reports whether the run and its open iteration are overspent. If so, every thread ends.
func (s State) spends(k *Known) bool {
	k.Require(&k.Running, &k.Overrun)
	return s.Run.overspent(s.Run.DollarsEstimate.Plus(k.Running.Value.Dollars), *k.Overrun.Value)
}

// Feeds reports whether the last Stop asked for the next attempt in this turn. A worker started by
// a person's own prompt is not part of the loop.
func (b *Budget) Feeds(prompt string) bool {
	return b.Conducted() && b.Status == Active && b.Blocks.PromptID == prompt &&
		slices.Contains(b.Blocks.Reasons, "next")
}

// Unmeasured returns the check command that must run before the next worker begins, because its
// result before that worker's changes is unknown. command is "" if no check is needed. at is the
// task's index in the run's list. head is the checked-out commit, or "" if files are uncommitted;
// it is ignored if an attempt is open.
func (s State) Unmeasured(head string) (at int, command string) {
	if p := s.Run.Own; p != nil {
		return p.Unmeasured(s.Tick, head)
	}
	return 0, ""
}

// measure records the check's result if it must be known before the next worker begins. Only a Stop
// calls measure, because a prompt would have to wait for the check.
func (s State) measure(k *Known) {
	at, command := s.Unmeasured("")
	if command == "" {
		return
	}
	check := required(k, &k.Before)
	if s.Run.Own.NoCheck(check) == "" { // otherwise it runs again after a resume
		s.Run.Own.Measured(at, check)
	}
}

// Measured is a driver's event after it has run the check and before the first worker begins.
type Measured struct {
	Turn
	At    int
	Check attempt.CheckRun
}

func (e Measured) step(s State, _ *Known) Outcome {
	if s.Run == nil || s.Run.Own == nil {
		return Outcome{}
	}
	s.Run.Own.Measured(e.At, e.Check)
	return Outcome{Save: Save{Run: s.Run}}
}

// between reports whether a conductor's turn continues between two tasks or phases.
func (e Call) between(s State) bool {
	return s.Tick == nil && s.Run.Conducted() && s.Run.Status == Active && e.Agent == "" &&
		e.Session == s.Run.SessionID &&
		slices.Contains(s.Run.LastPrompts, e.Prompt)
}

// WorkerEnd is a SubagentStop, or a StopFailure that names a worker. Failure is the StopFailure's
// API error; the turn itself continues after it.
type WorkerEnd struct {
	Turn
	Agent   string
	Failure string
	Reset   time.Time // when the service is available again; zero if unknown
}

func (e WorkerEnd) step(s State, k *Known) Outcome {
	if !e.open(s) {
		return Outcome{}
	}
	if out, decided := e.workerEnds(s, k); decided {
		return out
	}
	t := s.Tick
	if slices.Contains(t.Workers, e.Agent) {
		t.Workers = Without(t.Workers, e.Agent)
		return Outcome{Save: Save{Tick: t}}
	}
	owes := s.Run.Kind().Owes
	if e.Foreign(s) || e.Failure != "" || !t.Started || t.Halting() || t.Failed != "" ||
		len(t.Pending) > 0 || owes == nil {
		return Outcome{}
	}
	// Ask the fork itself if it does the iteration's work, because the main thread does not know
	// the facts.
	ask := owes(s)
	if ask == nil || !required(k, &k.Worker).Ours ||
		!(TurnEnd{Turn: e.Turn}).hold(s.Run, ask.Name) {
		return Outcome{}
	}
	return Outcome{Save: Save{Run: s.Run}, Reply: Reply{Continue: ask}}
}
