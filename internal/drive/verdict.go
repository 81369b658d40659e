package drive

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Kind classifies how a client process ended.
type Kind string

// Kinds of ends. Outage, Stalled, Interrupted and Killed do not count against the task.
const (
	Ended       Kind = "ended" // the turn ended normally; the state decides its result
	Outage      Kind = "outage"
	MaxTurns    Kind = "max turns"
	MaxBudget   Kind = "max budget"
	ContextFull Kind = "context full"
	Interrupted Kind = "interrupted"
	Killed      Kind = "killed"
	Stalled     Kind = "stalled"
	Blocked     Kind = "blocked by a hook" // the prompt never reached the model
	Failed      Kind = "failed"
)

// End describes how a client process ended, as seen from outside.
type End struct {
	Session     string
	Code        int       // exit code; -1 if a signal ended the process
	Result      *Result   // nil if there was no result line
	Aborted     bool      // the stream contains the client's interrupt mark
	Stalled     bool      // the driver ended the process because it was silent
	Interrupted bool      // a person's Ctrl-C was forwarded
	Reset       time.Time // when a usage limit ends, from the stream; zero if unknown
	Said        string    // first line of stderr
}

// Verdict is the driver's judgement of an End. Reset is the announced end of an outage, or zero.
// Final marks an outage that waiting cannot end, such as an invalid key or a missing login.
type Verdict struct {
	Kind    Kind
	Text    string // one line for people
	Session string
	Reset   time.Time
	Final   bool
}

// Judge classifies how a process ended (T92, M5). The exit code counts only without a result line,
// because it is 0 after an interrupt and 1 after an outage.
func Judge(e End, now time.Time) Verdict {
	v := Verdict{Session: e.Session, Kind: kindOf(e)}
	r := e.Result
	if r == nil {
		if v.Kind == Failed { // the other kinds are self-explanatory
			v.Text = e.Said
		}
		return v
	}
	if v.Text = firstLine(r.Text); strings.HasPrefix(v.Text, "[ede_diagnostic]") {
		v.Text = ""
	}
	switch v.Kind {
	case Blocked:
		v.Text = refusal(r.Text)
	case Outage:
		v.Reset = cmp.Or(plausible(e.Reset, now), ResetIn(r.Text, now))
		v.Final = r.Status >= 400 && r.Status < 500 && r.Status != 408 && r.Status != 429 ||
			strings.HasPrefix(r.Text, "Not logged in")
	}
	return v
}

// full lists the terminal reasons for a conversation that no longer fits into a request.
var full = [...]string{"prompt_too_long", "blocking_limit", "rapid_refill_breaker"}

func kindOf(e End) Kind {
	r, lost := e.Result, e.Result == nil
	if lost {
		r = &Result{IsError: true}
	}
	aborted := r.Reason == "aborted_tools" || r.Reason == "aborted_streaming" || lost && e.Aborted
	switch {
	case r.Subtype == "error_max_turns" || r.Reason == "max_turns":
		return MaxTurns
	case r.Subtype == "error_max_budget_usd" || r.Reason == "budget_exhausted":
		return MaxBudget
	case slices.Contains(full[:], r.Reason), strings.HasPrefix(r.Text, "Prompt is too long"):
		return ContextFull
	case r.Reason == "api_error", r.Reason == "" && strings.HasPrefix(r.Text, "API Error"):
		return Outage
	case r.Reason == "" && r.Turns == 0 && refusal(r.Text) != "":
		return Blocked
	case !r.IsError && !aborted:
		return Ended
	case e.Stalled:
		return Stalled
	case e.Interrupted || aborted:
		return Interrupted
	case lost && (e.Code < 0 || e.Code > 128): // 128 plus a signal number
		return Killed
	}
	return Failed
}

// refusal returns a hook's reason for blocking a prompt, or the event if there is no reason. It
// returns "" if no hook blocked a prompt.
func refusal(text string) string {
	event, reason, ok := strings.Cut(text, " operation blocked by hook:\n")
	if !ok || !strings.HasPrefix(event, "UserPrompt") {
		return ""
	}
	return cmp.Or(firstLine(reason), event)
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}

// maxReset is the longest wait that the driver accepts. The longest usage limit lasts a week.
const maxReset = 8 * 24 * time.Hour

// justOver bounds how long ago a time of day can be and still mean today instead of tomorrow.
const justOver = 15 * time.Minute

// plausible returns at, or the zero time if at is in the past or too far away to wait for.
func plausible(at, now time.Time) time.Time {
	if at.After(now) && at.Before(now.Add(maxReset)) {
		return at
	}
	return time.Time{}
}

// resetWords matches the reset time in a usage limit message. It is either in seconds since 1970 or
// a clock time with its zone.
var resetWords = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`limit reached\|\s*(\d+)\s*$|` +
		`resets (?:at )?([^(\n·;.]+)(?:\(([^)]*)\))?`)
})

// ResetIn returns the reset time from a usage limit message, such as "resets 3pm (Europe/Berlin)",
// "resets Nov 24, 3:30pm" or "usage limit reached|1759312800". A time without a zone is in now's
// zone. ResetIn returns zero if there is no reset time, or if it is past or too far away.
func ResetIn(text string, now time.Time) time.Time {
	words := resetWords().FindStringSubmatch(text)
	if words == nil {
		return time.Time{}
	}
	if at, err := strconv.ParseInt(words[1], 10, 64); err == nil {
		return plausible(time.Unix(at, 0), now)
	}
	zone, err := time.LoadLocation(words[3])
	if words[3] == "" || err != nil {
		zone = now.Location()
	}
	return plausible(clockAfter(strings.TrimSpace(words[2]), now.In(zone)), now)
}

// clockAfter returns the next time that matches clock, which is a clock time or a date without a
// year. A time up to justOver ago also counts. It returns zero if clock has an unknown form.
func clockAfter(clock string, now time.Time) time.Time {
	clock = strings.NewReplacer(", ", " ", " at ", " ").Replace(strings.ToLower(clock))
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
