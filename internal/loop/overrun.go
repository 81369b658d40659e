package loop

import (
	"fmt"
	"slices"
)

// Running is what the open iteration has spent, as far as it was looked at while it runs. It is a
// lower bound, because the iteration's end counts everything from the run's own cursors.
type Running struct {
	// From is the run's dollars_estimate that this continues from. With another one it is void,
	// because the estimate includes it.
	From    USD `json:"from"`
	Dollars USD `json:"dollars"`
	// Cursors are of the transcripts that have grown since the run's own cursors.
	Cursors []Cursor `json:"cursors,omitempty"`
}

// Spending is the iteration's running count and the cursors to continue from.
func (t *Tick) Spending(run *Budget) (r Running, cursors []Cursor) {
	if t.Running == nil || t.Running.From != run.DollarsEstimate {
		return Running{From: run.DollarsEstimate}, run.Cursors
	}
	return *t.Running, Overlay(run.Cursors, t.Running.Cursors)
}

// Count keeps a running count, unless a call at the same time has counted further.
func (t *Tick) Count(run *Budget, r Running) {
	if now, _ := t.Spending(run); r.From == run.DollarsEstimate && r.read() > now.read() {
		t.Running = &r
	}
}

// finds reports whether a running count has the transcript of a worker that the tick does not know.
// It is kept at once: the calls of other threads do not look for it.
func (s State) finds(r Running) bool {
	_, known := s.Tick.Spending(s.Run)
	return slices.ContainsFunc(r.Cursors, func(c Cursor) bool {
		return !slices.ContainsFunc(known, func(k Cursor) bool { return k.Path == c.Path })
	})
}

func (r *Running) read() (n int64) {
	for _, c := range r.Cursors {
		n += c.Offset
	}
	return n
}

// tellDollars records that a thread learns of the dollar ceiling, and reports whether it was
// new.
func (t *Tick) tellDollars(agent string) bool {
	if agent == "" {
		agent = "main"
	}
	if slices.Contains(t.DollarsTold, agent) || len(t.DollarsTold) >= maxCounted {
		return false
	}
	t.DollarsTold = append(slices.Clone(t.DollarsTold), agent)
	return true
}

// overspent reports whether the iteration met a call past the run's dollars, so that every
// thread ends.
func (t *Tick) overspent() bool {
	return slices.ContainsFunc(t.Fired, func(f Fired) bool { return f.Cause == costCause })
}

// overrun is an amount and so many percent of it.
func (d USD) overrun(percent int) USD { return d.Plus(d / 100 * USD(percent)) }

// Overrun is the amount by which an iteration exceeded its run's dollar ceiling, and the threads
// that spent most.
type Overrun struct {
	Ceiling USD       `json:"ceiling"`
	Spent   USD       `json:"spent"` // by the run in all
	Over    USD       `json:"over"`
	By      []Spender `json:"by"`
}

// Spender is the spending of one thread of a session on one model in an iteration.
type Spender struct {
	Who     string `json:"who"` // "main thread", or a worker by its id, type and task
	Model   string `json:"model"`
	Dollars USD    `json:"dollars"`
}

// String is the spender with its amount.
func (s Spender) String() string { return fmt.Sprintf("%s, %s, $%s", s.Who, s.Model, s.Dollars) }

// overrun is nil unless the run is past its ceiling after an iteration that spent anything.
func (b *Budget) overrun(spent USD, by []Spender) *Overrun {
	if spent == 0 || !b.pastDollars() {
		return nil
	}
	return &Overrun{
		Ceiling: b.Ceilings.Dollars,
		Spent:   b.DollarsEstimate,
		Over:    b.DollarsEstimate - b.Ceilings.Dollars,
		By:      append([]Spender{}, by...),
	}
}

func (b *Budget) pastDollars() bool {
	return b.Ceilings.Dollars > 0 && b.DollarsEstimate > b.Ceilings.Dollars
}

// String is the overrun in a line.
func (o *Overrun) String() string {
	s := fmt.Sprintf("$%s past the ceiling ($%s / $%s)", o.Over, o.Spent, o.Ceiling)
	if len(o.By) > 0 {
		s += ", most of the iteration by " + o.By[0].String()
	}
	return s
}

// Past reports whether a run with this spent is past its dollar ceiling.
func (s Spent) Past(run *Budget) bool {
	b := *run
	b.Spend(s)
	return b.pastDollars()
}
