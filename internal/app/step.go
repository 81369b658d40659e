package app

import (
	"fmt"
	"reflect"
	"slices"
	"time"

	"hooks/internal/event"
	"hooks/internal/loop"
	"hooks/internal/report"
	"hooks/internal/store"
	"hooks/internal/usage"
)

// step applies one event to the session's loops: Step, fetch missing facts, Step again, carry out
// the outcome. It takes no lock if the event concerns no loop.
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

// stepEach is like step with an event for each loop, or nil for a loop that it does not concern.
func (h *handler) stepEach(eventOf func(*store.State) loop.Event) (event.Reply, error) {
	list, err := h.sessionRuns()
	if err != nil {
		return event.Nothing(), err
	}
	known := map[string]loop.Known{}
	concerned, refused := false, event.Nothing()
	for _, t := range list {
		e := eventOf(t)
		if e == nil {
			continue
		}
		k := loop.Known{}
		o, _ := h.settle(t, e, &k, false) // with the lock, the same error is returned
		known[view(t)] = k
		concerned = concerned || !o.Nothing()
		if o.Need == nil && o.Reply.Deny != nil && refused.Empty() {
			refused = h.denial(t, o.Reply.Deny)
		}
	}
	if !concerned {
		return event.Nothing(), nil
	}
	var reply event.Reply
	err = h.withRuns(func(now []*store.State) (err error) {
		reply, err = h.decideEach(now, eventOf, known)
		return err
	})
	if err != nil && !refused.Empty() && !reply.Decides() {
		h.sideError(err) // the call is refused even if that cannot be recorded
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
		k := known[view(t)]
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
	return h.forEachRun(list, func(t *store.State) (event.Reply, error) {
		e := eventOf(t)
		if _, stop := e.(loop.TurnEnd); e == nil || stop && h.out.Reply.Blocks() {
			return event.Nothing(), nil
		}
		if _, done := outcomes[t]; !done {
			resolve(t)
		}
		if errs[t] != nil {
			return event.Nothing(), errs[t]
		}
		return h.carryOut(t, outcomes[t])
	})
}

// decide steps until no fact is missing and carries out the outcome. The caller holds the state
// lock.
func (h *handler) decide(t *store.State, e loop.Event) (event.Reply, error) {
	o, err := h.settle(t, e, &loop.Known{}, true)
	if err != nil {
		return event.Nothing(), err
	}
	return h.carryOut(t, o)
}

// settle fetches facts and steps until none is missing or, without the state lock, until the others
// need it. Entry facts are never fetched with the lock. Each step of a Stop under the lock gets the
// current wall time, by which Step recognizes a duplicate that waited for the lock.
func (h *handler) settle(
	t *store.State, e loop.Event, k *loop.Known, locked bool,
) (o loop.Outcome, err error) {
	// lazy, because few events need it
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

// fetch fetches the facts that Step asks for. Some may take long: git, the tracker, and a check
// that may run for minutes. Others may only be read with the state lock held.
func (h *handler) fetch(t *store.State, e loop.Event, k *loop.Known, locked bool) (l lookup) {
	fill(&l, &k.Owner, func() loop.Owner { return h.owner(t) })
	fill(&l, &k.Around, func() loop.Around { return h.around(t, e) })
	fill(&l, &k.Begun, func() loop.Begun { return h.begun(t, k.Around.Is.Worktrees) })
	_, stop := e.(loop.TurnEnd)
	fill(&l, &k.Marked, func() bool { return h.interruptMark(t, !stop) })
	fill(&l, &k.NoDialog, h.dialogDenied)
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
	fill(&l, &k.Worker, func() loop.WorkerSeen { return h.workerSeen(t) })
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
	fill(&l, &k.Told, func() (o loop.Told) {
		o, l.err = h.auditTold(t)
		return o
	})
	fill(&l, &k.Snapshot, func() (s *loop.Snapshot) {
		var previous *loop.Iteration
		if k.Previous.Is != nil {
			previous = *k.Previous.Is
		}
		s, l.err = h.files.Snapshot(t.Budget, previous, true)
		return s
	})
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

// carryOut carries out a Step's decision in order: save, reply, unlock, notify. What it saves is on
// disk before the reply is printed; the lock is released after.
func (h *handler) carryOut(t *store.State, o loop.Outcome) (event.Reply, error) {
	if err := h.write(t, o.Save); err != nil {
		return event.Nothing(), err
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

// notice queues a notice until the reply is printed.
func (h *handler) notice(t *store.State, n loop.Notice) {
	way := h.config(t).Notify
	if g := n.Gate; g != nil {
		next := "answer in the session's dialog"
		if g.Raise != nil {
			next += ", or in a terminal: " + t.Budget.RaiseCommand(t.Tick, h.now)
		}
		h.theirs().Notice(way, "hooks: a question waits for you",
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
		line = &s.Close.Line
		// queued before the commit, so that the event is sent at least once
		if run := s.Close.Run(); run.Attempts().Publishes {
			h.sideError(h.queueEnds(run, line))
		}
	}
	created, err := h.tx.Commit(t, s)
	if created {
		line.Notes = append(line.Notes, fmt.Sprintf("Created %s — this file may contain sensitive "+
			"content (issue bodies, user answers). It is gitignored. Do not upload to external "+
			"telemetry.", store.HistoryPath(t.Skill))) // once in a project (R123, R126)
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

// view identifies the run and the iteration of a loop for which facts were fetched. Another event
// may have ended them since.
func view(t *store.State) string {
	id := string(t.Skill)
	if t.Budget != nil {
		id += " " + t.Budget.RunID
	}
	if t.Tick != nil {
		id += fmt.Sprintf(" %s %d %d", t.Tick.RunID, t.Tick.Iteration, t.Tick.StartedAt.UnixNano())
	}
	return id
}
