package report

import (
	"time"

	"hooks/internal/loop"
)

// Quantity counts iterations, PRs, minutes or dollars in 10⁻¹² parts, so that averages are exact enough and JSON shows
// plain numbers.
type Quantity loop.USD

// one is a whole iteration, PR, minute or dollar.
const one = Quantity(loop.Dollar)

// MarshalJSON writes a JSON number.
func (q Quantity) MarshalJSON() ([]byte, error) { return loop.USD(q).MarshalJSON() }

// Axis is one budget of a run: how much is used, and how far the rest goes at the pace so far.
type Axis struct {
	Name    string   `json:"name"` // iterations, PRs, minutes or dollars
	Used    Quantity `json:"used"`
	Ceiling Quantity `json:"ceiling"`                   // 0: there is none
	Each    Quantity `json:"per_iteration"`             // of the iterations that have ended; 0 while none has
	More    *int     `json:"more_iterations,omitempty"` // whole ones that the rest buys after the open one, when that can be told
	// EndsAt is when the ceiling is reached at this pace, when that can be told of a run that goes on.
	EndsAt *time.Time `json:"ends_at,omitempty"`
}

// Axes are the run's active budgets. minutes is the run's time by now, open what the open iteration has spent so far;
// going says that the run goes on by itself, so that it can be told when.
func Axes(b *loop.Budget, t *loop.Tick, minutes int, open loop.USD, going bool, now time.Time) []Axis {
	whole := func(n int) Quantity { return Quantity(n) * one }
	c, ended, running := b.Ceilings, b.IterationsUsed, 0
	if t != nil && t.Body && t.Iteration == b.IterationsUsed {
		ended, running = ended-1, 1
	}
	p := pace{ended, running, 0, b.Status == loop.Halted, going && b.Status == loop.Active, now}
	if ended > 0 {
		p.each = time.Duration(b.MinutesElapsed) * time.Minute / time.Duration(ended)
	}
	axes := []Axis{{Name: "iterations", Used: whole(b.IterationsUsed), Ceiling: whole(c.Iterations), Each: one}}
	p.more(&axes[0], max(0, c.Iterations-b.IterationsUsed))
	if b.SinglePR == 0 {
		axes = append(axes, p.axis("PRs", whole(len(b.Touched(t))), whole(len(b.PRsTouched)), whole(c.PRs)))
	}
	clock := p.axis("minutes", whole(minutes), whole(b.MinutesElapsed), whole(c.Minutes))
	if clock.EndsAt = nil; p.active {
		at := now.Add(time.Duration(max(0, c.Minutes-minutes)) * time.Minute)
		clock.EndsAt = &at
	}
	return append(axes, clock, p.axis("dollars", Quantity(b.DollarsEstimate+open), Quantity(b.DollarsEstimate), Quantity(c.Dollars)))
}

// pace is how fast a run has gone so far.
type pace struct {
	ended, running int           // iterations
	each           time.Duration // of an ended iteration, the wait for the next one included
	over, active   bool
	now            time.Time
}

// axis looks ahead from what the ended iterations used.
func (p pace) axis(name string, used, before, ceiling Quantity) Axis {
	a := Axis{Name: name, Used: used, Ceiling: ceiling}
	if p.ended > 0 {
		a.Each = before / Quantity(p.ended)
	}
	if ceiling > 0 && a.Each > 0 {
		p.more(&a, max(0, int((ceiling-before)/a.Each)-p.running))
	}
	return a
}

// more sets what the rest buys, and until when.
func (p pace) more(a *Axis, iterations int) {
	if p.over {
		return
	}
	if a.More = &iterations; p.active && p.each > 0 && iterations < 10_000 {
		at := p.now.Add(time.Duration(iterations) * p.each)
		a.EndsAt = &at
	}
}

// firstToEnd is the budget that ends first, nil when none can be told.
func firstToEnd(axes []Axis) (found *Axis) {
	for i := range axes {
		a := &axes[i]
		switch {
		case a.More == nil && a.EndsAt == nil:
		case found == nil, a.EndsAt != nil && found.EndsAt != nil && a.EndsAt.Before(*found.EndsAt):
			found = a
		case (a.EndsAt == nil || found.EndsAt == nil) && a.More != nil && found.More != nil && *a.More < *found.More:
			found = a
		}
	}
	return found
}
