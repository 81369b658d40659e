package loop

import "slices"

// Refused is a call that was refused outside of the loop's own rules, as a second loop is at its
// entry. It is recorded in the open iteration.
type Refused struct {
	Turn
	ID, Input string
	Denial
}

func (e Refused) step(s State, _ *Known) Outcome {
	if !e.open(s) || !s.Tick.refuses(e.ID, e.Input) {
		return Outcome{}
	}
	s.Tick.Deny(e.Denial)
	return Outcome{Save: Save{Tick: s.Tick}}
}

// Grown is what the open iteration has spent until now, once much of its transcripts is new.
type Grown struct {
	Turn
	Running Running
}

func (e Grown) step(s State, _ *Known) Outcome {
	if !e.open(s) {
		return Outcome{}
	}
	s.Tick.Count(s.Run, e.Running)
	return Outcome{Save: Save{Tick: s.Tick}}
}

// Heard is a tool's result in a session that has no run yet, and asks to force another's lock. It
// proves that PostToolUse reaches the program, as a receipt does for a run.
type Heard struct{ Turn }

func (e Heard) step(s State, _ *Known) Outcome {
	if s.Claim == nil || s.Claim.Gate == nil || s.Claim.Heard {
		return Outcome{}
	}
	s.Claim.Heard = true
	return Outcome{Save: Save{Claim: s.Claim}}
}

// DialogBegins is a call of the dialog that is about to show its questions. It is recorded which
// gates' questions it shows, and whether it came with answers in it: those are no person's.
type DialogBegins struct {
	Turn
	ID     string // tool_use_id
	Forged bool
	Shows  int // how many questions of this loop it shows at most
}

func (e DialogBegins) step(s State, _ *Known) Outcome {
	note := Dialog{ID: e.ID, Forged: e.Forged}
	if s.Claim != nil && s.Claim.Gate != nil {
		if s.Claim.PromptID == e.Prompt {
			note.Shown = e.shown([]Gate{*s.Claim.Gate})
		}
		gate := *s.Claim.Gate
		s.Claim.Gate = &gate
		s.Claim.Dialogs = append(s.Claim.Dialogs, note)
		return Outcome{Save: Save{Claim: s.Claim}, Notify: notify(s.Claim.Gate)}
	}
	if !e.open(s) || len(s.Tick.Pending) == 0 && !e.Forged {
		return Outcome{}
	}
	note.Shown = e.shown(s.Tick.Pending)
	if slices.ContainsFunc(s.Tick.Dialogs, note.Equal) { // another registration of the hooks did
		return Outcome{}
	}
	s.Tick.Dialogs = append(s.Tick.Dialogs, note)
	out := Outcome{Save: Save{Tick: s.Tick}}
	for i := range s.Tick.Pending {
		out.Notify = append(out.Notify, notify(&s.Tick.Pending[i])...)
	}
	return out
}

// Asks are the gates whose questions a dialog that begins in this turn shows for the loop.
func (t Turn) Asks(s State) []Gate {
	switch {
	case s.Claim != nil && s.Claim.Gate != nil && s.Claim.PromptID == t.Prompt:
		return []Gate{*s.Claim.Gate}
	case t.open(s):
		return s.Tick.Pending
	}
	return nil
}

func (e DialogBegins) shown(gates []Gate) (list []string) {
	if e.Forged {
		return nil
	}
	for _, g := range gates[:min(len(gates), e.Shows)] {
		list = append(list, g.Question)
	}
	return list
}

// notify notifies a person of a gate's question, once.
func notify(g *Gate) []Notice {
	if g.Notified {
		return nil
	}
	g.Notified = true
	return []Notice{{Gate: g}}
}
