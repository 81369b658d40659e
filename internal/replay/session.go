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

// New begins with nothing run yet. Where a session never invoked a looping skill, every prompt is taken as a tick.
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

func dollars(byModel map[string]loop.Tokens) (sum loop.USD) {
	for _, t := range byModel {
		sum += t.Dollars
	}
	return sum
}

// invocation is a looping skill that is invoked.
type invocation struct {
	at        time.Time
	prompt    string
	command   loop.Command
	scheduled bool // no person typed it
	underLoop bool
}

// owner is the client of the session; there is only one.
var owner = loop.Process{PID: 1}

// enter asks what becomes of an invocation, and begins an iteration where one may begin.
func (s *Session) enter(i invocation) {
	if n := len(s.rows) - 1; n >= 0 && s.rows[n].Prompt == i.prompt && s.rows[n].Skill == i.command.Skill {
		return // both ways in, one tick
	}
	t := s.thread(i.command.Skill)
	flags, _, err := loop.ParseFlags(i.command.Skill, i.command.Args)
	if err != nil {
		s.turnAway(i, "refused", err.Error())
		return
	}
	flags.Ceilings = flags.Ceilings.With(s.limits.Ceilings, s.limits.Named)
	req := loop.Request{
		Now: i.at, SessionID: s.id, PromptID: i.prompt, Command: i.command, Flags: flags, Owner: owner,
		RunID: fmt.Sprintf("run-%d", len(s.runs)+1), Scheduled: i.scheduled, Attended: true, UnderLoop: i.underLoop,
	}
	a := s.admit(t, req)
	switch a.Verdict {
	case loop.Already:
	case loop.Start:
		s.start(t, a, req)
	case loop.Refuse:
		s.turnAway(i, "refused", a.Text)
	default:
		s.turnAway(i, "skipped", a.Text)
	}
}

func (s *Session) thread(skill loop.Skill) *Thread {
	return s.threads[slices.IndexFunc(s.threads, func(t *Thread) bool { return t.Skill == skill })]
}

// admit closes the iteration that never reached its end, then asks again.
func (s *Session) admit(t *Thread, req loop.Request) loop.Admission {
	standing := func() loop.Standing { return loop.Standing{Run: t.Run, Tick: t.Tick, OwnerIs: loop.Alive} }
	a := loop.Admit(req, standing())
	if a.Verdict == loop.CloseFirst {
		s.close(t, req.Now)
		a = loop.Admit(req, standing())
	}
	return a
}

// row begins a line of the table.
func (s *Session) row(r report.Replayed) {
	r.EndedAt, r.PRs = r.StartedAt, []string{}
	s.rows, s.seen = append(s.rows, r), append(s.seen, &loop.Tick{})
}

// turnAway notes a tick that would not have begun.
func (s *Session) turnAway(i invocation, verdict, text string) {
	s.row(report.Replayed{Skill: i.command.Skill, Prompt: i.prompt, StartedAt: i.at, Verdict: verdict, Text: text})
}

func (s *Session) start(t *Thread, a loop.Admission, req loop.Request) {
	var run loop.Budget
	switch a.Mode {
	case loop.NextTick:
		run = loop.Proceed(*t.Run, req)
	case loop.ResumeRun:
		run = loop.Resume(loop.Latest(*t.Run, t.previous), req)
	default:
		run, t.previous = loop.NewRun(req), nil
		s.runs = append(s.runs, run.Ceilings)
		s.outside += dollars(s.older)
		clear(s.older)
	}
	tick := loop.Open(&run, t.previous, req, loop.EntryFacts{Notes: a.Notes})
	t.Run, t.Tick, t.row = &run, &tick, len(s.rows)
	s.row(report.Replayed{
		Run: len(s.runs), Skill: t.Skill, Iteration: tick.Iteration, Prompt: req.PromptID, StartedAt: req.Now, Verdict: "ran",
	})
	if len(tick.Fired) > 0 {
		run.MinutesElapsed = run.Minutes(req.Now)
		s.end(t, loop.Ending{Now: req.Now}, "entry")
	}
}

// prompt is one that invokes nothing; own says that it belongs to the open iterations, as their workers'
// notifications do. Any other means that an iteration whose turn reached no end was cut off.
func (s *Session) prompt(at time.Time, id string, own bool) {
	s.age()
	for _, t := range s.threads {
		switch {
		case t.Tick == nil:
		case own || t.Tick.Draining:
			t.Tick.Prompts = append(t.Tick.Prompts, id)
		default:
			s.close(t, at)
		}
	}
}

// age: a prompt comes that may invoke a looping skill, and what was spent before it is none of a fresh run's.
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

// stopTyped ends the runs on a person's word for it, between their iterations too.
func (s *Session) stopTyped(at time.Time, prompt string) {
	const how = "/loop stop"
	s.interrupt(how)
	for _, t := range s.Threads() {
		if t.Tick == nil && t.Run.Status == loop.Active {
			t.Tick = &loop.Tick{
				RunID: t.Run.RunID, SessionID: s.id, Skill: t.Skill, Iteration: t.Run.IterationsUsed, StartedAt: at,
				Interrupted: how, Prompts: []string{prompt},
			}
			s.end(t, loop.Ending{Now: at}, "exit")
		}
	}
}

// ended is one worker less.
func (s *Session) ended(worker string) {
	for _, t := range s.threads {
		if t.Tick != nil {
			t.Tick.Workers = slices.DeleteFunc(t.Tick.Workers, func(id string) bool { return id == worker })
		}
	}
}

// turnEnds closes the open iterations, unless their workers still run.
func (s *Session) turnEnds(at time.Time) {
	for _, t := range s.threads {
		switch {
		case t.Tick == nil:
		case len(t.Tick.Workers) > 0:
			t.Tick.Draining = true
		default:
			s.close(t, at)
		}
	}
	s.settleRow(at)
}

// settleRow gives a tick that would not have begun what it spent in fact.
func (s *Session) settleRow(at time.Time) {
	n := len(s.rows) - 1
	if n < 0 || s.open() || s.rows[n].Verdict == "ran" && (s.rows[n].Stop == nil || s.rows[n].Stop.At != "entry") {
		return
	}
	s.rows[n].Dollars += dollars(s.take().ByModel)
	s.rows[n].EndedAt = at
}

func (s *Session) open() bool {
	return slices.ContainsFunc(s.threads, func(t *Thread) bool { return t.Tick != nil })
}

func (s *Session) close(t *Thread, at time.Time) {
	s.Settle(t, at)
	s.end(t, loop.Ending{Now: at, Spent: s.take()}, "exit")
}

// end closes an iteration by the rules and fills in its line.
func (s *Session) end(t *Thread, e loop.Ending, where string) {
	c := loop.Close(*t.Run, *t.Tick, t.previous, e)
	t.Run, t.Tick, t.previous = &c.Run, nil, &c.Line
	row := &s.rows[t.row]
	row.EndedAt, row.Dollars = e.Now, row.Dollars+c.Line.Dollars
	if !c.Halted() {
		return
	}
	row.Stop = &report.Stopped{Cause: c.Run.StopCause, Text: c.Run.StopText, At: where}
	if s.stop == nil {
		s.stop = &report.ReplayStop{Run: row.Run, Iteration: row.Iteration, When: e.Now, Stopped: *row.Stop}
	}
}
