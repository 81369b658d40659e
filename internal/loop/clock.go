package loop

import (
	"fmt"
	"time"
)

// Clock is a machine's clocks at one moment. The wall clock can be set; the two others cannot,
// but restart at every boot.
type Clock struct {
	Wall time.Time `json:"wall"`
	// names the boot; empty where the machine's own clocks are not known
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
