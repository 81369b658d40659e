package model

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// prompt is a new prompt of a session (design: #8 interrupt). own is the skill whose next tick it
// is, stop that it is `/loop stop`.
func (m *model) prompt(ses *session, own string, stop bool, text string) {
	for _, s := range m.sides {
		if s.run != nil && (m.runOf(s, ses) || stop && s.run.cleared(ses)) {
			m.promptSide(s, ses, own, stop, text)
		}
	}
}

// cleared: /clear took the run from its session, and no tick has brought it to this one yet.
func (r *run) cleared(ses *session) bool { return r.left && r.owner == ses.client }

// runOf: the run, or the open tick, is the session's.
func (m *model) runOf(s *side, ses *session) bool {
	return s.run != nil && s.run.session == ses.id || s.tick != nil && s.tick.session == ses.id
}

func (m *model) mine(ses *session) []*side {
	var list []*side
	for _, s := range m.sides {
		if m.runOf(s, ses) || s.claim != nil && s.claim.session == ses.id {
			list = append(list, s)
		}
	}
	return list
}

func opened(s *side, ses *session) bool {
	return s.tick != nil && s.tick.session == ses.id && s.run != nil
}

func stranger(s *side, ses *session) bool {
	return opened(s, ses) && !slices.Contains(s.tick.prompts, ses.prompt)
}

func (m *model) promptSide(s *side, ses *session, own string, stop bool, text string) {
	t := s.tick
	switch {
	case s.run.status != "active":
		return
	case stop && !opened(s, ses):
		m.between(s, ses.prompt)
		m.unlock(s, ses)
		return
	case stop:
		t.interrupted = true
	case !stranger(s, ses) || own == s.skill:
		return
	case !t.interrupted && m.escaped(s.run, t):
		t.interrupted = true
	case t.draining || strings.HasPrefix(text, "<task-notification>"):
		t.prompts = adds(t.prompts, ses.prompt)
		return
	default:
		t.failed = true
	}
	if t.draining || len(t.workers) > 0 {
		t.draining = true
		t.prompts = adds(t.prompts, ses.prompt)
		return
	}
	m.abandoned(s, ses.id)
	m.unlock(s, ses)
}

func (m *model) unlock(s *side, ses *session) {
	if s.lock != nil && s.lock.session == ses.id {
		s.lock = nil
	}
}

// stop is the end of a turn.
func (m *model) stop(ses *session, crons []string, workers string) reply {
	for _, s := range m.mine(ses) {
		if r := m.stopSide(s, ses, crons, workers); r.kind != "" {
			return r
		}
	}
	return nothing
}

func (m *model) stopSide(s *side, ses *session, crons []string, workers string) reply {
	if c := s.claim; c != nil && c.session == ses.id && c.asks && !m.runOf(s, ses) {
		if c.blocked || c.prompt != ses.prompt || !m.attended {
			s.claim = c.left(ses.id)
			return nothing
		}
		c.blocked = true
		return refuse("Force-unlock")
	}
	if c := s.claim; c != nil && c.session == ses.id && c.stopped && !m.runOf(s, ses) {
		if c.blocked || !slices.Contains(crons, c.word(s.skill)) { // asked once
			return nothing
		}
		c.blocked = true
		return refuse("still scheduled")
	}
	if s.run == nil || !m.runOf(s, ses) {
		return nothing
	}
	crons = slices.DeleteFunc(slices.Clone(crons), func(c string) bool { return c != m.word(s) })
	s.run.scheduled = crons
	if !opened(s, ses) {
		return nothing
	}
	t, r := s.tick, s.run
	if stranger(s, ses) && !t.draining {
		m.promptSide(s, ses, "", false, "")
		return nothing
	}
	if t.workers = nil; workers != "" {
		t.draining, t.workers = true, []string{workers}
		t.prompts = adds(t.prompts, ses.prompt)
		return nothing
	}
	if t.draining && !t.interrupted && m.escaped(r, t) {
		t.interrupted = true
	}
	m.missed(s)
	if rep, hold := m.owes(s, ses); hold {
		return rep
	}
	pause := !t.halting() && !t.failed && len(t.pending) > 0
	if len(crons) > 0 {
		r.underLoop = true
	}
	m.close(s, m.now, pause)
	m.unlock(s, ses)
	switch {
	case r.status != "active" && len(crons) > 0 && r.mayBlock(ses.prompt, "unschedule"):
		return refuse("still scheduled")
	case r.status == "active" && r.underLoop && len(crons) == 0 && r.mayBlock(ses.prompt, "wake"):
		return refuse("ScheduleWakeup")
	}
	return nothing
}

// owes is what a turn is held for: a person's answer, or the facts; two blocks a prompt, one of a
// kind.
func (m *model) owes(s *side, ses *session) (reply, bool) {
	t, r := s.tick, s.run
	if t.halting() || t.failed {
		return nothing, false
	}
	if t.body && len(t.pending) == 0 && len(t.failures) > 0 && !m.endsAnyway(s) {
		t.pending = t.fresh(s.repeated(t))
		s.given()
		if t.halting() {
			return nothing, false
		}
	}
	switch {
	case len(t.pending) > 0 && m.attended && r.mayBlock(ses.prompt, "gate:"+t.pending[0].name):
		return refuse(t.pending[0].name), true
	case len(t.pending) == 0 && t.body && !t.reported && r.mayBlock(ses.prompt, "facts"):
		return refuse("Report this iteration's facts"), true
	}
	return nothing, false
}

func (m *model) endsAnyway(s *side) bool {
	r := *s.run
	s2 := &side{skill: s.skill, run: &r, tick: s.tick, lines: s.lines}
	r.cents += m.spent(s.run, s.tick.session)
	return len(s2.stops(s.tick, m.now, true)) > 0
}

func (r *run) mayBlock(prompt, kind string) bool {
	if r.blocksOf != prompt {
		r.blocksOf, r.blocks = prompt, nil
	}
	if len(r.blocks) >= 2 || slices.Contains(r.blocks, kind) {
		return false
	}
	r.blocks = append(r.blocks, kind)
	return true
}

// report takes facts into the open tick.
func (m *model) report(s *side, f facts) (taken bool) {
	t := s.tick
	t.reported = true
	var before map[int]string
	if p := s.previous(); p != nil && s.skill == "review" {
		before = p.heads
	}
	f.into(t, before)
	if t.halting() {
		return true
	}
	if fired := s.reportStops(t); len(fired) > 0 {
		t.fired = fired
		return true
	}
	due := append(s.escalation(t, m.now), s.drift(t)...)
	t.pending = append(t.pending, t.fresh(append(due, s.criteria(t)...))...)
	s.given()
	return true
}

type facts struct {
	backlog  *backlog
	plan     []int
	edges    [][2]int
	issue    int
	criteria string
	failure  *failure
	pr       int
	state    string
	head     string
	human    int // 0 not said, 1 yes, 2 no
	comments int
	qmd      bool
	qmdError string
	outcome  string
}

// into merges the facts; before are the heads at the previous iteration's end, which defer a review
// (R81–R84).
func (f facts) into(t *tick, before map[int]string) {
	if f.backlog != nil {
		t.backlog = t.backlog.merge(f.backlog)
	}
	t.plan = adds(t.plan, f.plan...)
	t.edges = append(t.edges, f.edges...)
	if f.issue != 0 {
		t.issues[f.issue] = f.criteria
		t.issueOrder = adds(t.issueOrder, f.issue)
	}
	if f.failure != nil {
		i := slices.IndexFunc(t.failures,
			func(o failure) bool { return o.number == f.failure.number })
		if i < 0 {
			t.failures = append(t.failures, *f.failure)
		} else {
			t.failures[i] = *f.failure
		}
	}
	if f.pr != 0 {
		name := fmt.Sprintf("#%d", f.pr)
		if old, known := before[f.pr]; known && f.head != "" && old == f.head &&
			!slices.Contains(t.prs, name) {
			t.off = adds(t.off, "PR "+name)
		}
		if !slices.Contains(t.off, "PR "+name) {
			t.prs = adds(t.prs, name)
		}
		t.heads[f.pr] = cmp.Or(f.head, t.heads[f.pr])
		if !t.landed[f.pr] {
			t.state[f.pr] = f.state
		}
		if f.human != 0 {
			t.feedback[f.pr] = f.human == 1
		}
	}
	if f.comments > 0 {
		t.comments = max(t.seen, f.comments)
	}
	if f.qmd {
		t.qmd.told, t.qmd.text = true, f.qmdError
	}
	if f.outcome != "" {
		t.outcome = f.outcome
	}
}

// merge moves each issue of the later report into the list where that has it.
func (b *backlog) merge(o *backlog) *backlog {
	if b == nil {
		return o
	}
	later := append(slices.Clone(o.unblocked), o.progress...)
	keep := func(list, more []int) []int {
		list = slices.DeleteFunc(slices.Clone(list),
			func(n int) bool { return slices.Contains(later, n) })
		return append(list, more...)
	}
	return &backlog{keep(b.unblocked, o.unblocked), keep(b.progress, o.progress)}
}
