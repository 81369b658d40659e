package model

import (
	"fmt"
	"slices"
	"strings"
)

// addressed leaves out the open loops that do not own this prompt, if another loop owns it.
func (m *model) addressed(ses *session) []*side {
	list := m.mine(ses)
	own := func(s *side) bool {
		return opened(s, ses) && slices.Contains(s.tick.prompts,
			ses.prompt)
	}
	if !slices.ContainsFunc(list, own) {
		return list
	}
	return slices.DeleteFunc(slices.Clone(list), func(s *side) bool {
		return opened(s, ses) && !own(s)
	})
}

// tool is a call of the main thread: what is it, and may it pass?
type tool struct {
	kind string // look, make, agent, open, merge, comment, review, approve, schedule, tamper, qmd
	n    int    // the issue or PR
	text string // the prompt to schedule
	id   string // of the call
	says bool   // the answer says that the PR is merged
	// of a merge: the PR's head and who commented, as the tracker tells ("" unknown, "quiet",
	// "commented"), and the commit that the command names
	head, spoke, sha string
}

func (m *model) prelude(ses *session) {
	for _, s := range m.mine(ses) {
		if opened(s, ses) {
			m.missed(s)
		}
	}
	if slices.ContainsFunc(m.mine(ses), func(s *side) bool {
		return stranger(s, ses) &&
			!s.tick.draining
	}) {
		for _, s := range m.mine(ses) { // no prompt event told that a turn was cut off
			if m.runOf(s, ses) && s.run != nil {
				m.promptSide(s, ses, "", false, "")
			}
		}
	}
}

func (m *model) before(ses *session, c tool) reply {
	m.prelude(ses)
	for _, s := range m.addressed(ses) {
		if r := m.judge(s, ses, c); r.kind != "" {
			return r
		}
	}
	return nothing
}

func (m *model) judge(s *side, ses *session, c tool) reply {
	if cl := s.claim; cl != nil && cl.session == ses.id && cl.asks && cl.prompt == ses.prompt {
		if c.kind == "look" {
			return nothing
		}
		return refuse("force-unlock")
	}
	r := s.run
	if r == nil || !m.runOf(s, ses) {
		cl := s.claim
		own := cl != nil && cl.session == ses.id && cl.stopped && cl.prompt == ses.prompt
		if own && c.kind == "schedule" && c.text == cl.word(s.skill) {
			return refuse("nothing is to be scheduled")
		}
		return nothing
	}
	if opened(s, ses) && s.tick.holds() && c.kind != "look" {
		return refuse("held back")
	}
	if r.status != "active" && !slices.Contains(r.lastPrompts, ses.prompt) {
		if c.kind == "schedule" && c.text == m.word(s) && slices.Contains(r.scheduled, c.text) {
			return refuse()
		}
		return nothing
	}
	on := opened(s, ses)
	t := s.tick
	if on && c.kind != "look" && m.overrun(s) {
		return refuse("above the ceiling plus")
	}
	switch c.kind {
	case "schedule":
		own := strings.HasPrefix(c.text, "/sdd:"+s.skill+" ")
		if r.status == "active" && own && !r.agrees(plain(c.text)) {
			return refuse("Not scheduled: these flags differ")
		}
		if c.text == m.word(s) && (r.status != "active" || on && (t.halting() || m.last(s))) {
			return refuse()
		}
	case "agent":
		return m.send(s, on, c.n)
	case "tamper":
		return refuse("loop's own files")
	case "open":
		if r.single == 0 && len(s.touched(s.tickOf(ses)))+1 > r.ceilings.prs {
			return refuse("PR budget reached")
		}
	case "merge":
		return m.merge(s, ses, c)
	case "comment", "review", "approve":
		return m.speak(s, ses, c)
	}
	return nothing
}

// last: nothing may be scheduled that would come after the run's end.
func (m *model) last(s *side) bool {
	return s.tick.iteration >= s.run.ceilings.iterations || m.exhausted(s)
}

// send: a worker goes while new work may be done, to an issue that is free, planned where a person
// asked for a new plan, and clear. A work loop's task that names none is refused once.
func (m *model) send(s *side, on bool, issue int) reply {
	t, r := s.tick, s.run
	off := func() bool {
		if r.status != "active" || !on {
			return r.status != "active"
		}
		unplanned := t.replan && !slices.Contains(t.plan, issue)
		return t.halting() || t.holds() || m.offLimits(s, issue) || unplanned || m.exhausted(s)
	}
	switch {
	case off():
		return refuse("Not dispatched")
	case !on:
		return nothing
	case issue == 0 && s.skill == "work" && !t.unnamed:
		t.unnamed = true
		return refuse("Not dispatched: the task names no issue")
	}
	if due := t.fresh(s.criteria(t, issue)); len(due) > 0 {
		t.pending = append(t.pending, due...)
		s.given()
		if len(t.pending) > 0 || off() {
			return refuse("Not dispatched")
		}
	}
	t.agents++
	if issue != 0 {
		t.taken = append(t.taken, issue)
	}
	return nothing
}

// speak: in a review loop a PR gets one round an iteration (R149), a review and an approval that
// closes it, and none while nothing new is on it (R81). Only a review loop approves.
func (m *model) speak(s *side, ses *session, c tool) reply {
	on, t := opened(s, ses), s.tick
	reviews := on && s.skill == "review"
	another := func(o *side) bool { return opened(o, ses) }
	switch {
	case reviews && slices.Contains(t.off, fmt.Sprintf("PR #%d", c.n)):
		return refuse("Not posted")
	case c.kind == "comment":
		return nothing
	case c.kind == "approve" && !on && slices.ContainsFunc(m.sides, another): // which judges it
		return nothing
	case c.kind == "approve" && !on, c.kind == "approve" && t.halting():
		return refuse("Not merged")
	case c.kind == "approve" && !reviews:
		return refuse("Not approved")
	case !reviews:
		return nothing
	}
	posted := review{c.n, c.kind == "approve", c.id}
	if slices.ContainsFunc(t.reviews, func(o review) bool {
		return o.pr == posted.pr && (o.approval || !posted.approval)
	}) {
		return refuse("Not posted")
	}
	t.reviews = append(t.reviews, posted)
	return nothing
}

// fails is the result of a call that passed and did not do what it was to do.
func (m *model) fails(ses *session, c tool) {
	for _, s := range m.addressed(ses) {
		if opened(s, ses) {
			s.tick.reviews = slices.DeleteFunc(slices.Clone(s.tick.reviews), func(r review) bool {
				return r.call == c.id
			})
		}
	}
}

func (s *side) tickOf(ses *session) *tick {
	if opened(s, ses) {
		return s.tick
	}
	return nil
}

func (m *model) offLimits(s *side, n int) bool {
	name := fmt.Sprintf("#%d", n)
	b := s.tick.backlog
	own := slices.Contains(s.tick.taken, n) || slices.Contains(s.run.failed, n)
	return slices.Contains(s.run.deferred, name) || slices.Contains(s.tick.off, name) ||
		b != nil && slices.Contains(b.progress, n) && !own
}

// overrun: the dollars of the run and of its open iteration are past the ceiling and ten percent of
// it.
func (m *model) overrun(s *side) bool {
	spent := s.run.cents + m.spent(s.run, s.tick.session)
	return s.run.ceilings.cents > 0 && spent*100 > s.run.ceilings.cents*110
}

// exhausted: a ceiling of PRs, minutes or dollars is reached in mid-turn.
func (m *model) exhausted(s *side) bool {
	r := *s.run
	r.cents += m.spent(s.run, s.tick.session)
	s2 := &side{skill: s.skill, run: &r, tick: s.tick, lines: s.lines}
	return slices.ContainsFunc(s2.stops(s.tick, m.now, false), func(c string) bool {
		return c == "prs_touched_budget" || c == "wall_clock_budget" || c == "cost_budget"
	})
}

// merge is the gate's rule (R99–R102): on the tracker's own word that nobody commented, or once on
// a person's word, at the commit that they were asked about.
func (m *model) merge(s *side, ses *session, c tool) reply {
	if !opened(s, ses) {
		// which judges it
		if slices.ContainsFunc(m.sides, func(o *side) bool { return opened(o, ses) }) {
			return nothing
		}
		return refuse("Not merged")
	}
	t, pr := s.tick, c.n
	target := fmt.Sprintf("PR #%d", pr)
	waits := slices.ContainsFunc(t.pending, func(g gate) bool {
		return g.target == target &&
			g.name == "post-feedback-merge"
	})
	answered := slices.ContainsFunc(t.answers, func(a answered) bool {
		return a.target == target &&
			a.name == "post-feedback-merge"
	})
	pass := func() reply {
		t.merges++
		delete(t.approved, pr)
		return nothing
	}
	ask := gate{name: "post-feedback-merge", target: target, head: c.head}
	approved := func() reply {
		switch {
		case c.head == "":
		case c.head != t.approved[pr]: // a push voids it
			delete(t.approved, pr)
			t.pending = append(t.pending, ask)
		case c.sha == c.head:
			return pass()
		}
		return refuse("Not merged")
	}
	switch {
	case t.halting():
	case t.approved[pr] != "":
		return approved()
	case answered && !waits:
	case c.spoke == "quiet" && !t.feedback[pr] && !waits:
		return pass()
	case c.head != "" && !waits:
		t.pending = append(t.pending, ask)
		s.given()
		if t.approved[pr] != "" {
			return approved()
		}
	}
	return refuse("Not merged")
}

// after is the result of a call that passed.
func (m *model) after(ses *session, c tool, worker string) {
	for _, s := range m.addressed(ses) {
		if !opened(s, ses) {
			continue
		}
		name := fmt.Sprintf("#%d", c.n)
		switch c.kind {
		case "agent":
			if worker != "" {
				s.tick.workers = append(s.tick.workers, worker)
			}
		case "open":
			s.tick.prs = adds(s.tick.prs, name)
			s.tick.state[c.n] = "open"
			s.tick.tracks(c.n)
		case "merge":
			s.tick.prs = adds(s.tick.prs, name)
			if c.says {
				s.tick.state[c.n], s.tick.landed[c.n] = "merged", true
				s.tick.tracks(c.n)
			}
		case "comment", "review", "approve":
			s.tick.comments, s.tick.seen = s.tick.comments+1, s.tick.seen+1
			s.tick.prs = adds(s.tick.prs, name)
		case "qmd":
			s.tick.qmd.seen = "Exit code 78"
		}
	}
}

// asking gives the gates that a dialog of the session now shows, at most four.
func (m *model) asking(ses *session) []gate {
	for _, s := range m.addressed(ses) {
		if c := s.claim; c != nil && c.session == ses.id && c.asks && c.prompt == ses.prompt {
			return []gate{{name: "force-unlock"}}
		}
		if opened(s, ses) && len(s.tick.pending) > 0 {
			return s.tick.pending[:min(4, len(s.tick.pending))]
		}
	}
	return nil
}

// shows notes that a dialog shows what waits for an open iteration, not for a lock to be forced.
func (m *model) shows(ses *session) {
	if s := m.shower(ses); s != nil {
		s.tick.asked = true
	}
}

// shower is the one loop whose questions a dialog shows.
func (m *model) shower(ses *session) *side {
	for _, s := range m.addressed(ses) {
		if c := s.claim; c != nil && c.session == ses.id && c.asks && c.prompt == ses.prompt {
			return nil
		}
		if opened(s, ses) && len(s.tick.pending) > 0 {
			return s
		}
	}
	return nil
}

// dialog takes the answers to the shown gates, those that are any.
func (m *model) dialog(ses *session, shown []gate, texts []string) {
	asks := m.shower(ses)
	for _, s := range m.addressed(ses) {
		if c := s.claim; c != nil && c.session == ses.id && c.asks &&
			shown[0].name == "force-unlock" {
			if texts[0] != "" && c.prompt == ses.prompt { // not an earlier turn's of the other loop
				m.forced(s, ses, texts[0])
			}
			continue // another loop's open iteration records it as a question (R120)
		}
		if !opened(s, ses) {
			continue
		}
		m.answers(s, shown, texts, s == asks)
	}
}

// hears: PostToolUse fires in this session, so an answer in its transcript alone does not count.
func (m *model) hears(ses *session) {
	for _, s := range m.sides {
		if r := s.run; r != nil && r.status == "active" && r.session == ses.id {
			r.heard[ses.id] = true
		}
	}
}

// missed takes what only the transcript has.
func (m *model) missed(s *side) {
	if s.run.heard[s.tick.session] {
		return
	}
	if d := s.tick.untold; d != nil && len(s.tick.pending) > 0 {
		s.tick.untold = nil
		m.answers(s, d.shown, d.texts, d.own)
	}
}

// answers are to the loop's own questions, or to another loop's, which may have the same words.
func (m *model) answers(s *side, shown []gate, texts []string, own bool) {
	for i, g := range shown {
		if texts[i] == "" {
			continue
		}
		at := slices.IndexFunc(s.tick.pending, func(p gate) bool { return p.key() == g.key() })
		if at >= 0 && own {
			s.answer(at, texts[i])
		} else {
			s.tick.answers = append(s.tick.answers, answered{name: "question", text: texts[i]})
		}
	}
	s.begin()
}

// forced acts on the answer to the force-unlock gate (R104).
func (m *model) forced(s *side, ses *session, text string) {
	c := s.claim
	act := gate{name: "force-unlock"}.acts(text)
	said := answered{name: "force-unlock", text: text}
	switch act {
	case "stop": // that loop is over before it began
		s.lines = append(s.lines, line{session: ses.id, iteration: c.iteration, outcome: "halted",
			fired: []string{"prior_gate_stop"}, gates: []answered{said}})
		c.asks, c.stopped, c.blocked = false, true, false
		return
	case "no":
		m.skip(s, ses, c.iteration, said)
		c.asks = false
		return
	}
	s.lock = nil
	if s.tick != nil && s.run != nil {
		m.abandoned(s, ses.id)
	}
	m.identify(s, ses, c.flags, asker{})
	if s.tick != nil {
		s.tick.answers = append(s.tick.answers, said)
	}
}

// ended is the end of a session: an open iteration is an interrupted one (R43).
func (m *model) ended(ses *session, reason string) {
	for _, s := range m.sides {
		if opened(s, ses) {
			s.tick.interrupted = true
			m.abandoned(s, ses.id)
			m.unlock(s, ses)
		}
		if s.run != nil && s.run.session == ses.id {
			m.aside(s.run, ses.id)
			s.run.left = true
			if reason != "clear" {
				s.run.scheduled = nil
			}
		}
	}
}

// loopStop is a person's command in a terminal.
func (m *model) loopStop() {
	for _, s := range m.sides {
		switch r := s.run; {
		case r == nil || r.status == "halted":
		case s.tick != nil && !r.left && r.owner.alive:
			s.tick.interrupted = true
		default:
			ses := m.sessions[r.session]
			if s.tick != nil {
				s.tick.interrupted = true
				m.abandoned(s, ses.id)
			} else {
				m.between(s, "")
			}
			m.unlock(s, ses)
		}
	}
}

// reset archives what has ended.
func (m *model) reset() (refused bool) {
	for _, s := range m.sides {
		r := s.run
		if r != nil && r.status == "active" && !r.left && r.owner.alive {
			refused = true
			continue
		}
		if r == nil && s.tick == nil {
			continue
		}
		s.run, s.tick, s.claim, s.lines = nil, nil, nil, nil
		if s.lock != nil && !s.lock.owner.alive {
			s.lock = nil
		}
	}
	return refused
}

// gateAnswer is a person's answer in a terminal to a gate of a paused run. One that waits in two
// loops is named with its loop.
func (m *model) gateAnswer(skill, name, target, text string) (taken bool) {
	var meant []*gate
	for _, s := range m.sides {
		if s.run == nil || skill != "" && skill != s.skill {
			continue
		}
		for i := range s.run.pending {
			if g := &s.run.pending[i]; g.name == name && g.target == target {
				meant = append(meant, g)
			}
		}
	}
	if len(meant) != 1 {
		return false
	}
	meant[0].given = text
	return true
}

// plain are the flags of a command without any ceiling of its own.
func plain(command string) flags {
	f := flags{ceilings: ceilings{5, 20, 60, 2500}}
	if strings.HasSuffix(command, " --pr 142") {
		f.pr = 142
	}
	return f
}

// word is the command that a schedule would fire for this side's run.
func (m *model) word(s *side) string {
	if s.run != nil {
		return command(s.skill, s.run.single)
	}
	return command(s.skill, 0)
}

func command(skill string, pr int) string {
	if pr != 0 {
		return fmt.Sprintf("/sdd:%s --loop --pr %d", skill, pr)
	}
	return "/sdd:" + skill + " --loop"
}

// tracks follows a PR from now on. Its head is unknown until a report has it.
func (t *tick) tracks(pr int) {
	if _, known := t.heads[pr]; !known {
		t.heads[pr] = ""
	}
}
