// Package replay applies the rules to a past session. Each prompt that invokes a looping skill
// becomes an iteration. As in a live loop, Step decides whether the iteration begins and when it
// closes.
//
// A past session cannot be changed. A call that the rules would have refused happened anyway, so it
// is reported but does not count for the run. If a question was never put to a person, its safest
// option is taken as the answer.
package replay

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"hooks/internal/loop"
	"hooks/internal/report"
	"hooks/internal/usage"
)

// thread is the replayed run of one skill.
type thread struct {
	loop.State
	skill    loop.Skill
	previous *loop.Iteration
	row      *row // row of the newest iteration
}

// row is one tick in the result. seen holds the effects of all its calls, even refused ones.
type row struct {
	report.Replayed
	seen loop.Tick
}

// session is the state of a replay.
type session struct {
	*Script
	id      string
	limit   func(loop.Ceilings) loop.Ceilings
	threads []*thread // runs that have started
	rows    []*row
	spent   map[string]loop.Tokens // tokens since the last iteration ended
	older   map[string]loop.Tokens // part of spent before the current prompt
	fired   bool                   // the next prompt comes from the schedule
	result  report.Replay

	prompt    string // id of the current prompt
	scheduled bool   // no person typed it
	underLoop bool   // it is the client's own /loop command
}

// Play applies the rules to a session and returns the result. The script must not be empty. If the
// session invoked no looping skill, each prompt counts as an iteration of one loop. limit returns
// the ceilings to try instead of a command's own.
func (s *Script) Play(id string, limit func(loop.Ceilings) loop.Ceilings) report.Replay {
	p := &session{Script: s, id: id, limit: limit, spent: map[string]loop.Tokens{}}
	loops := slices.ContainsFunc(s.steps, func(st *step) bool {
		_, invokes := s.invocation(st)
		return invokes
	})
	p.result = report.Replay{SessionID: id, ByPrompt: !loops, ByModel: map[string]loop.Tokens{}}
	for _, st := range s.steps {
		p.take(st)
		add(p.spent, st.spent)
		add(p.result.ByModel, st.spent)
	}
	return p.end()
}

// take advances the session by one step.
func (s *session) take(st *step) {
	cmd, invokes := s.invocation(st)
	switch st.Kind {
	case usage.Fired:
		s.fired = true
	case usage.Prompted:
		s.prompted(st, cmd, invokes)
		s.fired = false
	case usage.Interrupted:
		for _, t := range s.threads { // if every prompt is an iteration, Esc only steers
			if t.Tick != nil && !s.result.ByPrompt {
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

// prompted handles a prompt. If the prompt invokes a looping skill, it begins an iteration.
// Otherwise the open iterations receive it as an event, such as the end of a worker.
func (s *session) prompted(st *step, cmd loop.Command, invokes bool) {
	worker, notification := st.worker()
	if s.result.ByPrompt && !notification {
		cmd, invokes = loop.ParseCommand("sdd:work", "--loop")
	}
	s.older = maps.Clone(s.spent)
	if notification {
		s.workerEnded(st.At, worker)
	}
	stops := st.underLoop() && strings.TrimSpace(st.part("command-args")) == "stop" ||
		strings.TrimSpace(st.Text) == "/loop stop" // the client's own command for ending a loop
	if notification || stops || !invokes && !st.underLoop() {
		prompt := cmp.Or(st.Prompt, "a prompt without an id")
		e := loop.PromptSubmit{Turn: s.at(st.At, prompt), Stops: stops}
		if notification {
			e.Wakes = &loop.Wakeup{}
		}
		for _, t := range s.threads {
			if t.Tick != nil && !notification && !t.Tick.Draining {
				s.settle(t, st.At)
			}
			s.step(t, e)
		}
	}
	if notification {
		return
	}
	s.prompt, s.scheduled, s.underLoop = st.Prompt, s.fired, st.underLoop()
	if st.Origin != "" { // the client recorded the origin
		s.scheduled = st.Origin != "human" && st.Origin != "sdk"
	}
	if invokes {
		s.invoke(st, cmd)
	}
}

// invoke begins an iteration if the rules allow it. A turn of unknown origin counts as a person's.
func (s *session) invoke(st *step, cmd loop.Command) {
	prompt := cmp.Or(s.prompt, st.ID)
	if last := s.last(); last.Prompt == prompt && last.Skill == cmd.Skill {
		return // the slash command and the Skill tool call count as one tick
	}
	t := &thread{skill: cmd.Skill}
	own := func(o *thread) bool { return o.skill == t.skill }
	if i := slices.IndexFunc(s.threads, own); i >= 0 {
		t = s.threads[i]
	}
	r := &row{Replayed: report.Replayed{Skill: cmd.Skill, Prompt: prompt, StartedAt: st.At,
		EndedAt: st.At}}
	flags, _, err := cmd.ParseFlags()
	if err != nil {
		r.Verdict, r.Text = "refused", err.Error()
		s.rows = append(s.rows, r)
		return
	}
	flags.Ceilings = s.limit(flags.Ceilings)
	e := loop.Invocation{Request: loop.Request{
		Now: st.At, SessionID: s.id, PromptID: prompt, Command: cmd, Flags: flags,
		Owner: loop.Process{PID: 1}, RunID: fmt.Sprintf("run-%d", len(s.result.Ceilings)+1),
		Scheduled: s.scheduled || s.result.ByPrompt, Attended: true, UnderLoop: s.underLoop,
	}}
	o := loop.Step(t.State, known(t), e)
	if o.Abandon {
		s.abandon(t, st.At)
		o = loop.Step(t.State, known(t), e)
	}
	switch {
	case o.Save.Enter != nil:
		r.Verdict = "ran"
		s.start(t, o.Save.Enter, r)
		return
	case o.Reply.Refuse != "":
		r.Verdict, r.Text = "refused", o.Reply.Refuse
	case o.Reply.PassedOver != nil:
		r.Verdict, r.Text = "skipped", o.Reply.PassedOver.Text
	default:
		return
	}
	s.rows = append(s.rows, r)
}

func (s *session) start(t *thread, in *loop.Entering, r *row) {
	if in.Opens.Mode == loop.FreshRun {
		t.previous = nil
		s.result.Ceilings = append(s.result.Ceilings, in.Run.Ceilings)
		for model, t := range s.older { // a fresh run does not include this spend
			s.spent[model] = s.spent[model].Less(t)
		}
	}
	if t.Run == nil {
		s.threads = append(s.threads, t)
	}
	t.Run, t.Tick, t.row = in.Run, nil, r
	r.Run, r.Iteration = len(s.result.Ceilings), in.Lock.Iteration
	s.rows = append(s.rows, r)
	o := loop.Step(t.State, known(t), in.Opens)
	if c := o.Save.Close; c != nil {
		s.closed(t, c, "entry")
		return
	}
	t.Run, t.Tick = o.Save.Run, o.Save.Tick
}

// step applies one event to a run. A recorded turn has already ended, so if Step asks to keep it
// open, step repeats the event until Step no longer does.
func (s *session) step(t *thread, e loop.Event) {
	for {
		k := known(t)
		k.Count = loop.Fetched(loop.Count{Spent: s.spends()})
		o := loop.Step(t.State, k, e)
		if c := o.Save.Close; c != nil {
			clear(s.spent)
			clear(s.older)
			s.closed(t, c, "exit")
			return
		}
		t.Run, t.Tick = cmp.Or(o.Save.Run, t.Run), cmp.Or(o.Save.Tick, t.Tick)
		if o.Reply.Continue == nil {
			return
		}
	}
}

// known returns the facts about a run, except the spend. It assumes that the client is alive.
func known(t *thread) loop.Known {
	return loop.Known{
		Bare: true, Previous: loop.Fetched(t.previous),
		Standing: loop.Fetched(loop.Standing{OwnerIs: loop.Alive}),
	}
}

// open returns the threads that have an open iteration.
func (s *session) open() []*thread {
	return slices.DeleteFunc(slices.Clone(s.threads), func(t *thread) bool { return t.Tick == nil })
}

// last returns the newest row, or an empty row if there is none.
func (s *session) last() *row {
	if len(s.rows) == 0 {
		return &row{}
	}
	return s.rows[len(s.rows)-1]
}

func (s *session) at(at time.Time, prompt string) loop.Turn {
	return loop.Turn{Now: at, Session: s.id, Prompt: prompt, Attended: true}
}

func (s *session) workerEnded(at time.Time, worker string) {
	for _, t := range s.threads {
		s.step(t, loop.WorkerEnd{Turn: s.at(at, s.prompt), Agent: worker})
	}
}

// abandon closes an iteration whose end is missing from the transcript.
func (s *session) abandon(t *thread, at time.Time) {
	s.settle(t, at)
	s.step(t, loop.Abandoned{Turn: s.at(at, "")})
}

// closed records the end of an iteration in its row.
func (s *session) closed(t *thread, c *loop.Iteration, where string) {
	t.Run, t.Tick, t.previous = &c.Budget, nil, c
	row := t.row
	row.EndedAt, row.Dollars = c.EndedAt, row.Dollars+c.Dollars
	if c.Budget.Status != loop.Halted {
		return
	}
	row.Stop = &report.Stopped{Cause: c.Budget.StopCause, Text: c.Budget.StopText, At: where}
	if s.result.Stop == nil {
		s.result.Stop = &report.ReplayStop{
			Run: row.Run, Iteration: row.Iteration, When: c.EndedAt, Stopped: *row.Stop,
		}
	}
}

// answered records a person's answer at the gate that asks the same question.
func (s *session) answered(question, answer string, at time.Time) {
	for _, t := range s.open() {
		i := slices.IndexFunc(t.Tick.Pending, func(g loop.Gate) bool {
			named := g.Name == loop.PostFeedbackMerge && // the question may name the commit
				strings.HasPrefix(question, g.Target+" at ") &&
				strings.HasSuffix(question, ". Merge now, or hold for review?")
			return named || g.Question == question
		})
		if i >= 0 {
			s.answer(t, i, answer, at, false)
		}
	}
}

// settle answers every open question with its safest option.
func (s *session) settle(t *thread, at time.Time) {
	for t.Tick != nil && len(t.Tick.Pending) > 0 {
		k := loop.GateOf(t.Tick.Pending[0].Name)
		s.answer(t, 0, k.Safest, at, true)
	}
}

func (s *session) answer(t *thread, i int, answer string, at time.Time, assumed bool) {
	g := t.Tick.Pending[i]
	t.row.Asked = append(t.row.Asked,
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

// spends returns the amount spent since the last iteration ended.
func (s *session) spends() loop.Spent { return loop.Spent{ByModel: maps.Clone(s.spent)} }

// settleRow adds the spend to the newest row if no iteration is open and the row was refused,
// skipped or stopped at its entry.
func (s *session) settleRow(at time.Time) {
	r := s.last()
	if len(s.rows) == 0 || len(s.open()) > 0 || r.Verdict == "ran" && !r.atEntry() {
		return
	}
	r.Dollars += loop.Sum(s.spent).Dollars
	r.EndedAt = at
	clear(s.spent)
	clear(s.older)
}

// atEntry reports whether the run ended when the iteration began.
func (r *row) atEntry() bool { return r.Stop != nil && r.Stop.At == "entry" }

// end ends the session when its script does and returns the result.
func (s *session) end() report.Replay {
	at := s.Script.end()
	for _, t := range s.open() {
		s.abandon(t, at)
	}
	s.settleRow(at)
	r := s.result
	var sum loop.USD
	var prs []string // PRs changed after the stop
	for _, i := range s.rows {
		sum += i.Dollars
		i.Sum, i.Agents, i.PRs = sum, i.seen.Agents, append(i.PRs, i.seen.PRs...)
		r.Iterations = append(r.Iterations, i.Replayed)
		if r.Stop == nil || i.StartedAt.Before(r.Stop.When) ||
			i.StartedAt.Equal(r.Stop.When) && !i.atEntry() {
			continue
		}
		r.After.Iterations++
		r.After.Dollars += i.Dollars
		r.After.Agents += i.Agents
		prs = loop.AppendNew(prs, i.PRs...)
	}
	r.Total = loop.Sum(r.ByModel)
	r.After.PRs, r.Outside = len(prs), r.Total.Dollars-sum
	return r
}
