package model

import (
	"fmt"
	"slices"
	"time"
)

// stops are the conditions that hold at entry or exit, the first of which names the cause.
func (s *side) stops(t *tick, now time.Time, exit bool) []string {
	var fired []string
	r := s.run
	add := func(holds bool, cause string) {
		if holds {
			fired = append(fired, cause)
		}
	}
	ended := r.single != 0 && t != nil &&
		slices.Contains([]string{"merged", "closed", "do-not-merge"}, t.state[r.single])
	add(ended, "pr_terminal")
	add(r.used >= r.ceilings.iterations, "iteration_budget")
	add(r.single == 0 && len(s.touched(t)) >= r.ceilings.prs, "prs_touched_budget")
	add(r.at(now) >= r.ceilings.minutes, "wall_clock_budget")
	add(t != nil && t.interrupted, "user_interrupt")
	add(exit && t != nil && t.qmd.down() && r.qmd >= 2, "qmd_unreachable")
	add(r.ceilings.cents > 0 && r.cents >= r.ceilings.cents, "cost_budget")
	return fired
}

// reportStops are those that a report can bring.
func (s *side) reportStops(t *tick) []string {
	var fired []string
	if s.skill == "work" && !t.worked() && t.backlog != nil {
		all := append(slices.Clone(t.backlog.unblocked), t.backlog.progress...)
		free := slices.DeleteFunc(all, func(n int) bool {
			label := slices.Contains(t.backlog.progress, n) && !slices.Contains(s.run.failed, n)
			return label || slices.Contains(s.run.deferred, fmt.Sprintf("#%d", n))
		})
		if len(free) == 0 {
			fired = append(fired, "backlog_empty")
		}
	}
	if st := t.state[s.run.single]; s.run.single != 0 && (st == "merged" || st == "closed" ||
		st == "do-not-merge") {
		fired = append(fired, "pr_terminal")
	}
	if s.skill == "work" && cyclic(t.edges) {
		fired = append(fired, "dependency_cycle")
	}
	return fired
}

func cyclic(edges [][2]int) bool {
	reach := map[[2]int]bool{}
	for _, e := range edges {
		reach[e] = true
	}
	for range 8 { // transitive closure of a handful of issues
		for a := range reach {
			for b := range reach {
				if a[1] == b[0] {
					reach[[2]int{a[0], b[1]}] = true
				}
			}
		}
	}
	for e := range reach {
		if e[0] == e[1] {
			return true
		}
	}
	return false
}

// close ends the open tick (R110, R118): its line, the run's counters, the cause.
func (m *model) close(s *side, now time.Time, pause bool) {
	r, t := s.run, s.tick
	if t.body {
		r.used = max(r.used, t.iteration)
	}
	cents := m.take(r, t.session)
	r.prs = s.touched(t)
	r.comments += t.comments
	r.merges += t.merges
	r.agents += t.agents
	r.minutes = r.at(now)
	bad := t.failed || t.qmd.down() || t.outcome == "errored"
	before := s.previous()
	switch {
	case t.qmd.down() && before != nil && before.qmd != "": // two in a row (R52)
		r.qmd++
	case t.qmd.down():
		r.qmd = 1
	case t.body && (t.reported || t.worked()) && !bad && !pause:
		r.qmd = 0
	}
	r.leaves(t)
	fired := slices.Clone(t.fired)
	if !pause && (t.body || t.interrupted) {
		fired = adds(fired, s.stops(t, now, true)...)
	}
	l := line{
		session: t.session, iteration: t.iteration, outcome: "ok", fired: fired,
		gates:  append(slices.Clone(r.carried), t.answers...),
		agents: t.agents, comments: t.comments, merges: t.merges, cents: cents, backlog: t.backlog,
		plan: t.plan, failures: t.failures,
		worked: t.body, own: r, heads: t.heads, ended: map[int]bool{},
		qmd: t.qmd.words(),
	}
	if len(t.prs) > 0 {
		l.taken = t.taken
	}
	for n, state := range t.state {
		l.ended[n] = state == "merged" || state == "closed"
	}
	if l.prs = slices.Clone(t.prs); r.single != 0 {
		l.prs = slices.Clone(r.prs)
	}
	r.lastPrompts = t.prompts
	r.carried = t.carry
	switch {
	case len(fired) > 0:
		l.outcome = "halted"
		l.gates, r.carried = append(l.gates, t.carry...), nil
		r.status, r.cause, r.pending = "halted", fired[0], nil
		r.gate, r.gateIn, r.why = "", 0, ""
		if len(t.fired) > 0 {
			r.gate, r.gateIn = t.gate, t.gateIn
		}
	case pause:
		l.outcome = "paused"
		r.status, r.cause, r.pending = "paused", "gate_waiting", t.pending
		r.why = "Loop paused at gate " + t.pending[0].name + ": " + m.unanswered(t)
	case bad:
		l.outcome = "errored"
	}
	l.used, l.minutes = r.used, r.minutes
	s.lines = append(s.lines, l)
	s.tick = nil
}

// unanswered is the reason why the pending gates have no answer.
func (m *model) unanswered(t *tick) string {
	switch {
	case !m.attended:
		return "no one can answer it in a headless session"
	case t.asked:
		return "its dialog was opened, but returned no answer"
	}
	return "the model was told to ask the person, but did not"
}

// leaves notes the issues that the run worked on and did not finish. An issue that its workers took
// is finished unless a fact contradicts it, and not if the iteration was cut off before any PR.
func (r *run) leaves(t *tick) {
	var failed []int
	for _, f := range t.failures {
		failed = append(failed, f.number)
	}
	switch cut := t.failed || t.interrupted; {
	case !cut:
		r.failed = slices.DeleteFunc(slices.Clone(r.failed), func(n int) bool {
			return slices.Contains(t.taken, n)
		})
	case len(t.prs) == 0:
		failed = append(failed, t.taken...)
	}
	r.failed = adds(r.failed, failed...)
}

// abandoned ends a tick that never reached its Stop (design: #8 interrupt).
func (m *model) abandoned(s *side, by string) {
	t := s.tick
	if !t.interrupted && !t.failed {
		if m.escaped(s.run, t) {
			t.interrupted = true
		} else {
			t.failed = true
		}
	}
	m.missed(s) // what a person said counts also in a turn that died
	t.pending = nil
	at := m.now
	// the hours until someone found it are no minutes of the run
	if t.session != by || !s.run.owner.alive {
		at = m.sessions[t.session].lastSign
		if at.Before(t.started) {
			at = t.started
		}
		if at.After(m.now) {
			at = m.now
		}
	}
	m.close(s, at, false)
}

// between ends a run while it has no open iteration. A pause and a dead client's hours do not
// count.
func (m *model) between(s *side, prompt string) {
	r := s.run
	at := m.now
	if r.status == "paused" || r.left || !r.owner.alive {
		at = r.since
	}
	m.aside(r, r.session)
	s.tick = &tick{session: r.session, iteration: r.used + 1, started: m.now, interrupted: true}
	if prompt != "" {
		s.tick.prompts = []string{prompt}
	}
	m.close(s, at, false)
}
