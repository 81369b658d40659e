package desk

import (
	"hooks/internal/config"
	"hooks/internal/loop"
	"hooks/internal/proc"
	"hooks/internal/report"
	"hooks/internal/usage"
)

// Standing is how the project's loops stand now; none where there is no state. Damaged files are reported together,
// and the rest stands there all the same. Nothing is written.
func (d *Desk) Standing(skills []loop.Skill) ([]report.Stand, error) {
	list := []report.Stand{}
	v, err := d.visit()
	if err != nil || v.files == nil {
		return list, err
	}
	defer v.files.Close()
	err = v.each(skills, func(t *thread) error {
		list = append(list, v.stand(t))
		return nil
	})
	report.NameLoops(list)
	return list, err
}

func (v *visit) stand(t *thread) report.Stand {
	b := t.Budget
	st := report.Stand{Run: b, Tick: t.Tick, Lock: t.Lock, Minutes: b.MinutesElapsed, Next: "none — the loop ended", Open: v.openSpend(t)}
	switch b.Status {
	case loop.Paused:
		st.Next = report.Paused
	case loop.Active:
		switch st.Minutes, st.Next = b.Minutes(v.now), report.Wake(b); {
		case t.Tick == nil:
			st.Next = report.Due(report.Screen{Now: v.Now()}, b)
		case t.Tick.Halting():
			st.Next = "none — the loop ends with this iteration"
		}
	}
	if t.Lock != nil {
		st.LockAlive = proc.Of(t.Lock.Process) != loop.Dead
	}
	st.OwnerAlive = alive(b)
	st.Budgets = report.Axes(b, t.Tick, st.Minutes, st.Open, st.OwnerAlive, v.now)
	st.Gates = openGates(t)
	st.Deferred, st.Notes = loop.AppendNew([]string{}, b.DeferredTargets...), []string{}
	if t.Tick != nil {
		st.Deferred, st.Notes = loop.AppendNew(st.Deferred, t.Tick.Deferred...), loop.AppendNew(st.Notes, t.Tick.Notes...)
	}
	if last, err := v.files.Last(t.skill, b.Worked); err == nil && last != nil {
		st.Last = report.RanIn(last)
		if t.Tick == nil {
			st.Notes = loop.AppendNew(st.Notes, last.Notes...)
		}
	}
	if b.Status != loop.Active || !st.OwnerAlive {
		st.Resume = report.Resume(b, t.Elsewhere(t.skill))
		if b.Status == loop.Active {
			st.Next = "none — the session is gone"
		}
	}
	return st
}

// openSpend is what was spent since the last iteration ended, as far as the transcript tells. Nothing is saved.
func (v *visit) openSpend(t *thread) (sum loop.USD) {
	if t.Tick == nil || t.Tick.RunID != t.Budget.RunID {
		return 0
	}
	spent, _ := v.spent(t)
	for _, m := range spent.ByModel {
		sum += m.Dollars
	}
	return sum
}

// spent is what a run spent beyond its cursors, by its open iteration's transcript.
func (v *visit) spent(t *thread) (loop.Spent, []string) {
	spent, notes, _ := usage.Spent(t.Tick.Transcript, t.Budget.Cursors, usage.NewTable(config.Load(v.project).Rates))
	return spent, notes
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
func (d *Desk) Waiting() ([]report.Waiting, error) {
	stands, err := d.Standing(loop.Skills())
	list := []report.Waiting{}
	for _, s := range stands {
		list = append(list, s.Gates...)
	}
	return list, err
}
