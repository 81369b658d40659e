package report

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"hooks/internal/english"
	"hooks/internal/loop"
	"hooks/internal/page"
	"hooks/internal/term"
)

// Cost is a table of what loops spent. Dollars are API-equivalent.
type Cost struct {
	By   string `json:"by"`             // the grouping, e.g. day
	All  bool   `json:"all,omitempty"`  // covers all projects on this machine
	Zone string `json:"zone,omitempty"` // time zone used for days
	// If Since is set, iterations that ended before it are not counted.
	Since *time.Time  `json:"since,omitempty"`
	Rows  []CostRow   `json:"rows"`
	Total loop.Tokens `json:"total"`
	Notes []string    `json:"notes,omitempty"`
}

// CostRow is a row of a Cost. Besides its tokens, only the fields that identify it are set.
type CostRow struct {
	Project   string     `json:"project,omitempty"` // see Stand
	RunID     string     `json:"run_id,omitempty"`
	Skill     loop.Skill `json:"skill,omitempty"`
	Iteration int        `json:"iteration,omitempty"`
	State     string     `json:"state,omitempty"` // state of the run or outcome of the iteration
	Day       string     `json:"day,omitempty"`   // for example 2026-11-22
	Model     string     `json:"model,omitempty"`
	Task      string     `json:"task,omitempty"` // the task's title
	// task number in a task loop, starting at 1
	Number int    `json:"task_number,omitempty"`
	Phase  string `json:"phase,omitempty"` // phase of an audit loop
	Rest   string `json:"rest,omitempty"`  // name of the row for the remaining spend
	Order  int    `json:"-"`               // position of the task or phase in the run
	loop.Tokens
}

// Compare orders rows by task, phase or day, and model rows by dollars, the most expensive first.
// The row for the rest comes last.
func (r CostRow) Compare(o CostRow) int {
	first := cmp.Or(cmp.Compare(r.Rest, o.Rest), r.Order-o.Order, cmp.Compare(r.Day, o.Day))
	if first != 0 || r.Model == "" {
		return first
	}
	return cmp.Or(cmp.Compare(o.Dollars, r.Dollars), cmp.Compare(r.Model, o.Model))
}

// Draw draws the table. All amounts, including the total, are exact sums rounded to three decimals.
func (c Cost) Draw(p *page.Text) {
	if len(c.Rows) == 0 && c.Total == (loop.Tokens{}) {
		p.Line(page.Plain, "no loop has spent anything %s", Where(p.Screen, c.All))
		p.Notes("Note", c.Notes)
		return
	}
	p.Line(page.Plain, "$%s in total, API-equivalent: what the API would charge; "+
		"a subscription is billed differently", Mills(c.Total.Dollars))
	if c.Since != nil {
		p.Line(page.Plain, "Only iterations that ended since %s; spend outside of iterations "+
			"is left out", p.Dated(*c.Since))
	}
	if c.Zone != "" {
		p.Line(page.Plain, "Days are in the time zone %s; "+
			"an iteration counts on the day on which it ended", c.Zone)
	}
	p.Blank()
	t := page.Table{Columns: []page.Column{{Name: c.By}}}
	t.Columns = append(t.Columns, page.Counts("input", "output", "cache read", "write 5m",
		"write 1h", "searches")...)
	if c.By == "phase" && c.Total.Messages > 0 { // earlier versions did not count messages
		t.Columns = append(t.Columns, page.Counts("messages")...)
	}
	t.Columns = append(t.Columns, page.Column{Name: "dollars", Right: true})
	for _, r := range append(slices.Clip(c.Rows), CostRow{Rest: "total", Tokens: c.Total}) {
		counts := []int64{r.Input, r.Output, r.CacheRead, r.CacheWrite5m, r.CacheWrite1h,
			r.WebSearches, r.Messages}[:len(t.Columns)-2]
		t.Add(slices.Concat([]string{r.name(c.By)}, each(counts, thousands),
			[]string{"$" + Mills(r.Dollars)})...)
	}
	p.Table(t)
	p.Notes("Note", c.Notes)
}

// name returns a row's label. The run id comes last, because a narrow screen cuts off the end.
func (r CostRow) name(by string) string {
	switch project := r.Project; {
	case r.Skill == "": // a row for several runs, or for the rest
		return cmp.Or(r.Rest, r.Day, r.Model, project)
	case project != "":
		r.Project = ""
		return filepath.Base(project) + " " + r.name(by)
	case by == "iteration":
		return fmt.Sprintf("%s #%d %s, %s", r.Skill, r.Iteration, r.State, r.RunID)
	case r.Phase != "":
		return string(r.Phase) + ", " + r.RunID
	case r.Number > 0:
		return fmt.Sprintf("%d %s, %s", r.Number, term.Clip(r.Task, 40), r.RunID)
	}
	return fmt.Sprintf("%s%s, %s", r.Skill, prefixed(" ", r.State), r.RunID)
}

// Mills formats an amount in dollars with three decimals, rounded half up.
func Mills(u loop.USD) string {
	m := (u + loop.Dollar/2000) / (loop.Dollar / 1000)
	return fmt.Sprintf("%d.%03d", m/1000, m%1000)
}

func thousands(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Rates is the price table in use.
type Rates struct {
	Source   string    `json:"rate_table_source"`
	Dated    string    `json:"built_in_table_dated"`
	AgeDays  int       `json:"built_in_table_age_days"`
	Rows     []RateRow `json:"rows"`
	Warnings []string  `json:"warnings,omitempty"` // unreadable configuration lines
}

// RateRow holds the prices of a model and its dated releases, in dollars per million tokens.
type RateRow struct {
	Model        string   `json:"model"`
	Input        loop.USD `json:"input"`
	Output       loop.USD `json:"output"`
	CacheRead    loop.USD `json:"cache_read"`
	CacheWrite5m loop.USD `json:"cache_write_5m"`
	CacheWrite1h loop.USD `json:"cache_write_1h"`
	// price factor for fast mode; 1 if fast mode is not priced separately
	Fast   int64  `json:"fast_mode_times"`
	Long   int64  `json:"long_prompt_times"` // price factor for a prompt over 100,000 tokens
	Source string `json:"source"`
}

func (r Rates) Draw(p *page.Text) {
	p.Line(page.Plain, "API-equivalent: dollars per million tokens")
	p.Blank()
	t := page.Table{Columns: slices.Concat(
		[]page.Column{{Name: "model"}, {Name: "input", Right: true}, {Name: "output", Right: true}},
		page.Counts("cache read", "write 5m", "write 1h", "fast", "long"),
		[]page.Column{{Name: "source", Loose: true}})}
	for _, row := range r.Rows {
		t.Add(row.Model, row.Input.Decimal(), row.Output.Decimal(), row.CacheRead.Decimal(),
			row.CacheWrite5m.Decimal(), row.CacheWrite1h.Decimal(), times(row.Fast),
			times(row.Long), row.Source)
	}
	p.Table(t)
	p.Blank()
	p.Line(page.Plain, "The built-in rows are dated %s, %s ago.", r.Dated,
		english.Plural(r.AgeDays, "day"))
	p.Line(page.Plain, "Rows under Loop Cost Rates in CLAUDE.md override them per model.")
	p.Notes("Warning", r.Warnings)
}

func times(n int64) string { return cmp.Or(when(n > 1, fmt.Sprint(n)), "-") }

// maxWarnings is the maximum number of configuration lines quoted in a status block.
const maxWarnings = 3

// ConfigNotes returns notes about configuration lines that have no effect.
func ConfigNotes(warnings []string) (notes []string) {
	notes = each(warnings[:min(maxWarnings, len(warnings))],
		func(line string) string { return "Configuration: " + line })
	if more := len(warnings) - maxWarnings; more > 0 {
		notes = append(notes, fmt.Sprintf("Configuration: %s; `hooks cost --rates` lists them all",
			english.Plural(more, "more warning")))
	}
	return notes
}

// Quantity is a number of iterations, PRs, minutes or dollars, in units of 10⁻¹². That makes
// averages exact enough and leaves plain numbers in JSON.
type Quantity = loop.USD

// one is the Quantity of one iteration, PR, minute or dollar.
const one = loop.Dollar

// Axis is one of a run's budgets, with a prediction based on the pace so far.
type Axis struct {
	Name    string   `json:"name"` // iterations, PRs, minutes or dollars
	Used    Quantity `json:"used"`
	Ceiling Quantity `json:"ceiling"`       // 0 if there is no ceiling
	Each    Quantity `json:"per_iteration"` // average over ended iterations; 0 before the first
	// More is the number of iterations that the remaining budget allows after the open one. It is
	// nil if unknown, if the iterations run out first, or if the run has halted.
	More *int `json:"more_iterations,omitempty"`
	// EndsAt is when the ceiling is expected to be reached. It is nil if the time is unknown or the
	// run does not continue.
	EndsAt *time.Time `json:"ends_at,omitempty"`
}

// Axes returns the active budgets of run b. saved is the run as of the end of its last iteration
// and determines the pace. going means that the run continues by itself; otherwise its end is not
// predicted.
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
	// axis returns one budget. before is the amount used by the end of the last iteration, and
	// outside is the part of it used between iterations.
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
		// Predict nothing if the iterations run out before this budget does.
		if more < 0 || more > left || b.Status == loop.Halted {
			return a
		}
		a.More = &more
		if pace := saved.MinutesElapsed; active && ended > 0 && pace > 0 && more < 10_000 {
			each := time.Duration(pace) * time.Minute / time.Duration(ended)
			a.EndsAt = new(now.Add(time.Duration(more) * each))
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
	} else if active { // the clock's end does not depend on the iterations
		left := max(0, c.Minutes-b.MinutesElapsed)
		clock.EndsAt = new(now.Add(time.Duration(left) * time.Minute))
	}
	return append(axes, clock, axis("dollars", b.DollarsEstimate, saved.DollarsEstimate,
		saved.DollarsOutside, c.Dollars))
}

// budgets returns a gauge for each budget.
func budgets(s page.Screen, axes []Axis) (list page.Facts) {
	room := 0
	for _, a := range axes {
		room = max(room, len(a.usage()))
	}
	for _, a := range axes {
		list.Gauge(a.Name, a.style(), fmt.Sprintf("%-*s%s", room, a.usage(), a.outlook(s)),
			int64(min(a.Used, a.Ceiling)), max(1, int64(a.Ceiling)))
	}
	return list
}

// spending returns a run's budgets and a person's decisions about them.
func spending(s page.Screen, b *loop.Budget, axes []Axis, raise string) page.Facts {
	list := budgets(s, axes)
	if b.DollarsOutside != 0 {
		list.Row("outside", page.Plain, "$%s outside of iterations", b.DollarsOutside)
	}
	list.Command("raise", raise)
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

// usage formats the used amount and the ceiling, for example "$3.20/$20".
func (a Axis) usage() string {
	switch {
	case a.Name != "dollars":
		return outOf(int(a.Used/one), int(a.Ceiling/one), "/")
	case a.Ceiling == 0:
		return "$" + a.Used.String()
	}
	return "$" + a.Used.String() + "/" + ceiling(a.Ceiling)
}

// outlook describes the pace, how many more iterations the budget allows, and when they will end.
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
		// only the number of remaining iterations is exact
		about := when(a.Name != "iterations" && *a.More > 0, "about ")
		parts = append(parts, fmt.Sprintf("%s%d more", about, *a.More))
	}
	if a.EndsAt != nil && a.EndsAt.After(s.Now) {
		parts = append(parts, "about "+s.At(*a.EndsAt))
	}
	return prefixed("  ", commas(parts...))
}
