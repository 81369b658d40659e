package report

import (
	"fmt"
	"time"

	"hooks/internal/loop"
)

// Quantity is a number of iterations, PRs, minutes or dollars in units of 10⁻¹², so that averages
// are exact enough and JSON has plain numbers.
type Quantity loop.USD

// one is a whole iteration, PR, minute or dollar.
const one = Quantity(loop.Dollar)

// MarshalJSON writes a JSON number.
func (q Quantity) MarshalJSON() ([]byte, error) { return loop.USD(q).MarshalJSON() }

// Axis is one budget of a run, with a prediction at the pace so far.
type Axis struct {
	Name    string   `json:"name"` // iterations, PRs, minutes or dollars
	Used    Quantity `json:"used"`
	Ceiling Quantity `json:"ceiling"`       // 0: no ceiling
	Each    Quantity `json:"per_iteration"` // of ended iterations; 0 before the first
	// More is the number of iterations that the rest is enough for after the open one. It is nil if
	// that is unknown, or if the ceiling of iterations is reached first.
	More *int `json:"more_iterations,omitempty"`
	// EndsAt is the predicted time at which the ceiling is reached. It is nil if that is unknown or
	// the run does not continue.
	EndsAt *time.Time `json:"ends_at,omitempty"`
}

// Axes returns the active budgets of run b. saved is the run at the end of its last iteration,
// which determines the pace. going reports whether the run continues by itself; only then is its
// end predicted.
func Axes(saved, b *loop.Budget, t *loop.Tick, going bool, now time.Time) []Axis {
	whole := func(n int) Quantity { return Quantity(n) * one }
	c, ended, running := b.Ceilings, saved.IterationsUsed, 0
	if t != nil && t.Started && t.Iteration == saved.IterationsUsed {
		ended--
	}
	if t != nil {
		running = b.IterationsUsed - ended
	}
	p := pace{ended: ended, running: running, over: b.Status == loop.Halted,
		active: going && b.Status == loop.Active, now: now}
	if ended > 0 {
		p.each = time.Duration(saved.MinutesElapsed) * time.Minute / time.Duration(ended)
	}
	axes := []Axis{{Name: "iterations", Used: whole(b.IterationsUsed), Ceiling: whole(c.Iterations),
		Each: one}}
	p.predict(&axes[0], max(0, c.Iterations-b.IterationsUsed))
	if b.CountsPRs() {
		axes = append(axes, p.axis("PRs", whole(len(b.PRsTouched)), whole(len(saved.PRsTouched)), 0,
			whole(c.PRs)))
	}
	clock := p.axis("minutes", whole(b.MinutesElapsed), whole(saved.MinutesElapsed), 0,
		whole(c.Minutes))
	if clock.EndsAt = nil; c.Minutes >= noCeiling {
		clock.More = nil
	} else if p.active {
		at := now.Add(time.Duration(max(0, c.Minutes-b.MinutesElapsed)) * time.Minute)
		clock.EndsAt = &at
	}
	axes = append(axes, clock, p.axis("dollars", Quantity(b.DollarsEstimate),
		Quantity(saved.DollarsEstimate), Quantity(saved.DollarsOutside), Quantity(c.Dollars)))
	for i := range axes {
		axes[i].believe(axes[0].More)
	}
	return axes
}

// believe drops a prediction beyond the iterations that are left. The rest of a nearly unused
// budget would be enough for thousands.
func (a *Axis) believe(left *int) {
	if a.More == nil || left == nil || *a.More <= *left {
		return
	}
	if a.More = nil; a.Name != "minutes" { // the end of the clock does not depend on them
		a.EndsAt = nil
	}
}

// about formats a predicted number of iterations.
func about(n int) string {
	if n == 0 {
		return "0 more"
	}
	return fmt.Sprintf("about %d more", n)
}

// pace is the speed of a run so far.
type pace struct {
	ended, running int           // iterations
	each           time.Duration // of an ended iteration, with the wait for the next one
	over, active   bool
	now            time.Time
}

// axis returns a budget with a prediction. The ended iterations used before minus outside.
func (p pace) axis(name string, used, before, outside, ceiling Quantity) Axis {
	a := Axis{Name: name, Used: used, Ceiling: ceiling}
	if p.ended > 0 {
		a.Each = (before - outside) / Quantity(p.ended)
	}
	switch {
	case ceiling > 0 && used >= ceiling:
		p.predict(&a, 0)
	case ceiling > 0 && a.Each > 0:
		p.predict(&a, max(0, int((ceiling-before)/a.Each)-p.running))
	}
	return a
}

// predict sets the number of iterations that the rest is enough for, and the time of their end.
func (p pace) predict(a *Axis, iterations int) {
	if p.over {
		return
	}
	if a.More = &iterations; p.active && p.each > 0 && iterations < 10_000 {
		at := p.now.Add(time.Duration(iterations) * p.each)
		a.EndsAt = &at
	}
}

// firstToEnd returns the budget that ends first. It is nil if no budget has a prediction.
func firstToEnd(axes []Axis) (found *Axis) {
	for i := range axes {
		a := &axes[i]
		switch {
		case a.More == nil && a.EndsAt == nil:
		case found == nil, a.EndsAt != nil && found.EndsAt != nil && a.EndsAt.Before(*found.EndsAt):
			found = a
		case (a.EndsAt == nil || found.EndsAt == nil) && a.More != nil && found.More != nil &&
			*a.More < *found.More:
			found = a
		}
	}
	return found
}

// axes draws the budgets as bars.
func (p *page) axes(axes []Axis) {
	room := 0
	for _, a := range axes {
		room = max(room, len(a.standing()))
	}
	for _, a := range axes {
		drawn := bar(int64(a.Used), int64(a.Ceiling), min(max(p.Width/5, 6), 24))
		p.row(a.Name, a.style(), "%s  %s%s", drawn, pad(a.standing(), room, false),
			a.rest(p.Width < 60))
	}
}

func (a Axis) style() string {
	switch {
	case a.Ceiling > 0 && a.Used >= a.Ceiling:
		return bad
	case a.Ceiling > 0 && a.Used/4 >= a.Ceiling/5: // 80 %, like budget-escalation
		return warn
	}
	return plain
}

// standing returns the used amount and the ceiling, as in "$3.20/$20".
func (a Axis) standing() string {
	switch {
	case a.Name != "dollars":
		return outOf(int(a.Used/one), int(a.Ceiling/one), "/")
	case a.Ceiling == 0:
		return "$" + loop.USD(a.Used).String()
	}
	return "$" + loop.USD(a.Used).String() + "/" + ceiling(loop.USD(a.Ceiling))
}

// rest describes the pace and the iterations that the rest is enough for. short omits the pace.
func (a Axis) rest(short bool) string {
	each := ""
	switch {
	case a.Name == "dollars" && a.Ceiling == 0:
		each = "  no ceiling"
	case short:
	case a.Name == "dollars" && a.Each > 0:
		each = fmt.Sprintf("  $%s an iteration", loop.USD(a.Each))
	case a.Name != "iterations" && a.Each > 0:
		each = fmt.Sprintf("  %d.%d an iteration", a.Each/one, a.Each%one/(one/10))
	}
	switch {
	case a.More == nil:
		return each
	case each != "":
		return each + ", " + a.more()
	}
	return "  " + a.more()
}

// more describes the number of iterations that the rest is enough for. Only the budget of
// iterations is exact.
func (a Axis) more() string {
	if a.Name == "iterations" {
		return fmt.Sprintf("%d more", *a.More)
	}
	return about(*a.More)
}

// ahead describes the number of iterations that the rest is enough for, and the time of their end.
func (s Screen) ahead(a *Axis) (text string) {
	switch {
	case a.More != nil && *a.More == 0:
		return ", no further iteration"
	case a.More != nil:
		text = ", " + a.more()
	}
	if a.EndsAt != nil {
		text += ", about " + s.at(*a.EndsAt)
	}
	return text
}
