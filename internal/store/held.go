package store

import (
	"hooks/internal/loop"
	"hooks/internal/seal"
)

// What a session is held for.
const (
	forReset  = "reset"
	forAccept = "accept"
)

// Hold keeps the sessions shut that have a run which a person is about to archive, where their client is alive: a process
// that let go of its parents looks like a person's terminal, but a prompt in the client is a person's own.
func (s *Store) Hold(skill loop.Skill, run string, alive func(*loop.Budget) bool) error {
	records, _ := s.seals.Of(s.project)
	known := false
	for _, r := range records {
		l := r.Loop(string(skill))
		if l == nil || l.RunID != run {
			continue
		}
		if known = true; !s.hold(l, forReset, alive) {
			continue
		}
		if err := s.seals.Save(r); err != nil {
			return err
		}
	}
	if known {
		return nil
	}
	return s.holdLost(skill, run, alive)
}

// holdLost is Hold for a run whose record is gone.
func (s *Store) holdLost(skill loop.Skill, run string, alive func(*loop.Budget) bool) error {
	st, err := s.LoadRun(skill)
	b := st.Budget
	if err != nil || b == nil || b.RunID != run || b.SealedIn == "" || b.SealedIn != s.seals.Path() {
		return nil
	}
	l := seal.Loop{Skill: string(skill), RunID: run, Budget: st.BudgetPath, On: b.Status == loop.Active}
	l.State = s.found(&l).files
	if !s.hold(&l, forReset, alive) {
		return nil
	}
	r, err := s.seals.Find(b.SessionID)
	if err != nil {
		return err
	}
	if r == nil || r.Project != s.project {
		r = &seal.Record{Session: b.SessionID, Project: s.project, Boot: s.boot()}
	}
	r.Drop(string(skill))
	r.Loops = append(r.Loops, l)
	return s.seals.Save(r)
}

// hold marks a loop that is on, where the client of its run is alive, and says whether it is marked.
func (s *Store) hold(l *seal.Loop, why string, alive func(*loop.Budget) bool) bool {
	if !l.On || l.State.Budget == "" {
		return l.HeldFor != ""
	}
	b, err := s.decodeBudget(l.Budget, loop.Skill(l.Skill), []byte(l.State.Budget))
	if err != nil || !alive(b) {
		return false
	}
	l.HeldFor, l.HeldBudget = why, l.State.Budget
	return true
}

// HeldBudgets are the budgets of a record's runs that wait for a person's prompt, as they were before.
func HeldBudgets(r *seal.Record) (list []*loop.Budget) {
	for _, l := range r.Loops {
		if l.HeldFor == "" || l.HeldBudget == "" {
			continue
		}
		if b, err := parse[loop.Budget](l.Budget, []byte(l.HeldBudget)); err == nil {
			list = append(list, b)
		}
	}
	return list
}

// Lift lets go of a session that was held, at a person's prompt in it.
func Lift(dir seal.Dir, r *seal.Record) error {
	for _, l := range append([]seal.Loop(nil), r.Loops...) {
		switch l.HeldFor {
		case forReset:
			r.Drop(l.Skill)
		case forAccept:
			own := r.Loop(l.Skill)
			own.HeldFor, own.HeldBudget = "", ""
		}
	}
	return dir.Save(r)
}

// Held is the error of a session that waits for a person's prompt.
func Held(r *seal.Record) error {
	for i := range r.Loops {
		if err := held(r, &r.Loops[i]); err != nil {
			return err
		}
	}
	return nil
}

// held is the error of a run that waits for a person's prompt; nil for any other.
func held(r *seal.Record, l *seal.Loop) error {
	if l.HeldFor == "" {
		return nil
	}
	why := "`hooks loop " + l.HeldFor + "` was typed in a terminal, and takes effect with your next prompt in the session"
	return &ChangedError{Skill: loop.Skill(l.Skill), Session: r.Session, Changes: []string{why}}
}
