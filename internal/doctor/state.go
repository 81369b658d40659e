package doctor

import (
	"errors"
	"io/fs"
	"strings"

	"hooks/internal/hint"
	"hooks/internal/kind"
	"hooks/internal/proc"
	"hooks/internal/seal"
	"hooks/internal/store"
)

// open opens a project's state together with its seal, so that the seal records each write.
func (m *machine) open(project string) (*store.Store, error) {
	files, err := store.Open(project)
	if err == nil {
		files.Seal(seal.At(seal.Home(m.Env)), proc.Boot)
	}
	return files, err
}

// stateFiles checks every state file.
func stateFiles(m *machine, n *notes) {
	files, err := m.open(m.project)
	if errors.Is(err, fs.ErrNotExist) {
		n.skip("no loop has run in %s", m.project)
		return
	} else if err != nil {
		n.fail("remove or rename .sdd/loop, which must be a folder of this project", "%v", err)
		return
	}
	defer files.Close()
	for _, skill := range kind.Skills() {
		s, err := files.Load(skill)
		_, lockErr := files.Holder(skill)
		if _, note, _ := files.Look(skill); note != "" { // the check "record" reports it
			continue
		}
		unreadable(n, errors.Join(err, lockErr))
		if s.Budget != nil {
			n.note("%s: run %s, %s", skill, s.Budget.RunID, s.Budget.Status)
		}
	}
}

// unreadable adds a problem with a hint for each line of an error from reading the state.
func unreadable(n *notes, err error) {
	if err == nil {
		return
	}
	way := "see `hooks loop status`, or run `hooks loop reset` to archive the run; the next " +
		"tick then starts a fresh one"
	if _, newer := errors.AsType[*store.NewerError](err); newer {
		way = "upgrade hooks; this version does not change files written by a later one"
	}
	for line := range strings.Lines(err.Error()) {
		n.fail(way, "%s", strings.TrimSpace(line))
	}
}

// seals checks whether the program can write its seal records outside the project, and whether the
// runs' files have changed since they were written.
func seals(m *machine, n *notes) {
	const unseen = "changes to a loop's files will not be detected"
	dir := seal.At(seal.Home(m.Env))
	if err := dir.Probe(); err != nil {
		n.warn("make the folder writable, or set HOOKS_STATE_HOME to another folder",
			"%v; "+unseen, err)
		return
	}
	n.note("%s", dir.Path())
	files, err := m.open(m.project)
	if err != nil {
		return // the check state-files reports it
	}
	defer files.Close()
	for _, skill := range kind.Skills() {
		_, note, err := files.Look(skill)
		if err != nil {
			n.fail(hint.Of(store.Hinted(err)), "%v", err)
		}
		if note != "" {
			n.warn("no action is needed; to change a limit, see `hooks loop raise`", "%s", note)
		}
	}
}
