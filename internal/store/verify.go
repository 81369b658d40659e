package store

import (
	"errors"
	"io"
	"os"

	"github.com/tidwall/gjson"

	"hooks/internal/loop"
	"hooks/internal/seal"
)

// found are the files of a run as they are.
type found struct {
	files  seal.Files
	budget []byte
	tick   []byte
	errs   []string // of files that cannot be read
	locked bool
}

// found reads a run's files. A tick of another run is left out. The history's last line is not
// read: see verifyLine.
func (s *Store) found(run sealed) (f found) {
	note := func(err error) {
		if err != nil {
			f.errs = append(f.errs, err.Error())
		}
	}
	var err error
	f.budget, _, err = s.budgetBody(run.skill(), run.Budget)
	note(err)
	f.files.Budget = seal.Trim(f.budget)
	tick, err := s.disk.read(tickName(run.skill()))
	note(err)
	of := gjson.GetBytes(tick, "run_id").String()
	if of == "" || of == run.RunID || !gjson.ValidBytes(tick) {
		f.tick, f.files.Tick = tick, seal.Trim(tick)
	}
	marker, err := s.disk.read(pointerName(run.skill()))
	note(err)
	f.files.Marker = seal.Trim(marker)
	if size, err := s.disk.regular(historyName(run.skill())); err == nil {
		f.files.History = size
	} else if !errors.Is(err, os.ErrNotExist) {
		note(err)
	}
	f.files.Line = run.State.Line
	_, err = s.disk.root.Lstat(lockName(run.skill()))
	f.locked = err == nil
	return f
}

// state decodes what was found, and reads the claim, which is nobody's run.
func (f *found) state(s *Store, run sealed) (st State, err error) {
	st.BudgetPath = run.Budget
	var errs [3]error
	if f.budget != nil {
		st.Budget, errs[0] = s.decodeBudget(run.Budget, run.skill(), f.budget)
	}
	if f.tick != nil {
		st.Tick, errs[1] = decodeTick(s.disk.path(tickName(run.skill())), f.tick)
	}
	st.Claim, errs[2] = s.claimOf(run.skill())
	return st, errors.Join(errs[:]...)
}

// verify holds what was found against the record.
func (s *Store) verify(run sealed, f found) error {
	changes := s.changes(run, f)
	if len(changes) == 0 || s.superseded(run, f) {
		return nil
	}
	return run.changed(changes...)
}

// changes are the differences between a run's files and its record, as people read them.
func (s *Store) changes(run sealed, f found) []string {
	was, then, is := run.State, run.next(), f.files
	list := f.errs
	differ := func(name, was, then, is string) {
		switch {
		case is == was || is == then:
		case is == "":
			list = append(list, name+" is missing")
		case was == "" && then == "":
			list = append(list, name+" was put there")
		case !s.rebooted(run): // else it was synced before a power cut, and the record was not
			list = append(list, name+" was changed")
		}
	}
	path := func(name func(loop.Skill) string) string { return s.disk.path(name(run.skill())) }
	differ(run.Budget, was.Budget, then.Budget, is.Budget)
	differ(path(tickName), was.Tick, then.Tick, is.Tick)
	if is.Marker != was.Marker && is.Marker != then.Marker && !s.marks(run.skill(), is.Marker) {
		list = append(list, path(pointerName)+" was changed")
	}
	if is.History < min(was.History, then.History) {
		list = append(list, path(historyName)+" is missing lines")
	}
	if is.Tick != "" && !f.locked && !run.Unlocked {
		list = append(list, path(lockName)+" is missing")
	}
	return list
}

// rebooted reports whether the record was written in another boot of the machine: it may then be
// older than the files, which are synced.
func (s *Store) rebooted(run sealed) bool {
	return run.record.Boot != "" && run.record.Boot != s.boot()
}

// marks reports whether a run of the records keeps its budget where the marker leads.
func (s *Store) marks(skill loop.Skill, marker string) bool {
	runs, _ := s.sealedRuns(skill)
	for _, run := range runs {
		if run.State.Marker == marker || run.next().Marker == marker {
			return true
		}
	}
	return false
}

// superseded reports whether another session has taken the run over, and was killed before this
// record was given up.
func (s *Store) superseded(old sealed, f found) bool {
	runs, _ := s.sealedRuns(old.skill())
	for _, run := range runs {
		other := run.record.Session != old.record.Session
		if other && run.RunID == old.RunID && len(s.changes(run, f)) == 0 {
			return true
		}
	}
	return false
}

// verifyLine holds the run's last line in the history against the record.
func (s *Store) verifyLine(run sealed) error {
	if run.Next != nil && run.Next.Line == "" { // it moves into the archive
		return nil
	}
	path := s.disk.path(historyName(run.skill()))
	if !s.rebooted(run) && s.forged(run) && !s.superseded(run, s.found(run)) {
		return run.changed(path + " has a line for the run that hooks did not write")
	}
	has := run.State.Line == "" || s.hasLine(run)
	if has || run.Next != nil && s.lineEnd(run, run.Next.Line) > 0 {
		return nil
	}
	return run.changed(path + " was changed")
}

// forged reports whether a line for the run stands behind its last one. One that a change under way
// has written is the run's own; a skipped tick of any session leaves one that counts nothing.
func (s *Store) forged(run sealed) bool {
	f, size, err := s.openHistory(run.skill())
	if f == nil || err != nil {
		return false
	}
	defer f.Close()
	lines := backward{f: f, pos: size}
	for lines.pos+int64(len(lines.buf)) > run.State.History {
		text, err := lines.next()
		if err != nil {
			return false // a line that is too long is damage, as its readers say
		}
		line := seal.Trim(text)
		own := line == run.State.Line || line == run.next().Line
		it := gjson.Parse(line)
		skipped := it.Get("outcome").Str == string(loop.SkippedLock)
		if !own && !skipped && it.Get("run_id").Str == run.RunID {
			return true
		}
	}
	return false
}

// hasLine reports whether the run's last line still stands where it was written.
func (s *Store) hasLine(run sealed) bool {
	f, _, err := s.openHistory(run.skill())
	if f == nil || err != nil {
		return false
	}
	defer f.Close()
	text := make([]byte, len(run.State.Line)+1)
	n, err := f.ReadAt(text, max(0, run.State.History-int64(len(text))))
	if err != nil && err != io.EOF {
		return false
	}
	return seal.Trim(text[:n]) == run.State.Line || s.lineEnd(run, run.State.Line) > 0
}

// maxOthers bounds how many lines of other runs are looked through for one of a run's own.
const maxOthers = 1000

// lineEnd is where a line of the history ends, 0 when it is not among the last ones.
func (s *Store) lineEnd(run sealed, line string) int64 {
	if line == "" {
		return 0
	}
	f, size, err := s.openHistory(run.skill())
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
