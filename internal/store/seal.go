package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/tidwall/gjson"

	"hooks/internal/loop"
	"hooks/internal/seal"
)

// Seal holds the project's files against the records of the user's state directory from now on, and keeps the records in
// step with what is written. boot names the machine's boot, and is empty where that is not known.
//
// A record names the texts before a change and after it while the change is under way, so a crash at any call leaves
// each file as one of the two, and anything else was written by somebody else.
func (s *Store) Seal(dir seal.Dir, boot func() string) { s.seals, s.boot = dir, boot }

// ChangedError says that a run's files are not as the program wrote them.
type ChangedError struct {
	Skill   loop.Skill
	Session string
	Changes []string // each file with what differs, as people read it
}

func (e *ChangedError) Error() string {
	return fmt.Sprintf("the files of the %s loop are not as hooks wrote them: %s", e.Skill, strings.Join(e.Changes, "; "))
}

// change runs a change of a session's run between the two notes in its record. edit says what the run's files are after
// it. Inside another change, and for a run without a record, only the change itself is made.
func (s *Store) change(skill loop.Skill, session string, edit func(*seal.Files), do func() error) error {
	if s.changing || s.seals.Path() == "" {
		return do()
	}
	r, err := s.seals.Find(session)
	if err != nil {
		return err
	}
	l := r.Loop(string(skill))
	if l == nil || r.Project != s.project {
		return do()
	}
	return s.changeLoop(r, l, edit, do)
}

func (s *Store) changeLoop(r *seal.Record, l *seal.Loop, edit func(*seal.Files), do func() error) error {
	s.witness = nil
	if l.Next != nil { // the last change did not come to its end
		l.State = s.settled(l)
	}
	next := l.State
	edit(&next)
	l.Next, r.Boot = &next, s.boot()
	l.Unlocked = l.Unlocked && l.State.Tick != "" // an iteration that begins has the lock
	if err := s.seals.Save(r); err != nil {
		return err
	}
	s.changing = true
	err := do()
	s.changing = false
	if err != nil {
		return err
	}
	l.State, l.Next, l.Told = next, nil, false
	_ = s.seals.Save(r) // else both texts stay good, and the next change settles it
	return nil
}

// changeBudget is change for a budget that is saved. A run that has no record yet gets one, and one that another session
// had gives it up.
func (s *Store) changeBudget(path string, b *loop.Budget, text []byte, do func() error) error {
	if s.changing || s.seals.Path() == "" || b.SealedIn != s.seals.Path() {
		return do()
	}
	r, err := s.seals.Find(b.SessionID)
	if err != nil {
		return err
	}
	if r != nil && r.Project != s.project {
		if _, err := os.Stat(r.Project); r.On() && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("session %s has a loop in %s already", b.SessionID, r.Project)
		}
		r = nil
	}
	if r == nil {
		r = &seal.Record{Session: b.SessionID, Project: s.project}
	}
	l := r.Loop(string(b.Skill))
	isNew := l == nil || l.RunID != b.RunID
	if isNew {
		r.Drop(string(b.Skill))
		r.Loops = append(r.Loops, seal.Loop{Skill: string(b.Skill), RunID: b.RunID, Budget: path})
		l = &r.Loops[len(r.Loops)-1]
		size := s.mended(b.Skill)
		l.State = s.found(l).files
		l.State.History = size
	}
	l.On = l.On || b.Status == loop.Active
	marker := ""
	if at, err := s.place(b.Skill, path); err == nil && !at.own {
		marker = path
	}
	err = s.changeLoop(r, l, func(f *seal.Files) { f.Budget, f.Marker = seal.Trim(text), marker }, do)
	if err == nil && isNew {
		err = s.giveUp(b, path)
	}
	return err
}

// giveUp takes a run, and any other that kept its budget in the same place, out of the records of other sessions.
func (s *Store) giveUp(b *loop.Budget, path string) error {
	records, _ := s.seals.Of(s.project) // one that cannot be read is its own session's matter
	for _, r := range records {
		l := r.Loop(string(b.Skill))
		if r.Session == b.SessionID || l == nil || l.HeldFor != "" || l.RunID != b.RunID && s.absolute(l.Budget) != s.absolute(path) {
			continue
		}
		r.Drop(string(b.Skill))
		if err := s.seals.Save(r); err != nil {
			return err
		}
	}
	return nil
}

// Rest says that a session's runs do not govern it any more: they have ended, and the turn in which they did is over. The
// record stays, for a later --resume is held against it.
func (s *Store) Rest(session string, over func(skill loop.Skill) bool) error {
	r, err := s.seals.Find(session)
	if err != nil || r == nil {
		return err
	}
	changed := false
	for i := range r.Loops {
		l := &r.Loops[i]
		if l.On && over(loop.Skill(l.Skill)) {
			l.On, changed = false, true
		}
	}
	if !changed {
		return nil
	}
	return s.seals.Save(r)
}

// Witness gives the record that this process has read already. It serves until the guard is taken: what does not agree with
// it is looked at again there.
func (s *Store) Witness(r *seal.Record) { s.witness = r }

// active is the record of a session whose loop is on.
func (s *Store) active(session string) (*seal.Record, error) {
	if s.guards == 0 && s.witness != nil && s.witness.Session == session {
		return s.witness, nil
	}
	return s.seals.Active(session)
}

// LoadSealed is LoadRun for a run of which a session has a record: it fails with ChangedError where a file is not as it
// was written last. The files may change while they are read, so that is only said of what was read under the guard.
func (s *Store) LoadSealed(session string, skill loop.Skill) (State, error) {
	st, err := s.loadSealed(session, skill)
	if changed := (*ChangedError)(nil); !errors.As(err, &changed) || s.guards > 0 {
		return st, err
	}
	unlock, gerr := s.Guard(context.Background())
	if gerr != nil {
		return st, errors.Join(err, gerr)
	}
	st, err = s.loadSealed(session, skill)
	return st, errors.Join(err, unlock())
}

func (s *Store) loadSealed(session string, skill loop.Skill) (State, error) {
	r, err := s.active(session)
	if err != nil {
		return State{BudgetPath: DefaultBudgetPath(skill)}, err
	}
	l := r.Loop(string(skill))
	if l == nil || !l.On || r.Project != s.project {
		return s.unsealed(session, skill)
	}
	if err := held(r, l); err != nil {
		return State{BudgetPath: l.Budget}, err
	}
	found := s.found(l)
	if err := s.verify(r, l, found); err != nil {
		return State{BudgetPath: l.Budget}, err
	}
	return found.state(s, skill, l)
}

// unsealed is a run of which the session has no record here. An active one that says that it is sealed has lost its record,
// or this process does not see it.
func (s *Store) unsealed(session string, skill loop.Skill) (State, error) {
	st, err := s.LoadRun(skill)
	b := st.Budget
	if err != nil || b == nil || b.SessionID != session || b.Status != loop.Active || b.SealedIn == "" {
		return st, err
	}
	if b.Clock != nil && b.Clock.Boot != "" && s.boot() != "" && b.Clock.Boot != s.boot() {
		return st, nil // a power cut may have taken the record, which is not synced
	}
	why := "the seal of the session is gone"
	if here := s.seals.Path(); b.SealedIn != here {
		why = fmt.Sprintf("they are sealed in %s, and here the state directory is %q", b.SealedIn, here)
	}
	return st, &ChangedError{Skill: skill, Session: session, Changes: []string{why}}
}

// found are the files of a run as they are.
type found struct {
	files  seal.Files
	bodies map[string][]byte
	errs   []string // of files that cannot be read
	locked bool
}

// found reads a run's files. Another run's tick is no tick of this one. The history's last line is not read: see lastLine.
func (s *Store) found(l *seal.Loop) found {
	f := found{bodies: map[string][]byte{}}
	skill := loop.Skill(l.Skill)
	note := func(err error) {
		if err != nil {
			f.errs = append(f.errs, err.Error())
		}
	}
	body, _, err := s.budgetBody(skill, l.Budget)
	note(err)
	f.bodies["budget"], f.files.Budget = body, seal.Trim(body)
	body, err = s.disk.read(tickName(skill))
	if run := gjson.GetBytes(body, "run_id").String(); run == "" || run == l.RunID || !gjson.ValidBytes(body) {
		f.bodies["tick"], f.files.Tick = body, seal.Trim(body)
	}
	note(err)
	body, err = s.disk.read(pointerName(skill))
	note(err)
	f.files.Marker = seal.Trim(body)
	if size, err := s.disk.regular(historyName(skill)); err == nil {
		f.files.History = size
	} else if !errors.Is(err, os.ErrNotExist) {
		note(err)
	}
	f.files.Line = l.State.Line
	_, err = s.disk.root.Lstat(lockName(skill))
	f.locked = err == nil
	return f
}

// state decodes what was found, and reads the claim, which is nobody's run.
func (f *found) state(s *Store, skill loop.Skill, l *seal.Loop) (st State, err error) {
	st.BudgetPath = l.Budget
	var errs [3]error
	if body := f.bodies["budget"]; body != nil {
		st.Budget, errs[0] = s.decodeBudget(l.Budget, skill, body)
	}
	if body := f.bodies["tick"]; body != nil {
		st.Tick, errs[1] = decodeTick(s.disk.path(tickName(skill)), body)
	}
	st.Claim, errs[2] = s.claimOf(skill)
	return st, errors.Join(errs[:]...)
}

// verify holds what was found against the record.
func (s *Store) verify(r *seal.Record, l *seal.Loop, f found) error {
	changes := s.changes(r, l, f)
	if len(changes) == 0 || s.superseded(r, l, f) {
		return nil
	}
	return &ChangedError{Skill: loop.Skill(l.Skill), Session: r.Session, Changes: changes}
}

// changes are the differences between a run's files and its record, as people read them.
func (s *Store) changes(r *seal.Record, l *seal.Loop, f found) []string {
	skill := loop.Skill(l.Skill)
	next := l.Next
	if next == nil {
		next = &l.State
	}
	list := f.errs
	differ := func(name, was, then, is string) {
		switch {
		case is == was || is == then:
		case is == "":
			list = append(list, name+" is missing")
		case was == "" && then == "":
			list = append(list, name+" was put there")
		case r.Boot != s.boot() && r.Boot != "": // synced before a power cut that the record did not survive
		default:
			list = append(list, name+" was changed")
		}
	}
	differ(l.Budget, l.State.Budget, next.Budget, f.files.Budget)
	differ(s.disk.path(tickName(skill)), l.State.Tick, next.Tick, f.files.Tick)
	if f.files.Marker != l.State.Marker && f.files.Marker != next.Marker && !s.marks(skill, f.files.Marker) {
		list = append(list, s.disk.path(pointerName(skill))+" was changed")
	}
	if f.files.History < min(l.State.History, next.History) {
		list = append(list, s.disk.path(historyName(skill))+" is missing lines")
	}
	if f.files.Tick != "" && !f.locked && !l.Unlocked {
		list = append(list, s.disk.path(lockName(skill))+" is missing")
	}
	return list
}

// marks says that a run of the records keeps its budget where the marker leads.
func (s *Store) marks(skill loop.Skill, marker string) bool {
	records, _ := s.seals.Of(s.project)
	for _, r := range records {
		if l := r.Loop(string(skill)); l != nil && (l.State.Marker == marker || l.Next != nil && l.Next.Marker == marker) {
			return true
		}
	}
	return false
}

// superseded says that another session has taken the run over, and was killed before this record was given up.
func (s *Store) superseded(old *seal.Record, l *seal.Loop, f found) bool {
	records, _ := s.seals.Of(s.project)
	for _, r := range records {
		o := r.Loop(l.Skill)
		if r.Session != old.Session && o != nil && o.RunID == l.RunID && len(s.changes(r, o, f)) == 0 {
			return true
		}
	}
	return false
}
