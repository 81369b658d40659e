package attempt

import (
	"strings"
	"time"
)

// Backoff lists the waits after the first, second and third consecutive outage of the service. One
// more outage ends the loop (T95).
var Backoff = [...]time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute}

// MaxWait bounds the wait until the service says it will be available again, because a Stop may
// take no more than an hour.
const MaxWait = 50 * time.Minute

// APIError begins the reason of an attempt that ended because of the service.
const APIError = "API error: "

// maxOutages bounds the consecutive attempts that end through no fault of the task (T59). The bound
// is higher for a driver, because it waits between attempts and ends by itself after a lasting
// outage or five silent processes.
const (
	maxOutages       = 3
	maxDrivenOutages = 6
)

// MaxOutages returns the number of consecutive outages that ends a run. waits reports whether the
// run waits for the service between its attempts.
func MaxOutages(driven, waits bool) int {
	switch {
	case driven:
		return maxDrivenOutages
	case waits:
		return len(Backoff) + 1
	}
	return maxOutages
}

// RetryAt returns when the next attempt may begin after the n-th consecutive attempt that did not
// count, or the zero time if the service did not end this one.
func (a *Attempt) RetryAt(n int, why string, now time.Time) time.Time {
	switch {
	case n == 0 || !strings.HasPrefix(why, APIError):
		return time.Time{}
	case a.Reset.After(now):
		return a.Reset
	}
	return now.Add(Backoff[min(n, len(Backoff))-1])
}
