package store

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/tidwall/gjson"

	"hooks/internal/codec"
	"hooks/internal/loop"
	"hooks/internal/seal"
)

// maxReplaced is the maximum number of versions of a file in archive/replaced. Once it is reached,
// the next version replaces the newest one.
const maxReplaced = 20

// ReplacedPath is the folder, as shown in messages, where the program keeps changed files after
// restoring the recorded ones.
const ReplacedPath = Dir + "/" + archiveName + "/" + replacedName

// undone queues a message for the person that lists the undone changes. kept is true if the changed
// files are in ReplacedPath. limits is a hint for a person who changed limits, or empty.
func (s *Store) undone(list []difference, kept bool, limits string) {
	var changes []string
	for _, d := range list {
		changes = append(changes, d.file+d.how)
	}
	line := "hooks: " + strings.Join(changes, "; ") + "; restored"
	if kept {
		line += " (the changed files are in " + ReplacedPath + ")"
	}
	s.healed = append(s.healed, line+limits)
}

// limitsOf returns a hint with the command that sets the ceilings found in the edited budget file,
// or "" if they equal the current ones.
func limitsOf(skill loop.Skill, found, current string) string {
	flags := ""
	for _, name := range [...]string{"iterations", "prs", "minutes", "dollars"} {
		was, now := gjson.Get(found, "max_"+name), gjson.Get(current, "max_"+name)
		if was.Type == gjson.Number && was.Num != now.Num {
			flags += " --max-" + name + " " + was.Raw
		}
	}
	if flags == "" {
		return ""
	}
	return fmt.Sprintf(". To change limits: `hooks loop raise %s%s`", skill, flags)
}

// Healed returns and clears the messages about undone changes. s may be nil.
func (s *Store) Healed() []string {
	if s == nil {
		return nil
	}
	list := s.healed
	s.healed = nil
	return list
}

// whole returns the contents of a run's files. If they differ from the record and no other session
// has taken over the run, whole first restores them. It returns a ChangedError instead if the guard
// is not held or if the files now belong to another state directory.
func (s *Store) whole(run sealed, f found) (seal.Files, error) {
	list := s.differences(run, f)
	if len(list) == 0 || s.superseded(run, f) {
		return f.files(run), nil
	}
	changed := s.changed(run, f, list)
	if changed.Home != "" || s.guards == 0 {
		return seal.Files{}, changed
	}
	if err := s.heal(run, f, list); err != nil {
		return seal.Files{}, fmt.Errorf("%w; they cannot be restored: %w", changed, err)
	}
	return run.State, nil
}

// heal restores a run's files from its record. After a reboot the record may be older than the
// files, so heal keeps the tick file and merges the budget file with the recorded budget. It keeps
// the unknown fields of the budget that it found, moves changed files of the state folder to
// archive/replaced, and counts the restoration in the budget.
func (s *Store) heal(run sealed, f found, list []difference) error {
	skill, want := loop.Skill(run.Skill), run.next()
	if want.Line == "" { // archiving had begun
		want.Line, want.History = run.State.Line, run.State.History
	}
	if s.rebooted(run) { // the files were synced, the record was not
		want.Tick = f.tick.text
		if b, err := s.later(run, f.budget.text); b != nil {
			text, _ := codec.Encode(*b) // it was decoded, so encoding cannot fail
			want.Budget = string(text)
		} else if err == nil {
			want.Budget = f.budget.text
		}
	}
	at, err := s.place(skill, run.Budget)
	var lines []byte
	if err == nil {
		lines, err = s.historyWith(run, f, want.Line)
	}
	if err == nil && want.Budget != "" {
		want.Budget, err = s.withFoundFields(at, run, want.Budget, f.budget.text)
	}
	if err != nil {
		return err
	}
	if lines != nil {
		want.History = int64(len(lines))
	}
	var aside []string // a budget file outside the state folder is not kept
	for _, d := range list {
		name := filepath.Base(d.file)
		if d.file == run.Budget {
			if name = at.name; at.disk != &s.disk {
				continue
			}
		}
		if _, err := s.disk.root.Lstat(name); err == nil {
			aside = append(aside, name)
		}
	}
	run.State, run.Next = want, nil
	err = s.changeRun(run, func(*seal.Files) {}, func() error {
		if err := s.keepReplaced(aside...); err != nil {
			return err
		}
		if lines != nil {
			err = s.disk.replace(historyName.of(skill), lines)
		}
		if want.Budget != "" {
			err = errors.Join(err, s.putBudget(at, []byte(want.Budget+"\n")))
		}
		return errors.Join(err, s.restoreTick(run, want, f.locked))
	})
	if err == nil {
		s.undone(list, len(aside) > 0, limitsOf(skill, f.budget.text, want.Budget))
	}
	return err
}

// keepReplaced moves files into archive/replaced.
func (s *Store) keepReplaced(names ...string) error {
	if len(names) == 0 {
		return nil
	}
	to, err := s.archiveFolder(replacedName)
	if err != nil {
		return err
	}
	defer to.root.Close()
	for _, name := range names {
		_ = to.remove(numberedName(name)(maxReplaced))
		if err := s.move(to, name); err != nil {
			return err
		}
	}
	return to.syncDir()
}

// withFoundFields counts the restoration in a recorded budget and returns the encoded budget. It
// adds the unknown fields from the found budget file if the result is not too long.
func (s *Store) withFoundFields(at place, run sealed, text, found string) (string, error) {
	b, err := decodeBudget(run.Budget, loop.Skill(run.Skill), []byte(text))
	if err != nil {
		return "", err
	}
	if budgetFormat.check("", []byte(found)) != nil {
		found = text
	}
	b.Replaced++
	body, err := budgetFile(at, b, []byte(found))
	if err != nil { // too long with the found file's unknown fields
		body, err = budgetFile(at, b, []byte(text))
	}
	return seal.Trim(body), err
}

// historyWith returns the history with the run's own lines restored from their copy, or nil if the
// lines are unchanged and end with last.
func (s *Store) historyWith(run sealed, f found, last string) ([]byte, error) {
	whole := s.historyChange(run, f) == ""
	if whole && (last == "" || s.newest(run) == last) {
		return nil, nil
	}
	own, err := s.ownLines(run, last)
	if err != nil {
		return nil, err
	}
	first := gjson.GetBytes(own, "seq").Int() // lines written by an older version have no copy
	text := []byte{}
	for raw, err := range s.RawLines(loop.Skill(run.Skill)) {
		if err != nil || raw.Check() != nil {
			continue
		}
		it := gjson.GetManyBytes(raw.JSON, "run_id", "outcome", "seq")
		if it[0].Str != run.RunID || it[1].Str == string(loop.SkippedLock) ||
			run.RunID == "" || it[2].Int() < first {
			text = append(append(text, raw.JSON...), '\n')
		}
	}
	return append(text, own...), nil
}

// ownLines returns the copy of a run's lines. It adds last, the recorded last line, if the copy
// lacks it.
func (s *Store) ownLines(run sealed, last string) ([]byte, error) {
	lines, err := s.seals.Lines(run.RunID)
	if !bytes.Contains(lines, []byte(last)) {
		lines = append(append(lines, last...), '\n')
	}
	return lines, err
}

// restoreTick restores the tick file of a run's open iteration. It also restores a missing lock
// that the program itself did not remove. If no iteration is open, it removes the tick file.
func (s *Store) restoreTick(run sealed, want seal.Files, locked bool) error {
	err := s.putTick(loop.Skill(run.Skill), want.Tick)
	if err != nil || want.Tick == "" || locked || run.Unlocked {
		return err
	}
	b, err := parse[loop.Budget](run.Budget, []byte(want.Budget))
	if err != nil {
		return err
	}
	t, err := parse[loop.Tick](tickName.of(loop.Skill(run.Skill)), []byte(want.Tick))
	if err != nil {
		return err
	}
	_, err = s.Acquire(loop.Skill(run.Skill), loop.Lock{Process: b.Owner, Iteration: t.Iteration,
		StartedAt: t.StartedAt, SessionID: t.SessionID, RunID: t.RunID})
	return err
}
