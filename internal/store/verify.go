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

// found holds a run's files as found on disk. Another run's tick counts as missing.
type found struct {
	budget, tick, marker contents
	history              int64 // size in bytes
	unread               error // error from reading the history
	locked               bool  // the lock file exists
}

// contents holds the contents of a file.
type contents struct {
	text  string // without surrounding space
	there bool
	err   error // error from reading the file
}

func (s *Store) found(run sealed) (f found) {
	skill := loop.Skill(run.Skill)
	body, _, err := s.budgetBody(skill, run.Budget)
	f.budget = contents{seal.Trim(body), body != nil, err}
	body, err = s.disk.read(tickName.of(skill))
	of := gjson.GetBytes(body, "run_id").String()
	if of == "" || of == run.RunID || !gjson.ValidBytes(body) {
		f.tick = contents{seal.Trim(body), body != nil, err}
	}
	body, err = s.disk.read(pointerName.of(skill))
	f.marker = contents{seal.Trim(body), body != nil, err}
	info, err := s.disk.stat(historyName.of(skill))
	if f.unread = orAbsent(err); err == nil {
		f.history = info.Size()
	}
	_, err = s.disk.root.Lstat(lockName.of(skill))
	f.locked = err == nil
	return f
}

// files converts f to the form used in records, with the record's last line.
func (f found) files(run sealed) seal.Files {
	return seal.Files{Budget: f.budget.text, Tick: f.tick.text, Marker: f.marker.text,
		History: f.history, Line: run.State.Line}
}

// stateOf parses the given contents of a run's files. Contents equal to the recorded ones are not
// checked, because they were checked before they were written.
func (s *Store) stateOf(run sealed, files seal.Files) (st State, err error) {
	st.Skill, st.BudgetPath = loop.Skill(run.Skill), run.Budget
	if text := []byte(files.Budget); files.Budget == run.State.Budget && len(text) > 0 {
		st.Budget, err = parseBudget(run.Budget, st.Skill, text)
	} else if len(text) > 0 {
		st.Budget, err = decodeBudget(run.Budget, st.Skill, text)
	}
	if files.Tick == "" {
		return st, err
	}
	path, text := s.disk.path(tickName.of(st.Skill)), []byte(files.Tick)
	var terr error
	if files.Tick != run.State.Tick {
		terr = tickFormat.check(path, text)
	}
	if terr == nil {
		st.Tick, terr = parse[loop.Tick](path, text)
	}
	return st, errors.Join(err, terr)
}

// difference describes how a run's file differs from its record.
type difference struct{ file, how string }

// changed returns the error for the differences between a run's files and its record.
func (s *Store) changed(run sealed, f found, list []difference) *ChangedError {
	e := &ChangedError{Skill: loop.Skill(run.Skill), Session: run.record.Session, Run: run.RunID}
	for _, d := range list {
		e.Changes = append(e.Changes, d.file+d.how)
	}
	by := gjson.GetMany(f.budget.text, "sealed_in", "session_id", "run_id")
	if gjson.Valid(f.budget.text) && by[0].Str != s.seals.Path() {
		e.Home = by[0].Str
	}
	if e.Home != "" {
		e.Changes = append(e.Changes, fmt.Sprintf("session %s wrote the files for run %s "+
			"from the state directory %s", by[1].Str, by[2].Str, e.Home))
	}
	return e
}

func (s *Store) differences(run sealed, f found) (list []difference) {
	was, then := run.State, run.next()
	path := func(name fileName) string { return s.disk.path(name.of(loop.Skill(run.Skill))) }
	differ := func(file, was, then string, is contents) {
		how := " was changed"
		switch {
		case is.err != nil:
			how = ": " + is.err.Error()
		case is.text == was || is.text == then:
			return
		case s.rebooted(run) && (file != run.Budget || s.isLater(run, is.text)):
			return // a power cut may have lost the record's last change, but not the synced file
		case !is.there:
			how = " is missing"
		case is.text == "":
			how = " is empty"
		case was == "" && then == "":
			how = " was added"
		}
		list = append(list, difference{file, how})
	}
	differ(run.Budget, was.Budget, then.Budget, f.budget)
	differ(path(tickName), was.Tick, then.Tick, f.tick)
	if m := f.marker; m.err != nil || m.text != was.Marker && m.text != then.Marker {
		list = append(list, difference{path(pointerName), " was changed"})
	}
	if how := s.historyChange(run, f); how != "" {
		list = append(list, difference{path(historyName), how})
	}
	if f.tick.text != "" && !f.locked && !run.Unlocked {
		list = append(list, difference{path(lockName), " is missing"})
	}
	return list
}

// rebooted reports whether the record was written before the last reboot. Such a record may be
// older than the files, because only the files are synced.
func (s *Store) rebooted(run sealed) bool {
	return run.record.Boot != "" && run.record.Boot != s.boot()
}

// later returns the budget found after a reboot, with the recorded budget's settings. If the file
// is not older than the record, the result also has the counters that are higher in the record. It
// returns nil if the result equals the budget found.
func (s *Store) later(run sealed, found string) (*loop.Budget, error) {
	there, err := decodeBudget(run.Budget, loop.Skill(run.Skill), []byte(found))
	own := run.next().Budget
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

// isLater reports whether a budget found after a reboot can be used unchanged.
func (s *Store) isLater(run sealed, found string) bool {
	later, err := s.later(run, found)
	return err == nil && later == nil
}

// superseded reports whether another session took over the run but was killed before it could
// remove the run from this record.
func (s *Store) superseded(old sealed, f found) bool {
	runs, _ := s.sealedRuns(loop.Skill(old.Skill))
	for _, run := range runs {
		other := run.record.Session != old.record.Session
		if other && run.RunID == old.RunID && len(s.differences(run, f)) == 0 {
			return true
		}
	}
	return false
}

// historyChange describes how another program changed a run's lines in the history. It returns ""
// if they are unchanged. Without the guard, it does not read a history whose length matches the
// record.
func (s *Store) historyChange(run sealed, f found) string {
	was, then := run.State, run.next()
	switch {
	case f.unread != nil:
		return ": " + f.unread.Error()
	case run.Next != nil && then.Line == "", // the run is being archived
		run.Next == nil && f.history == was.History && s.guards == 0:
		return ""
	}
	seq := func(text string) int64 { return gjson.Get(text, "seq").Int() }
	line := s.newest(run)
	older := seq(line) < seq(was.Line)
	switch {
	case line == was.Line, line == then.Line, s.rebooted(run) && !older:
		return ""
	case was.Line == "" && 0 < seq(line) && seq(line) <= seq(was.Budget):
		return "" // an older version did not record the run's last line
	case older:
		return " is missing lines"
	}
	return " has a line for the run that hooks did not write"
}

// newest returns the run's last line in the history, ignoring lines of skipped ticks. It returns ""
// if the run has no line or the history cannot be read.
func (s *Store) newest(run sealed) string {
	for text, err := range s.linesBackwards(loop.Skill(run.Skill)) {
		if err != nil && isDamaged(err) { // hooks did not write it, so it equals no recorded line
			return err.Error()
		} else if err != nil {
			return ""
		}
		it := gjson.GetManyBytes(text, "run_id", "outcome")
		if it[0].Str == run.RunID && it[1].Str != string(loop.SkippedLock) {
			return seal.Trim(text)
		}
	}
	return ""
}
