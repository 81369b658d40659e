package store

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"strings"

	"github.com/tidwall/gjson"

	"hooks/internal/loop"
	"hooks/internal/seal"
)

// recordAt is the record of the run that keeps its budget there, whichever session has it; nil when there is none.
func (s *Store) recordAt(skill loop.Skill, path string) (*seal.Record, *seal.Loop, error) {
	records, err := s.seals.Of(s.project)
	for _, r := range records {
		if l := r.Loop(string(skill)); l != nil && l.HeldFor != forReset && s.absolute(l.Budget) == s.absolute(path) {
			return r, l, nil
		}
	}
	return nil, nil, err
}

// RecoverSealed is Recover for a session whose record says where its run lies.
func (s *Store) RecoverSealed(session string, skill loop.Skill) (State, error) {
	r, err := s.seals.Active(session)
	if err != nil {
		return State{}, err
	}
	l := r.Loop(string(skill))
	if l == nil || !l.On || r.Project != s.project {
		st, err := s.Recover(skill)
		if err == nil {
			_, err = s.unsealed(session, skill)
		}
		return st, err
	}
	return s.recoverSealed(r, l)
}

// recoverSealed loads a run as its record has it. A change that a crash cut off is brought to its end where the history
// has its line, and else stays as far as it came.
func (s *Store) recoverSealed(r *seal.Record, l *seal.Loop) (State, error) {
	skill := loop.Skill(l.Skill)
	if err := held(r, l); err != nil {
		return State{BudgetPath: l.Budget}, err
	}
	f := s.found(l)
	err := s.verify(r, l, f)
	if err == nil {
		err = s.verifyLine(r, l)
	}
	if err != nil {
		return State{BudgetPath: l.Budget}, err
	}
	s.disk.sweep(".")
	if s.elsewhere != nil {
		s.elsewhere.sweep("." + filepath.Base(l.Budget) + "-")
	}
	own := *l // the record may let go of it
	if l.Next != nil || r.Boot != s.boot() {
		if err := s.finish(r, l); err != nil {
			return State{BudgetPath: own.Budget}, err
		}
		f = s.found(&own)
	}
	st, err := f.state(s, skill, &own)
	held, lerr := s.Holder(skill)
	st.Lock = held
	return st, errors.Join(err, lerr)
}

// finish brings a change to its end that a crash cut off.
func (s *Store) finish(r *seal.Record, l *seal.Loop) error {
	if l.Next != nil && l.Next.Line != l.State.Line && s.lineEnd(l, l.Next.Line) > 0 {
		if err := s.rollForward(l); err != nil {
			return err
		}
	}
	rebooted := r.Boot != s.boot()
	l.State, l.Next, r.Boot = s.settled(l), nil, s.boot()
	if rebooted { // what the history has by now is believed
		l.State.History = s.found(l).files.History
	}
	if l.State.Budget == "" && l.State.Tick == "" { // it moved to the archive, or never began
		r.Drop(l.Skill)
	}
	return s.seals.Save(r)
}

// rollForward writes what the change was about to write when its history line was there already.
func (s *Store) rollForward(l *seal.Loop) error {
	skill := loop.Skill(l.Skill)
	return s.batch(func() error {
		at, err := s.place(skill, l.Budget)
		if err == nil {
			err = at.disk.replace(at.name, []byte(l.Next.Budget+"\n"))
		}
		if err != nil || l.Next.Tick != "" {
			return err
		}
		return s.drop("remove tick", tickName(skill))
	})
}

// settled are a run's files as they are, with the line of its own that the history has.
func (s *Store) settled(l *seal.Loop) seal.Files {
	f := s.found(l).files
	if l.Next != nil {
		if end := s.lineEnd(l, l.Next.Line); end > 0 {
			f.Line, f.History = l.Next.Line, end
			return f
		}
	}
	f.History = min(f.History, l.State.History)
	return f
}

// maxOthers bounds how many lines of other runs are looked through for one of a run's own.
const maxOthers = 1000

// lineEnd is where a line of the history ends, 0 when it is not among the last ones.
func (s *Store) lineEnd(l *seal.Loop, line string) int64 {
	if line == "" {
		return 0
	}
	f, size, err := s.openHistory(loop.Skill(l.Skill))
	if f == nil || err != nil {
		return 0
	}
	defer f.Close()
	lines := backward{f: f, pos: size}
	for range maxOthers {
		text, err := lines.next()
		if err != nil {
			return 0
		}
		if seal.Trim(text) == line {
			return lines.pos + int64(len(lines.buf)) + int64(len(text))
		}
	}
	return 0
}

// verifyLine holds the run's last line in the history against the record.
func (s *Store) verifyLine(r *seal.Record, l *seal.Loop) error {
	moves := l.Next != nil && l.Next.Line == ""    // into the archive
	sameBoot := r.Boot == "" || r.Boot == s.boot() // else the record may lack a line that was synced before a power cut
	if !moves && sameBoot && s.forged(l) && !s.superseded(r, l, s.found(l)) {
		path := s.disk.path(historyName(loop.Skill(l.Skill)))
		return &ChangedError{Skill: loop.Skill(l.Skill), Session: r.Session, Changes: []string{path + " has a line for the run that hooks did not write"}}
	}
	if l.State.Line == "" || moves || s.hasLine(l) || l.Next != nil && s.lineEnd(l, l.Next.Line) > 0 {
		return nil
	}
	skill := loop.Skill(l.Skill)
	return &ChangedError{Skill: skill, Session: r.Session, Changes: []string{s.disk.path(historyName(skill)) + " was changed"}}
}

// forged says that a line for the run stands behind its last one. One that a change under way has written is the run's
// own; a skipped tick of any session leaves one that counts nothing.
func (s *Store) forged(l *seal.Loop) bool {
	f, size, err := s.openHistory(loop.Skill(l.Skill))
	if f == nil || err != nil {
		return false
	}
	defer f.Close()
	lines := backward{f: f, pos: size}
	for lines.pos+int64(len(lines.buf)) > l.State.History {
		text, err := lines.next()
		if err != nil {
			return false // a line that is too long is damage, as its readers say
		}
		line := seal.Trim(text)
		own := line == l.State.Line || l.Next != nil && line == l.Next.Line
		it := gjson.Parse(line)
		if !own && it.Get("run_id").Str == l.RunID && it.Get("outcome").Str != string(loop.SkippedLock) {
			return true
		}
	}
	return false
}

// hasLine says that the run's last line still stands where it was written.
func (s *Store) hasLine(l *seal.Loop) bool {
	f, _, err := s.openHistory(loop.Skill(l.Skill))
	if f == nil || err != nil {
		return false
	}
	defer f.Close()
	text := make([]byte, len(l.State.Line)+1)
	n, err := f.ReadAt(text, max(0, l.State.History-int64(len(text))))
	if err != nil && err != io.EOF {
		return false
	}
	return seal.Trim(text[:n]) == l.State.Line || s.lineEnd(l, l.State.Line) > 0
}

// unseal takes a run out of the records while its files move to the archive, and gives the records' texts of those that
// are not as they were written.
func (s *Store) unseal(skill loop.Skill, runID string, move func(lost []*seal.Loop) error) error {
	records, _ := s.seals.Of(s.project) // one that cannot be read protects nothing
	var lost []*seal.Loop
	for _, r := range records {
		l := r.Loop(string(skill))
		if l == nil {
			continue
		}
		if l.RunID == runID && (len(s.changes(r, l, s.found(l))) > 0 || s.verifyLine(r, l) != nil) {
			kept := *l
			lost = append(lost, &kept)
		}
		next := l.State
		next.Line, next.History = "", 0 // the history may move
		if l.RunID == runID {
			next = seal.Files{}
		}
		l.Next = &next
		if err := s.seals.Save(r); err != nil {
			return err
		}
	}
	s.changing = true
	err := move(lost)
	s.changing = false
	if err != nil {
		return err
	}
	had := false
	for _, r := range records {
		l := r.Loop(string(skill))
		switch {
		case l == nil:
			continue
		case l.RunID == runID && l.HeldFor != "":
			had = true
			l.State, l.Next = seal.Files{}, nil
		case l.RunID == runID:
			had = true
			r.Drop(string(skill))
		default:
			l.State, l.Next = s.settled(l), nil
		}
		if err := s.seals.Save(r); err != nil {
			return err
		}
	}
	if !had {
		return nil
	}
	return s.seals.DropLines(runID)
}

// keepSealed puts into the archive what a record holds of files that are gone or were changed, so that nothing that was
// counted is lost. What was found instead moves there under the next free name.
func (s *Store) keepSealed(to *disk, l *seal.Loop) error {
	skill := loop.Skill(l.Skill)
	f := s.found(l)
	if text := l.State.Budget; text != "" && f.files.Budget != text {
		if err := s.copyBudget(to, skill, []byte(text+"\n")); err != nil {
			return err
		}
	}
	if l.State.Line == "" || s.hasLine(l) {
		return nil
	}
	lines, err := s.seals.Lines(l.RunID)
	if err != nil {
		return err
	}
	if !strings.Contains(string(lines), l.State.Line) {
		lines = append(lines, l.State.Line+"\n"...)
	}
	if done, err := to.read(historyName(skill)); err == nil && bytes.Equal(done, lines) {
		return nil
	}
	name, err := to.free(numberedName(historyName(skill)))
	if err != nil {
		return err
	}
	return errors.Join(to.replace(name, lines), to.syncDir())
}

// unlockSealed notes in the record of a lock's session that its lock is taken away by the program.
func (s *Store) unlockSealed(skill loop.Skill, seen *loop.Lock) error {
	if seen == nil || seen.SessionID == "" {
		return nil
	}
	r, err := s.seals.Find(seen.SessionID)
	if err != nil {
		return nil // a record that cannot be read says nothing of a lock
	}
	l := r.Loop(string(skill))
	open := l != nil && (l.State.Tick != "" || l.Next != nil && l.Next.Tick != "")
	if !open || l.Unlocked || r.Project != s.project {
		return nil
	}
	l.Unlocked = true
	return s.seals.Save(r)
}

// CheckSealed fails with ChangedError for a run that says that it is sealed here while no record has it.
func (s *Store) CheckSealed(b *loop.Budget) error {
	over := b == nil || b.Status != loop.Active && b.Status != loop.Paused
	if over || b.SealedIn == "" || b.SealedIn != s.seals.Path() {
		return nil
	}
	records, err := s.seals.Of(s.project)
	for _, r := range records {
		if l := r.Loop(string(b.Skill)); l != nil && l.RunID == b.RunID {
			return nil
		}
	}
	if err != nil {
		return err
	}
	changes := []string{"the seal of the run is gone"}
	return &ChangedError{Skill: b.Skill, Session: b.SessionID, Changes: changes}
}

// acceptLost seals a run as it is whose record is gone.
func (s *Store) acceptLost(skill loop.Skill, alive func(*loop.Budget) bool) ([]Accepted, error) {
	st, err := s.LoadRun(skill)
	lost := (*ChangedError)(nil)
	if err != nil || !errors.As(s.CheckSealed(st.Budget), &lost) {
		return nil, err
	}
	r, err := s.seals.Find(st.Budget.SessionID)
	if err != nil {
		return nil, err
	}
	if r == nil || r.Project != s.project {
		r = &seal.Record{Session: st.Budget.SessionID, Project: s.project}
	}
	r.Boot = s.boot()
	r.Drop(string(skill))
	l := seal.Loop{Skill: string(skill), RunID: st.Budget.RunID, Budget: st.BudgetPath}
	f := s.found(&l)
	l.State, l.On, l.Unlocked = f.files, st.Budget.Status == loop.Active, !f.locked
	s.hold(&l, forAccept, alive)
	r.Loops = append(r.Loops, l)
	return []Accepted{{Changes: lost.Changes}}, s.seals.Save(r)
}

// Accept takes a run's files over as they are, on a person's word, and says what differed; nothing where they are as the
// program wrote them. What cannot be read is not taken over.
//
// Where the session's client is alive it stays shut until the person's next prompt in it.
func (s *Store) Accept(skill loop.Skill, alive func(*loop.Budget) bool) (accepted []Accepted, err error) {
	records, err := s.seals.Of(s.project)
	if err != nil {
		return nil, err
	}
	if accepted, err = s.acceptLost(skill, alive); err != nil || len(accepted) > 0 {
		return accepted, err
	}
	for _, r := range records {
		l := r.Loop(string(skill))
		if l == nil {
			continue
		}
		f := s.found(l)
		changes := s.changes(r, l, f)
		if err := s.verifyLine(r, l); err != nil {
			changes = append(changes, s.disk.path(historyName(skill))+" was changed")
		}
		if len(changes) == 0 {
			continue
		}
		if err := s.acceptable(skill, l, f); err != nil {
			return accepted, err
		}
		a := Accepted{Changes: changes, Budget: [2]string{l.State.Budget, f.files.Budget}, Tick: [2]string{l.State.Tick, f.files.Tick}}
		f.files.Line = ""
		s.hold(l, forAccept, alive)
		l.State, l.Next, l.Told, l.Unlocked, r.Boot = f.files, nil, false, l.Unlocked || !f.locked, s.boot()
		if err := s.seals.Save(r); err != nil {
			return accepted, err
		}
		accepted = append(accepted, a)
	}
	return accepted, nil
}

// Accepted is what a person took over: what differed, and the texts of two files before and after.
type Accepted struct {
	Changes      []string
	Budget, Tick [2]string
}

// acceptable says why a run's files cannot be taken over as they are.
func (s *Store) acceptable(skill loop.Skill, l *seal.Loop, f found) error {
	st, err := f.state(s, skill, l)
	switch {
	case len(f.errs) > 0:
		return &DamagedError{Path: Dir, Why: strings.Join(f.errs, "; ")}
	case err != nil:
		return err
	case st.Budget == nil:
		return &DamagedError{Path: l.Budget, Why: "it is missing, so there is nothing to take over"}
	case st.Budget.RunID != l.RunID:
		return &DamagedError{Path: l.Budget, Why: "it is another run's"}
	}
	return nil
}

// SealedState is what the record of a run holds, whatever the project's files say.
type SealedState struct {
	State
	Lost bool // the budget file is not there
}

// Sealed is what the record of the run with that budget file holds; all of it is nil when there is no record.
func (s *Store) Sealed(skill loop.Skill, path string) (st SealedState, err error) {
	_, l, err := s.recordAt(skill, path)
	if l == nil || err != nil {
		return st, err
	}
	st.BudgetPath = l.Budget
	if text := l.State.Budget; text != "" {
		if st.Budget, err = s.decodeBudget(l.Budget, skill, []byte(text)); err != nil {
			return st, err
		}
	}
	if text := l.State.Tick; text != "" {
		if st.Tick, err = decodeTick(tickName(skill), []byte(text)); err != nil {
			return st, err
		}
	}
	st.Lost = s.found(l).files.Budget == ""
	return st, nil
}

// Restore writes a run's budget file as the record holds it.
func (s *Store) Restore(skill loop.Skill, path string) error {
	_, l, err := s.recordAt(skill, path)
	if l == nil || err != nil {
		return err
	}
	at, err := s.place(skill, l.Budget)
	if err == nil {
		err = s.inPlace(at, l.Budget, skill, func() error { return at.disk.replace(at.name, []byte(l.State.Budget+"\n")) })
	}
	return wrap("restore budget", errors.Join(err, s.settle()))
}

// Changed are the runs of a skill whose files are not as their records have them.
func (s *Store) Changed(skill loop.Skill) (list []Change) {
	records, err := s.seals.Of(s.project)
	if err != nil {
		list = append(list, Change{Err: err})
	}
	if st, err := s.LoadRun(skill); err == nil {
		if err := s.CheckSealed(st.Budget); err != nil {
			list = append(list, Change{Run: st.Budget.RunID, Session: st.Budget.SessionID, Err: err})
		}
	}
	for _, r := range records {
		l := r.Loop(string(skill))
		if l == nil {
			continue
		}
		err := s.verify(r, l, s.found(l))
		if err == nil {
			err = s.verifyLine(r, l)
		}
		if err != nil {
			list = append(list, Change{Run: l.RunID, Session: r.Session, Err: err})
		}
	}
	return list
}

// Change is a run whose files were changed, or a record that cannot be read, which names no run.
type Change struct {
	Run     string
	Session string
	Err     error
}

// SealedBudgets are the budgets of a skill's runs as the records hold them.
func (s *Store) SealedBudgets(skill loop.Skill) (list []loop.Budget) {
	records, _ := s.seals.Of(s.project)
	for _, r := range records {
		if l := r.Loop(string(skill)); l != nil && l.State.Budget != "" {
			if b, err := s.decodeBudget(l.Budget, skill, []byte(l.State.Budget)); err == nil {
				list = append(list, *b)
			}
		}
	}
	return list
}
