package desk

import (
	"errors"

	"hooks/internal/loop"
	"hooks/internal/report"
)

// Why says of each loop why it stopped or, while it goes on, what each of the twelve conditions and seven gates stands
// at. Nothing is written.
func (d *Desk) Why(skills []loop.Skill) ([]report.Why, error) {
	list := []report.Why{}
	v, err := d.visit()
	if err != nil || v.files == nil {
		return list, err
	}
	defer v.files.Close()
	err = v.each(skills, func(t *thread) error {
		w, err := v.why(t)
		list = append(list, w)
		return err
	})
	return list, err
}

func (v *visit) why(t *thread) (report.Why, error) {
	previous, err := v.files.Last(t.skill, t.Budget.Worked)
	st := v.stand(t)
	w := report.Why{
		Skill: t.skill, RunID: t.Budget.RunID, Command: t.Budget.Command, Status: t.Budget.Status, Alive: st.OwnerAlive, Resume: st.Resume, Budgets: st.Budgets,
		Conditions: []loop.Explained{}, Gates: []loop.Explained{},
	}
	if t.Budget.Status != loop.Active {
		last, lerr := v.files.Last(t.skill, func(l *loop.Iteration) bool { return l.Ran() && l.Of(t.Budget.RunID) })
		if last != nil {
			w.Denied = last.Denied
		}
		w.Stopped = report.StoppedBy(t.Budget, last, st.Gates, t.Elsewhere(t.skill))
		return w, errors.Join(err, lerr)
	}
	if previous != nil {
		w.Denied = previous.Denied
	}
	if t.Tick != nil {
		w.Denied = t.Tick.Denied
	}
	run := *t.Budget
	run.DollarsEstimate += st.Open
	f := loop.Look(&run, t.Tick, previous, v.now)
	snapshot, serr := v.files.Snapshot(&run, previous, t.Tick != nil && t.Tick.FromTracker())
	f.Snapshot = snapshot
	w.Conditions, w.Gates = loop.States(f), loop.GateStates(f)
	return w, errors.Join(err, serr)
}
