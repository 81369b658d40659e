package report

import (
	"fmt"
	"strings"
	"time"

	"hooks/internal/loop"
)

// Stand is how one loop stands now.
type Stand struct {
	Run        *loop.Budget `json:"run"`
	Tick       *loop.Tick   `json:"tick,omitempty"`
	Lock       *loop.Lock   `json:"lock,omitempty"`
	Minutes    int          `json:"minutes_now"`
	LockAlive  bool         `json:"lock_alive"`
	OwnerAlive bool         `json:"owner_alive"`
}

// Waiting is a question that waits for a person.
type Waiting struct {
	Skill  loop.Skill `json:"skill"`
	Gate   loop.Gate  `json:"gate"`
	Paused bool       `json:"paused"` // answered with `hooks gate answer`; otherwise in the session's dialog
}

// Standing prints how a loop stands.
func Standing(s Stand) string {
	t, b := newText(), *s.Run
	b.MinutesElapsed = s.Minutes
	t.line("%s (run %s): %s", invocation(&b), b.RunID, state(s))
	t.line("Started: %s in session %s, pid %d (%s)", b.StartedAt.UTC().Format(time.RFC3339), b.SessionID, b.Owner.PID, lives(s.OwnerAlive))
	t.line("Used: %d/%d iterations, PRs %s, %d/%d minutes, $%s of %s", b.IterationsUsed, b.Ceilings.Iterations, prs(&b), s.Minutes, b.Ceilings.Minutes,
		b.DollarsEstimate, limit(b.Ceilings.Dollars))
	t.line("Remaining: %s", Remaining(&b))
	if s.Lock != nil {
		t.line("Lock: pid %d (%s), iteration %d, since %s", s.Lock.PID, lives(s.LockAlive), s.Lock.Iteration, s.Lock.StartedAt.UTC().Format(time.RFC3339))
	}
	for _, g := range b.Pending {
		t.line("Waiting: %s", WaitingGate(Waiting{b.Skill, g, true}))
	}
	if s.Tick != nil {
		for _, g := range s.Tick.Pending {
			t.line("Waiting: %s", WaitingGate(Waiting{b.Skill, g, false}))
		}
	}
	return t.String()
}

func state(s Stand) string {
	switch b := s.Run; {
	case b.Status == loop.Halted:
		return fmt.Sprintf("halted, %s — %s", b.StopCause, b.StopText)
	case b.Status == loop.Paused:
		return "paused, a question waits for a person"
	case s.Tick != nil:
		return fmt.Sprintf("active, iteration %d runs", s.Tick.Iteration)
	case !s.OwnerAlive:
		return "active, but its session is gone: " + invocation(b) + " --resume goes on"
	}
	return "active, between iterations"
}

func lives(alive bool) string {
	if alive {
		return "alive"
	}
	return "gone"
}

// WaitingGate prints a waiting question and how it is answered.
func WaitingGate(w Waiting) string {
	how := "answered in the session's dialog"
	switch {
	case w.Gate.Answer != "":
		how = fmt.Sprintf("answered %q, acts on --resume", w.Gate.Answer)
	case w.Paused:
		how = "hooks gate answer " + w.Gate.Name + " " + strings.ReplaceAll(labels(w.Gate.Options), ", ", "|")
	}
	return clean(fmt.Sprintf("[%s] %s (%s)", w.Gate.Name, w.Gate.Question, how))
}

// RunLine is a run in one line.
func RunLine(b loop.Budget) string {
	end := string(b.Status)
	if b.StopCause != "" {
		end += " " + b.StopCause
	}
	return clean(fmt.Sprintf("%s  %-6s  %-32s  %d iterations  %d PRs  %d minutes  $%s  %s",
		b.StartedAt.UTC().Format(time.RFC3339), b.Skill, end, b.IterationsUsed, len(b.PRsTouched), b.MinutesElapsed, b.DollarsEstimate, b.RunID))
}
