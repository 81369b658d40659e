package app

import (
	"errors"

	"hooks/internal/loop"
	"hooks/internal/proc"
	"hooks/internal/report"
	"hooks/internal/store"
)

// Standing is how the project's loops stand now; none where there is no state. Damaged files are reported together,
// and the rest stands there all the same. Nothing is written.
func (a *App) Standing(skills []loop.Skill) ([]report.Stand, error) {
	list := []report.Stand{}
	v, err := a.visitor()
	if err != nil {
		return list, absent(err)
	}
	defer v.files.Close()
	var damage []error
	for _, skill := range skills {
		s, err := v.files.Load(skill)
		if err != nil {
			damage = append(damage, store.Hinted(err))
		}
		if s.Budget != nil {
			list = append(list, v.stand(&thread{skill, s}))
		}
	}
	return list, errors.Join(damage...)
}

func (v *visit) stand(t *thread) report.Stand {
	b := t.Budget
	st := report.Stand{Run: b, Tick: t.Tick, Lock: t.Lock, Minutes: b.MinutesElapsed, Next: "none — the loop ended", Open: v.openSpend(t)}
	if b.Status == loop.Active {
		st.Minutes, st.Next = b.Minutes(v.now), report.Wake(b)
	}
	if t.Lock != nil {
		st.LockAlive = proc.Of(t.Lock.Process) != loop.Dead
	}
	st.OwnerAlive = !gone(b)
	st.Budgets = report.Axes(b, t.Tick, st.Minutes, st.Open, st.OwnerAlive, v.now)
	st.Gates = openGates(t)
	st.Deferred, st.Notes = loop.AppendNew([]string{}, b.DeferredTargets...), []string{}
	if t.Tick != nil {
		st.Deferred, st.Notes = loop.AppendNew(st.Deferred, t.Tick.Deferred...), loop.AppendNew(st.Notes, t.Tick.Notes...)
	}
	if last, err := v.previous(t.skill, b); err == nil && last != nil {
		st.Last = report.RanIn(last)
		if t.Tick == nil {
			st.Notes = loop.AppendNew(st.Notes, last.Notes...)
		}
	}
	if b.Status != loop.Active || !st.OwnerAlive {
		st.Resume = report.Resume(b, elsewhere(t))
		if b.Status == loop.Active {
			st.Next = "none — the session is gone"
		}
	}
	return st
}

// elsewhere is the run's budget file, where that is not in its default place.
func elsewhere(t *thread) string {
	if t.BudgetPath == store.DefaultBudgetPath(t.skill) {
		return ""
	}
	return t.BudgetPath
}

// openSpend is what was spent since the last iteration ended, as far as the transcript tells. Nothing is saved.
func (v *visit) openSpend(t *thread) (sum loop.USD) {
	if t.Tick == nil || t.Tick.RunID != t.Budget.RunID {
		return 0
	}
	own := *v
	own.ev.Transcript = t.Tick.Transcript
	spent, _ := own.spent(t)
	for _, m := range spent.ByModel {
		sum += m.Dollars
	}
	return sum
}

// openGates are the questions of a paused run and of an open iteration.
func openGates(t *thread) []report.Waiting {
	list := []report.Waiting{}
	for _, g := range t.Budget.Pending {
		list = append(list, report.Wait(t.skill, g, true))
	}
	if t.Tick != nil {
		for _, g := range t.Tick.Pending {
			list = append(list, report.Wait(t.skill, g, false))
		}
	}
	return list
}

// Waiting are the questions that wait for a person: of open iterations and of paused runs.
func (a *App) Waiting() ([]report.Waiting, error) {
	stands, err := a.Standing(loop.Skills())
	list := []report.Waiting{}
	for _, s := range stands {
		list = append(list, s.Gates...)
	}
	return list, err
}
