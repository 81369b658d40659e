package loop

import "slices"

// Mend is the way an entry deals with a run whose files are not as they were written.
type Mend uint8

const (
	StaysShut Mend = iota // only a person's command in a terminal clears it
	Restores              // the budget file is gone and is written again from the sealed state
	Discards              // the run is archived, and a fresh one begins
)

// Mend decides about a run whose files changed. Sealed is the state as it was written last, lost
// whether the budget file is gone, ownerGone whether the run's client is dead. Between iterations a
// person who types the command begins a fresh run, or takes up the sealed one with --resume.
func (e Invocation) Mend(sealed State, lost, ownerGone bool) Mend {
	abandoned := sealed.Run.SessionID != e.SessionID && ownerGone
	switch {
	case e.Scheduled, sealed.Tick != nil && !abandoned, !lost && !abandoned:
		return StaysShut
	case !e.Flags.Resume:
		return Discards
	case sealed.Tick == nil && lost:
		return Restores
	}
	return StaysShut
}

// NeedsSeal reports whether a run without a seal is refused: a run of this session, or of a client
// that lives, because a new seal would accept whatever its files contain now. Any other run may
// have been sealed on another machine.
func (e Invocation) NeedsSeal(run *Budget, owner Liveness) bool {
	return run != nil && (run.SessionID == e.SessionID || owner == Alive)
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
