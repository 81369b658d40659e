package replay

import (
	"time"

	"hooks/internal/loop"
	"hooks/internal/usage"
)

// turn is the prompt that runs.
type turn struct {
	id        string
	scheduled bool // no person typed it
	underLoop bool
}

// Step takes the session on by one moment. It says whether that is a call for the rules to judge.
func (s *Session) Step(st *Step) (call bool) {
	switch st.Kind {
	case usage.Fired:
		s.fired = true
	case usage.Prompted:
		s.prompted(st)
		s.fired = false
	case usage.Interrupted:
		if !s.byPrompt { // who types every prompt steers by Esc, too
			s.interrupt(loop.ByEsc)
		}
	case usage.Absorbed:
		if worker, notification := st.worker(); notification {
			s.ended(st.At, worker)
		}
	case usage.TurnEnded:
		s.turnEnds(st.At)
	case usage.Called:
		cmd, invokes := st.invocation()
		if invokes {
			s.invoke(st, cmd)
		}
		return !invokes
	}
	return false
}

func (s *Session) prompted(st *Step) {
	cmd, invokes := st.invocation()
	worker, notification := st.worker()
	if s.byPrompt && !notification {
		cmd, invokes = loop.Command{Name: "sdd:work", Skill: loop.Work, Args: "--loop"}, true
	}
	switch {
	case notification:
		s.ended(st.At, worker)
		s.prompt(st.At, st.Prompt, true, false)
		return
	case st.stopTyped():
		s.prompt(st.At, st.Prompt, false, true)
	case invokes || st.underLoop():
		s.age()
	default:
		s.prompt(st.At, st.Prompt, false, false)
	}
	s.turn = &turn{id: st.Prompt, scheduled: s.scheduled(st), underLoop: st.underLoop()}
	if invokes {
		s.invoke(st, cmd)
	}
}

// scheduled says that no person typed a prompt: by the client's own word where it has one.
func (s *Session) scheduled(st *Step) bool {
	if st.Origin == "" {
		return s.fired
	}
	return st.Origin != "human" && st.Origin != "sdk"
}

// invoke is an invocation in the turn that runs. A turn whose beginner is not known is a person's.
func (s *Session) invoke(st *Step, cmd loop.Command) {
	in := turn{id: st.ID}
	if s.turn != nil {
		in = *s.turn
	}
	in.scheduled = in.scheduled || s.byPrompt
	s.enter(st.At, in, cmd)
}

// PromptID is the prompt that runs, "" before the first.
func (s *Session) PromptID() string {
	if s.turn == nil {
		return ""
	}
	return s.turn.id
}

// end is when the last thing happened in a session that has steps.
func (s *Script) end() time.Time {
	at := s.Steps[len(s.Steps)-1].At
	for _, st := range s.Steps {
		if st.Result != nil && st.Result.At.After(at) {
			at = st.Result.At
		}
	}
	return at
}
