package app

import (
	"errors"

	"hooks/internal/loop"
	"hooks/internal/report"
	"hooks/internal/store"
)

// Why says of each loop why it stopped or, while it goes on, what each of the twelve conditions and seven gates stands
// at. Nothing is written.
func (a *App) Why(skills []loop.Skill) ([]report.Why, error) {
	list := []report.Why{}
	v, err := a.visitor()
	if err != nil {
		return list, absent(err)
	}
	defer v.files.Close()
	var damage []error
	for _, skill := range skills {
		s, err := v.files.Load(skill)
		if s.Budget != nil {
			w, werr := v.why(&thread{skill, s})
			list, err = append(list, w), errors.Join(err, werr)
		}
		damage = append(damage, store.Hinted(err))
	}
	return list, errors.Join(damage...)
}

func (v *visit) why(t *thread) (report.Why, error) {
	previous, err := v.previous(t.skill, t.Budget)
	st := v.stand(t)
	w := report.Why{
		Skill: t.skill, RunID: t.Budget.RunID, Command: t.Budget.Command, Status: t.Budget.Status, Budgets: st.Budgets,
		Conditions: []loop.State{}, Gates: []loop.State{},
	}
	if t.Budget.Status != loop.Active {
		last, lerr := v.files.Last(t.skill, func(l *loop.Iteration) bool { return l.Ran() && l.Of(t.Budget.RunID) })
		w.Stopped = report.StoppedBy(t.Budget, last, st.Gates, elsewhere(t))
		return w, errors.Join(err, lerr)
	}
	run := *t.Budget
	run.DollarsEstimate += st.Open
	f := loop.Look(&run, t.Tick, previous, v.now)
	w.Conditions, w.Gates = loop.States(f), loop.GateStates(f)
	return w, err
}
