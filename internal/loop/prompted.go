package loop

import "slices"

// Prompt is a prompt of the session, or another event of a turn that is not the iteration's own. It
// brings what no event says: a turn that never reached its Stop, and a person's `/loop stop`.
type Prompt struct {
	Turn
	Text    string  // as it was submitted
	Stops   bool    // a person ends the loop by the client's own word, StopWord
	Wakes   *Wakeup // the client made it for background work; nil for any other
	Invokes Skill   // the skill whose tick the prompt is, "" none
	Expands bool    // the expansion of the prompt follows, and can still refuse the turn
}

// StopWord is the client's own way to end a loop.
const StopWord = "/loop stop"

func (e Prompt) step(s State, k *Known) Outcome {
	switch {
	case s.Run == nil:
		return Outcome{}
	case s.Run.Status != Active:
		return e.afterEnd(s, k)
	}
	out := e.whileActive(s, k)
	c := out.Save.Close
	if out.Need != nil || c == nil || c.Run().Status == Active || e.Text == "" {
		return out
	}
	if e.Wakes == nil && k.lacks(&k.Sender) {
		return Outcome{Need: k}
	}
	if e.isTyped(k) {
		q := Quiet{}
		if out.Save.Quiet != nil {
			q = *out.Save.Quiet
		}
		e.typed(&out, c.Run(), q)
	}
	return out
}

// whileActive finds a turn that never reached its Stop, and a person's `/loop stop`.
func (e Prompt) whileActive(s State, k *Known) Outcome {
	switch {
	case s.Run.leftOver(e.Text):
		return Outcome{Reply: Reply{Hidden: true, Refuse: "The drive schedule no longer exists. " +
			"Tell the agent to delete what still fires with CronDelete (CronList names it); " +
			oneBlank(s.Run.Command+" --resume") + " continues the loop"}}
	case e.Stops && !e.open(s):
		return e.endBetween(s, k, StopWord)
	case e.Stops && s.Tick.Interrupted != "" && slices.Contains(s.Tick.Prompts, e.Prompt):
		return Outcome{} // the first of the prompt's two events was this one's
	case e.Stops:
		s.Tick.Interrupt(StopWord)
		return e.breakOff(s, k)
	case !e.foreign(s) || e.Expands && e.Invokes == s.Run.Skill:
		if s.Run.endJob(e.Wakes) {
			return Outcome{Save: Save{Run: s.Run}}
		}
		return Outcome{}
	case k.lacks(&k.Marked):
		return Outcome{Need: k}
	}
	esc := s.Tick.Interrupted == "" && *k.Marked.Is
	if esc {
		s.Tick.Interrupt(ByEsc)
	}
	stopped := s.Tick.Interrupted == ByEsc || s.Tick.overspent()
	own := stopped && e.Wakes.isOf(s.Run.Jobs)
	switch {
	case own:
		return e.refuseWake(s, k)
	case esc:
	case s.Tick.Draining || e.Wakes != nil:
		s.Tick.Prompts = AppendNew(slices.Clone(s.Tick.Prompts), e.Prompt)
		out := Outcome{Save: Save{Tick: s.Tick}}
		if s.Run.endJob(e.Wakes) {
			out.Save.Run = s.Run
		}
		return out
	default:
		s.Tick.Failed = CutOff
	}
	return e.breakOff(s, k)
}

// breakOff ends an iteration that was interrupted or cut off. Its workers finish first; the last
// Stop closes the iteration then.
func (e Prompt) breakOff(s State, k *Known) Outcome {
	if s.Tick.Draining || len(s.Tick.Workers) > 0 {
		if e.Text != "" && e.Wakes == nil && k.lacks(&k.Sender) {
			return Outcome{Need: k}
		}
		if e.isTyped(k) { // the gate opens with the end of the last worker
			s.Tick.Typed = e.Prompt
		}
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
