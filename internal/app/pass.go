package app

import (
	"fmt"
	"os"
	"strconv"

	"hooks/internal/guard/effect"
	"hooks/internal/kind"
	"hooks/internal/loop"
	"hooks/internal/proc"
	"hooks/internal/seal"
	"hooks/internal/store"
)

// Pass uses up the permission for one merge or approval in a sealed loop. It succeeds once, while
// the call that passed the gate for this PR is still running. A link of the brake calls it;
// session is a record's file name. If it fails, why is the reason, and at is the approved commit,
// if any.
func Pass(home, session string, act effect.Kind, pr int, sha string) (ok bool, why, at string) {
	approves := act == effect.ApprovePR
	if act != effect.MergePR && !approves {
		return false, "in a loop only merges are allowed, past their gate", ""
	}
	dir := seal.At(home)
	record, err := dir.Record(session)
	if err != nil || record == nil {
		return false, "the loop's record cannot be read", ""
	}
	files, err := store.Open(record.Project)
	if err != nil {
		return false, "the loop's files are gone", ""
	}
	defer files.Close()
	files.Seal(dir, proc.Boot)
	why = fmt.Sprintf("the gate of PR #%d has not allowed a merge", pr)
	if approves {
		why = fmt.Sprintf("no approval of PR #%d was let through", pr)
	}
	var states []store.State
	for _, skill := range kind.Skills() {
		st, err := files.LoadSealed(record.Session, skill)
		if err != nil {
			return false, err.Error(), ""
		}
		b := st.Budget
		if !approves && b != nil && b.SessionID == record.Session && b.Status == loop.Active &&
			b.Merges == loop.MergesNever {
			return false, "nothing is merged in this session (--merges never)", ""
		}
		states = append(states, st)
	}
	for _, st := range states {
		if st.Tick == nil || st.Tick.SessionID != record.Session {
			continue
		}
		for _, p := range st.Tick.Passed {
			if p.Approves != approves || !p.Allows(pr, sha) {
				if p.Allows(pr, p.HeadSHA) && p.Approves == approves {
					why, at = fmt.Sprintf("the person approved only %s", p.HeadSHA), p.HeadSHA
				}
				continue
			}
			call := p.ID
			if approves { // one call may both approve and merge
				call += " approval"
			}
			by := strconv.Itoa(os.Getpid()) + " " + proc.Describe(os.Getpid(), "").Start
			switch first, err := files.UsePass(st.Skill, call, pr, by); {
			case err != nil:
				return false, err.Error(), ""
			case first:
				return true, "", ""
			}
			why, at = fmt.Sprintf("the pass for PR #%d is used up", pr), ""
		}
	}
	return false, why, at
}
