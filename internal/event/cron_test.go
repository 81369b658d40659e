package event

import (
	"testing"
	"time"
)

func TestTheNextFireOfASchedule(t *testing.T) {
	after := time.Date(2026, 11, 20, 12, 10, 30, 0, time.FixedZone("", 3600)) // a Friday
	for schedule, want := range map[string]string{
		"*/10 * * * *":                   "Fri 12:20",
		"*/1 * * * *":                    "Fri 12:11",
		"10 12 * * *":                    "Sat 12:10", // the minute that runs is over
		"16 12 * * *":                    "Fri 12:16",
		"7,37 9-17 * * *":                "Fri 12:37",
		"5/20 * * * *":                   "Fri 12:25",
		"0 9 * * 1-5":                    "Mon 09:00",
		"0 9 * * 0":                      "Sun 09:00",
		"30 8 23 * 0":                    "Sun 08:30", // the day or the weekday
		"0 0 31 2 *":                     "",
		"* * * *":                        "",
		"60 * * * *":                     "",
		"*/0 * * * *":                    "",
		"5-1 * * * *":                    "",
		"@daily":                         "",
		"x * * * MON":                    "",
		"TZ=":                            "",
		"59/9223372036854775807 * * * *": "Fri 12:59",
		"99999999999999999999 * * * *":   "",
	} {
		got := ""
		if at := (Cron{Schedule: schedule}).Next(after); !at.IsZero() {
			got = at.Format("Mon 15:04")
		}
		if got != want {
			t.Errorf("%q fires at %q, want %q", schedule, got, want)
		}
	}
}

// A schedule is foreign text: whatever it says, the next fire is a later minute, or none.
func FuzzNext(f *testing.F) {
	for _, s := range []string{"*/10 * * * *", "0 9 1,15 * 1-5", "59/7 0-23/2 * 12 0", "-1 * * * *",
		"1--2 * * * *"} {
		f.Add(s, int64(1_795_000_000))
	}
	f.Fuzz(func(t *testing.T, schedule string, unix int64) {
		after := time.Unix(unix%(1<<33), 0).UTC()
		at := (Cron{Schedule: schedule}).Next(after)
		if !at.IsZero() && (!at.After(after) || at.Second() != 0) {
			t.Fatalf("%q fires at %s after %s", schedule, at, after)
		}
	})
}
