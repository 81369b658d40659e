package attempt

import (
	"strings"
	"time"
)

// Backoff lists the waits after the first, second and third service outage in a row. A fourth
// outage ends the loop (T95).
var Backoff = [...]time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute}

// MaxWait is the longest announced outage that a run waits out, because a Stop hook may take at
// most an hour.
const MaxWait = 50 * time.Minute

// APIError is the prefix of the reason for an attempt that a service failure ended.
const APIError = "API error: "

// A run ends after maxOutages consecutive attempts that ended through no fault of the task (T59).
// The limit is higher with a driver, which waits between attempts and itself ends the run after
// four outages or five stalled processes in a row.
const (
	maxOutages       = 3
	maxDrivenOutages = 6
)

// MaxOutages returns the number of consecutive outages that ends a run. waits reports whether the
// run waits for the service between attempts.
func MaxOutages(driven, waits bool) int {
	switch {
	case driven:
		return maxDrivenOutages
	case waits:
		return len(Backoff) + 1
	}
	return maxOutages
}

// RetryAt returns the earliest time for the next attempt if a service failure ended this one, and
// the zero time otherwise. n is the number of consecutive outages; why is the reason for this one.
func (a *Attempt) RetryAt(n int, why string, now time.Time) time.Time {
	switch {
	case n == 0 || !strings.HasPrefix(why, APIError):
		return time.Time{}
	case a.Reset.After(now):
		return a.Reset
	}
	return now.Add(Backoff[min(n, len(Backoff))-1])
}
