package report

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"hooks/internal/english"
	"hooks/internal/loop"
	"hooks/internal/page"
	"hooks/internal/term"
)

// Result describes how a session's loop ended. `hooks result` prints it for CI jobs.
type Result struct {
	// Code is the exit code: 0 if the loop succeeded, 3 if it waits for a person, 4 if it
	// stopped at a ceiling, 5 if it failed, 6 if no loop was active.
	Code      int        `json:"code"`
	Result    string     `json:"result"` // ended, waits, ceiling, failed or ungoverned
	SessionID string     `json:"session_id,omitempty"`
	Skill     loop.Skill `json:"skill,omitempty"`
	RunID     string     `json:"run_id,omitempty"`
	// stop cause, as in the history; "" while the run is active
	Cause      string   `json:"cause,omitempty"`
	Text       string   `json:"text"`
	Iterations int      `json:"iterations"`
	Dollars    loop.USD `json:"dollars"`
	Resume     string   `json:"resume,omitempty"` // command that continues the run
}

// The exit codes of `hooks result` and `hooks go` for a loop that did not succeed.
const (
	CodeWaits      = 3
	CodeCeiling    = 4
	CodeFailed     = 5
	CodeUngoverned = 6
)

// resultWords maps an exit code to a word for programs and a description for people.
var resultWords = map[int][2]string{
	0:              {"ended", "succeeded"},
	CodeWaits:      {"waits", "waits for a person"},
	CodeCeiling:    {"ceiling", "stopped at a ceiling"},
	CodeFailed:     {"failed", "failed"},
	CodeUngoverned: {"ungoverned", "no loop"},
}

// Ungoverned returns the result for a session without an active loop. session is empty if no
// session has begun.
func Ungoverned(session, project string) Result {
	r := Result{Code: CodeUngoverned, Result: resultWords[CodeUngoverned][0], SessionID: session,
		Text: "no session has begun in " + project}
	if session != "" {
		r.Text = "no loop was active in session " + session
	}
	return r
}

// NewResult returns the result of a run whose session has ended. last is the run's last iteration,
// or nil if none finished. open means that an iteration was cut off. path is as for Resume.
func NewResult(b *loop.Budget, last *loop.Iteration, open bool, path string) Result {
	r := Result{SessionID: b.SessionID, Skill: b.Skill, RunID: b.RunID, Cause: b.StopCause,
		Iterations: b.IterationsUsed, Dollars: b.DollarsEstimate, Text: stopText(b),
		Resume: Resume(b, path)}
	switch {
	case b.Status != loop.Active:
		r.Code = StopCode(b)
	case open:
		r.Code, r.Text = CodeFailed, "its session ended during an iteration"
	case last == nil:
		r.Code, r.Text = CodeFailed, "its session ended before the first iteration ended"
	case last.Outcome != loop.OK:
		r.Code, r.Text = CodeFailed, "the outcome of the last iteration was "+string(last.Outcome)
	default:
		r.Text = "its session ended between two iterations, and the run can continue"
	}
	r.Result = resultWords[r.Code][0]
	return r
}

// StopCode returns the exit code for a halted or paused run.
func StopCode(b *loop.Budget) int {
	ceilings := []string{"iteration_budget", "prs_touched_budget", "wall_clock_budget",
		"cost_budget"}
	atLimit := b.StopDetail != nil && b.StopDetail.Gate == loop.BudgetEscalation
	switch {
	case loop.Completes(b.StopCause):
		return 0
	case b.Status == loop.Paused && len(b.Pending) > 0:
		return CodeWaits
	case atLimit, slices.Contains(ceilings, b.StopCause):
		return CodeCeiling
	}
	return CodeFailed
}

// Draw writes the result in one line.
func (r Result) Draw(p *page.Text) {
	run := ""
	if r.Code != CodeUngoverned {
		run = fmt.Sprintf("%s loop, %s, $%s: ", r.Skill, english.Plural(r.Iterations, "iteration"),
			r.Dollars)
	}
	p.Line(page.Plain, "%s: %s%s%s", resultWords[r.Code][1], run, r.Text,
		prefixed("; next: ", r.Resume))
}

// Replay is the result of applying the rules to a past session.
type Replay struct {
	SessionID  string `json:"session_id"`
	Transcript string `json:"transcript"`
	// ByPrompt is true if no looping skill was invoked. Every prompt then counts as an iteration.
	ByPrompt   bool            `json:"by_prompt"`
	Ceilings   []loop.Ceilings `json:"ceilings"` // ceilings of each run, in order
	Iterations []Replayed      `json:"iterations"`
	// Stop is where the first run would have ended, or nil if no limit was reached.
	Stop *ReplayStop `json:"stop,omitempty"`
	// After summarizes the session's activity after that stop.
	After   Aftermath              `json:"after_stop"`
	Total   loop.Tokens            `json:"total"`   // tokens used by the whole session
	Outside loop.USD               `json:"outside"` // dollars spent outside of iterations
	ByModel map[string]loop.Tokens `json:"by_model"`
	Notes   []string               `json:"notes"`
}

// Replayed is one tick of a replayed session.
type Replayed struct {
	Run   int        `json:"run"` // run number, from 1; 0 if the tick is in no run
	Skill loop.Skill `json:"skill"`
	// iteration number, from 1; 0 for a refused or skipped tick
	Iteration int        `json:"iteration"`
	Prompt    string     `json:"prompt_id"`
	StartedAt time.Time  `json:"started_at"`
	EndedAt   time.Time  `json:"ended_at"`
	Dollars   loop.USD   `json:"dollars"`
	Sum       loop.USD   `json:"dollars_so_far"` // dollars up to and including this iteration
	PRs       []string   `json:"prs"`            // PRs opened, merged or commented on
	Agents    int        `json:"agents"`         // number of dispatched agents
	Verdict   string     `json:"verdict"`        // ran, refused or skipped
	Text      string     `json:"text,omitempty"` // why the tick was refused or skipped
	Stop      *Stopped   `json:"stop,omitempty"`
	Asked     []Question `json:"asked,omitempty"`
	Denied    []Denial   `json:"denied,omitempty"`
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
	// true if the safest answer was assumed, because no person was asked
	Assumed bool `json:"assumed"`
}

// Denial is a tool call that would have been refused.
type Denial struct {
	Tool   string    `json:"tool"`
	Call   string    `json:"call"`
	Rule   string    `json:"rule"` // rule name, as in the history
	Reason string    `json:"reason"`
	Agent  string    `json:"agent,omitempty"` // the subagent that made the call
	At     time.Time `json:"at"`
}

// Aftermath summarizes the activity after a stop.
type Aftermath struct {
	Iterations int      `json:"iterations"`
	Dollars    loop.USD `json:"dollars"`
	PRs        int      `json:"prs"`
	Agents     int      `json:"agents"`
}

func (r Replay) Draw(p *page.Text) {
	limits := ""
	if len(r.Ceilings) > 0 {
		run := loop.Budget{Skill: r.Iterations[0].Skill, Ceilings: r.Ceilings[0]}
		limits = run.Limits()
	}
	p.Line(page.Plain, "Session %s, replayed%s", r.SessionID, prefixed(" with limits: ", limits))
	if r.ByPrompt {
		p.Line(page.Plain, "No looping skill was invoked, "+
			"so every prompt counts as one iteration of a work loop.")
	}
	if len(r.Iterations) == 0 {
		p.Line(page.Plain, "The session has no prompt.")
	} else {
		p.Blank()
		p.Table(ticks(r.Iterations))
		p.Blank()
		for n, i := range r.Iterations {
			i.draw(p, fmt.Sprintf("tick %d", n+1), r.Stop)
		}
		p.Blank()
	}
	if stop, a := r.Stop, r.After; stop == nil {
		p.Line(page.Plain, "Stop: none; no limit would have been reached.")
	} else {
		p.Line(page.Plain, "Stop: %s (%s, at the %s of iteration %d), %s", stop.Text, stop.Cause,
			stop.At, stop.Iteration, stop.When.UTC().Format(time.RFC3339))
		if a != (Aftermath{}) {
			p.Line(page.Plain, "After the stop, the session continued: %s, $%s, %s, %s",
				english.Plural(a.Iterations, "tick"), Mills(a.Dollars), english.Plural(a.PRs, "PR"),
				english.Plural(a.Agents, "agent"))
		}
	}
	p.Line(page.Plain, "Spent: $%s (API-equivalent)%s", Mills(r.Total.Dollars),
		when(r.Outside > 0, fmt.Sprintf(", $%s of it outside of iterations", Mills(r.Outside))))
	p.Notes("Note", r.Notes)
}

func ticks(list []Replayed) page.Table {
	t := page.Table{Columns: slices.Concat(
		[]page.Column{{Name: "tick"}, {Name: "start (UTC)", Spare: 1}},
		page.Counts("minutes", "dollars", "sum", "PRs", "agents", "asked", "denied"),
		[]page.Column{{Name: "result"}})}
	for n, i := range list {
		minutes := max(0, i.EndedAt.Sub(i.StartedAt)).Minutes()
		t.Add(fmt.Sprint(n+1), i.StartedAt.UTC().Format("2006-01-02 15:04"),
			fmt.Sprintf("%.1f", minutes), "$"+Mills(i.Dollars), "$"+Mills(i.Sum),
			fmt.Sprint(len(i.PRs)), fmt.Sprint(i.Agents), fmt.Sprint(len(i.Asked)),
			fmt.Sprint(len(i.Denied)), i.becomes())
	}
	return t
}

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

// draw writes a tick's questions, refusals and stop. It omits the first run's stop, because Draw
// writes that stop at the end.
func (i Replayed) draw(p *page.Text, name string, stop *ReplayStop) {
	for _, q := range i.Asked {
		how := cmp.Or(when(q.Assumed, "assumed to be answered"), "answered")
		p.Line(page.Plain, "%s: asked [%s] %s %s %q", name, q.Gate, q.Question, how, q.Answer)
	}
	for _, d := range i.Denied {
		p.Line(page.Plain, "%s: denied%s: %s: %s [%s]", name, prefixed(" to worker ", d.Agent),
			term.Clip(d.Call, 120), term.Clip(d.Reason, 300), d.Rule)
	}
	if i.Text != "" {
		p.Line(page.Plain, "%s: %s", name, i.Text)
	}
	if i.Stop != nil && i.Run != stop.Run {
		p.Line(page.Plain, "%s: %s (%s, at %s)", name, i.Stop.Text, i.Stop.Cause, i.Stop.At)
	}
}
