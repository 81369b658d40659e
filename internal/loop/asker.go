package loop

import (
	"slices"
	"strings"
)

// refuseUnasked refuses a request that no person typed where it would change a run that exists:
// other flags, a fresh run in its place, or an ended run taken up again. The ceilings of a run are
// a person's.
func refuseUnasked(r Request, s Standing, mine bool) (Admission, bool) {
	run := s.Run
	switch {
	case r.unasked() && r.Gated && !mine: // else its own gate decides
		return refuse("Not begun: a loop of this session has ended\n" +
			"hint: end the turn; a person types the command"), true
	case run == nil || !r.Model && !r.Scheduled:
		return Admission{}, false
	case run.Status != Active && r.Model:
		return refuse(priorStop(run) +
			"\nhint: a person types the command, or the command with --resume"), true
	case run.Status != Active || run.agrees(r.Flags) && (mine || s.OwnerIs != Dead):
		return Admission{}, false
	case r.Model:
		return refuse("Not begun: no person typed these flags for the running loop, which has " +
			run.Flags + "\nhint: call it as " + run.Command +
			", or let a person type the command with new flags"), true
	case mine:
		return refuse("Not begun: the scheduled command has other flags than the running loop, " +
			"which has " + run.Flags), true
	}
	return Admission{}, false
}

// refuseOtherFile refuses a request that no person typed where it names another budget file than
// the run on record: that would be another run, with ceilings of its own.
func refuseOtherFile(r Request, s Standing) (Admission, bool) {
	run := s.Recorded.Run
	if !r.unasked() || run == nil || s.Recorded.Path == r.Path || !r.Model && !run.OwnedBy(r) {
		return Admission{}, false
	}
	return refuse("Not begun: the loop on record has another budget file, " + s.Recorded.Path +
		"\nhint: a person types a command that names another one"), true
}

// agrees reports whether flags are those of a command that a person typed for this run, or name
// nothing of their own. The order of flags, and whether one names its default, makes no
// difference.
func (b *Budget) agrees(f Flags) bool {
	if f.Resume && len(f.explicit) == 0 && (f.PR == 0 || f.PR == b.SinglePR) {
		return true
	}
	own := oneBlank(f.canonical())
	return b.Flags == "" || own == oneBlank(b.Flags) ||
		slices.ContainsFunc(b.OtherFlags, func(o string) bool { return own == oneBlank(o) })
}

// oneBlank makes one blank of several, of tabs and of line ends, as a run's Command has them.
func oneBlank(s string) string { return strings.Join(strings.Fields(s), " ") }

// alsoTyped records the flags of another command that a person typed for this run, so that its
// schedule may repeat them.
func (b *Budget) alsoTyped(flags string) {
	if flags != b.Flags {
		b.OtherFlags = AppendNew(slices.Clone(b.OtherFlags), flags)
	}
}

// unasked reports that no person typed the request.
func (r Request) unasked() bool { return r.Model || r.Scheduled }
