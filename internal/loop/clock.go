package loop

import (
	"fmt"
	"time"
)

// Clock is what the clocks of a machine say at one moment. The wall clock can be set; the two others cannot, but begin
// anew at every boot.
type Clock struct {
	Wall  time.Time `json:"wall"`
	Boot  string    `json:"boot,omitempty"`  // names the boot; empty where the machine's own clocks are not known
	Up    int64     `json:"up,omitempty"`    // seconds since the boot
	Awake int64     `json:"awake,omitempty"` // of these, without the time for which the machine slept
}

// leastJump is what the clocks must differ by to be told: less is drift, and the whole seconds they are read in.
const leastJump = 60

// Observe notes what the clocks did since the run last looked at them. Time that passed stays time of the run: where the
// wall clock was set back, the run's clock is moved along with it. A clock set forward and a machine that slept are noted,
// so that a stop which they alone brought about says so (R31, R32).
func (b *Budget) Observe(c Clock) {
	last := b.Clock
	b.Clock = &c
	if last == nil || c.Boot == "" || last.Boot != c.Boot {
		return
	}
	up := c.Up - last.Up
	if jump := int64(c.Wall.Sub(last.Wall)/time.Second) - up; jump >= leastJump {
		b.ClockAhead += jump
	} else if jump <= -leastJump {
		b.ActiveSince = b.activeSince().Add(time.Duration(jump) * time.Second)
	}
	if slept := up - (c.Awake - last.Awake); slept >= leastJump {
		b.Slept += slept
	}
}

// Away takes the time up to now out of the run's minutes, and what the clocks did in it: a pause, or the hours after its
// client's death (R32).
func (b *Budget) Away(now time.Time) {
	b.MinutesBefore, b.ActiveSince, b.Clock = b.MinutesElapsed, now, nil
}

// jumped says what a stop by minutes owes to the clocks: text in parentheses, or nothing when time alone reached it.
func (b *Budget) jumped(minutes int) string {
	ahead, slept := int(b.ClockAhead/60), int(b.Slept/60)
	switch {
	case minutes-ahead-slept >= b.Ceilings.Minutes:
		return ""
	case ahead > 0 && slept > 0:
		return fmt.Sprintf(" (the clock was set forward by %d minutes and the machine slept for %d, which count)", ahead, slept)
	case ahead > 0:
		return fmt.Sprintf(" (the clock was set forward by %d minutes, which count)", ahead)
	}
	return fmt.Sprintf(" (the machine slept for %d minutes, which count)", slept)
}
