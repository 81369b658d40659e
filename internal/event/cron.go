package event

import (
	"strings"
	"time"

	"github.com/robfig/cron/v3"
)

// Next returns the first minute after the given time, in its time zone, when the schedule fires. It
// returns the zero time if the five fields (minute, hour, day, month, weekday) are invalid or never
// match. The client fires up to half a period later.
func (c Cron) Next(after time.Time) time.Time {
	if strings.Contains(c.Schedule, "=") { // the parser panics on "TZ=" alone
		return time.Time{}
	}
	const fields = cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow
	schedule, err := cron.NewParser(fields).Parse(c.Schedule)
	if err != nil {
		return time.Time{}
	}
	return schedule.Next(after)
}
