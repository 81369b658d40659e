package loop

import "slices"

// Discards reports whether a run whose budget file is gone makes room for a fresh one, because a
// person who types the command deleted it (R111): between two iterations, or once the client of
// another session is dead. Lost is the run as it was written last.
func (e Invocation) Discards(lost State, ownerGone bool) bool {
	abandoned := lost.Run.SessionID != e.SessionID && ownerGone
	return e.Typed() && !e.Flags.Resume && (lost.Tick == nil || abandoned)
}

// Typed reports whether a person typed the command, and no schedule, model or conductor.
func (e Invocation) Typed() bool { return !e.unasked() && !e.Fed }

// NeedsSeal reports whether a run without a seal is refused: a run of a client that lives, or of
// this session, because a new seal would accept whatever its files contain now. Any other run may
// have been sealed on another machine, or before its home was lost; so may one of this session that
// a person resumes once its client is dead.
func (e Invocation) NeedsSeal(run *Budget, owner Liveness) bool {
	resumes := e.Typed() && e.Flags.Resume && owner == Dead
	return run != nil && (owner == Alive || run.SessionID == e.SessionID && !resumes)
}

// FromSchedule reports whether no person typed the request: by the origin that the transcript has,
// because the line of a fired schedule comes before it, or because the same command was scheduled
// at the last Stop.
func (e Invocation) FromSchedule(s State, origin string, fired bool) bool {
	if origin != "" {
		return origin != "human" && origin != "sdk"
	}
	var prompts []string
	if b := s.Run; b != nil && b.OwnedBy(e.Request) {
		prompts = b.Scheduled
	}
	if c := s.Claim; c != nil && c.Stopped && c.SessionID == e.SessionID {
		prompts = slices.Concat(prompts, c.Scheduled)
	}
	return fired || slices.ContainsFunc(prompts, func(prompt string) bool {
		c, ok := ParsePrompt(prompt, Namespace(e.Command.Name))
		return ok && c == e.Command
	})
}
