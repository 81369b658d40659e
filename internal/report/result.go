package report

import (
	"fmt"
	"slices"

	"hooks/internal/english"
	"hooks/internal/loop"
	"hooks/internal/page"
)

// Result describes how a session's loop ended. `hooks result` prints it for a job.
type Result struct {
	// Code is the exit code: 0 if the loop ended as meant, 3 if it waits for a person, 4 if it
	// stopped at a ceiling, 5 if it failed, 6 if no loop was active.
	Code      int        `json:"code"`
	Result    string     `json:"result"` // ended, waits, ceiling, failed or ungoverned
	SessionID string     `json:"session_id,omitempty"`
	Skill     loop.Skill `json:"skill,omitempty"`
	RunID     string     `json:"run_id,omitempty"`
	// cause as in the history, "" if the run is neither halted nor paused
	Cause      string   `json:"cause,omitempty"`
	Text       string   `json:"text"`
	Iterations int      `json:"iterations"`
	Dollars    loop.USD `json:"dollars"`
	Resume     string   `json:"resume,omitempty"` // command that continues the run
}

// The exit codes of `hooks result` and `hooks go` for a loop that did not end as meant.
const (
	CodeWaits      = 3
	CodeCeiling    = 4
	CodeFailed     = 5
	CodeUngoverned = 6
)

// resultWords holds the word for programs and the words for people.
var resultWords = map[int][2]string{
	0:              {"ended", "ended as meant"},
	CodeWaits:      {"waits", "waits for a person"},
	CodeCeiling:    {"ceiling", "stopped at a ceiling"},
	CodeFailed:     {"failed", "failed"},
	CodeUngoverned: {"ungoverned", "nothing was governed"},
}

// Ungoverned returns the result of a session without an active loop. session is empty if no session
// has begun.
func Ungoverned(session, project string) Result {
	r := Result{Code: CodeUngoverned, Result: resultWords[CodeUngoverned][0], SessionID: session,
		Text: "no session has begun in " + project}
	if session != "" {
		r.Text = "no loop was active in session " + session
	}
	return r
}

// NewResult returns the result of a run whose session has ended. last is its last iteration, or nil
// if it finished no iteration; open reports whether one was cut off; path is as for Resume.
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
		r.Code, r.Text = CodeFailed, "its session ended before an iteration did"
	case last.Outcome != loop.OK:
		r.Code, r.Text = CodeFailed, "the last iteration ended as "+string(last.Outcome)
	default:
		r.Text = "its session ended between two iterations, and the run can continue"
	}
	r.Result = resultWords[r.Code][0]
	return r
}

// StopCode returns the exit code of a run that has halted or is paused.
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
