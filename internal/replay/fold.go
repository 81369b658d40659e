// Package replay applies the rules to a past session. Its prompts become iterations, which the same
// Step as in a live loop admits, opens and closes.
//
// A past session cannot be changed. A call that the rules would have refused happened anyway, so it
// is reported but not counted to the run. A question that no person was asked is taken as answered
// with its safest option.
package replay

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"hooks/internal/kind"
	"hooks/internal/loop"
	"hooks/internal/report"
	"hooks/internal/usage"
)

// thread is one skill's run under the rules.
type thread struct {
	loop.State
	skill    loop.Skill
	previous *loop.Iteration
	row      int
}

// turn is the current prompt.
type turn struct {
	id        string
	scheduled bool // no person typed it
	underLoop bool
}

// session is the state of a replay.
type session struct {
	id       string
	limits   Limits
	byPrompt bool // no looping skill was invoked, so every prompt is a tick
	threads  []*thread
	runs     []loop.Ceilings
	rows     []report.Replayed
	seen     []*loop.Tick           // by row: the effects that really happened
	older    map[string]loop.Tokens // spent since the last iteration, before the current prompt
	pot      map[string]loop.Tokens // spent since the current prompt
	total    map[string]loop.Tokens
	outside  loop.USD
	stop     *report.ReplayStop
	turn     *turn // nil before the first prompt
	fired    bool  // the schedule submits the next prompt
}

// Limits holds the ceilings that a person wants to try. The zero value changes no ceiling.
type Limits struct {
	loop.Ceilings
	Named []string // flags of the ceilings that are set, as in "--max-prs"
}

// Play applies the rules to a session and returns the result. The script must have a step. If no
// looping skill was invoked, the session is taken as a loop with an iteration for each prompt.
func (s *Script) Play(id string, l Limits) report.Replay {
	p := &session{id: id, limits: l, byPrompt: !s.loops(), older: map[string]loop.Tokens{},
		pot: map[string]loop.Tokens{}, total: map[string]loop.Tokens{}}
	for _, skill := range kind.Skills() {
		p.threads = append(p.threads, &thread{skill: skill})
	}
	for _, st := range s.Steps {
		p.take(st)
		add(p.pot, st.spent)
		add(p.total, st.spent)
	}
	return p.result(s)
}

// take advances the session by one step.
func (s *session) take(st *Step) {
	cmd, invokes := st.invocation()
	switch st.Kind {
	case usage.Fired:
		s.fired = true
	case usage.Prompted:
		s.prompted(st, cmd, invokes)
		s.fired = false
	case usage.Interrupted:
		for _, t := range s.threads { // with byPrompt, Esc is how a person steers
			if t.Tick != nil && !s.byPrompt {
				t.Tick.Interrupt(loop.ByEsc)
			}
		}
	case usage.Absorbed:
		if worker, notification := st.worker(); notification {
			s.workerEnded(st.At, worker)
		}
	case usage.TurnEnded:
		for _, t := range s.open() {
			s.settle(t, st.At)
			s.step(t, loop.TurnEnd{Turn: s.at(st.At, ""), Working: t.Tick.Workers})
		}
		s.settleRow(st.At)
	case usage.Called:
		if invokes {
			s.invoke(st, cmd)
		} else {
			s.call(st)
		}
	}
}

// prompted handles a prompt. It invokes a looping skill, or it is an event for the open iterations,
// as is the notification of a worker's end.
func (s *session) prompted(st *Step, cmd loop.Command, invokes bool) {
	worker, notification := st.worker()
	if s.byPrompt && !notification {
		cmd, invokes = loop.ParseCommand("sdd:work", "--loop")
	}
	add(s.older, s.pot) // not part of a fresh run
	clear(s.pot)
	if notification {
		s.workerEnded(st.At, worker)
	}
	stops := st.stopTyped()
	if notification || stops || !invokes && !st.underLoop() {
		e := loop.Prompt{Turn: s.at(st.At, st.Prompt), Stops: stops}
		if e.Prompt == "" {
			e.Prompt = "a prompt without an id"
		}
		if notification {
			e.Wakes = &loop.Wakeup{}
		}
		for _, t := range s.begun() {
			if t.Tick != nil && !notification && !t.Tick.Draining {
				s.settle(t, st.At)
			}
			s.step(t, e)
		}
	}
	if notification {
		return
	}
	// Prefer the origin that the client recorded, if any.
	scheduled := s.fired
	if st.Origin != "" {
		scheduled = st.Origin != "human" && st.Origin != "sdk"
	}
	s.turn = &turn{id: st.Prompt, scheduled: scheduled, underLoop: st.underLoop()}
	if invokes {
		s.invoke(st, cmd)
	}
}

// invoke begins an iteration if one may begin. A turn of unknown origin counts as a person's.
func (s *session) invoke(st *Step, cmd loop.Command) {
	in := turn{id: st.ID}
	if s.turn != nil {
		in = *s.turn
	}
	if n := len(s.rows) - 1; n >= 0 && s.rows[n].Prompt == in.id && s.rows[n].Skill == cmd.Skill {
		return // slash command and Skill tool make one tick
	}
	t := s.threads[slices.Index(kind.Skills(), cmd.Skill)]
	row := report.Replayed{Skill: cmd.Skill, Prompt: in.id, StartedAt: st.At}
	flags, _, err := cmd.ParseFlags()
	if err != nil {
		row.Verdict, row.Text = "refused", err.Error()
		s.addRow(row)
		return
	}
	flags.Ceilings = flags.Ceilings.With(s.limits.Ceilings, s.limits.Named)
	e := loop.Invocation{Request: loop.Request{
		Now: st.At, SessionID: s.id, PromptID: in.id, Command: cmd, Flags: flags,
		Owner: loop.Process{PID: 1}, RunID: fmt.Sprintf("run-%d", len(s.runs)+1),
		Scheduled: in.scheduled || s.byPrompt, Attended: true, UnderLoop: in.underLoop,
	}}
	o := loop.Step(t.State, known(t), e)
	if o.Abandon {
		s.abandon(t, st.At)
		o = loop.Step(t.State, known(t), e)
	}
	switch {
	case o.Save.Enter != nil:
		s.start(t, o.Save.Enter, row)
	case o.Reply.Refuse != "":
		row.Verdict, row.Text = "refused", o.Reply.Refuse
		s.addRow(row)
	case o.Reply.PassedOver != nil:
		row.Verdict, row.Text = "skipped", o.Reply.PassedOver.Text
		s.addRow(row)
	}
}

func (s *session) start(t *thread, in *loop.Entering, row report.Replayed) {
	if in.Opens.Mode == loop.FreshRun {
		t.previous = nil
		s.runs = append(s.runs, in.Run.Ceilings)
		s.outside += loop.Sum(s.older).Dollars
		clear(s.older)
	}
	t.Run, t.Tick, t.row = in.Run, nil, len(s.rows)
	row.Run, row.Iteration, row.Verdict = len(s.runs), in.Lock.Iteration, "ran"
	s.addRow(row)
	o := loop.Step(t.State, known(t), in.Opens)
	if c := o.Save.Close; c != nil {
		s.closed(t, c, "entry")
		return
	}
	t.Run, t.Tick = o.Save.Counted, o.Save.Tick
}

// step applies one event to a run. If Step would keep the turn open, the turn ended anyway, so Step
// decides again.
func (s *session) step(t *thread, e loop.Event) {
	for {
		k := known(t)
		k.Count = loop.Fetched(loop.Count{Spent: s.spent()})
		o := loop.Step(t.State, k, e)
		if c := o.Save.Close; c != nil {
			clear(s.older)
			clear(s.pot)
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

// known returns the facts of a run whose client is alive, without the spend.
func known(t *thread) loop.Known {
	return loop.Known{
		Bare: true, Previous: loop.Fetched(t.previous),
		Standing: loop.Fetched(loop.Standing{OwnerIs: loop.Alive}),
	}
}

// begun returns the threads that have a run.
func (s *session) begun() (list []*thread) {
	for _, t := range s.threads {
		if t.Run != nil {
			list = append(list, t)
		}
	}
	return list
}

// open returns the threads that have an open iteration.
func (s *session) open() (list []*thread) {
	for _, t := range s.threads {
		if t.Tick != nil {
			list = append(list, t)
		}
	}
	return list
}

func (s *session) at(at time.Time, prompt string) loop.Turn {
	return loop.Turn{Now: at, Session: s.id, Prompt: prompt, Attended: true}
}

// promptID returns the id of the current prompt. It is empty before the first prompt.
func (s *session) promptID() string {
	if s.turn == nil {
		return ""
	}
	return s.turn.id
}

func (s *session) workerEnded(at time.Time, worker string) {
	for _, t := range s.begun() {
		s.step(t, loop.WorkerEnd{Turn: s.at(at, s.promptID()), Agent: worker})
	}
}

// abandon closes an iteration whose end was never reached.
func (s *session) abandon(t *thread, at time.Time) {
	s.settle(t, at)
	s.step(t, loop.Abandoned{Turn: s.at(at, "")})
}

// closed records the end of an iteration in its row.
func (s *session) closed(t *thread, c *loop.Closing, where string) {
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

// answered records a person's answer at the gate that asks the same question.
func (s *session) answered(question, answer string, at time.Time) {
	for _, t := range s.open() {
		i := slices.IndexFunc(t.Tick.Pending, func(g loop.Gate) bool {
			named := g.Name == loop.PostFeedbackMerge && // it may name the commit
				strings.HasPrefix(question, g.Target+" at ") &&
				strings.HasSuffix(question, ". Merge now, or hold for review?")
			return named || g.Question == question
		})
		if i >= 0 {
			s.answer(t, i, answer, at, false)
		}
	}
}

// settle answers every waiting question with its safest option.
func (s *session) settle(t *thread, at time.Time) {
	for t.Tick != nil && len(t.Tick.Pending) > 0 {
		k, _ := loop.GateOf(t.Tick.Pending[0].Name)
		s.answer(t, 0, k.Safest, at, true)
	}
}

func (s *session) answer(t *thread, i int, answer string, at time.Time, assumed bool) {
	g := t.Tick.Pending[i]
	row := &s.rows[t.row]
	row.Asked = append(row.Asked,
		report.Question{Gate: g.Name, Question: g.Question, Answer: answer, Assumed: assumed})
	loop.Answer(t.Run, t.Tick, i, loop.GateAnswer{
		Name: g.Name, Question: g.Question, Answer: answer, At: at, Target: g.Target})
	loop.StartBody(t.Run, t.Tick)
}

func add(to, more map[string]loop.Tokens) {
	for m, t := range more {
		to[m] = to[m].Add(t)
	}
}

// spent returns the spend since the last iteration ended.
func (s *session) spent() loop.Spent {
	all := map[string]loop.Tokens{}
	add(all, s.older)
	add(all, s.pot)
	return loop.Spent{ByModel: all}
}
