package loop

import (
	"fmt"
	"strings"
	"time"
)

// Backoff is how long a loop waits after the first, the second and the third outage of the service
// in a row. After one more it gives up (T95).
var Backoff = [...]time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute}

// maxWait bounds the wait for a reset that the service names: a Stop may take no more than an
// hour.
const maxWait = 50 * time.Minute

// APIError begins the reason of an attempt that the service ended.
const APIError = "API error: "

// foldOutage sets when the next attempt may begin, after one that the service ended. A driver waits
// by itself.
func (b *Budget) foldOutage(t *Tick, now time.Time) {
	b.RetryAt = time.Time{}
	if b.Drive() == "" || b.driven() || t.Attempt == nil ||
		!strings.HasPrefix(t.verdict().Why, APIError) {
		return
	}
	n := b.attempts().outages
	if n == 0 {
		return
	}
	b.RetryAt = now.Add(Backoff[min(n, len(Backoff))-1])
	if reset := t.Attempt.Reset; reset.After(now) {
		b.RetryAt = reset
	}
}

// maxOutages is how many attempts in a row may end without the task's fault (T59). A driver waits
// between them and gives up by itself after an outage that lasts and after five silent processes,
// so of its attempts more may end so.
const (
	maxOutages       = 3
	maxDrivenOutages = 6
)

func outages(f *Facts) string {
	b := f.Run
	if b.RetryAt.Sub(f.Now) > maxWait {
		return "the service is back at " + b.RetryAt.UTC().Format("2006-01-02 15:04 MST")
	}
	n := b.attempts().outages
	if n < b.maxOutages() {
		return ""
	}
	if b.Audit != nil {
		return fmt.Sprintf("%d phases in a row ended by no fault of the work", n)
	}
	return fmt.Sprintf("%d attempts in a row ended by no fault of the task; no retry was counted",
		n)
}

// maxOutages is how many outages in a row end the run.
func (b *Budget) maxOutages() int {
	switch {
	case b.driven():
		return maxDrivenOutages
	case !b.RetryAt.IsZero():
		return len(Backoff) + 1
	}
	return maxOutages
}

func tellOutages(f *Facts) string {
	return fmt.Sprintf("%s in a row ended by the API, the machine or a person; fires at %d",
		Plural(f.Run.attempts().outages, "attempt"), f.Run.maxOutages())
}
