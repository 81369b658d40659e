package replay

import (
	"fmt"
	"slices"
	"time"

	"hooks/internal/loop"
	"hooks/internal/report"
)

// Limits are the ceilings that a person wants to try; the zero value tries none.
type Limits struct {
	loop.Ceilings
	Named []string // the flags of those that are set, as in "--max-prs"
}

// Thread is one skill's run as it would stand.
type Thread struct {
	Skill    loop.Skill
	Run      *loop.Budget
	Tick     *loop.Tick // the open iteration, nil between two
	previous *loop.Iteration
	row      int
}

// Session is a past session on its way through the rules.
type Session struct {
	id      string
	limits  Limits
	threads []*Thread
	runs    []loop.Ceilings
	rows    []report.Replayed
	seen    []*loop.Tick // by row: what was done in fact
	older   map[string]loop.Tokens
	pot     map[string]loop.Tokens // since the prompt that runs
	total   map[string]loop.Tokens
	outside loop.USD
	stop    *report.ReplayStop

	byPrompt bool // no looping skill was invoked: every prompt is taken as a tick
	turn     *turn
	fired    bool // the schedule has just submitted a prompt
}

// New begins with nothing run yet. Where a session never invoked a looping skill, every prompt is
// taken as a tick.
func New(id string, limits Limits, byPrompt bool) *Session {
	s := &Session{
		id: id, limits: limits, byPrompt: byPrompt, older: map[string]loop.Tokens{},
		pot: map[string]loop.Tokens{}, total: map[string]loop.Tokens{},
	}
	for _, skill := range loop.Skills() {
		s.threads = append(s.threads, &Thread{Skill: skill})
	}
	return s
}

// Threads are the runs that there are.
func (s *Session) Threads() (list []*Thread) {
	for _, t := range s.threads {
		if t.Run != nil {
			list = append(list, t)
		}
	}
	return list
}

// SetTick replaces the open iteration of a skill's run.
func (s *Session) SetTick(skill loop.Skill, tick *loop.Tick) { s.thread(skill).Tick = tick }

// Spend takes in what was spent since the last step.
func (s *Session) Spend(byModel map[string]loop.Tokens) {
	add(s.pot, byModel)
	add(s.total, byModel)
}

func add(to, more map[string]loop.Tokens) {
	for m, t := range more {
		to[m] = to[m].Add(t)
	}
}

// Spent is what the open iterations have spent so far.
func (s *Session) Spent() loop.Spent {
	all := map[string]loop.Tokens{}
	add(all, s.older)
	add(all, s.pot)
	return loop.Spent{ByModel: all}
}

func (s *Session) take() loop.Spent {
	all := s.Spent()
	clear(s.older)
	clear(s.pot)
	return all
}

// owner is the client of the session; there is only one.
var owner = loop.Process{PID: 1}

// enter asks what becomes of a looping skill that is invoked in a turn, and begins an iteration
// where one may begin.
func (s *Session) enter(at time.Time, in turn, cmd loop.Command) {
	if n := len(s.rows) - 1; n >= 0 && s.rows[n].Prompt == in.id && s.rows[n].Skill == cmd.Skill {
		return // both ways in, one tick
	}
	t := s.thread(cmd.Skill)
	turnAway := func(verdict, text string) {
		s.row(report.Replayed{Skill: cmd.Skill, Prompt: in.id, StartedAt: at, Verdict: verdict,
			Text: text})
	}
	flags, _, err := cmd.ParseFlags()
	if err != nil {
		turnAway("refused", err.Error())
		return
	}
	flags.Ceilings = flags.Ceilings.With(s.limits.Ceilings, s.limits.Named)
	req := loop.Request{
		Now: at, SessionID: s.id, PromptID: in.id, Command: cmd, Flags: flags, Owner: owner,
		RunID: fmt.Sprintf("run-%d", len(s.runs)+1), Scheduled: in.scheduled, Attended: true,
		UnderLoop: in.underLoop,
	}
	e := loop.Invocation{Request: req}
	o := decide(t, e)
	if o.Abandon {
		s.close(t, req.Now)
		o = decide(t, e)
	}
	switch {
	case o.Save.Enter != nil:
		s.start(t, o.Save.Enter)
	case o.Reply.Refuse != "":
		turnAway("refused", o.Reply.Refuse)
	case o.Reply.PassedOver != nil:
		turnAway("skipped", o.Reply.PassedOver.Text)
	}
}

func (s *Session) thread(skill loop.Skill) *Thread {
	return s.threads[slices.IndexFunc(s.threads, func(t *Thread) bool { return t.Skill == skill })]
}

// row begins a line of the table.
func (s *Session) row(r report.Replayed) {
	r.EndedAt, r.PRs = r.StartedAt, []string{}
	s.rows, s.seen = append(s.rows, r), append(s.seen, &loop.Tick{})
}

// decide is what an invocation comes to.
func decide(t *Thread, e loop.Invocation) loop.Outcome {
	return loop.Step(loop.State{Run: t.Run, Tick: t.Tick}, known(t), e)
}

func (s *Session) start(t *Thread, in *loop.Entering) {
	if in.Opens.Mode == loop.FreshRun {
		t.previous = nil
		s.runs = append(s.runs, in.Run.Ceilings)
		s.outside += loop.Sum(s.older).Dollars
		clear(s.older)
	}
	t.Run, t.Tick, t.row = in.Run, nil, len(s.rows)
	s.row(report.Replayed{
		Run: len(s.runs), Skill: t.Skill, Iteration: in.Lock.Iteration, Prompt: in.Opens.PromptID,
		StartedAt: in.Opens.Now, Verdict: "ran",
	})
	o := loop.Step(loop.State{Run: t.Run}, known(t), in.Opens)
	if c := o.Save.Close; c != nil {
		s.closed(t, c, "entry")
		return
	}
	t.Run, t.Tick = o.Save.Counted, o.Save.Tick
}

// known are the facts of a run whose client lives, without what was spent.
func known(t *Thread) loop.Known {
	return loop.Known{
		Bare: true, Previous: loop.Fetched(t.previous),
		Standing: loop.Fetched(loop.Standing{OwnerIs: loop.Alive}),
	}
}

// prompt is one that invokes nothing; own says that it belongs to the open iterations, as their
// workers' notifications do.
func (s *Session) prompt(at time.Time, id string, own, stops bool) {
	s.age()
	if id == "" {
		id = "a prompt without an id"
	}
	turn := s.turnAt(at, id)
	for _, t := range s.Threads() {
		if t.Tick != nil && !own && !t.Tick.Draining {
			s.Settle(t, at)
		}
		e := loop.Prompt{Turn: turn, Stops: stops}
		if own {
			e.Wakes = &loop.Wakeup{}
		}
		s.step(t, e)
	}
}

// age: a prompt comes that may invoke a looping skill, and what was spent before it is no part of a
// fresh run.
func (s *Session) age() {
	add(s.older, s.pot)
	clear(s.pot)
}

// interrupt is a person's end of a turn (R43).
func (s *Session) interrupt(how string) {
	for _, t := range s.threads {
		if t.Tick != nil {
			t.Tick.Interrupt(how)
		}
	}
}

// ended is the end of a worker.
func (s *Session) ended(at time.Time, worker string) {
	for _, t := range s.Threads() {
		s.step(t, loop.WorkerEnd{Turn: s.turnAt(at, s.PromptID()), Agent: worker})
	}
}

// turnEnds closes the open iterations, unless their workers still run.
func (s *Session) turnEnds(at time.Time) {
	for _, t := range s.Threads() {
		if t.Tick != nil {
			s.Settle(t, at)
			s.step(t, loop.TurnEnd{Turn: s.turnAt(at, ""), Working: t.Tick.Workers})
		}
	}
	s.settleRow(at)
}

func (s *Session) turnAt(at time.Time, prompt string) loop.Turn {
	return loop.Turn{Now: at, Session: s.id, Prompt: prompt, Attended: true}
}

// step takes one event through a run. A turn that would have been held ended all the same, so Step
// decides again.
func (s *Session) step(t *Thread, e loop.Event) {
	for {
		k := known(t)
		k.Count = loop.Fetched(loop.Count{Spent: s.Spent()})
		o := loop.Step(loop.State{Run: t.Run, Tick: t.Tick}, k, e)
		if c := o.Save.Close; c != nil {
			s.take()
			s.closed(t, c, "exit")
			return
		}
		if o.Save.Run != nil {
			t.Run = o.Save.Run
		}
		if o.Save.Tick != nil {
			t.Tick = o.Save.Tick
		}
		if o.Reply.Continue == nil {
			return
		}
	}
}

// settleRow gives a tick that would not have begun what it spent in fact.
func (s *Session) settleRow(at time.Time) {
	n := len(s.rows) - 1
	if n < 0 || s.open() || s.rows[n].Verdict == "ran" &&
		(s.rows[n].Stop == nil || s.rows[n].Stop.At != "entry") {
		return
	}
	s.rows[n].Dollars += loop.Sum(s.take().ByModel).Dollars
	s.rows[n].EndedAt = at
}

func (s *Session) open() bool {
	return slices.ContainsFunc(s.threads, func(t *Thread) bool { return t.Tick != nil })
}

// close ends an iteration that never reached its end.
func (s *Session) close(t *Thread, at time.Time) {
	s.Settle(t, at)
	s.step(t, loop.Abandoned{Turn: s.turnAt(at, "")})
}

// closed takes an iteration that has ended into its row.
func (s *Session) closed(t *Thread, c *loop.Closing, where string) {
	t.Run, t.Tick, t.previous = c.Run(), nil, &c.Line
	row := &s.rows[t.row]
	row.EndedAt, row.Dollars = c.Line.EndedAt, row.Dollars+c.Line.Dollars
	if !c.Halted() {
		return
	}
	row.Stop = &report.Stopped{Cause: c.Run().StopCause, Text: c.Run().StopText, At: where}
	if s.stop == nil {
		s.stop = &report.ReplayStop{
			Run: row.Run, Iteration: row.Iteration, When: c.Line.EndedAt, Stopped: *row.Stop,
		}
	}
}
