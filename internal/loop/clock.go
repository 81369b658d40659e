package loop

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Clock holds the readings of a machine's clocks at one time. The wall clock can be set. The two
// others cannot be set, but restart at every boot.
type Clock struct {
	Wall time.Time `json:"wall"`
	// identifies the boot; empty if the other clocks are unknown
	Boot string `json:"boot,omitempty"`
	Up   int64  `json:"up,omitempty"` // seconds since the boot
	// seconds since the boot, without the time for which the machine slept
	Awake int64 `json:"awake,omitempty"`
}

// minJump is the smallest difference between the clocks that is recorded, in seconds. Smaller ones
// are drift or rounding.
const minJump = 60

// observe compares the clocks with their last reading. Time that really passed counts for the run,
// so if the wall clock was set back, the run's clock is adjusted. If the clock was set forward or
// the machine slept, that is recorded, so that a stop caused only by this is explained (R31, R32).
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
		from := cmp.Or(b.ActiveSince, b.StartedAt)
		b.ActiveSince = from.Add(time.Duration(jump) * time.Second)
	}
	if slept := up - (c.Awake - last.Awake); slept >= minJump {
		b.Slept += slept
	}
}

// away excludes the time since MinutesElapsed was set from the run's minutes, for example a pause
// or the hours after the client's death. Clock changes in that time are excluded too (R32).
func (b *Budget) away(now time.Time) {
	b.MinutesBefore, b.ActiveSince, b.Clock = b.MinutesElapsed, now, nil
}

// jumped explains, in parentheses, how clock changes contributed to reaching the minute ceiling. It
// returns "" if the run reached it without them.
func (b *Budget) jumped(minutes int) string {
	ahead, slept := int(b.ClockAhead/60), int(b.Slept/60)
	if minutes-ahead-slept >= b.Ceilings.Minutes {
		return ""
	}
	var causes []string
	if ahead > 0 {
		causes = append(causes, "the clock was set forward by "+Plural(ahead, "minute"))
	}
	if slept > 0 {
		causes = append(causes, "the machine slept for "+Plural(slept, "minute"))
	}
	count := "count"
	if ahead+slept == 1 {
		count = "counts"
	}
	return fmt.Sprintf(" (%s, which %s)", strings.Join(causes, " and "), count)
}

// Now returns the run's current state, for display to people and the model. It adds the usage of
// the open iteration t so far or, if t is nil, the spending since the last iteration ended. since
// is the usage in the transcripts beyond the run's cursors. The minutes of a run whose client is
// dead do not grow. The result is never saved.
//
// An iteration counts from its entry, even while the run is paused at its budget question, because
// that question counts it. An iteration that ends at its gates does not count.
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
	case b.Status == Paused && slices.ContainsFunc(b.Pending, Gate.ofBudget):
		n.IterationsUsed++
	}
	if alive && b.Status == Active {
		n.MinutesElapsed = b.Minutes(now)
	}
	return n
}

// spendOutside adds usage from a time when no iteration was open. It counts towards the run's
// dollars but is in no history line. A run that is paused or has ended spends nothing.
func (b *Budget) spendOutside(s Spent) {
	if b.Status != Active {
		return
	}
	b.Spend(s)
	b.DollarsOutside = b.DollarsOutside.Plus(Sum(s.ByModel).Dollars)
}
