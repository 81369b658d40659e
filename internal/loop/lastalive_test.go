package loop

import (
	"testing"
	"time"
)

// TestLastAlive (R32): an iteration that a dead client left never ends before it began, also where
// the clock was set back since.
func TestLastAlive(t *testing.T) {
	began := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	at := func(minutes int) time.Time { return began.Add(time.Duration(minutes) * time.Minute) }
	for _, c := range []struct {
		name            string
		foreign         bool
		now, sign, want time.Time
	}{
		{"its own session", false, at(9), at(3), at(9)},
		{"the last sign", true, at(9), at(3), at(3)},
		{"no sign", true, at(9), time.Time{}, began},
		{"a sign ahead of the clock", true, at(9), at(20), at(9)},
		{"a clock set back before it began", true, at(-9), at(-3), began},
	} {
		o := &Owner{Foreign: c.foreign, LastSign: c.sign}
		if got := lastAlive(c.now, &Tick{StartedAt: began}, o); !got.Equal(c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
