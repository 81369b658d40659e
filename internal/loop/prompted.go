package loop

import "slices"

// Prompt is a prompt of the session, or another event of a turn that is not the iteration's own. It
// brings what no event says: a turn that never reached its Stop, and a person's `/loop stop`.
type Prompt struct {
	Turn
	Stops        bool  // a person ends the loop by the client's own word, StopWord
	Notification bool  // a worker's end started the turn
	Invokes      Skill // the skill whose tick the prompt is, "" none
	Expands      bool  // the expansion of the prompt follows, and can still refuse the turn
}

// StopWord is the client's own way to end a loop.
const StopWord = "/loop stop"

func (e Prompt) step(s State, k *Known) Outcome {
	switch {
	case s.Run == nil || s.Run.Status != Active:
		return Outcome{}
	case e.Stops && !e.open(s):
		return e.endBetween(s, k, StopWord)
	case e.Stops && s.Tick.Interrupted != "" && slices.Contains(s.Tick.Prompts, e.Prompt):
		return Outcome{} // the first of the prompt's two events was this one's
	case e.Stops:
		s.Tick.Interrupt(StopWord)
		return e.breakOff(s, k)
	case !e.foreign(s) || e.Expands && e.Invokes == s.Run.Skill:
		return Outcome{}
	case k.lacks(NeedMark) != 0:
		return Outcome{Need: NeedMark}
	case s.Tick.Interrupted == "" && k.Marked:
		s.Tick.Interrupt(ByEsc)
	case s.Tick.Draining || e.Notification:
		s.Tick.Prompts = AppendNew(slices.Clone(s.Tick.Prompts), e.Prompt)
		return Outcome{Save: Save{Tick: s.Tick}}
	default:
		s.Tick.Failed = CutOff
	}
	return e.breakOff(s, k)
}

// breakOff ends an iteration that was interrupted or cut off. Its workers finish first; the last
// Stop closes the iteration then.
func (e Prompt) breakOff(s State, k *Known) Outcome {
	if s.Tick.Draining || len(s.Tick.Workers) > 0 {
		s.Tick.Draining = true
		s.Tick.Prompts = AppendNew(slices.Clone(s.Tick.Prompts), e.Prompt)
		return Outcome{Save: Save{Tick: s.Tick}, Reply: Reply{Draining: true}}
	}
	out := e.closeTurn(s, k)
	if c := out.Save.Close; c != nil && c.Halted() && e.Invokes == s.Run.Skill {
		out.Reply.Wakes = true
	}
	return out
}

// Wake is a scheduled /loop prompt.
type Wake struct {
	Turn
	Text string
}

// step refuses the wake-up of a run that has ended, before its turn costs anything. A wake-up fires
// once: what comes after it in the same words was typed.
func (e Wake) step(s State, k *Known) Outcome {
	switch {
	case s.Run == nil || s.Run.Status != Halted || !slices.Contains(s.Run.Scheduled, e.Text):
		return Outcome{}
	case k.lacks(NeedOrigin) != 0:
		return Outcome{Need: NeedOrigin}
	case k.Origin.By == "human":
		return Outcome{}
	}
	s.Run.Scheduled = without(s.Run.Scheduled, e.Text)
	return Outcome{Save: Save{Run: s.Run}, Reply: Reply{Refuse: priorStop(s.Run)}}
}
