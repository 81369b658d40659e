package event

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"
)

// longest bounds how far ahead Next searches. The client drops a schedule after seven days.
const longest = 8 * 24 * time.Hour

// Next returns the first minute after a time, in its zone, at which the schedule fires. It returns
// the zero time if the five numeric fields (minute, hour, day, month, weekday) are invalid, match
// no minute of the next eight days, or restrict both the day and the weekday, of which either may
// match. The client fires up to half a period later.
func (c Cron) Next(after time.Time) time.Time {
	fields := strings.Fields(c.Schedule)
	if len(fields) != 5 {
		return time.Time{}
	}
	var sets [5][]int
	for i, most := range []int{59, 23, 31, 12, 7} {
		if sets[i] = numbersOf(fields[i], most); sets[i] == nil {
			return time.Time{}
		}
	}
	if fields[2] != "*" && fields[4] != "*" {
		return time.Time{}
	}
	first := after.Truncate(time.Minute).Add(time.Minute)
	for at := first; at.Before(first.Add(longest)); at = at.Add(time.Minute) {
		if !slices.Contains(sets[0], at.Minute()) || !slices.Contains(sets[1], at.Hour()) {
			continue
		}
		day := slices.Contains(sets[2], at.Day())
		weekday := slices.Contains(sets[4], int(at.Weekday())) ||
			at.Weekday() == time.Sunday && slices.Contains(sets[4], 7)
		if day && weekday && slices.Contains(sets[3], int(at.Month())) {
			return at
		}
	}
	return time.Time{}
}

// numbersOf returns the numbers from 0 to most in a field such as "*", "*/10", "5", "1-5" or
// "0,30", or nil if the field is invalid.
func numbersOf(field string, most int) (list []int) {
	for part := range strings.SplitSeq(field, ",") {
		span, every, stepped := strings.Cut(part, "/")
		low, high, ranged := strings.Cut(span, "-")
		switch {
		case span == "*":
			low, high = "0", strconv.Itoa(most)
		case !ranged && stepped:
			high = strconv.Itoa(most)
		case !ranged:
			high = low
		}
		from, err1 := strconv.Atoi(low)
		to, err2 := strconv.Atoi(high)
		step, err3 := strconv.Atoi(cmp.Or(every, "1"))
		if errors.Join(err1, err2, err3) != nil || from < 0 || to > most || from > to || step < 1 {
			return nil
		}
		for n := from; n <= to; n += min(step, most+1) {
			list = append(list, n)
		}
	}
	return list
}
