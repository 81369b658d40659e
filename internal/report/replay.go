package report

import (
	"fmt"
	"strings"
	"time"

	"hooks/internal/loop"
)

// Replay is what the rules would have made of a past session.
type Replay struct {
	SessionID  string `json:"session_id"`
	Transcript string `json:"transcript"`
	// ByPrompt says that no looping skill was invoked, so that every prompt is taken as one iteration.
	ByPrompt   bool            `json:"by_prompt"`
	Ceilings   []loop.Ceilings `json:"ceilings"` // of each run, in order
	Iterations []Replayed      `json:"iterations"`
	// Stop is where the first run would have ended, nil where it would have gone on.
	Stop *ReplayStop `json:"stop,omitempty"`
	// After is what the session did behind that stop.
	After   Aftermath              `json:"after_stop"`
	Curve   []CurvePoint           `json:"curve"`
	Total   loop.Tokens            `json:"total"`   // of the whole session
	Outside loop.USD               `json:"outside"` // spent before the first iteration and behind the last
	ByModel map[string]loop.Tokens `json:"by_model"`
	Notes   []string               `json:"notes"`
}

// Replayed is one tick of the session.
type Replayed struct {
	Run        int        `json:"run"` // from 1; 0 where the tick belongs to none
	Skill      loop.Skill `json:"skill"`
	Iteration  int        `json:"iteration"` // from 1; 0 for a tick that would not have begun
	Prompt     string     `json:"prompt_id"`
	StartedAt  time.Time  `json:"started_at"`
	EndedAt    time.Time  `json:"ended_at"`
	Dollars    loop.USD   `json:"dollars"`
	Sum        loop.USD   `json:"dollars_so_far"` // of this and all iterations before
	PRs        []string   `json:"prs"`            // opened, merged or commented on in fact
	Agents     int        `json:"agents"`         // dispatched in fact
	Verdict    string     `json:"verdict"`        // ran, refused or skipped
	Text       string     `json:"text,omitempty"` // why it would not have begun
	Stop       *Stopped   `json:"stop,omitempty"`
	Asked      []Question `json:"asked,omitempty"`
	Denied     []Denial   `json:"denied,omitempty"`
	MoreDenied int        `json:"more_denied,omitempty"` // beyond those listed
}

// Stopped is a stop condition that would have ended the run.
type Stopped struct {
	Cause string `json:"cause"`
	Text  string `json:"text"`
	At    string `json:"at"` // entry or exit
}

// ReplayStop is where the first run would have ended.
type ReplayStop struct {
	Run       int       `json:"run"`
	Iteration int       `json:"iteration"`
	When      time.Time `json:"when"`
	Stopped
}

// Question is a gate that would have asked a person.
type Question struct {
	Gate     string `json:"gate"`
	Question string `json:"question"`
	Answer   string `json:"answer"`
	Assumed  bool   `json:"assumed"` // nobody was asked in fact: the safest answer is assumed
}

// Denial is a tool call that would have been refused.
type Denial struct {
	Tool   string    `json:"tool"`
	Call   string    `json:"call"`
	Rule   string    `json:"rule"` // as in a history line's denied
	Reason string    `json:"reason"`
	Agent  string    `json:"agent,omitempty"` // the subagent that made it
	At     time.Time `json:"at"`
}

// Aftermath is what happened behind a stop.
type Aftermath struct {
	Iterations int      `json:"iterations"`
	Dollars    loop.USD `json:"dollars"`
	PRs        int      `json:"prs"`
	Agents     int      `json:"agents"`
}

// CurvePoint is what had been spent at a point in time.
type CurvePoint struct {
	At      time.Time `json:"at"`
	Dollars loop.USD  `json:"dollars"`
}

// Replays prints what the rules would have made of a session; the table fits the screen.
func Replays(s Screen, r Replay) string {
	var b strings.Builder
	say := func(format string, args ...any) { b.WriteString(clean(fmt.Sprintf(format, args...)) + "\n") }
	say("Session %s under the rules%s", r.SessionID, ceilingsOf(r.Ceilings))
	if r.ByPrompt {
		say("No looping skill was invoked: every prompt is taken as one iteration of a work loop.")
	}
	if len(r.Iterations) == 0 {
		say("No prompt stands in it.")
	} else {
		text, left := s.narrowed(replayTable(s, r.Iterations))
		b.WriteString("\n" + text)
		if len(left) > 0 {
			say("No room for: %s (--json has everything)", strings.Join(left, ", "))
		}
		b.WriteByte('\n')
	}
	before := b.Len()
	for n, i := range r.Iterations {
		i.details(fmt.Sprintf("tick %d", n+1), r.Stop, say)
	}
	if b.Len() > before {
		say("")
	}
	r.ending(say)
	r.curve(s, say)
	for _, n := range r.Notes {
		say("Note: %s", n)
	}
	return strings.TrimRight(b.String(), "\n")
}

func ceilingsOf(list []loop.Ceilings) string {
	if len(list) == 0 {
		return ""
	}
	c := list[0]
	dollars := "no dollar ceiling"
	if c.Dollars > 0 {
		dollars = ceiling(c.Dollars)
	}
	return fmt.Sprintf(": %d iterations, %d PRs, %d minutes, %s", c.Iterations, c.PRs, c.Minutes, dollars)
}

// replayTable is a row a tick, with the whole date where there is room.
func replayTable(s Screen, list []Replayed) [][]string {
	table := replayRows(list, time.DateTime)
	if widest(align(table)) <= s.Width {
		return table
	}
	if list[0].StartedAt.UTC().Format(time.DateOnly) == list[len(list)-1].StartedAt.UTC().Format(time.DateOnly) {
		return replayRows(list, time.TimeOnly)
	}
	return replayRows(list, "Jan 02 15:04")
}

func replayRows(list []Replayed, format string) [][]string {
	table := [][]string{{"tick", "start (UTC)", "minutes", "dollars", "sum", "PRs", "agents", "asked", "denied", "what becomes of it"}}
	for n, i := range list {
		table = append(table, []string{
			fmt.Sprint(n + 1), i.StartedAt.UTC().Format(format), tenths(i.EndedAt.Sub(i.StartedAt)), "$" + Mills(i.Dollars), "$" + Mills(i.Sum),
			fmt.Sprint(len(i.PRs)), fmt.Sprint(i.Agents), fmt.Sprint(len(i.Asked)), fmt.Sprint(len(i.Denied) + i.MoreDenied), i.becomes(),
		})
	}
	return table
}

// tenths are minutes with one decimal.
func tenths(d time.Duration) string { return fmt.Sprintf("%.1f", max(0, d).Minutes()) }

func (i Replayed) becomes() string {
	name := fmt.Sprintf("run %d, iteration %d", i.Run, i.Iteration)
	switch {
	case i.Stop != nil && i.Stop.At == "entry":
		return name + " stops at entry"
	case i.Stop != nil:
		return name + " is the last"
	case i.Verdict == "ran":
		return name
	}
	return i.Verdict
}

func (i Replayed) details(name string, told *ReplayStop, say func(string, ...any)) {
	for _, q := range i.Asked {
		how := "answered"
		if q.Assumed {
			how = "taken as answered"
		}
		say("%s: asked [%s] %s %s %q", name, q.Gate, q.Question, how, q.Answer)
	}
	for _, d := range i.Denied {
		who := ""
		if d.Agent != "" {
			who = " of worker " + d.Agent
		}
		say("%s: denied%s: %s: %s [%s]", name, who, clip(d.Call, 120), clip(d.Reason, 300), d.Rule)
	}
	if i.MoreDenied > 0 {
		say("%s: denied: %d more calls", name, i.MoreDenied)
	}
	if i.Text != "" {
		say("%s: %s", name, i.Text)
	}
	if i.Stop != nil && i.Run != told.Run {
		say("%s: %s (%s, at %s)", name, i.Stop.Text, i.Stop.Cause, i.Stop.At)
	}
}

func (r Replay) ending(say func(string, ...any)) {
	if r.Stop == nil {
		say("Stop: none; the rules would have let it go on to its end.")
		return
	}
	say("Stop: %s (%s, at the %s of iteration %d), %s", r.Stop.Text, r.Stop.Cause, r.Stop.At, r.Stop.Iteration, r.Stop.When.UTC().Format(time.RFC3339))
	if a := r.After; a != (Aftermath{}) {
		say("Behind it the session went on: ticks %d, $%s, PRs %d, agents %d", a.Iterations, Mills(a.Dollars), a.PRs, a.Agents)
	}
}

const bars = "▁▂▃▄▅▆▇█"

// curve draws the sum over time, with a mark under the point at which the run would have ended.
func (r Replay) curve(s Screen, say func(string, ...any)) {
	if len(r.Curve) == 0 || r.Total.Dollars == 0 || s.Width < len("Spent: ")+len(r.Curve) {
		say("Spent: $%s", Mills(r.Total.Dollars))
		return
	}
	line, mark := "", -1
	levels := []rune(bars)
	for n, p := range r.Curve {
		line += string(levels[min(int(p.Dollars*8/r.Total.Dollars), 7)])
		if r.Stop != nil && mark < 0 && !p.At.Before(r.Stop.When) {
			mark = n
		}
	}
	first, last := r.Curve[0].At, r.Curve[len(r.Curve)-1].At
	say("Spent: %s  $%s in %s minutes (API-equivalent)", line, Mills(r.Total.Dollars), tenths(last.Sub(first)))
	if mark >= 0 {
		say("       %s^ stop", strings.Repeat(" ", mark))
	}
	if r.Outside > 0 {
		say("Of it outside of any iteration: $%s", Mills(r.Outside))
	}
}
