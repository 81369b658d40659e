package loop

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// Request is a request to begin a tick. It comes from an invocation of a looping skill.
type Request struct {
	Now        time.Time
	SessionID  string
	PromptID   string
	Transcript string
	Owner      Process // the client's process
	Command    Command
	Flags      Flags
	RunID      string   // id for a fresh run
	Scheduled  bool     // invoked by the client's schedule, not by a person
	Model      bool     // invoked by the model with flags that are not in its prompt
	EventsFrom *Process // the process whose socket delivered the event; nil if unknown
	Attended   bool     // a person can answer a dialog
	UnderLoop  bool     // /loop starts the next tick
	Platform   string   // for example "linux"; used in the note about an unclear lock
	Fed        bool     // the last Stop asked for this call, in the same turn
	// Gated reports whether one of the session's loops has ended and its gate blocks this turn.
	Gated bool
	Fresh        // initial values for a fresh run
	Path  string // path of the budget file, absolute or relative to the project
	// Other holds the recorded run if its budget file is not at Path. Otherwise Other.Run is nil.
	Other   RunFile
	OtherIs Liveness // whether the owner of Other is alive
	Config  string   // the project's current configuration
	Prices  string   // source of the prices for a fresh run (R61)
	Ask     string   // identifies the current Ask command; see Budget
	Tracker *Tracker
}

// Standing is the loop's state when a request arrives, including which owners are alive.
type Standing struct {
	Run     *Budget
	Tick    *Tick
	Lock    *Lock
	Claim   *Claim
	LockIs  Liveness
	OwnerIs Liveness
	// Typed reports whether a person typed exactly this command earlier in the session. It is only
	// looked up if the request needs it.
	Typed bool
}

// RunFile is a run with the path of its budget file.
type RunFile struct {
	Run  *Budget
	Path string
}

// Liveness is the result of probing a process. Unclear counts as alive (R72).
type Liveness uint8

// The results of a probe.
const (
	Unclear Liveness = iota
	Alive
	Dead
)

// Verdict is the decision about a request.
type Verdict uint8

// The verdicts. The zero value refuses.
const (
	Refuse     Verdict = iota // Text holds the reason
	Already                   // this prompt's tick is already open; do nothing
	CloseFirst                // an open tick never reached its end; close it and call admit again
	Skip                      // the lock is held; skip the tick, and Text is its note
	Wait                      // the lock is held and --lock=wait is set; poll
	AskForce                  // the lock is held and --lock=force is set; ask the person
	Start                     // take the lock and begin in the given Mode
)

// Mode selects how a tick begins.
type Mode uint8

// The modes continue the active run, start a fresh run, or resume an earlier run.
const (
	NextTick Mode = iota
	FreshRun
	ResumeRun
)

// admit decides whether and how a request begins a tick (design: run identity). After CloseFirst,
// the caller closes the open tick and calls admit again.
func admit(r Request, s Standing) Admission {
	mine := s.Run != nil && s.Run.OwnedBy(r)
	if r.Other.Run != nil && r.beside(s.Run) {
		return refuse(fmt.Sprintf("Not started: the existing loop uses another budget file, %s\n"+
			"hint: continue it with that file; only a person can end it with `hooks loop stop %s` "+
			"and then start a loop with another file", r.Other.Path, r.Command.Skill))
	}
	if r.Unasked() {
		if a, refused := refuseUnasked(r, s, mine); refused {
			return a
		}
	}
	if t := s.Tick; t != nil && t.SessionID == r.SessionID && t.began(r.PromptID) {
		return Admission{Verdict: Already}
	}
	if mine && !r.Fed && r.PromptID != "" && slices.Contains(s.Run.LastPrompts, r.PromptID) {
		return refuse("This prompt's iteration has already ended; the next one starts with the " +
			"next tick")
	}
	if c := s.Claim; c != nil && c.Stopped && c.SessionID == r.SessionID && r.Scheduled {
		return refuse(c.priorStop())
	}
	if a, decided := meetTick(r, s, mine); decided {
		return a
	}
	a, decided := meetHolder(r, s, mine)
	if decided {
		return a
	}
	return identify(r, s, a)
}

// beside reports whether to refuse the request because the recorded run, Other, uses a different
// budget file. A skill has one run at a time. Once the recorded run or its client has ended, a run
// may begin in a different file, but not at the request of the model or of the recorded run's
// schedule. --resume needs a run at Path.
func (r Request) beside(run *Budget) bool {
	o := r.Other.Run
	own := o.OwnedBy(r)
	underWay := o.Status != Halted && (own || !o.OwnerLeft && r.OtherIs != Dead)
	return underWay || r.Model || r.Scheduled && own || r.Flags.Resume && run == nil
}

// began reports whether an invocation in prompt repeats the invocation that started the tick. While
// the tick waits for its workers, an invocation in any of its later prompts is a new request.
func (t *Tick) began(prompt string) bool {
	i := slices.Index(t.Prompts, prompt)
	return i == 0 || i > 0 && !t.Draining
}

func refuse(text string) Admission { return Admission{Verdict: Refuse, Text: text} }

// OwnedBy reports whether the request's session started or last continued the run. It is also true
// if the same client did so in an earlier session that has ended, for example after /clear.
func (b *Budget) OwnedBy(r Request) bool {
	return b.SessionID == r.SessionID || b.OwnerLeft && b.Owner.PID == r.Owner.PID &&
		b.Owner.Start == r.Owner.Start && b.Owner.PID != 0
}

// meetTick handles an open tick. A tick in this session that no Stop closed was interrupted. A tick
// with running workers is still active. A tick in a dead session has crashed. In all other cases,
// meetTick returns false and the lock decides.
func meetTick(r Request, s Standing, mine bool) (Admission, bool) {
	t := s.Tick
	ofRun := t != nil && s.Run != nil && s.Run.RunID == t.RunID // otherwise that run has ended
	alive := ofRun && !s.Run.OwnerLeft && s.OwnerIs != Dead
	// once the run has used all its minutes, the loop no longer waits for lost workers
	inTime := s.Run == nil || s.Run.Minutes(r.Now) < s.Run.Ceilings.Minutes
	switch {
	case t == nil:
		return Admission{}, false
	case t.SessionID == r.SessionID && t.Draining && t.Interrupted == "" && inTime:
		return skip(t.Iteration, lockPID(s, r.Owner.PID)), true
	case t.SessionID == r.SessionID, mine && ofRun:
		return Admission{Verdict: CloseFirst}, true
	case (s.Lock == nil || s.LockIs == Dead) && !alive:
		if s.Lock != nil && r.Flags.Lock == LockForce {
			return Admission{}, false // a person is asked first
		}
		return Admission{Verdict: CloseFirst}, true
	}
	return Admission{}, false
}

func lockPID(s Standing, otherwise int) int {
	if s.Lock != nil {
		return s.Lock.PID
	}
	return otherwise
}

func skip(iteration, pid int) Admission {
	return Admission{Verdict: Skip, Text: contentionNote(iteration, pid), PID: pid,
		Iteration: iteration}
}

// meetHolder handles a held lock, and another live session's run between two ticks. If it returns
// false, only Notes and Reap are set in the Admission.
func meetHolder(r Request, s Standing, mine bool) (Admission, bool) {
	var a Admission
	if l := s.Lock; l != nil {
		own := l.SessionID != "" && l.SessionID == r.SessionID || leftover(r, s)
		switch {
		case own: // left by a crash after the tick was closed
		case s.LockIs != Dead, r.Flags.Lock == LockForce:
			return contended(r, l.Iteration, l.PID, s.LockIs), true
		}
		if a.Reap = true; s.LockIs == Dead {
			a.Notes = []string{fmt.Sprintf("Reaped stale lock for pid %d", l.PID)}
		}
	}
	run := s.Run
	if run == nil || mine || run.Status != Active || run.OwnerLeft || run.Owner.PID == 0 ||
		s.OwnerIs == Dead {
		return a, false
	}
	return contended(r, run.IterationsUsed, run.Owner.PID, s.OwnerIs), true
}

// leftover reports whether the lock was left behind by a Stop that died after saving and before
// releasing it. In that case, no iteration is open and either the run is not active, its session
// has ended, or the request comes from the same session.
//
// The Stop may also be just about to print its reply. Even then it is safe to begin, because the
// reply is based on the run that the Stop closed, releasing the lock checks its owner, and later
// events in that session find a run that another session owns.
func leftover(r Request, s Standing) bool {
	run := s.Run
	if o := r.Other.Run; o != nil && o.RunID == s.Lock.RunID {
		run = o
	}
	return s.Tick == nil && run != nil && run.RunID != "" && s.Lock.RunID == run.RunID &&
		(run.OwnedBy(r) || run.Status != Active || run.OwnerLeft)
}

func contended(r Request, iteration, pid int, holder Liveness) Admission {
	switch {
	case r.Flags.Lock == LockForce:
		return Admission{Verdict: AskForce, PID: pid, Iteration: iteration}
	case r.Flags.Lock == LockWait:
		return Admission{Verdict: Wait, PID: pid, Iteration: iteration}
	case r.Flags.Resume:
		return refuse(fmt.Sprintf("Resume aborted: lockfile recorded pid %d is still alive. "+
			"Either wait for the previous run to exit, or pass --lock=force to override.", pid))
	}
	a := skip(iteration, pid)
	if holder == Unclear {
		a.Notes = []string{fmt.Sprintf("Lockfile staleness check ambiguous for pid %d on %s — "+
			"treating as alive (skipping this tick).", pid, r.Platform)}
	}
	return a
}

// identify decides whether the request is the next tick of the run on disk, resumes an earlier run,
// starts a fresh one, or is refused. Once a person has agreed to force the lock, identify is the
// only check.
func identify(r Request, s Standing, a Admission) Admission {
	a.Verdict, a.Mode = Start, FreshRun
	run := s.Run
	mine := run != nil && run.OwnedBy(r)
	switch {
	case run == nil:
		if r.Flags.Resume {
			a.Notes = append(a.Notes, "Nothing to resume — starting a fresh run")
		}
	case r.Flags.Resume && r.Flags.PR != run.SinglePR && r.Flags.PR != 0:
		return refuse(fmt.Sprintf("The run to resume does not watch PR #%d — leave --resume out "+
			"to start a run that does", r.Flags.PR))
	case mine && run.Status == Active:
		// another client may have resumed the session
		if r.Flags.Restart || r.Flags.Resume && run.Owner.PID != r.Owner.PID {
			a.Mode = ResumeRun
		} else if run.agrees(r.Flags) || r.Flags.Resume {
			a.Mode = NextTick
		} else {
			a.Notes = append(a.Notes, fmt.Sprintf("The flags differ from the running loop's, so "+
				"this is a fresh run; the earlier run (%s) is archived", run.RunID))
		}
	case r.Scheduled && mine && run.answered():
		a.Mode = ResumeRun // a person answered in a terminal
	case r.Scheduled && run.Status != Active:
		// This refuses a scheduled --resume too, because no person typed it.
		return refuse(priorStop(run))
	case run.Drives(r.Flags):
		a.Mode = NextTick
	case r.Flags.Resume:
		a.Mode = ResumeRun
	case run.Status != Halted:
		a.Notes = append(a.Notes, fmt.Sprintf("Fresh run: the earlier run %s was still %s and is "+
			"archived (--resume would have continued it)", cmp.Or(run.RunID, "without an id"),
			run.Status))
	}
	if KindOf(r.Command.Skill).Prompts && !r.Command.OptsIn() {
		if refused, is := refusePrompt(r, run, a.Mode); is {
			return refused
		}
	}
	return a
}

// NeedsTyping reports whether the request has a prompt or answers questions in advance although no
// person typed it. Such a request begins a run only if a person typed the same command earlier, for
// example after /loop.
func (r Request) NeedsTyping() bool {
	return r.Unasked() && (r.answers() || KindOf(r.Command.Skill).Prompts && !r.Command.OptsIn())
}

// answers reports whether the command answers questions in advance.
func (r Request) answers() bool {
	return r.Flags.Names("--near-limit") || r.Flags.Names("--merges")
}

// refuseUnasked refuses a request that no person typed if it would change, replace or resume a
// person's run, or bring a prompt or answers of its own. Only a person may set a run's ceilings.
func refuseUnasked(r Request, s Standing, mine bool) (Admission, bool) {
	run := s.Run
	switch {
	case r.Gated && !mine: // for the session's own run, its gate decides
		return refuse("Not started: this session's loop has ended\n" +
			"hint: end the turn; only a person can start another loop"), true
	case (run == nil || !mine && run.Status == Active) && r.NeedsTyping() && !s.Typed:
		if r.answers() {
			return refuse("Not started: only a person may set --near-limit and --merges, but no " +
				"person typed them\nhint: leave them out, or let a person type the command"), true
		}
		return refuse("Not started: no person typed this prompt\nhint: let a person type the " +
			"command, as in `/" + r.Command.Name + " -- fix the flaky tests`"), true
	case run == nil:
		return Admission{}, false
	case run.Status != Active && r.Model:
		return refuse(priorStop(run) +
			"\nhint: only a person can continue this run, with --resume"), true
	case run.Status != Active || run.agrees(r.Flags) && (mine || s.OwnerIs != Dead):
		return Admission{}, false
	case r.Model:
		return refuse("Not started: these flags differ from the running loop's (" + run.Flags +
			"), and no person typed them\nhint: use `" + run.Command +
			"`, or let a person type the command with new flags"), true
	case mine:
		return refuse("Not started: the flags of the scheduled command differ from the running " +
			"loop's (" + run.Flags + ")"), true
	}
	return Admission{}, false
}

// agrees reports whether f matches a command that a person typed for this run. It also accepts
// --resume without another PR or prompt. Flag order and explicit defaults do not matter.
func (b *Budget) agrees(f Flags) bool {
	if f.Resume && len(f.explicit) == 0 && (f.PR == 0 || f.PR == b.SinglePR) {
		return b.alike(f.Prompt)
	}
	own := oneBlank(f.canonical())
	return b.Flags == "" || own == oneBlank(b.Flags) ||
		slices.ContainsFunc(b.OtherFlags, func(o string) bool { return own == oneBlank(o) })
}

// alsoTyped records the flags of another command that a person typed for this run, so that its
// schedule may repeat them.
func (b *Budget) alsoTyped(flags string) {
	if flags != b.Flags {
		b.OtherFlags = AppendNew(b.OtherFlags, flags)
	}
}

// Unasked reports whether no person typed the request.
func (r Request) Unasked() bool { return r.Model || r.Scheduled }

// Discards reports whether the command replaces a run whose budget file is missing (R111). A person
// must have typed it, without --resume. lost is the state last written for that run, which must be
// between iterations or owned by another session whose client is dead.
func (e Invocation) Discards(lost State, ownerGone bool) bool {
	abandoned := lost.Run.SessionID != e.SessionID && ownerGone
	return e.Typed() && !e.Flags.Resume && (lost.Tick == nil || abandoned)
}

// Typed reports whether the command comes from a person, not from a schedule, model or conductor.
func (e Invocation) Typed() bool { return !e.Unasked() && !e.Fed }

// NeedsSeal reports whether to refuse the run if it has no seal. It returns true if the run's
// client is alive or the run is from this session, because a new seal would accept whatever is in
// the run's files. It returns false for other runs, and if a person resumes a run of this session
// whose client died, because the seal may be on another machine or lost with the user's home.
func (e Invocation) NeedsSeal(run *Budget, owner Liveness) bool {
	return run != nil && (owner == Alive ||
		run.SessionID == e.SessionID && !(owner == Dead && e.Flags.Resume && e.Typed()))
}

// FromSchedule reports whether no person typed the request, according to its origin in the
// transcript. If the origin is unknown, FromSchedule returns true if a schedule has just fired or
// the last Stop listed the same command as scheduled.
func (e Invocation) FromSchedule(s State, origin string, fired bool) bool {
	if origin != "" {
		return origin != "human" && origin != "sdk"
	}
	var prompts []string
	if b := s.Run; b != nil && b.OwnedBy(e.Request) {
		prompts = b.Scheduled
	}
	if c := s.Claim; c != nil && c.Stopped && c.SessionID == e.SessionID {
		prompts = slices.Concat(prompts, c.Scheduled)
	}
	return fired || slices.ContainsFunc(prompts, func(prompt string) bool {
		c, ok := ParsePrompt(prompt, NamesOf(e.Command.Name, e.Command.Skill))
		return ok && c == e.Command
	})
}

// Invocation is the event of invoking a looping skill. It asks to begin a tick.
type Invocation struct {
	Request
	DontAsk bool // the session's permission mode allows no dialog
	// Answers holds the answers from the dialog about another iteration's lock, or nil if there was
	// no dialog. Cleared reports whether the old iteration was abandoned and its lock removed.
	Answers *Answers
	Cleared bool
	answer  *GateAnswer // the person's answer from Answers, or nil
}

// refusePrompt refuses a fresh run without a prompt. It also refuses to resume a run with a
// different prompt, because a run's prompt never changes.
func refusePrompt(r Request, run *Budget, mode Mode) (Admission, bool) {
	kind := KindOf(r.Command.Skill)
	switch {
	case mode == FreshRun && r.Flags.Prompt == "":
		return refuse("Not started: " + kind.Invoked() + " has no prompt\n" +
			"hint: put one after --, as in `" + kind.Invoked() + " -- fix the flaky tests`"), true
	case mode != FreshRun && !run.alike(r.Flags.Prompt):
		return refuse("Not started: the run to resume has another prompt: " + run.Prompt() +
			"\nhint: leave out the prompt to continue that run, or --resume to start another"), true
	}
	return Admission{}, false
}
