package drive

import (
	"strconv"
	"strings"
	"time"
)

// maxReset is the longest wait that a client may name: the longest limit is one of a week.
const maxReset = 8 * 24 * time.Hour

// justOver is for how long a reset may be past and its text still mean that one.
const justOver = 15 * time.Minute

// named is a reset that can be waited for, zero for one that is over or too far away.
func named(at, now time.Time) time.Time {
	if at.After(now) && at.Before(now.Add(maxReset)) {
		return at
	}
	return time.Time{}
}

// ResetIn finds the reset that a limit's text names, as in "resets 3pm (Europe/Berlin)", "resets
// Nov 24, 3:30pm" or "usage limit reached|1759312800". A time without a zone is in that of now. It
// is zero if the text names none, or one that cannot be waited for.
func ResetIn(text string, now time.Time) time.Time {
	if _, epoch, ok := strings.Cut(text, "limit reached|"); ok {
		if at, err := strconv.ParseInt(strings.TrimSpace(epoch), 10, 64); err == nil {
			return named(time.Unix(at, 0), now)
		}
	}
	_, rest, ok := strings.Cut(text, "resets ")
	if !ok {
		return time.Time{}
	}
	clock, zone := rest, now.Location()
	if end := strings.IndexAny(clock, "(\n·;."); end >= 0 {
		clock = clock[:end]
	}
	if name, _, ok := strings.Cut(strings.TrimPrefix(rest[len(clock):], "("), ")"); ok {
		if z, err := time.LoadLocation(name); err == nil {
			zone = z
		}
	}
	return named(clockAfter(strings.TrimSpace(clock), now.In(zone)), now)
}

// clockAfter is the next time at which a wall clock reads as written, without the year or the day;
// one just over is that one.
func clockAfter(clock string, now time.Time) time.Time {
	clock = strings.ToLower(strings.TrimPrefix(clock, "at "))
	clock = strings.ReplaceAll(clock, ", ", " ")
	clock = strings.ReplaceAll(clock, " at ", " ")
	for _, layout := range []string{
		"3pm", "3:04pm", "15:04", "Jan 2 3pm", "Jan 2 3:04pm", "Jan 2",
	} {
		at, err := time.Parse(layout, clock)
		if err != nil {
			continue
		}
		dated := strings.HasPrefix(layout, "Jan")
		month, day := now.Month(), now.Day()
		if dated {
			month, day = at.Month(), at.Day()
		}
		next := time.Date(now.Year(), month, day, at.Hour(), at.Minute(), 0, 0, now.Location())
		switch {
		case next.After(now.Add(-justOver)):
		case dated:
			next = next.AddDate(1, 0, 0)
		default:
			next = next.AddDate(0, 0, 1)
		}
		return next
	}
	return time.Time{}
}
