package loop

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"hooks/internal/attempt"
)

// newRun returns the budget for a fresh run. It stores the defaults so that a resume does not
// change them silently (R16).
func newRun(r Request) Budget {
	b := Budget{
		Version: Version, RunID: r.RunID, SessionID: r.SessionID, Skill: r.Command.Skill,
		StartedAt: r.Now,
		Ceilings:  r.Flags.Ceilings, Policy: r.Flags.Policy, PRsTouched: []string{},
		Status: Active,
		Owner:  r.Owner, EventsFrom: r.EventsFrom, UnderLoop: r.UnderLoop,
		RateTableSource: r.Prices, Config: r.Config, Tracker: r.Tracker, LeftOut: r.LeftOut,
		Ask:      r.Ask,
		SinglePR: r.Flags.PR, MaxIdle: r.Flags.Idle,
	}
	if b.SinglePR != 0 {
		b.PRsTouched = []string{prName(b.SinglePR)}
	}
	if r.Own != nil {
		b.Own = r.Own.Clone()
	}
	b.invokedBy(r)
	return b
}

func prName(n int) string { return fmt.Sprintf("#%d", n) }

func (b *Budget) invokedBy(r Request) {
	b.Flags = r.Flags.canonical()
	args, prompt := r.Command.Args, r.Flags.Prompt
	if b.Kind().Prompts {
		args, _ = r.Command.cutPrompt()
		prompt = cmp.Or(prompt, b.Prompt()) // a resume need not repeat the prompt
	}
	words := slices.DeleteFunc(strings.Fields(args), func(w string) bool {
		return w == "--resume" || w == "--restart"
	})
	if prompt != "" {
		words = append(words, "--", prompt)
	}
	b.Command = "/" + r.Command.Name + " " + strings.Join(words, " ")
	// assumed until the first Stop, which reports the session's schedule
	if typed := "/" + r.Command.Name + " " + r.Command.Args; r.UnderLoop {
		b.Scheduled = []string{typed, "/loop " + typed}
	}
}

// resumeRun continues an earlier run: the counters keep their values, conditions and gates are
// evaluated again, and the pause does not count (R130–R133). It changes only the ceilings that the
// command names.
func resumeRun(b Budget, r Request) Budget {
	b.Tracker = cmp.Or(b.Tracker, r.Tracker) // older versions began runs without a tracker
	b.away(r.Now)
	if b.SessionID != r.SessionID || b.Owner.PID != r.Owner.PID || b.Owner.Start != r.Owner.Start {
		b.Jobs = nil // the jobs ended with their client
	}
	b.Status, b.StopCause, b.StopText, b.StopDetail = Active, "", "", nil
	b.SessionID, b.Owner, b.OwnerLeft = r.SessionID, r.Owner, false
	b.EventsFrom = r.EventsFrom
	b.UnderLoop = r.UnderLoop
	b.raise(r)
	b.Idle, b.Asking = nil, "" // a person has intervened
	if p := b.Own; p != nil {
		p.Resume(&b, r)
	}
	before := b.Flags
	b.Scheduled, b.NextTick, b.LastPrompts, b.Blocks = nil, time.Time{}, nil, Blocks{}
	b.invokedBy(r)
	b.alsoTyped(before)
	return b
}

// continueRun returns the run for its next tick. /clear may have moved it to a new session in the
// same client.
func continueRun(b Budget, r Request) Budget {
	b.Tracker = cmp.Or(b.Tracker, r.Tracker) // as in resumeRun
	// the time until another client took up the session counts as a pause
	if b.Owner.PID != r.Owner.PID || b.Owner.Start != r.Owner.Start {
		b.away(r.Now)
	}
	b.SessionID, b.Owner, b.OwnerLeft = r.SessionID, r.Owner, false
	b.EventsFrom = r.EventsFrom
	b.UnderLoop = b.UnderLoop || r.UnderLoop
	if r.Flags.Resume && !r.Unasked() { // a person sets new ceilings while the run continues
		b.raise(r)
		b.alsoTyped(r.Flags.canonical())
	}
	return b
}

// Rereads reports whether a person made the request to continue a run. If so, the run adopts the
// current configuration.
func (r Request) Rereads() bool { return (r.Flags.Resume || r.Flags.Restart) && !r.Unasked() }

// raise adopts the limits that a person set (R16) and the current configuration.
func (b *Budget) raise(r Request) {
	if r.Unasked() {
		return
	}
	b.Ceilings = b.Ceilings.With(r.Flags.Ceilings, r.Flags.explicit)
	if r.Flags.Names("--near-limit") {
		b.NearLimit = r.Flags.NearLimit
	}
	if r.Flags.Names("--merges") {
		b.Merges = r.Flags.Merges
	}
	b.Config, b.ConfigTold, b.Ask = r.Config, false, r.Ask
	if p := b.Own; p != nil {
		p.Retune(r.Flags.Task)
	}
	if r.Flags.Idle > 0 {
		b.MaxIdle = r.Flags.Idle
	}
}

// Minutes returns the run's active time in whole minutes. It never decreases, even if the clock
// went backwards (R31, R32).
func (b *Budget) Minutes(now time.Time) int {
	active := now.Sub(cmp.Or(b.ActiveSince, b.StartedAt))
	return max(b.MinutesElapsed, b.MinutesBefore+int(max(0, active)/time.Minute))
}

// Touched returns prs_touched including the open tick's PRs, without duplicates, in order of first
// touch. A run that watches a single PR has only that PR (R28, R29, R113).
func (b *Budget) Touched(t *Tick) []string {
	if b.SinglePR != 0 {
		return []string{prName(b.SinglePR)}
	}
	all := append([]string{}, b.PRsTouched...)
	if t != nil {
		all = AppendNew(all, t.PRs...)
	}
	return all
}

// Look returns the facts about a run and its open tick at the given time.
func Look(run *Budget, tick *Tick, previous *Iteration, now time.Time) *Facts {
	return &Facts{Run: run, Tick: tick, Previous: previous, Now: now, Minutes: run.Minutes(now),
		PRs: run.Touched(tick)}
}

// spent returns the facts including the spending so far.
func (s State) spent(now time.Time, k *Known) *Facts {
	b := *s.Run
	b.Spend(k.Count.or().Spent)
	return Look(&b, s.Tick, nil, now)
}

// maxTold bounds how many gaps in the tracker's answers a run reports.
const maxTold = 16

// openTick begins an iteration. It evaluates the entry conditions, then the gates (R24, R98). The
// body begins if no condition holds and no question has to be asked.
func openTick(run *Budget, previous *Iteration, r Request, e EntryFacts) Tick {
	t := Tick{
		Version: Version, RunID: run.RunID, SessionID: r.SessionID, Skill: run.Skill,
		Iteration: run.IterationsUsed + 1,
		StartedAt: r.Now, Prompts: []string{r.PromptID}, Transcript: r.Transcript,
		Notes: e.Notes, Worktrees: e.Worktrees, Asked: e.Asked,
		Trail: e.Trail,
	}
	for _, gap := range e.Unheard {
		id := callKey("gap", gap) // the text itself may contain a secret
		if !slices.Contains(run.TrackerTold, id) && len(run.TrackerTold) < maxTold {
			run.TrackerTold = append(slices.Clip(run.TrackerTold), id)
			t.Notes = append(slices.Clip(t.Notes), gap)
		}
	}
	t.follow(run, previous, e)
	// an old client sends no prompt id, so the blocks of the last prompt would count forever
	if r.PromptID == "" {
		run.Blocks = Blocks{}
	}
	run.MinutesElapsed = run.Minutes(r.Now)
	p := run.Own
	if p != nil {
		alone := (r.Fed || run.Driven() && !r.Flags.Resume) && len(run.Jobs) == 0
		p.Enter(&t, e, alone)
	}
	f := Look(run, &t, previous, r.Now)
	f.Edges = e.Edges
	if e.Dropped != "" {
		f.Dropped = t.noteDropped(run, e.Dropped)
	}
	if t.Fired = evaluate(f, Entry); len(t.Fired) > 0 {
		return t
	}
	t.Pending = append(e.Gates, Due(f, Entry)...)
	if len(run.Pending) > 0 {
		t.carry(run, r.Now)
	}
	t.applyPolicy(run, r.Now)
	if p != nil {
		p.Answered(e)
		if len(t.Fired) == 0 { // an answer may have settled the last open task
			t.Fired = evaluate(f, Entry)
		}
	}
	if len(t.Fired) > 0 { // an answer or a policy ended the run
		return t
	}
	if p != nil {
		t.Attempt = run.begin(e)
	}
	again := previous != nil && previous.SessionID == r.SessionID && r.SessionID != ""
	// each of a driver's processes must have its own session
	if t.Attempt != nil && again && run.Driven() {
		t.Attempt.Stale = true
	}
	// without a person, any question pauses the run before the body begins
	if r.Attended || len(t.Pending) == 0 {
		StartBody(run, &t)
	}
	return t
}

// noteDropped notes that the branch no longer contains the run's tip, and returns the tip. It
// returns "" if a person's resume accepted the branch as it is.
func (t *Tick) noteDropped(run *Budget, tip string) string {
	if run.Attempts().Tip == "" {
		t.Notes = append(t.Notes,
			upper(attempt.LostTip(tip))+"; the resume accepts the branch as it is")
		return ""
	}
	t.Notes = append(t.Notes, upper(attempt.LostTip(tip))+"; no work starts until it is restored")
	return tip
}

// carry repeats the questions from the last exit or a paused run, and applies the answers that a
// person gave to them in a terminal. Budget questions are not repeated, because they are evaluated
// again.
func (t *Tick) carry(run *Budget, now time.Time) {
	for _, g := range run.Pending {
		if g.Answer != "" {
			t.OfflineAnswers = append(t.OfflineAnswers, g)
		}
		if g.Kept = false; !g.ofBudget() && !t.asked(g.Name, g.Target) {
			t.Pending = append(t.Pending, g)
		}
	}
	run.Pending = nil
	t.applyOfflineAnswers(run, now)
}

// applyOfflineAnswers applies the answers that a person gave in a terminal while the run was
// paused. Each answer is applied once, and only to a gate that is due again for the same target and
// commit. The other answers stay in this tick.
func (t *Tick) applyOfflineAnswers(run *Budget, now time.Time) {
	t.OfflineAnswers = slices.DeleteFunc(slices.Clone(t.OfflineAnswers), func(old Gate) bool {
		i := slices.IndexFunc(t.Pending, func(g Gate) bool {
			return g.Name == old.Name && g.Target == old.Target && SameSHA(g.HeadSHA, old.HeadSHA)
		})
		if i < 0 {
			return false
		}
		Answer(run, t, i, GateAnswer{Name: old.Name, Question: old.Question, Answer: old.Answer,
			At: *cmp.Or(old.At, &now), Target: old.Target, Origin: old.Origin})
		return true
	})
}

// StartBody counts the iteration and begins its body if no condition has fired and no gate blocks
// the tick. It reports whether the body has begun.
func StartBody(run *Budget, t *Tick) bool {
	if !t.Started && len(t.Fired) == 0 && len(t.Held()) == 0 {
		t.Started = true
		run.IterationsUsed = t.Iteration
		switch p := run.Own; {
		case t.Attempt == nil || p == nil: // the run's file may have lost Own
		case p.Attempts().Done:
			t.Attempt = nil // an answer has finished the work
		default:
			run.aim(t.Attempt)
		}
		if pr := t.Asked.pr(run.SinglePR); pr != nil {
			t.track(*pr)
		}
	}
	return t.Started
}

// uncount reverts the count for an iteration whose body never began because a hook died after
// saving the budget, which counts the iteration, and before saving the tick.
func (t *Tick) uncount(run *Budget) {
	if !t.Started && run.RunID == t.RunID && run.IterationsUsed >= t.Iteration {
		run.IterationsUsed = t.Iteration - 1
	}
}

// Worked reports whether the tick dispatched a worker, touched a PR, commented or tried a merge.
func (t *Tick) Worked() bool {
	return t.Agents > 0 || len(t.PRs) > 0 || t.Comments > 0 || t.Merges > 0
}

// Held returns the pending questions that block the whole tick. Merge questions do not.
func (t *Tick) Held() []Gate {
	return slices.DeleteFunc(slices.Clone(t.Pending), func(g Gate) bool {
		return g.Name == PostFeedbackMerge
	})
}

// Unheard reports whether a dialog showed questions that are still pending but no event will report
// their answers. The transcript may contain the answers.
func (t *Tick) Unheard(run *Budget) bool {
	asked := func(d Dialog) bool { return !d.Done && !d.Forged }
	return len(t.Pending) > 0 && slices.ContainsFunc(t.Dialogs, asked) &&
		!run.Heard(t.SessionID, afterToolWord)
}

// Halting reports whether the run will halt when the tick ends.
func (t *Tick) Halting() bool { return len(t.Fired) > 0 || t.Interrupted != "" }

// HaltedBy returns the cause that will halt the run when the tick ends, followed by its text. It
// returns "" if there is none.
func (t *Tick) HaltedBy() string {
	switch {
	case t.Interrupted != "":
		return "user_interrupt: " + t.Interrupted
	case len(t.Fired) > 0:
		return t.Fired[0].Cause + ": " + t.Fired[0].Text
	}
	return ""
}

// ByEsc is recorded when a person ends a tick with the client's Esc key.
const ByEsc = "the user interrupted the turn"

// ByTerminal is recorded when a person ends a tick with the program's own command.
const ByTerminal = "hooks loop stop"

// Interrupt records how a person ended the tick; later calls do nothing. Work already dispatched
// continues, but nothing new starts (R43–R45).
func (t *Tick) Interrupt(how string) {
	if t.Interrupted == "" {
		t.Interrupted = how
	}
}

// latest returns the run that a resume starts from: the last saved run, with any counters that are
// higher in the last history line (R130, R131). Counters only grow, so the higher value is newer.
func latest(b Budget, last *Iteration) Budget {
	if last == nil {
		return b
	}
	s := last.Budget
	b.IterationsUsed = max(b.IterationsUsed, s.IterationsUsed)
	b.PRsTouched = AppendNew(b.PRsTouched, s.PRsTouched...)
	b.CommentsPushed = max(b.CommentsPushed, s.CommentsPushed)
	b.MergesAttempted = max(b.MergesAttempted, s.MergesAttempted)
	b.MinutesElapsed = max(b.MinutesElapsed, s.MinutesElapsed)
	b.TokensIn = max(b.TokensIn, s.TokensIn)
	b.TokensOut = max(b.TokensOut, s.TokensOut)
	b.SkippedLines = max(b.SkippedLines, s.SkippedLines)
	b.AgentsDispatched = max(b.AgentsDispatched, s.AgentsDispatched)
	b.DollarsEstimate = max(b.DollarsEstimate, s.DollarsEstimate)
	b.DollarsOutside = max(b.DollarsOutside, s.DollarsOutside)
	return b
}

// With returns the run with any counters that are higher in other, another copy of it. All other
// fields are unchanged.
func (b *Budget) With(other *Budget) *Budget {
	own := latest(*b, &Iteration{Budget: *other})
	own.Seq = max(b.Seq, other.Seq)
	return &own
}

// SetAs returns a copy of the run with the flags, settings and gate answers of other, which
// is another copy of the same run.
func (b *Budget) SetAs(other *Budget) *Budget {
	own := *b
	own.Ceilings, own.Policy, own.MaxIdle = other.Ceilings, other.Policy, other.MaxIdle
	own.Config, own.Ask, own.Tracker = other.Config, other.Ask, other.Tracker
	own.Command, own.Client = other.Command, other.Client
	own.Flags, own.OtherFlags = other.Flags, other.OtherFlags
	own.Pending = slices.Clone(b.Pending)
	for i := range own.Pending {
		g := &own.Pending[i]
		was := cmp.Or(first(other.Pending, func(o Gate) bool {
			return o.Name == g.Name && o.Target == g.Target && o.HeadSHA == g.HeadSHA
		}), &Gate{})
		g.Answer, g.Origin, g.At = was.Answer, was.Origin, was.At
	}
	return &own
}

// SameSHA reports whether two commit hashes are equal. One of them may be abbreviated to seven or
// more characters.
func SameSHA(a, b string) bool {
	short, long := a, b
	if len(a) > len(b) {
		short, long = b, a
	}
	return short == long || len(short) >= 7 && strings.HasPrefix(long, short)
}

// away excludes from the run's minutes the time since MinutesElapsed was updated, for example a
// pause or the hours after the client died (R32).
func (b *Budget) away(now time.Time) {
	b.MinutesBefore, b.ActiveSince = b.MinutesElapsed, now
}

// Now returns the run's current state, for display to people and the model. It adds the open
// iteration's usage so far or, if t is nil, the spending since the last iteration ended. since is
// the usage in the transcripts beyond the run's cursors. If the client is dead, the minutes do not
// grow. The result is never saved.
//
// An iteration counts from its entry, even while the run is paused at the budget question, because
// that question includes it. An iteration that ends before its body begins does not count.
func (b *Budget) Now(t *Tick, since Spent, alive bool, now time.Time) *Budget {
	n := b.clone()
	switch {
	case t != nil:
		if t.Started || !t.Halting() {
			n.IterationsUsed = max(b.IterationsUsed, t.Iteration)
		}
		n.PRsTouched = b.Touched(t)
		n.CommentsPushed += t.Comments
		n.MergesAttempted += t.Merges
		n.AgentsDispatched += t.Agents
		n.Spend(since)
	case b.Status == Active:
		n.spendOutside(since)
	case b.Status == Paused && slices.ContainsFunc(b.Pending, Gate.ofBudget):
		n.IterationsUsed++
	}
	if alive && b.Status == Active {
		n.MinutesElapsed = b.Minutes(now)
	}
	return n
}

// spendOutside adds usage from a time when no iteration was open. It counts towards the run's
// dollars but appears in no history line. A paused or ended run spends nothing.
func (b *Budget) spendOutside(s Spent) {
	if b.Status != Active {
		return
	}
	before := b.DollarsEstimate
	b.Spend(s)
	b.DollarsOutside = b.DollarsOutside.Plus(b.DollarsEstimate - before)
}
