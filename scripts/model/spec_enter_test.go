package model

import (
	"maps"
	"slices"
	"time"
)

// reply is the expected answer of the program: a refusal or a dialog, and words in it.
type reply struct {
	kind string // "", block (also deny) or ask
	has  []string
}

func refuse(has ...string) reply { return reply{"block", has} }

var nothing = reply{}

// owns: the run is this session's, also after /clear gave the same client a new one.
func (r *run) owns(session string, c *client) bool {
	return r.session == session || r.left && r.owner == c
}

// asker is who wants a tick, where no person does.
type asker struct{ scheduled, model bool }

func (a asker) person() bool { return a == asker{} }

// agrees: a person typed such a command for this run, or it names nothing of its own.
func (r *run) agrees(f flags) bool {
	bare := f.resume && len(f.named) == 0 && (f.pr == 0 || f.pr == r.single)
	same := func(o flags) bool { return f.same(o) && f.budget == o.budget }
	return bare || same(r.flags) || slices.ContainsFunc(r.typed, same)
}

// began: what the prompt invokes is this very tick. Of one that waits for its workers, only the
// first prompt's is; what a later one invokes is another tick.
func (t *tick) began(prompt string) bool {
	return t.prompts[0] == prompt || !t.draining && slices.Contains(t.prompts, prompt)
}

// refuses: ceilings belong to a person, and so does a run that has ended.
func (r *run) refuses(f flags, by asker, mine bool) (reply, bool) {
	switch {
	case r == nil || by.person():
	case r.status != "active":
		return refuse("only a person can continue this run"), by.model
	case r.agrees(f) && (mine || r.owner.alive):
	case by.model:
		return refuse("and no person typed them"), true
	case mine:
		return refuse("the flags of the scheduled command differ"), true
	}
	return nothing, false
}

// enter is the whole of a tick's beginning (design §3: run identity).
func (m *model) enter(s *side, ses *session, f flags, by asker) reply {
	r := m.admit(s, ses, f, by)
	if r.kind != "" && s.tick == nil { // a leftover of this session's own
		m.unlock(s, ses)
	}
	return r
}

func (m *model) admit(s *side, ses *session, f flags, by asker) reply {
	r := s.run
	mine := r != nil && r.owns(ses.id, ses.client)
	if refusal, refused := r.refuses(f, by, mine); refused {
		return refusal
	}
	switch {
	case s.tick != nil && s.tick.session == ses.id && s.tick.began(ses.prompt):
		return nothing
	case mine && slices.Contains(r.lastPrompts, ses.prompt):
		return refuse("already ended")
	case s.claim != nil && s.claim.stopped && s.claim.session == ses.id && by.scheduled:
		return refuse("Loop already stopped")
	}
	if t := s.tick; t != nil {
		forgotten := (s.lock == nil || !s.lock.owner.alive) &&
			(r == nil || r.left || !r.owner.alive)
		switch {
		case t.session == ses.id && t.draining && !t.interrupted &&
			r.at(m.now) < r.ceilings.minutes:
			return m.skip(s, ses, t.iteration)
		case t.session == ses.id, mine, forgotten && !(s.lock != nil && f.lock == "force"):
			m.abandoned(s, ses.id)
			return m.admit(s, ses, f, by)
		}
	}
	// a lock of an iteration that has ended, where the run is over, its session has, or it is the
	// asker's own
	leftover := s.tick == nil && r != nil && s.lock != nil && s.lock.of == r &&
		(mine || r.status != "active" || r.left)
	if l := s.lock; l != nil && l.session != ses.id && !leftover {
		switch {
		case f.lock == "force":
			return m.force(s, ses, f, l.iteration)
		case l.owner.alive:
			return m.contended(s, ses, f, l.iteration)
		}
	}
	if r != nil && !mine && r.status == "active" && !r.left && r.owner.alive {
		if f.lock == "force" {
			return m.force(s, ses, f, r.used)
		}
		return m.contended(s, ses, f, r.used)
	}
	return m.identify(s, ses, f, by)
}

func (m *model) contended(s *side, ses *session, f flags, iteration int) reply {
	switch {
	case f.lock == "wait":
		return m.wait(s, ses, f, iteration)
	case f.resume:
		return refuse("Resume aborted")
	}
	return m.skip(s, ses, iteration)
}

// skip passes over a tick: a line, and no counter moves (R46, R128).
func (m *model) skip(s *side, ses *session, iteration int, gates ...answered) reply {
	l := line{session: ses.id, iteration: iteration, outcome: "skipped_lock", gates: gates,
		own: s.run}
	if s.run != nil {
		l.used, l.minutes = s.run.used, s.run.minutes
	}
	s.lines = append(s.lines, l)
	return refuse("still active", "skipping this tick")
}

func (m *model) wait(s *side, ses *session, f flags, iteration int) reply {
	c, since := s.claim, m.now
	n := &claim{since: m.now, waiters: map[string]time.Time{}}
	if c != nil && c.session != ses.id { // what another's person is asked, or has stopped, stays
		*n = *c
		n.waiters = map[string]time.Time{}
	}
	if c != nil {
		maps.Copy(n.waiters, c.waiters)
	}
	if known, waits := n.waiters[ses.id]; waits {
		since = known
	}
	n.waiters[ses.id] = since
	s.claim, c = n, n
	waited := int(m.now.Sub(since) / time.Minute)
	if waited < f.minutes {
		return refuse("Still waiting")
	}
	s.lines = append(s.lines, line{session: ses.id, iteration: iteration, outcome: "halted",
		fired: []string{"wall_clock_budget"}, minutes: waited})
	s.claim = c.by(ses, f, iteration, m.now)
	s.claim.stopped = true
	return refuse("wall_clock_budget")
}

// force asks before another's lock is taken. If no one can answer the tick is skipped (R103).
func (m *model) force(s *side, ses *session, f flags, iteration int) reply {
	if !m.attended {
		return m.skip(s, ses, iteration)
	}
	s.claim = s.claim.by(ses, f, iteration, m.now)
	s.claim.asks = true
	return reply{"", []string{"Force-unlock previous iteration's lock?"}}
}

// identify: the next tick of the run, an earlier run taken up again, or a fresh one.
func (m *model) identify(s *side, ses *session, f flags, by asker) reply {
	r := s.run
	mine := r != nil && r.owns(ses.id, ses.client)
	switch {
	case r == nil:
		return m.open(s, ses, f, m.fresh(s, ses, f))
	case f.resume && f.pr != 0 && f.pr != r.single:
		return refuse("does not watch PR")
	case mine && r.status == "active":
		switch {
		case f.resume && r.owner != ses.client:
			m.resume(s, ses, f, by)
		case f.resume || r.agrees(f):
			m.next(s, ses, f, by)
		default:
			return m.open(s, ses, f, m.fresh(s, ses, f))
		}
	case by.scheduled && mine && r.answered():
		m.resume(s, ses, f, by)
	case by.scheduled && r.status != "active":
		return refuse()
	case f.resume:
		m.resume(s, ses, f, by)
	default:
		return m.open(s, ses, f, m.fresh(s, ses, f))
	}
	return m.open(s, ses, f, s.run)
}

func (m *model) fresh(s *side, ses *session, f flags) *run {
	s.lines, s.tick = nil, nil
	s.run = &run{
		flags: f, session: ses.id, owner: ses.client, ceilings: f.ceilings, since: m.now,
		status: "active", single: f.pr,
		counted: map[string]int{}, marksOf: map[string]int{}, underLoop: false,
		heard: map[string]bool{},
	}
	if f.pr != 0 {
		s.run.prs = s.touched(nil)
	}
	m.baseline(s.run, ses)
	return s.run
}

// baseline: what the session's transcript holds from before the prompt is not charged to the run.
func (m *model) baseline(r *run, ses *session) {
	if ses.began >= 0 {
		r.counted[ses.id], r.marksOf[ses.id] = ses.began, ses.beganMarks
		return
	}
	r.counted[ses.id], r.marksOf[ses.id] = len(ses.spends), len(ses.marks)
}

func (m *model) resume(s *side, ses *session, f flags, by asker) {
	r := s.run
	if r.session != ses.id || r.status != "active" {
		m.baseline(r, ses)
	} else {
		m.aside(r, ses.id)
	}
	r.before, r.since = r.minutes, m.now
	r.status, r.cause, r.gate, r.gateIn, r.why = "active", "", "", 0, ""
	r.session, r.owner, r.left = ses.id, ses.client, false
	if by.person() {
		r.ceilings = f.over(r.ceilings)
	}
	r.typed = append(r.typed, r.flags)
	r.scheduled, r.lastPrompts, r.blocks = nil, nil, nil
	r.underLoop = false
	r.flags = f
}

func (m *model) next(s *side, ses *session, f flags, by asker) {
	r := s.run
	if r.owner != ses.client { // the session was away in between
		r.before, r.since = r.minutes, m.now
	}
	if r.session != ses.id {
		m.baseline(r, ses)
	} else {
		m.aside(r, ses.id)
	}
	r.session, r.owner, r.left = ses.id, ses.client, false
	if f.resume && by.person() {
		r.ceilings = f.over(r.ceilings)
		r.typed = append(r.typed, f)
	}
}

// open begins the iteration: stops first, then gates (R24, R98).
func (m *model) open(s *side, ses *session, f flags, r *run) reply {
	s.lock = &lock{of: r, session: ses.id, owner: ses.client, iteration: r.used + 1}
	s.claim = s.claim.left(ses.id)
	r.minutes = r.at(m.now)
	s.tick = &tick{
		session: ses.id, iteration: r.used + 1, started: m.now, prompts: []string{ses.prompt},
		unattended: !m.attended,
		approved:   map[int]string{}, heads: map[int]string{}, issues: map[int]string{},
		feedback: map[int]bool{}, state: map[int]string{}, landed: map[int]bool{},
	}
	t := s.tick
	if p := s.previous(); p != nil { // its open PRs are followed
		for n, head := range p.heads {
			if !p.ended[n] {
				t.heads[n] = head
			}
		}
	}
	if t.fired = s.stops(t, m.now, false); len(t.fired) > 0 {
		cause := t.fired[0]
		m.close(s, m.now, false)
		s.lock = nil
		return refuse("Cause: " + cause)
	}
	t.pending = s.escalation(t, m.now)
	for _, g := range r.pending {
		if g.given != "" {
			t.given = append(t.given, g)
		}
		if g.name != "budget-escalation" {
			g.given = ""
			t.pending = append(t.pending, t.fresh([]gate{g})...)
		}
	}
	r.pending = nil
	s.given()
	if len(t.fired) > 0 || len(t.pending) > 0 && !m.attended {
		m.close(s, m.now, len(t.fired) == 0)
		s.lock = nil
		return refuse("Cause: " + r.cause)
	}
	s.begin()
	return reply{"", []string{"## Loop Iteration"}}
}
