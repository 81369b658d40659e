package drive

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// Kind is how a client process ended.
type Kind string

// The kinds of ends. Only Outage, Stalled, Interrupted and Killed say nothing about the task.
const (
	Ended       Kind = "ended" // the turn came to its end; the state decides what it was worth
	Outage      Kind = "outage"
	MaxTurns    Kind = "max turns"
	MaxBudget   Kind = "max budget"
	ContextFull Kind = "context full"
	Interrupted Kind = "interrupted"
	Killed      Kind = "killed"
	Stalled     Kind = "stalled"
	Blocked     Kind = "blocked by a hook" // the prompt never reached the model
	InUse       Kind = "session id in use"
	Failed      Kind = "failed"
)

// End is the end of a client process, as it was seen from outside.
type End struct {
	Session     string
	Code        int     // exit code, -1 if a signal ended it
	Result      *Result // nil if there was no such line
	Aborted     bool    // the stream has the client's mark of an interrupt
	Stalled     bool    // the driver ended it because it fell silent
	Interrupted bool    // a person's Ctrl-C was passed on
	Reset       time.Time
	Said        string // the first line of stderr
}

// Verdict is the reading of an End. Reset is when an outage ends, zero if nothing named a time.
// Final is an outage that no waiting ends, such as a wrong key or no login.
type Verdict struct {
	Kind    Kind
	Text    string // one line for people
	Session string
	Reset   time.Time
	Final   bool
}

// Judge reads how a process ended (T92, M5). The exit code counts only where no result line exists,
// because it is 0 after an interrupt and 1 after an outage.
func Judge(e End, now time.Time) Verdict {
	v := Verdict{Session: e.Session, Kind: withoutResult(e)}
	r := e.Result
	if r == nil {
		if v.Kind == Failed || v.Kind == InUse { // else its end needs no explanation of the client
			v.Text = e.Said
		}
		return v
	}
	v.Kind = withResult(e, *r)
	if v.Text = firstLine(r.Text); strings.HasPrefix(v.Text, "[ede_diagnostic]") {
		v.Text = ""
	}
	switch v.Kind {
	case Blocked:
		v.Text = refusal(r.Text)
	case Outage:
		v.Reset = cmp.Or(named(e.Reset, now), ResetIn(r.Text, now))
		v.Final = r.Status >= 400 && r.Status < 500 && r.Status != 408 && r.Status != 429 ||
			strings.HasPrefix(r.Text, "Not logged in")
	}
	return v
}

// full are the reasons of a conversation that fits into no request any more.
var full = [...]string{"prompt_too_long", "blocking_limit", "rapid_refill_breaker"}

func withResult(e End, r Result) Kind {
	switch {
	case r.Subtype == "error_max_turns" || r.Reason == "max_turns":
		return MaxTurns
	case r.Subtype == "error_max_budget_usd" || r.Reason == "budget_exhausted":
		return MaxBudget
	case slices.Contains(full[:], r.Reason), strings.HasPrefix(r.Text, "Prompt is too long"):
		return ContextFull
	case r.Reason == "api_error", r.Reason == "" && strings.HasPrefix(r.Text, "API Error"):
		return Outage
	case r.Reason == "aborted_tools" || r.Reason == "aborted_streaming":
		return cmp.Or(stopped(e), Interrupted)
	case r.Reason == "" && r.Turns == 0 && refusal(r.Text) != "":
		return Blocked
	case r.IsError:
		return cmp.Or(stopped(e), Failed)
	}
	return Ended
}

func withoutResult(e End) Kind {
	switch {
	case stopped(e) != "":
		return stopped(e)
	case e.Aborted:
		return Interrupted
	case strings.Contains(e.Said, "is already in use"):
		return InUse
	case e.Code < 0, e.Code > 128: // 128 and the number of a signal
		return Killed
	}
	return Failed
}

// stopped is the kind of an end that the driver itself brought about, empty if it did not.
func stopped(e End) Kind {
	switch {
	case e.Stalled:
		return Stalled
	case e.Interrupted:
		return Interrupted
	}
	return ""
}

// refusal is the reason of a hook that kept a prompt from the model, empty if none did.
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
