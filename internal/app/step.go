package app

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"hooks/internal/attempt"
	"hooks/internal/event"
	"hooks/internal/hint"
	"hooks/internal/kind"
	"hooks/internal/loop"
	"hooks/internal/proc"
	"hooks/internal/report"
	"hooks/internal/store"
	"hooks/internal/term"
	"hooks/internal/toolcall"
	"hooks/internal/usage"
)

// step applies one event to the session's loops. It calls Step, fetches the missing facts, calls
// Step again and carries out the outcome. It takes no lock if the event concerns no loop.
func (h *handler) step(e loop.Event) (event.Reply, error) {
	return h.stepEach(func(*store.State) loop.Event { return e })
}

// stepOne is like step for a single loop.
func (h *handler) stepOne(t *store.State, e loop.Event) (event.Reply, error) {
	return h.stepEach(func(o *store.State) loop.Event {
		if o.Skill != t.Skill {
			return nil
		}
		return e
	})
}

// stepEach is like step, but eventOf returns the event for each loop, or nil to skip the loop.
func (h *handler) stepEach(eventOf func(*store.State) loop.Event) (event.Reply, error) {
	list, err := h.sessionRuns()
	if err != nil {
		return event.Reply{}, err
	}
	known := map[string]loop.Known{}
	concerned, refused := false, event.Reply{}
	for _, t := range list {
		e := eventOf(t)
		if e == nil {
			continue
		}
		k := loop.Known{}
		o, _ := h.settle(t, e, &k, false) // decideEach, with the lock, returns the same error
		known[iterationKey(t)] = k
		concerned = concerned || !o.Nothing()
		if o.Need == nil && o.Reply.Deny != nil && refused.Empty() {
			refused = h.denial(t, o.Reply.Deny)
		}
	}
	if !concerned {
		return event.Reply{}, nil
	}
	var reply event.Reply
	err = h.withStateLock(func() error {
		now, err := h.loadRuns(h.tx.State)
		if err == nil {
			reply, err = h.decideEach(now, eventOf, known)
		}
		return err
	})
	if err != nil && !refused.Empty() && !reply.Decides() {
		h.sideError(err) // the call is refused even if the refusal cannot be recorded
		return refused, nil
	}
	return reply, err
}

// decideEach steps loops with the state lock held and carries out their outcomes. If one loop
// refuses or fills in a call, only its outcome counts, so that no other loop lets the call
// through. If one loop keeps the turn open, the iterations of the loops after it end at the next
// Stop.
func (h *handler) decideEach(
	list []*store.State, eventOf func(*store.State) loop.Event, known map[string]loop.Known,
) (event.Reply, error) {
	outcomes, errs := map[*store.State]loop.Outcome{}, map[*store.State]error{}
	resolve := func(t *store.State) {
		k := known[iterationKey(t)]
		outcomes[t], errs[t] = h.settle(t, eventOf(t), &k, true)
	}
	for _, t := range list {
		if _, call := eventOf(t).(loop.Call); !call {
			continue
		}
		resolve(t)
		if o := outcomes[t]; o.Reply.Deny != nil || o.Reply.Ask != nil {
			list = []*store.State{t}
			break
		}
	}
	var reply event.Reply
	var failed error // an error in one loop does not stop the others
	for _, t := range list {
		e := eventOf(t)
		if _, stop := e.(loop.TurnEnd); e == nil || stop && h.out.Reply.Blocks() {
			continue
		}
		if _, done := outcomes[t]; !done {
			resolve(t)
		}
		r, err := event.Reply{}, errs[t]
		if err == nil {
			r, err = h.carryOut(t, outcomes[t])
		}
		failed = errors.Join(failed, err)
		reply, h.out.Reply = reply.And(r), h.out.Reply.And(r)
	}
	return reply, failed
}

// decide steps until no fact is missing and carries out the outcome. The caller holds the state
// lock.
func (h *handler) decide(t *store.State, e loop.Event) (event.Reply, error) {
	o, err := h.settle(t, e, &loop.Known{}, true)
	if err != nil {
		return event.Reply{}, err
	}
	return h.carryOut(t, o)
}

// settle fetches facts and steps until no fact is missing. Without the state lock it stops when the
// only missing facts need the lock. With the lock it stops when Step asks for entry facts, and each
// step of a Stop gets the current wall time, so that Step recognizes a duplicate that waited for
// the lock.
func (h *handler) settle(
	t *store.State, e loop.Event, k *loop.Known, locked bool,
) (o loop.Outcome, err error) {
	// Read the configuration only on use, because few events need it.
	k.Redact = func(s string) string { return h.config(t).Redact(s) }
	for {
		l := h.fetch(t, e, k, locked)
		if l.err != nil || !locked && o.Need != nil && l.found == 0 {
			return o, l.err
		}
		if stop, ok := e.(loop.TurnEnd); ok && locked {
			stop.Wall = time.Now().UTC()
			e = stop
		}
		if o = loop.Step(t.Values(), *k, e); o.Need == nil {
			return o, nil
		}
		if *k = *o.Need; locked && k.Entry.Asked() {
			return o, nil
		}
	}
}

// fetch fetches the facts that Step asks for. Some take a long time, because they need git, the
// tracker or a check that may run for minutes. Others can be read only with the state lock held.
func (h *handler) fetch(t *store.State, e loop.Event, k *loop.Known, locked bool) (l lookup) {
	fill(&l, &k.Owner, func() loop.Owner { return h.owner(t) })
	fill(&l, &k.Around, func() loop.Around { return h.around(t, e) })
	fill(&l, &k.Begun, func() loop.Begun { return h.begun(t, k.Around.Value.Worktrees) })
	_, stop := e.(loop.TurnEnd)
	fill(&l, &k.Marked, func() bool { return h.interruptMark(t, !stop) })
	fill(&l, &k.Origin, func() loop.Origin {
		start, _ := usage.PromptStart(h.ev.Transcript, h.ev.PromptID)
		return loop.Origin{By: start.Origin, Prompt: start.Prompt}
	})
	fill(&l, &k.Sender, func() loop.Sender {
		there := t.Quiet != nil && t.Quiet.Typed
		return h.sender(!there || slices.Contains(t.Budget.Scheduled, h.ev.Prompt))
	})
	fill(&l, &k.Esc, func() bool {
		prompt, esc := usage.Escaped(h.ev.Transcript)
		return esc && (prompt == "" || slices.Contains(t.Tick.Prompts, prompt))
	})
	fill(&l, &k.Worker, func() attempt.Worker { return h.workerSeen(t) })
	fill(&l, &k.Running, func() loop.RunningNow { return h.running(t, k) })
	fill(&l, &k.Overrun, func() int { return h.config(t).Overrun })
	switch e := e.(type) {
	case loop.Invocation:
		h.fetchEntry(t, e, &l, k)
	case loop.Call:
		h.fetchCall(t, &l, k)
	}
	if t.Budget != nil && t.Budget.Own != nil {
		h.fetchAttempt(t, &l, k)
	}
	if !locked {
		return l
	}
	fill(&l, &k.Dialogs, func() []loop.Answers { return h.pastDialogs(t, e) })
	last := func(keep func(*loop.Iteration) bool) (line *loop.Iteration) {
		line, l.err = h.files.Last(t.Skill, keep)
		return line
	}
	fill(&l, &k.Previous, func() *loop.Iteration { return last(t.Budget.Worked) })
	fill(&l, &k.Last, func() *loop.Iteration {
		if t.Budget == nil {
			return nil
		}
		return last(func(l *loop.Iteration) bool { return l.Ran() && l.Of(t.Budget.RunID) })
	})
	fill(&l, &k.Told, func() loop.Told { return h.auditTold(t) })
	fill(&l, &k.Count, func() (c loop.Count) {
		c, l.err = h.spent(t, e, k)
		return c
	})
	fill(&l, &k.Calls, func() []loop.Result {
		path := h.transcript(t, e)
		counted, _ := usage.Count(path, h.counted(t, path), usage.NewTable(nil))
		return h.missedCalls(t, counted.Calls)
	})
	return l
}

// carryOut carries out a Step's decision in order: save, reply, unlock, notify. The state is on
// disk before the reply is printed, and the lock is released afterwards.
func (h *handler) carryOut(t *store.State, o loop.Outcome) (event.Reply, error) {
	if err := h.write(t, o.Save); err != nil {
		return event.Reply{}, err
	}
	reply := h.words(t, o.Reply)
	if o.Unlock {
		h.release(t.Skill)
	}
	if d := o.Reply.Deny; o.Unlock && d != nil && d.Ends && h.out.After != nil {
		h.sideError(h.out.After()) // the client may end with the reply and kill this process
		h.out.After = nil
	}
	for _, n := range o.Notify {
		h.notice(t, n)
	}
	return reply, nil
}

// notice queues a notice until the reply is printed. For a pause, it also queues the Ask command.
func (h *handler) notice(t *store.State, n loop.Notice) {
	way := h.config(t).Notify
	if g := n.Gate; g != nil {
		next := "answer in the session's dialog"
		if g.Raise != nil {
			next += ", or in a terminal: " + t.Budget.RaiseCommand(t.Tick, h.now)
		}
		h.theirs().Notice(way, "hooks: a question is waiting for you",
			fmt.Sprintf("[%s] %s", g.Name, g.Question), next)
		return
	}
	if n.Run.Status == loop.Paused && n.Run.Ask != "" {
		h.out.Notify = append(h.out.Notify, func() error {
			_, err := h.startAsking(n.Run.Skill)
			return err
		})
	}
	next := report.Next(n.Run, t.Elsewhere())
	if raise := n.Run.RaiseCommand(nil, h.now); raise != "" {
		next += ", or " + raise
	}
	h.theirs().Notice(way, fmt.Sprintf("hooks: the %s loop has %s", n.Run.Skill, n.Run.Status),
		report.StopLine(n.Run), next)
}

// write commits a Step's decision and updates a task loop's files for people.
func (h *handler) write(t *store.State, s loop.Save) error {
	line, before := s.Line, t.Budget
	if line != nil {
		line.Redact(h.config(t).Redact)
	}
	if s.Close != nil {
		line = s.Close
		// Queue the event before the commit, so that it is sent at least once.
		if run := &s.Close.Budget; run.Attempts().Publishes {
			h.sideError(h.theirs().Queue(h.files, run.Own.(loop.Publisher).Ends(run, line)))
		}
	}
	created, err := h.tx.Commit(t, s)
	if created {
		line.Notes = append(line.Notes, fmt.Sprintf("Created %s — this file may contain sensitive "+
			"content (issue bodies, user answers). It is gitignored. Do not upload to external "+
			"telemetry.", store.HistoryPath(t.Skill))) // once per project (R123, R126)
	}
	if err != nil {
		return err
	}
	answered := s.Run != nil && before != nil && !reflect.DeepEqual(before.Own, s.Run.Own)
	if !t.Budget.Attempts().Publishes || s.Close == nil && !answered {
		return nil
	}
	note, err := h.publish(t.Budget, line)
	if h.sideError(err); note != "" && line != nil {
		line.Notes = append(line.Notes, note)
	}
	return nil
}

// iterationKey identifies the run and iteration that facts were fetched for. Another event may end
// either one before this event takes the state lock.
func iterationKey(t *store.State) string {
	id := string(t.Skill)
	if t.Budget != nil {
		id += " " + t.Budget.RunID
	}
	if t.Tick != nil {
		id += fmt.Sprintf(" %s %d %d", t.Tick.RunID, t.Tick.Iteration, t.Tick.StartedAt.UnixNano())
	}
	return id
}

// senderTime bounds how long sender waits for the prompt's lines after the event.
const senderTime = 250 * time.Millisecond

// sender returns the sender of the prompt. The client may write the prompt's lines shortly after
// the event; if patient is true, sender waits for them. A prompt that a program sends through the
// client's SDK counts as queued, not as the client's.
func (h *handler) sender(patient bool) loop.Sender {
	for {
		by := usage.Sender(h.ev.Transcript, h.ev.Prompt)
		switch {
		case by == loop.SenderClient &&
			strings.HasPrefix(h.Env("CLAUDE_CODE_ENTRYPOINT"), "sdk-"):
			return loop.SenderQueue
		case by != loop.SenderPerson || !patient || time.Since(h.began) > senderTime:
			return by
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// owner reports whether the run's client is gone, and whether the iteration belongs to another
// session or a dead client. If so, LastSign is when the iteration's transcript was last written.
func (h *handler) owner(t *store.State) (o loop.Owner) {
	dead := proc.Of(t.Budget.Owner) == loop.Dead
	o.Gone = t.Budget.OwnerLeft || dead
	session, path := t.Budget.SessionID, t.Budget.Transcript()
	if t.Tick != nil {
		session, path = t.Tick.SessionID, t.Tick.Transcript
	}
	if o.Foreign = dead || session != h.ev.SessionID; o.Foreign {
		o.LastSign = usage.LastSign(path).UTC().Truncate(time.Second)
	}
	return o
}

// spent counts the spending since the last count, and fetches other facts that follow from the
// count. The caller holds the state lock, so that no token is counted twice. If counting fails in
// the run's own session, spent ignores the error, because the next iteration counts the rest. For
// another session's transcript it returns the error, because that transcript is not read again.
func (h *handler) spent(t *store.State, e loop.Event, k *loop.Known) (loop.Count, error) {
	path := h.transcript(t, e)
	table := usage.NewTable(h.config(t).Rates)
	counted, err := usage.Count(path, h.counted(t, path), table)
	session := t.Budget.SessionID
	if _, ends := e.(loop.SessionEnd); ends {
		session = h.ev.SessionID
	} else if t.Tick != nil {
		session = t.Tick.SessionID
	}
	if err != nil && session != h.ev.SessionID {
		return loop.Count{}, hint.New("try again, or run `hooks loop reset` to archive the run "+
			"without this count", "count the spending of session %s: %w", session, err)
	}
	count := loop.Count{Spent: counted.Spent, Notes: counted.Notes}
	if _, opens := e.(loop.Opens); opens { // its iteration has spent nothing yet
		return count, nil
	}
	if count.Spent.Past(t.Budget) {
		count.Spent.By = counted.Spenders(path)
	}
	k.Calls.Value = new(h.missedCalls(t, counted.Calls))
	if _, call := e.(loop.Call); call { // a call does not end an iteration
		if k.Model.Value == nil {
			k.Model.Value = new(loop.Model)
		}
		return count, nil
	}
	if t.Budget.Seq == 0 { // once per run
		count.Notes = append(count.Notes, report.ConfigNotes(h.config(nil).Warnings)...)
		count.Notes = loop.AppendNew(count.Notes, usage.Stale(h.now))
	}
	k.Model.Value = new(h.model(t, count.Spent.Cursors))
	count.Reconfigured = t.Budget.Config != "" && h.config(t).Text() != h.config(nil).Text()
	return count, nil
}

// model compares the main thread's latest model with the run's most expensive model.
func (h *handler) model(t *store.State, cursors []loop.Cursor) loop.Model {
	m := loop.Model{Name: usage.MainModel(cursors), Than: t.Budget.Model}
	if m.Name != m.Than && m.Name != "" && m.Than != "" {
		m.Tenths = usage.NewTable(h.config(t).Rates).Dearer(m.Name, m.Than)
	}
	return m
}

// missedCalls returns the results of those calls in the iteration that no event reported, for
// example because PostToolUse is not registered. It returns nil while another loop in the session
// is open, because it cannot tell which loop made the calls.
func (h *handler) missedCalls(t *store.State, calls []usage.Moment) (list []loop.Result) {
	missed := func(c usage.Moment) bool { return t.Tick != nil && t.Tick.Missed(c.ID, c.At) }
	if !slices.ContainsFunc(calls, missed) || h.openBeside(t) {
		return nil
	}
	for _, c := range calls {
		if !missed(c) {
			continue
		}
		call := toolcall.Call{Env: h.Env, Project: h.project, View: h.call().View}
		call.Event = event.Event{
			Name: event.PostToolUse, SessionID: t.Tick.SessionID, Transcript: h.ev.Transcript,
			Cwd: c.Cwd, Tool: c.Tool, ToolUseID: c.ID, Input: c.Input,
			Response: c.Response, Error: c.Error,
		}
		if c.Error != "" {
			call.Event.Name = event.PostToolUseFailure
		}
		turn := h.turn()
		turn.Now, turn.Session, turn.Prompt = c.At, t.Tick.SessionID, ""
		list = append(list, call.Result(turn, h.firstRules()))
	}
	return list
}

// openBeside reports whether another loop has an open iteration in the same session.
func (h *handler) openBeside(t *store.State) bool {
	return slices.ContainsFunc(kind.Skills(), func(skill loop.Skill) bool {
		other, err := h.files.OpenTick(skill)
		return skill != t.Skill && err == nil && other != nil &&
			other.SessionID == t.Tick.SessionID
	})
}

// runNow returns the current state of the run, including its open iteration, for display.
func (h *handler) runNow(t *store.State) *loop.Budget {
	counted := func(path string) []loop.Cursor { return h.counted(t, path) }
	table := usage.NewTable(h.config(t).Rates)
	return usage.Now(t.Budget, t.Tick, true, counted, table, h.now).Run
}

// counted returns the cursors that mark how far the transcript has been counted.
func (h *handler) counted(t *store.State, transcript string) []loop.Cursor {
	fresh := usage.Uncounted(transcript, t.Budget.Cursors)
	cursors, err := h.files.Counted(t.Budget, transcript, fresh)
	h.sideError(err)
	return cursors
}

// transcript returns the transcript of a loop's iteration. It is the event's own transcript if the
// event comes from the iteration or if a session ends between iterations, and otherwise the
// recorded one. After /clear a person may end a run from a session with another transcript.
func (h *handler) transcript(t *store.State, e loop.Event) string {
	own := false
	switch e.(type) {
	case loop.TurnEnd:
		own = !h.turn().Foreign(t.Values()) || t.Tick.Draining
	case loop.SessionEnd:
		own = !h.open(t)
	case loop.Call, loop.CatchUp, loop.Opens:
		own = true
	}
	switch {
	case h.ev.Transcript != "" && own:
		return h.ev.Transcript
	case t.Tick != nil:
		return t.Tick.Transcript
	}
	return t.Budget.Transcript()
}

// interruptMark reports whether the client marked a turn of this iteration as interrupted after the
// counted text. It ignores other turns, because a person may interrupt their own turn between two
// iterations. A forked iteration has its mark only in the fork's transcript, which is read if
// forked is true. If the turn reached its Stop, a mark there means only that a worker was stopped.
func (h *handler) interruptMark(t *store.State, forked bool) bool {
	path := t.Tick.Transcript
	r, err := usage.Main(path, t.Budget.Cursors)
	if forked {
		r, err = usage.Count(path, h.counted(t, path), usage.NewTable(nil))
	}
	return err == nil && r.Marked(t.Tick.Prompts, forked)
}

// pastDialogs returns the answered dialogs in the transcript.
func (h *handler) pastDialogs(t *store.State, e loop.Event) (list []loop.Answers) {
	r, err := usage.Main(h.transcript(t, e), t.Budget.Cursors)
	if err != nil {
		return nil
	}
	for _, a := range r.Answers {
		given := event.ParseAnswers(a.ID, a.Response)
		given.Input = h.ev.Input.Raw
		list = append(list, answersTo(t.Tick.Pending, given))
	}
	return list
}

// answersTo replaces each question in a dialog with its gate's text, because the dialog showed that
// text without characters that a terminal would interpret.
func answersTo(gates []loop.Gate, a loop.Answers) loop.Answers {
	for i := range a.List {
		asked := &a.List[i].Question
		for _, g := range gates {
			if term.Text(g.Question) == *asked {
				*asked = g.Question
				break
			}
		}
	}
	return a
}
