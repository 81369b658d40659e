package drive

import (
	"os"
	"path/filepath"
	"testing"
	"time"
	_ "time/tzdata" // this machine may have no time zones
)

var night = time.Date(2026, 11, 22, 1, 30, 0, 0, time.UTC)

// recorded is a stream of the real client, 2.1.330, without the fields that no one reads.
func recorded(t *testing.T, name string) (h streamReader) {
	t.Helper()
	file, err := os.Open(filepath.Join("testdata", name+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	h, _ = followed(file)
	return h
}

// The outcomes of M5 in its order, then those that M6 and later measurements add. The twelfth of
// M5, a client that a session starts, has a turn like the first.
func TestOutcomes(t *testing.T) {
	const inUse = "Error: Session ID 0b283dce-29c2-4709-b853-acba67a90145 is already in use."
	for _, c := range []struct {
		name string // of the recording, none if nothing was printed
		end  End
		want Kind
		text string
	}{
		{"completed", End{}, Ended, "All done."},
		{"max-turns", End{Code: 1}, MaxTurns, "Reached maximum number of turns (2)"},
		{"max-budget", End{Code: 1}, MaxBudget, "Reached maximum budget ($0.02)"},
		{"overloaded", End{Code: 1}, Outage, "API Error: 529 Overloaded. This is a server-side " +
			"issue, usually temporary — try again in a moment. If it persists, check your " +
			"inference gateway (gateway.example)."},
		{"sigint", End{Interrupted: true}, Interrupted, ""},
		{"sigterm", End{Code: 143}, Killed, ""},
		{"sigkill", End{Code: -1, Said: "(node:7) Warning: a timer is late"}, Killed, ""},
		{"continue-false", End{}, Ended, "All done."},
		{"block-cap", End{}, Ended, ""},
		{"prompt-blocked", End{}, Blocked, "the run has ended"},
		{"", End{Code: 1, Said: inUse}, Failed, inUse},

		{"command-blocked", End{}, Blocked, "the run has ended"},
		{"sigint", End{}, Interrupted, ""},
		{"sigint-silent", End{}, Interrupted, ""},
		{"sigint-silent", End{Interrupted: true}, Interrupted, ""},
		{"sigterm", End{Code: 143, Stalled: true}, Stalled, ""},
		{"sigkill", End{Code: -1, Stalled: true}, Stalled, ""},
		{"sigkill", End{Code: -1, Interrupted: true}, Interrupted, ""},
		{"completed", End{Interrupted: true}, Ended, "All done."},
		{"fork-overloaded", End{}, Outage, "API Error: 529 Overloaded"},
		{"rate-limit", End{Code: 1}, Outage, "API Error: Request rejected (429) · This request " +
			"would exceed your account's rate limit."},
		{"too-long", End{Code: 1}, ContextFull, "Prompt is too long · the request is ~250000 " +
			"tokens (limit 200000) but this conversation is only ~2499 tokens — the rest is " +
			"system prompt, tool definitions, and attachment content. A single-exchange " +
			"conversation cannot be compacted; reduce attached files/tools or start with less " +
			"context."},
		{"", End{Code: 1, Said: "error: unknown option '--nosuch'"}, Failed,
			"error: unknown option '--nosuch'"},
		{"", End{}, Failed, ""},
	} {
		if c.name != "" {
			h := recorded(t, c.name)
			c.end.Result, c.end.Aborted = h.Result, h.Aborted
		}
		if v := Judge(c.end, night); v.Kind != c.want || v.Text != c.text ||
			v.Final || !v.Reset.IsZero() {
			t.Errorf("%s %+v: %+v, want %s %q", c.name, c.end, v, c.want, c.text)
		}
	}
}

// No waiting mends a wrong key.
func TestWrongKeyIsFinal(t *testing.T) {
	h := recorded(t, "wrong-key")
	v := Judge(End{Code: 1, Result: h.Result}, night)
	if v.Kind != Outage || !v.Final {
		t.Errorf("%+v", v)
	}
	r := &Result{Reason: "api_error", IsError: true, Text: "Not logged in · Please run /login"}
	if v = Judge(End{Code: 1, Result: r}, night); v.Kind != Outage || !v.Final {
		t.Errorf("no login: %+v", v)
	}
}

func TestResets(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	at := func(day, hour, minute int, zone *time.Location) time.Time {
		return time.Date(2026, 11, day, hour, minute, 0, 0, zone)
	}
	limit := "You've hit your session limit · resets "
	for text, want := range map[string]time.Time{
		limit + "3am (Europe/Berlin)":                  at(22, 3, 0, berlin),
		limit + "2:15am (Europe/Berlin) · /upgrade":    at(23, 2, 15, berlin),
		limit + "Nov 24, 3:30pm (Europe/Berlin)":       at(24, 15, 30, berlin),
		"resets Nov 24 at 3PM":                         at(24, 15, 0, time.UTC),
		"resets Nov 28":                                at(28, 0, 0, time.UTC),
		"resets 5pm (Nowhere/Atall)":                   at(22, 17, 0, time.UTC),
		"Claude AI usage limit reached|1795314600":     time.Unix(1795314600, 0),
		"spend limit reached · resets Jan 1":           {}, // over a week away
		"Claude AI usage limit reached|1595314600":     {}, // over
		limit + "2:25am (Europe/Berlin)":               {}, // just over
		"API Error: 529 Overloaded":                    {},
		"resets soon":                                  {},
		"usage limit reached|tomorrow, or resets at 9": {},
	} {
		r := &Result{Reason: "api_error", IsError: true, Status: 429, Text: text}
		if v := Judge(End{Result: r}, night); !v.Reset.Equal(want) || v.Final {
			t.Errorf("%q: %v, want %v", text, v.Reset, want)
		}
	}
}

// The client's own event counts before its text.
func TestLimitEventNamesTheReset(t *testing.T) {
	var h streamReader
	h.read([]byte(`{"type":"rate_limit_event","rate_limit_info":{"status":"allowed_warning",` +
		`"resetsAt":1795399999}}`))
	if !h.Reset.IsZero() {
		t.Errorf("a warning is no limit: %v", h.Reset)
	}
	h.read([]byte(`{"type":"rate_limit_event","rate_limit_info":{"status":"rejected",` +
		`"rateLimitType":"five_hour","resetsAt":1795314600}}`))
	h.read([]byte(`{"type":"result","is_error":true,"terminal_reason":"api_error",` +
		`"api_error_status":429,"result":"You've hit your limit · resets 4pm (UTC)"}`))
	if v := Judge(End{Result: h.Result, Reset: h.Reset}, night); v.Reset.Unix() != 1795314600 {
		t.Errorf("%+v", v)
	}
}
