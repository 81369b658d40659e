package loop

import (
	"slices"
	"time"
)

// Refused is a call refused outside Call's rules, such as the entry of a second loop. It is
// recorded in the open iteration.
type Refused struct {
	Turn
	Denial
}

func (e Refused) step(s State, _ *Known) Outcome {
	if !e.open(s) {
		return Outcome{}
	}
	s.Tick.Deny(e.Denial)
	return Outcome{Save: Save{Tick: s.Tick}}
}

// Heard is a tool result in a session that has no run and asks to force another session's lock.
// Like a receipt for a run, it proves that PostToolUse reaches the program.
type Heard struct{ Turn }

func (e Heard) step(s State, _ *Known) Outcome {
	if s.Claim == nil || s.Claim.Gate == nil || s.Claim.Heard {
		return Outcome{}
	}
	s.Claim.Heard = true
	return Outcome{Save: Save{Claim: s.Claim}}
}

// DialogBegins is a call that is about to open a dialog. The program records which gates' questions
// the dialog shows and whether the call's input contained answers, which no person gave.
type DialogBegins struct {
	Turn
	ID     string // tool_use_id
	Forged bool
	Shows  int // maximum number of this loop's questions in the dialog
}

func (e DialogBegins) step(s State, _ *Known) Outcome {
	note := Dialog{ID: e.ID, Forged: e.Forged}
	if gates := e.Asks(s); !e.Forged {
		for _, g := range gates[:min(len(gates), e.Shows)] {
			note.Shown = append(note.Shown, g.Question)
		}
	}
	if s.Claim != nil && s.Claim.Gate != nil {
		gate := *s.Claim.Gate
		s.Claim.Gate = &gate
		s.Claim.Dialogs = append(s.Claim.Dialogs, note)
		return Outcome{Save: Save{Claim: s.Claim}, Notify: notify(s.Claim.Gate)}
	}
	if !e.open(s) || len(s.Tick.Pending) == 0 && !e.Forged {
		return Outcome{}
	}
	if slices.ContainsFunc(s.Tick.Dialogs, func(d Dialog) bool {
		return d.ID == note.ID && d.Forged == note.Forged && !d.Done &&
			slices.Equal(d.Shown, note.Shown)
	}) { // another registration of the hooks has recorded it
		return Outcome{}
	}
	s.Tick.Dialogs = append(s.Tick.Dialogs, note)
	out := Outcome{Save: Save{Tick: s.Tick}}
	for i := range s.Tick.Pending {
		out.Notify = append(out.Notify, notify(&s.Tick.Pending[i])...)
	}
	return out
}

// DialogBrought holds the Ask command's answers to all questions in the open dialog. They count
// once the client has accepted them.
type DialogBrought struct {
	Turn
	Answers map[string]string
}

func (e DialogBrought) step(s State, _ *Known) Outcome {
	if !e.open(s) {
		return Outcome{}
	}
	for i, d := range slices.Backward(s.Tick.Dialogs) {
		shown := !d.Done && slices.ContainsFunc(s.Tick.Pending, func(g Gate) bool {
			return e.Answers[g.Question] != "" && d.shows(g.Question)
		})
		if shown {
			s.Tick.Dialogs[i].Brought = e.Answers
			return Outcome{Save: Save{Tick: s.Tick}}
		}
	}
	return Outcome{}
}

// Asks returns the loop's gates whose questions a dialog in this turn would show.
func (t Turn) Asks(s State) []Gate {
	switch {
	case s.Claim != nil && s.Claim.Gate != nil && s.Claim.PromptID == t.Prompt:
		return []Gate{*s.Claim.Gate}
	case t.open(s):
		return s.Tick.Pending
	}
	return nil
}

// notify returns a notice about the gate's question, or nil if it has done so before.
func notify(g *Gate) []Notice {
	if g.Notified {
		return nil
	}
	g.Notified = true
	return []Notice{{Gate: g}}
}

// Program identifies a binary.
type Program struct {
	Path    string `json:"path"`
	Size    int64  `json:"size"` // bytes
	Version string `json:"version"`
}

// Receipt proves that the hooks fired in a session. It names the program that answered and the
// events that reached it.
type Receipt struct {
	SessionID string    `json:"session_id"`
	Program   Program   `json:"program"`
	Since     time.Time `json:"since"`
	Last      time.Time `json:"last"` // time of the last event that led to a save
	// distinct hook words, ordered by first event
	Events []string `json:"events"`
}

// maxReceipts bounds how many receipts a run keeps, one for each session.
const maxReceipts = 8

// Receive records that an event reached the program in a session. It reports whether the record is
// new and has to be saved. It calls look once for each session to identify the program.
func (b *Budget) Receive(session, word string, now time.Time, look func() Program) (news bool) {
	i := slices.IndexFunc(b.Receipts, func(r Receipt) bool { return r.SessionID == session })
	if i < 0 {
		b.Receipts = appendBounded(b.Receipts, Receipt{SessionID: session, Program: look(),
			Since: now, Events: []string{}}, maxReceipts)
		i = len(b.Receipts) - 1
	}
	r := &b.Receipts[i]
	r.Last = now
	if slices.Contains(r.Events, word) {
		return false
	}
	r.Events = append(r.Events, word)
	return true
}

// Heard reports whether an event reached the program in a session.
func (b *Budget) Heard(session, word string) bool {
	return slices.ContainsFunc(b.Receipts, func(r Receipt) bool {
		return r.SessionID == session && slices.Contains(r.Events, word)
	})
}
