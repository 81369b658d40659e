package store

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/tidwall/gjson"

	"hooks/internal/codec"
	"hooks/internal/loop"
	"hooks/internal/seal"
)

// found holds the files of a run as they are on disk.
type found struct {
	files  seal.Files
	budget []byte
	tick   []byte
	errs   []string // of files that cannot be read
	locked bool
}

// found reads a run's files. It omits the tick of another run.
func (s *Store) found(run sealed) (f found) {
	note := func(err error) {
		if err != nil {
			f.errs = append(f.errs, err.Error())
		}
	}
	skill := run.skill()
	var err error
	f.budget, _, err = s.budgetBody(skill, run.Budget)
	note(err)
	f.files.Budget = seal.Trim(f.budget)
	tick, err := s.disk.read(tickName(skill))
	note(err)
	of := gjson.GetBytes(tick, "run_id").String()
	if of == "" || of == run.RunID || !gjson.ValidBytes(tick) {
		f.tick, f.files.Tick = tick, seal.Trim(tick)
	}
	marker, err := s.disk.read(pointerName(skill))
	note(err)
	f.files.Marker = seal.Trim(marker)
	info, err := s.disk.stat(historyName(skill))
	if note(orAbsent(err)); err == nil {
		f.files.History = info.Size()
	}
	f.files.Line = run.State.Line
	_, err = s.disk.root.Lstat(lockName(skill))
	f.locked = err == nil
	return f
}

// stateOf parses the given texts of a run's files. A text equal to the recorded one is not
// checked, because it was checked before it was written.
func (s *Store) stateOf(run sealed, files seal.Files) (st State, err error) {
	st.Skill, st.BudgetPath = run.skill(), run.Budget
	var errs [2]error
	if files.Budget != "" {
		text := []byte(files.Budget)
		if files.Budget == run.State.Budget {
			s.good.text, s.good.skill = text, ""
		}
		st.Budget, errs[0] = s.decodeBudget(run.Budget, st.Skill, text)
	}
	if files.Tick != "" {
		path := s.disk.path(tickName(st.Skill))
		if files.Tick != run.State.Tick {
			errs[1] = tickFormat.check(path, []byte(files.Tick))
		}
		if errs[1] == nil {
			st.Tick, errs[1] = parse[loop.Tick](path, []byte(files.Tick))
		}
	}
	return st, errors.Join(errs[:]...)
}

// compare returns ChangedError if a run's files differ from its record.
func (s *Store) compare(run sealed, f found) error {
	changes := s.changes(run, f)
	if len(changes) == 0 || s.superseded(run, f) {
		return nil
	}
	by, home := gjson.GetManyBytes(f.budget, "sealed_in", "session_id", "run_id"), ""
	if gjson.ValidBytes(f.budget) && by[0].Str != s.seals.Path() {
		home = by[0].Str
	}
	if home != "" {
		changes = append(changes, fmt.Sprintf("session %s wrote them, of run %s, with the state "+
			"directory %s", by[1].Str, by[2].Str, home))
	}
	return &ChangedError{run.skill(), run.record.Session, run.RunID, changes, home}
}

// changes describes the differences between a run's files and its record.
func (s *Store) changes(run sealed, f found) []string {
	was, then, is := run.State, run.next(), f.files
	list := f.errs
	differ := func(name, was, then, is string, there bool) {
		switch {
		case is == was || is == then:
		case s.rebooted(run) && (name != run.Budget || s.isLater(run, was, is) ||
			s.isLater(run, then, is)):
			// A power cut may have lost the record's last notes although the file was synced.
		case is == "" && there:
			list = append(list, name+" is empty")
		case is == "":
			list = append(list, name+" is missing")
		case was == "" && then == "":
			list = append(list, name+" was put there")
		default:
			list = append(list, name+" was changed")
		}
	}
	path := func(name func(loop.Skill) string) string { return s.disk.path(name(run.skill())) }
	differ(run.Budget, was.Budget, then.Budget, is.Budget, f.budget != nil)
	differ(path(tickName), was.Tick, then.Tick, is.Tick, f.tick != nil)
	if is.Marker != was.Marker && is.Marker != then.Marker && !s.marks(run.skill(), is.Marker) {
		list = append(list, path(pointerName)+" was changed")
	}
	if change := s.historyChange(run, f); change != "" {
		list = append(list, path(historyName)+change)
	}
	if is.Tick != "" && !f.locked && !run.Unlocked {
		list = append(list, path(lockName)+" is missing")
	}
	return list
}

// rebooted reports whether the record was written before the last reboot. It may then be older than
// the files, because only they are synced.
func (s *Store) rebooted(run sealed) bool {
	return run.record.Boot != "" && run.record.Boot != s.boot()
}

// isLater reports whether a budget found after a reboot may be later than the recorded one.
func (s *Store) isLater(run sealed, own, found string) bool {
	later, err := s.later(run, own, found)
	return err == nil && later == nil
}

// later returns the budget found after a reboot, with the settings of the recorded budget. If the
// file is not older, counters that are higher in the record are taken too. It returns nil if that
// changes nothing.
func (s *Store) later(run sealed, own, found string) (*loop.Budget, error) {
	there, err := s.decodeBudget(run.Budget, run.skill(), []byte(found))
	if err != nil || own == "" {
		return nil, err
	}
	set, err := parse[loop.Budget](run.Budget, []byte(own))
	if err != nil || set.RunID != there.RunID {
		return nil, err
	}
	b := there.SetAs(set)
	if there.Seq >= set.Seq {
		b = b.With(set)
	}
	was, err := codec.Encode(*there)
	if is, _ := codec.Encode(*b); bytes.Equal(was, is) {
		return nil, err
	}
	return b, err
}

// marks reports whether the marker names the budget path of a recorded run.
func (s *Store) marks(skill loop.Skill, marker string) bool {
	runs, _ := s.sealedRuns(skill)
	for _, run := range runs {
		if run.State.Marker == marker || run.next().Marker == marker {
			return true
		}
	}
	return false
}

// superseded reports whether another session has taken the run over and was killed before it
// removed the run from this record.
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

// historyChange describes how another program changed a run's lines in the history. It returns ""
// if they are unchanged.
func (s *Store) historyChange(run sealed, f found) string {
	was, then := run.State, run.next()
	switch {
	case f.files.History < min(was.History, then.History):
		return " is missing lines"
	case run.Next != nil && then.Line == "": // the run is being archived
		return ""
	}
	text, from := s.lastPart(run)
	end := endIn(text, was.Line)
	if end < 0 && (run.Next == nil || endIn(text, then.Line) < 0) {
		return " was changed"
	}
	end = max(end, int(min(was.History-from, int64(len(text))))) // a power cut may have lost Line
	if run.forgedIn(text[end:]) && !s.rebooted(run) {
		return " has a line for the run that hooks did not write"
	}
	return ""
}

// lastPart returns the part of the history that begins with the run's last recorded line, and its
// offset. It returns the whole history if that line is missing.
func (s *Store) lastPart(run sealed) (text []byte, from int64) {
	h, size, _ := s.openHistory(run.skill())
	if h == nil {
		return nil, 0
	}
	defer h.Close()
	line := run.State.Line
	if from = run.State.History; line != "" {
		from -= int64(len(line) + 1)
	}
	for {
		from = max(0, min(from, size))
		text = make([]byte, size-from)
		n, _ := h.ReadAt(text, from) // treat unreadable text as missing
		if text = text[:n]; from == 0 || endIn(text, line) >= 0 {
			return text, from
		}
		from = 0
	}
}

// endIn returns the offset at which a line ends in text, or -1 if text does not contain it. An
// empty line matches at offset 0.
func endIn(text []byte, line string) int {
	end, found := 0, -1
	if line == "" {
		return 0
	}
	for l := range bytes.Lines(text) {
		if end += len(l); seal.Trim(l) == line {
			found = end
		}
	}
	return found
}

// forgedIn reports whether another program added a line for the run to the history. text is the
// part after the run's last line. A line of a change in progress is accepted, even if a kill tore
// it, and so are the lines of skipped ticks, which do not count.
func (r sealed) forgedIn(text []byte) bool {
	rest := text
	for line := range bytes.Lines(text) {
		rest = rest[len(line):]
		if len(rest) == 0 && !whole(line) {
			break // readers skip it, and the next append repairs it
		}
		own := seal.Trim(line) == r.next().Line
		it := gjson.GetManyBytes(line, "outcome", "run_id")
		skipped := it[0].Str == string(loop.SkippedLock)
		if len(line) > maxLine || !own && !skipped && it[1].Str == r.RunID {
			return true
		}
	}
	return false
}

// lineEnd returns the offset at which a run's line ends in the history, or 0 if it is not found.
func (s *Store) lineEnd(run sealed, line string) int64 {
	text, from := s.lastPart(run)
	if end := endIn(text, line); end > 0 {
		return from + int64(end)
	}
	return 0
}
