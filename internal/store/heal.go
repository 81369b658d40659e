package store

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"hooks/internal/codec"
	"hooks/internal/loop"
	"hooks/internal/seal"
)

// maxReplaced bounds the number of files of one name in archive/replaced. Past it, the newest one
// is overwritten.
const maxReplaced = 20

// ReplacedPath is the folder, as messages show it, that keeps the files replaced by restored ones.
const ReplacedPath = Dir + "/" + archiveName + "/" + replacedName

// undone queues a message that tells the person which changes were undone. Each run and file is
// reported once, and once more if somebody changed limits.
func (s *Store) undone(run sealed, changes []string, kept bool, limits string) {
	said := strings.Fields(run.Healed)
	ofLimits := func(change string) bool {
		return limits != "" && strings.HasPrefix(change, run.Budget)
	}
	changes = slices.DeleteFunc(slices.Clone(changes), func(change string) bool {
		file, _, _ := strings.Cut(change, " ")
		if ofLimits(change) {
			file += "+limits"
		}
		known := slices.Contains(said, file)
		said = loop.AppendNew(said, file)
		return known
	})
	if len(changes) == 0 {
		return
	}
	line := "hooks: " + strings.Join(changes, "; ") + "; written again as hooks had it"
	if kept {
		line += " (what was there: " + ReplacedPath + ")"
	}
	if slices.ContainsFunc(changes, ofLimits) {
		line += limits
	}
	s.healed = append(s.healed, line)
	run.Healed = strings.Join(said, " ")
	_ = s.seals.Save(run.record) // on failure the message is repeated
}

// limitsOf returns a hint with the command that sets the ceilings which somebody wrote into the
// budget file. It returns "" if found and is have the same ceilings.
func limitsOf(skill loop.Skill, found, is string) string {
	flags := ""
	for _, name := range [...]string{"iterations", "prs", "minutes", "dollars"} {
		was, now := gjson.Get(found, "max_"+name), gjson.Get(is, "max_"+name)
		if was.Type == gjson.Number && was.Num != now.Num {
			flags += " --max-" + name + " " + was.Raw
		}
	}
	if flags == "" {
		return ""
	}
	return fmt.Sprintf(". Limits: `hooks loop raise %s%s`", skill, flags)
}

// Replaced returns the number of files in archive/replaced.
func (s *Store) Replaced() int {
	list, _ := fs.ReadDir(s.disk.root.FS(), archiveName+"/"+replacedName)
	return len(list)
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

// whole restores a run's files from its record if they differ from it, and returns the files. It
// returns ChangedError instead if the guard is not held or if the files now belong to another
// state directory.
func (s *Store) whole(run sealed, f found) (found, error) {
	err := s.compare(run, f)
	changed, ok := errors.AsType[*ChangedError](err)
	if !ok || changed.Home != "" || s.guards == 0 {
		return f, err
	}
	if err := s.heal(run, f, changed.Changes); err != nil {
		return f, fmt.Errorf("%w; they cannot be restored: %w", changed, err)
	}
	f = s.found(run)
	return f, s.compare(run, f)
}

// heal restores a run's files from its record. It keeps unknown fields of the changed budget,
// moves the changed files to archive/replaced, and counts the restoration in the budget.
func (s *Store) heal(run sealed, f found, changes []string) error {
	skill, was, then := run.skill(), run.State, run.next()
	want := then
	if want.Line == "" { // archiving of the run had begun
		want.Line, want.History = was.Line, was.History
	}
	if s.rebooted(run) { // the files were synced, the record was not
		want.Tick = f.files.Tick
		if b, err := s.later(run, then.Budget, f.files.Budget); b != nil {
			text, _ := codec.Encode(*b) // it was decoded, so encoding cannot fail
			want.Budget = string(text)
		} else if err == nil {
			want.Budget = f.files.Budget
		}
	}
	at, err := s.place(skill, run.Budget)
	var lines []byte
	if err == nil {
		lines, err = s.historyWith(run, f, want.Line)
	}
	if err == nil && want.Budget != "" {
		want.Budget, err = s.withFoundFields(at, run, want.Budget, f.budget)
	}
	if err != nil {
		return err
	}
	var aside []string
	replaces := func(name string, is bool, ours ...string) {
		body, err := s.disk.read(name)
		foreign := err != nil || body != nil && !slices.Contains(ours, seal.Trim(body))
		if is && foreign {
			aside = append(aside, name)
		}
	}
	if lines != nil {
		want.History = int64(len(lines))
	}
	replaces(historyName(skill), lines != nil)
	replaces(pointerName(skill), !s.marks(skill, f.files.Marker))
	replaces(tickName(skill), want.Tick != "" || f.files.Tick != "", was.Tick, then.Tick, want.Tick)
	here := at.disk == &s.disk
	replaces(at.name, here, was.Budget, then.Budget)
	var elsewhere []byte
	if !here && f.files.Budget != was.Budget && f.files.Budget != then.Budget {
		elsewhere = f.budget
	}
	run.State, run.Next = want, nil
	err = s.changeRun(run, func(*seal.Files) {}, func() error {
		if err := s.keepReplaced(skill, aside, elsewhere); err != nil {
			return err
		}
		if lines != nil {
			err = s.disk.replace(historyName(skill), lines)
		}
		if want.Budget != "" {
			err = errors.Join(err, s.putBudget(run, want.Budget))
		}
		return errors.Join(err, s.restoreTick(run, want, f.locked))
	})
	if err == nil {
		s.undone(run, changes, len(aside) > 0 || elsewhere != nil,
			limitsOf(skill, f.files.Budget, want.Budget))
	}
	return err
}

// keepReplaced moves files into archive/replaced. If budget is not nil, it also saves that text
// there; it comes from a budget file outside of the state folder.
func (s *Store) keepReplaced(skill loop.Skill, names []string, budget []byte) error {
	if len(names) == 0 && budget == nil {
		return nil
	}
	to, err := s.archiveFolder(replacedName)
	if err != nil {
		return err
	}
	defer to.root.Close()
	if budget != nil {
		err = to.keepCopy(budgetName(skill), budget)
	}
	for _, name := range names {
		if err == nil {
			_ = to.remove(numberedName(name)(maxReplaced))
			err = s.move(to, name)
		}
	}
	return errors.Join(err, to.syncDir())
}

// withFoundFields returns a recorded budget text with the unknown fields of the budget file that
// was found.
func (s *Store) withFoundFields(at place, run sealed, text string, found []byte) (string, error) {
	b, err := s.decodeBudget(run.Budget, run.skill(), []byte(text))
	if err != nil {
		return "", err
	}
	if budgetFormat.check("", found) != nil {
		found = []byte(text)
	}
	b.Replaced++
	body, err := budgetFile(at, b, found)
	if err != nil { // too long with the unknown fields that were found
		body, err = budgetFile(at, b, []byte(text))
	}
	return seal.Trim(body), err
}

// historyWith returns the history with the run's own lines restored from their copy, or nil if no
// line is missing.
func (s *Store) historyWith(run sealed, f found, last string) ([]byte, error) {
	_, err := s.disk.stat(historyName(run.skill()))
	whole := orAbsent(err) == nil && s.historyChange(run, f) == ""
	if whole && (last == "" || s.lineEnd(run, last) > 0) {
		return nil, nil
	}
	own, err := s.seals.Lines(run.RunID)
	if err != nil {
		return nil, err
	}
	if !bytes.Contains(own, []byte(last)) {
		own = append(append(own, last...), '\n')
	}
	first := gjson.GetBytes(own, "seq").Int() // lines written by an older version have no copy
	text := []byte{}
	for raw, err := range s.RawLines(run.skill()) {
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

// restoreTick restores the file of a run's open iteration and its lock. If no iteration is open,
// it removes the file.
func (s *Store) restoreTick(run sealed, want seal.Files, locked bool) error {
	name := tickName(run.skill())
	if want.Tick == "" {
		return s.disk.remove(name)
	}
	err := s.disk.replace(name, []byte(want.Tick+"\n"))
	if err != nil || locked || run.Unlocked {
		return err
	}
	b, err := parse[loop.Budget](run.Budget, []byte(want.Budget))
	if err != nil {
		return err
	}
	t, err := parse[loop.Tick](name, []byte(want.Tick))
	if err != nil {
		return err
	}
	_, err = s.Acquire(run.skill(), loop.Lock{Process: b.Owner, Iteration: t.Iteration,
		StartedAt: t.StartedAt, SessionID: t.SessionID, RunID: t.RunID})
	return err
}
