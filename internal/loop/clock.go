package loop

import (
	"fmt"
	"time"
)

// Clock is a machine's clocks at one moment. The wall clock can be set; the two others cannot,
// but restart at every boot.
type Clock struct {
	Wall time.Time `json:"wall"`
	// identifies the boot; empty if the machine's own clocks are not known
	Boot string `json:"boot,omitempty"`
	Up   int64  `json:"up,omitempty"` // seconds since the boot
	// of these, without the time for which the machine slept
	Awake int64 `json:"awake,omitempty"`
}

// minJump is the difference between the clocks that is recorded. Less is drift, or the whole
// seconds in which they are read.
const minJump = 60

// observe records what the clocks did since the run last looked. Time that passed stays time of
// the run: if the wall clock was set back, the run's clock moves with it. A clock set forward and
// a machine that slept are recorded, so that a stop which they alone caused says so (R31, R32).
func (b *Budget) observe(c Clock) {
	last := b.Clock
	b.Clock = &c
	if last == nil || c.Boot == "" || last.Boot != c.Boot {
		return
	}
	up := c.Up - last.Up
	if jump := int64(c.Wall.Sub(last.Wall)/time.Second) - up; jump >= minJump {
		b.ClockAhead += jump
	} else if jump <= -minJump {
		b.ActiveSince = b.activeSince().Add(time.Duration(jump) * time.Second)
	}
	if slept := up - (c.Awake - last.Awake); slept >= minJump {
		b.Slept += slept
	}
}

// away subtracts the time up to now from the run's minutes, and what the clocks did in it: a
// pause, or the hours after its client's death (R32).
func (b *Budget) away(now time.Time) {
	b.MinutesBefore, b.ActiveSince, b.Clock = b.MinutesElapsed, now, nil
}

// jumped is the part of a stop by minutes that the clocks caused, in parentheses; "" when time
// alone reached it.
func (b *Budget) jumped(minutes int) string {
	ahead, slept := int(b.ClockAhead/60), int(b.Slept/60)
	switch {
	case minutes-ahead-slept >= b.Ceilings.Minutes:
		return ""
	case ahead > 0 && slept > 0:
		return fmt.Sprintf(" (the clock was set forward by %s and the machine slept for %s, "+
			"which count)", Plural(ahead, "minute"), Plural(slept, "minute"))
	case ahead > 0:
		return fmt.Sprintf(" (the clock was set forward by %s, %s)", Plural(ahead, "minute"),
			counts(ahead))
	}
	return fmt.Sprintf(" (the machine slept for %s, %s)", Plural(slept, "minute"), counts(slept))
}

func counts(minutes int) string {
	if minutes == 1 {
		return "which counts"
	}
	return "which count"
}

// Now returns the run as it is at a moment, for everything that people and the model read: with
// what the open iteration t has used so far or, if t is nil, what was spent since the last one
// ended. since is what the transcripts have beyond the run's cursors. The minutes of a run whose
// client is not alive do not grow. Nothing of it is saved.
//
// An iteration counts from its entry on, as the budget question at its gate counts it, also while
// the run is paused at that question. One that ends at its gates does not count.
func (b *Budget) Now(t *Tick, since Spent, alive bool, now time.Time) *Budget {
	n := b.clone()
	switch {
	case t != nil:
		if t.Started || !t.Halting() {
			n.IterationsUsed = max(b.IterationsUsed, t.Iteration)
		}
		n.PRsTouched = b.Touched(t)
		n.CommentsPushed += t.Comments
		n.MergesAttempted += t.Merges
		n.AgentsDispatched += t.Agents
		n.Spend(since)
	case b.Status == Active:
		n.spendOutside(since)
	case b.Status == Paused && b.asks(BudgetEscalation):
		n.IterationsUsed++
	}
	if alive && b.Status == Active {
		n.MinutesElapsed = b.Minutes(now)
	}
	return n
}

// asks reports whether a gate of this name waits for a person while the run is paused.
func (b *Budget) asks(gate string) bool {
	for _, g := range b.Pending {
		if g.Name == gate {
			return true
		}
	}
	return false
}

// spendOutside adds usage of a time in which no iteration was open. It counts towards the run's
// dollars and is in no history line. A run that is paused or has ended spends nothing.
func (b *Budget) spendOutside(s Spent) {
	if b.Status != Active {
		return
	}
	b.Spend(s)
	b.DollarsOutside = b.DollarsOutside.Plus(Sum(s.ByModel).Dollars)
}
