package report

import (
	"fmt"
	"time"

	"hooks/internal/loop"
	"hooks/internal/page"
)

// Quantity is a number of iterations, PRs, minutes or dollars in units of 10⁻¹². Averages are then
// exact enough, and JSON has plain numbers.
type Quantity = loop.USD

// one is the Quantity of a whole iteration, PR, minute or dollar.
const one = loop.Dollar

// Axis is one budget of a run, with a prediction at the pace so far.
type Axis struct {
	Name    string   `json:"name"` // iterations, PRs, minutes or dollars
	Used    Quantity `json:"used"`
	Ceiling Quantity `json:"ceiling"`       // 0 if there is no ceiling
	Each    Quantity `json:"per_iteration"` // average of the ended iterations; 0 before the first
	// More is the number of further iterations, after the open one, for which the remainder is
	// enough. It is nil if that is unknown, or if the ceiling of iterations is reached first.
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
	active, left := going && b.Status == loop.Active, max(0, c.Iterations-b.IterationsUsed)
	// The ended iterations used before minus outside.
	axis := func(name string, used, before, outside, ceiling Quantity) Axis {
		a, more := Axis{Name: name, Used: used, Ceiling: ceiling}, -1
		if ended > 0 {
			a.Each = (before - outside) / Quantity(ended)
		}
		switch {
		case name == "iterations":
			a.Each, more = one, left
		case ceiling > 0 && used >= ceiling:
			more = 0
		case ceiling > 0 && a.Each > 0:
			more = max(0, int((ceiling-before)/a.Each)-running)
		}
		// The remainder of a nearly unused budget would be enough for thousands of iterations.
		if more < 0 || more > left || b.Status == loop.Halted {
			return a
		}
		a.More = &more
		if pace := saved.MinutesElapsed; active && ended > 0 && pace > 0 && more < 10_000 {
			each := time.Duration(pace) * time.Minute / time.Duration(ended)
			at := now.Add(time.Duration(more) * each)
			a.EndsAt = &at
		}
		return a
	}
	axes := []Axis{axis("iterations", whole(b.IterationsUsed), 0, 0, whole(c.Iterations))}
	if b.CountsPRs() {
		axes = append(axes, axis("PRs", whole(len(b.PRsTouched)), whole(len(saved.PRsTouched)), 0,
			whole(c.PRs)))
	}
	clock := axis("minutes", whole(b.MinutesElapsed), whole(saved.MinutesElapsed), 0,
		whole(c.Minutes))
	if clock.EndsAt = nil; c.Minutes >= loop.MaxUnits {
		clock.More = nil
	} else if active { // its end does not depend on the iterations
		at := now.Add(time.Duration(max(0, c.Minutes-b.MinutesElapsed)) * time.Minute)
		clock.EndsAt = &at
	}
	return append(axes, clock, axis("dollars", b.DollarsEstimate, saved.DollarsEstimate,
		saved.DollarsOutside, c.Dollars))
}

// budgets returns the use of each budget, with a bar.
func budgets(s page.Screen, axes []Axis) (list page.Facts) {
	room := 0
	for _, a := range axes {
		room = max(room, len(a.usage()))
	}
	for _, a := range axes {
		used := a.Used
		if a.Ceiling == 0 {
			used = 0
		}
		list.Gauge(a.Name, a.style(), fmt.Sprintf("%-*s%s", room, a.usage(), a.outlook(s)),
			int64(used), max(1, int64(a.Ceiling)))
	}
	return list
}

// spending returns the facts about a run's budgets and about a person's decisions on them.
func spending(s page.Screen, b *loop.Budget, axes []Axis, raise string) page.Facts {
	list := budgets(s, axes)
	if b.DollarsOutside != 0 {
		list.Row("outside", page.Plain, "$%s outside of iterations", b.DollarsOutside)
	}
	if raise != "" {
		list.Command("raise", raise)
	}
	list.Given("in advance", b.Policy.Words())
	return list
}

func (a Axis) style() string {
	switch {
	case a.Ceiling > 0 && a.Used >= a.Ceiling:
		return page.Bad
	case a.Ceiling > 0 && a.Used/4 >= a.Ceiling/5: // 80 %, like budget-escalation
		return page.Warn
	}
	return page.Plain
}

// usage returns the used amount and the ceiling, as in "$3.20/$20".
func (a Axis) usage() string {
	switch {
	case a.Name != "dollars":
		return outOf(int(a.Used/one), int(a.Ceiling/one), "/")
	case a.Ceiling == 0:
		return "$" + a.Used.String()
	}
	return "$" + a.Used.String() + "/" + ceiling(a.Ceiling)
}

// outlook describes the pace, the number of iterations for which the remainder is enough, and when
// they will end.
func (a Axis) outlook(s page.Screen) string {
	var parts []string
	switch {
	case a.Name == "dollars" && a.Ceiling == 0:
		parts = append(parts, "no ceiling")
	case a.Name == "dollars" && a.Each > 0:
		parts = append(parts, fmt.Sprintf("$%s an iteration", a.Each))
	case a.Name != "iterations" && a.Each > 0:
		parts = append(parts, fmt.Sprintf("%d.%d an iteration", a.Each/one, a.Each%one/(one/10)))
	}
	if a.More != nil {
		// only the budget of iterations is exact
		about := when(a.Name != "iterations" && *a.More > 0, "about ")
		parts = append(parts, fmt.Sprintf("%s%d more", about, *a.More))
	}
	if a.EndsAt != nil && a.EndsAt.After(s.Now) {
		parts = append(parts, "about "+s.At(*a.EndsAt))
	}
	return prefixed("  ", commas(parts...))
}
