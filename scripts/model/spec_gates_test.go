package model

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

func half(n int) int { return n + (n+1)/2 }

// escalation is the one question about every budget at 80 % (R92–R97); at 100 % there is none.
func (s *side) escalation(t *tick, now time.Time) []gate {
	r := s.run
	c, raised := r.ceilings, r.ceilings
	used := r.used
	if !t.body {
		used++
	}
	near, full := false, false
	look := func(value, ceiling int, raise func()) {
		full = full || value >= ceiling
		if value*5 >= ceiling*4 {
			near = true
			raise()
		}
	}
	look(used, c.iterations, func() { raised.iterations = half(c.iterations) })
	if r.single == 0 {
		look(len(s.touched(t))+max(0, len(t.plan)-len(t.prs)), c.prs,
			func() { raised.prs = half(c.prs) })
	}
	look(r.at(now), c.minutes, func() { raised.minutes = half(c.minutes) })
	if c.cents > 0 {
		look(r.cents, c.cents, func() { raised.cents = half(c.cents) })
	}
	if full || !near {
		return nil
	}
	return []gate{{name: "budget-escalation", raise: raised}}
}

// drift: the set of unblocked issues changed since the iteration before recorded it, but for what
// that iteration took (R86).
func (s *side) drift(t *tick) []gate {
	var p *line
	for i := len(s.lines) - 1; i >= 0 && p == nil; i-- {
		if l := &s.lines[i]; l.worked && l.own == s.run {
			p = l
		}
	}
	if s.skill != "work" || p == nil || p.backlog == nil || t.backlog == nil {
		return nil
	}
	taken, changed := slices.Concat(p.plan, p.taken), false
	for _, n := range t.backlog.unblocked {
		changed = changed || !slices.Contains(p.backlog.unblocked, n)
	}
	for _, n := range p.backlog.unblocked {
		changed = changed || !slices.Contains(t.backlog.unblocked, n) && !slices.Contains(taken, n)
	}
	if !changed {
		return nil
	}
	return []gate{{name: "backlog-drift"}}
}

// criteria: one question an issue that is to be worked on and has none (R89): it is planned,
// nothing is, or a worker is sent to it.
func (s *side) criteria(t *tick, sent ...int) []gate {
	var due []gate
	for _, n := range t.issueOrder {
		target := fmt.Sprintf("#%d", n)
		unclear := t.issues[n] == "tbd" || t.issues[n] == "missing"
		meant := len(t.plan) == 0 || slices.Contains(t.plan, n) || slices.Contains(sent, n)
		if unclear && meant && !slices.Contains(s.run.deferred, target) {
			due = append(due, gate{name: "ambiguous-criteria", target: target})
		}
	}
	return due
}

// repeated: the same issue failed in two consecutive iterations for the same reason (R34).
func (s *side) repeated(t *tick) []gate {
	var due []gate
	p := s.previous()
	for _, f := range t.failures {
		if p != nil && slices.Contains(p.failures, f) {
			due = append(due, gate{name: "repeated-failure", target: fmt.Sprintf("#%d", f.number)})
		}
	}
	return due
}

// fresh leaves out what this tick asks or has asked (R107: per tick, never over ticks).
func (t *tick) fresh(list []gate) []gate {
	return slices.DeleteFunc(list, func(g gate) bool {
		old := t.answers
		if g.name == "repeated-failure" { // one answered at entry was about the failure before
			old = t.carry
		}
		return slices.ContainsFunc(t.pending, func(p gate) bool { return p.key() == g.key() }) ||
			slices.ContainsFunc(old, func(a answered) bool {
				return a.name == g.name &&
					a.target == g.target
			})
	})
}

var options = map[string][]string{
	"force-unlock": {"no", "yes", "stop"}, "budget-escalation": {"continue", "raise", "stop"},
	"backlog-drift": {"re-propose", "continue", "stop"}, "ambiguous-criteria": {"skip", "escalate",
		"proceed", "stop"},
	"post-feedback-merge": {"hold", "merge", "stop"}, "repeated-failure": {"skip", "retry", "stop"},
}

// acts is the option that an answer acts as. Other words act as the safest one, the first (A4).
func (g gate) acts(text string) string {
	word := strings.ToLower(strings.TrimSpace(text))
	if slices.Contains(options[g.name], word) {
		return word
	}
	if n, ok := ownCeiling(text); ok && n > 0 && g.name == "budget-escalation" {
		return "raise"
	}
	return options[g.name][0]
}

func ownCeiling(text string) (int, bool) {
	v, ok := strings.CutPrefix(text, "iterations=")
	n, err := strconv.Atoi(v)
	return n, ok && err == nil
}

// answer takes one answer to a waiting gate of the open tick.
func (s *side) answer(i int, text string) {
	t := s.tick
	g := t.pending[i]
	t.pending = slices.Delete(slices.Clone(t.pending), i, i+1)
	act := g.acts(text)
	a := answered{g.name, g.target, text}
	if g.name == "repeated-failure" && t.body && act != "stop" {
		t.carry = append(t.carry, a)
	} else {
		t.answers = append(t.answers, a)
	}
	switch {
	case act == "stop":
		cause := "prior_gate_stop"
		if g.name == "repeated-failure" {
			cause = "repeated_failure"
		}
		if len(t.fired) == 0 {
			t.gate, t.gateIn = g.name, t.iteration
		}
		t.fired = append(t.fired, cause)
		t.pending = nil
	case g.name == "budget-escalation" && act == "raise":
		if n, ok := ownCeiling(text); ok {
			s.run.ceilings.iterations = n
		} else {
			s.run.ceilings = g.raise
		}
	case g.name == "backlog-drift" && act == "re-propose": // a worker passes for a new plan only
		t.replan, t.plan = true, nil
	case g.name == "ambiguous-criteria" && act != "proceed":
		t.off = adds(t.off, g.target)
	case g.name == "repeated-failure" && act == "skip":
		s.run.deferred = adds(s.run.deferred, g.target)
	case g.name == "post-feedback-merge" && act == "merge":
		n, _ := strconv.Atoi(strings.TrimPrefix(g.target, "PR #"))
		t.approved[n] = g.head
	}
}

// given uses what was answered in a terminal for the gates that are due.
func (s *side) given() {
	t := s.tick
	var left []gate
	for _, g := range t.given {
		i := slices.IndexFunc(t.pending, func(p gate) bool {
			return p.key() == g.key() && p.head == g.head
		})
		if i < 0 {
			left = append(left, g)
			continue
		}
		s.answer(i, g.given)
	}
	t.given = left
}

func (s *side) begin() {
	if t := s.tick; !t.body && len(t.fired) == 0 && !t.holds() {
		t.body = true
		s.run.used = t.iteration
	}
}
