package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"hooks/internal/hint"
	"hooks/internal/loop"
	"hooks/internal/proc"
	"hooks/internal/report"
	"hooks/internal/seal"
	"hooks/internal/store"
)

// hasState needs the loop state, and opens it.
func hasState(m *machine, n *notes) bool {
	var err error
	if n.state, err = store.Open(m.project); err == nil {
		n.state.Seal(seal.At(seal.Home(m.Env)), proc.Boot)
	}
	if errors.Is(err, fs.ErrNotExist) {
		n.skip("no loop has run in %s", m.project)
	} else if err != nil {
		n.fail("remove or rename .sdd/loop: it must be a folder of this project", "%v", err)
	}
	return err == nil
}

// repairState is a repair of one state file.
func (m *machine) repairState(do func(*store.Store) error) func() error {
	return func() error {
		files, err := store.Open(m.project)
		if err != nil {
			return err
		}
		defer files.Close()
		files.Seal(seal.At(seal.Home(m.Env)), proc.Boot) // its record is to know of the repair
		return do(files)
	}
}

// unreadable notes each of the joined errors of the state, with its hint.
func unreadable(n *notes, err error) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			unreadable(n, e)
		}
		return
	}
	newer := (*store.NewerError)(nil)
	switch {
	case err == nil:
	case errors.As(err, &newer):
		n.fail("upgrade hooks: a file of a later version is left alone", "%v", err)
	default:
		n.fail("see `hooks loop status`; `hooks doctor --fix` or `hooks loop reset` "+
			"archives it, and the next tick starts a fresh run", "%v", err)
	}
}

func stateFiles(m *machine, n *notes) {
	var budgets []string
	for _, skill := range loop.Skills() {
		s, err := n.state.Load(skill)
		if _, notes, _ := n.state.Look(skill); len(notes) > 0 { // seal reports it
			continue
		}
		unreadable(n, err)
		if _, damaged := errors.AsType[*store.DamagedError](err); damaged && m.Archive != nil {
			n.repaired("archived the damaged run of "+string(skill),
				func() error { return m.Archive(skill) })
		}
		if s.Budget != nil {
			n.note("%s: run %s, %s", skill, s.Budget.RunID, s.Budget.Status)
			budgets = append(budgets, s.BudgetPath)
		}
	}
	list, err := n.state.Files()
	if err != nil {
		n.fail("make .sdd/loop readable for you", "%v", err)
	}
	for _, f := range list {
		switch path := store.Dir + "/" + f.Name; {
		case f.Mode&fs.ModeSymlink != 0:
			n.warn("remove the link: the program refuses it", "%s is a symbolic link", path)
		case !f.Known && !slices.Contains(budgets, path):
			n.warn("move it away if it is not yours to keep there",
				"%s is no file of the program", path)
		case strings.Contains(f.Name, ".torn-"):
			n.note("%s: a torn last line that a crash left, copied aside", path)
		}
	}
	n.note("%s", loop.Plural(len(list), "file"))
}

// seals checks whether runs can be sealed on this machine, and whether the files of sealed runs are
// as they were written.
func seals(m *machine, n *notes) {
	dir := seal.At(seal.Home(m.Env))
	if dir.Path() == "" {
		n.warn("set HOME, or name a folder in HOOKS_STATE_HOME",
			"no state directory is known: the state of a loop is believed as it is")
		return
	}
	if err := dir.Probe(); err != nil {
		n.warn("make the folder writable for you, or name another one in HOOKS_STATE_HOME",
			"%v: the state of a loop is believed as it is", err)
		return
	}
	files, err := store.Open(m.project)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		missingState(dir, m.project, n)
	case err != nil:
		n.skip("%s cannot be opened", store.Dir)
		return
	default:
		defer files.Close()
		files.Seal(dir, proc.Boot)
		for _, skill := range loop.Skills() {
			_, notes, err := files.Look(skill)
			if err != nil {
				n.fail(hint.Of(store.Hinted(err)), "%v", err)
			}
			for _, note := range notes {
				n.warn("nothing is to be done; see `hooks loop raise` for limits", "%s", note)
			}
		}
		if replaced := files.Replaced(); replaced > 0 {
			n.note("%s in %s", loop.Plural(replaced, "changed file"), store.ReplacedPath)
		}
	}
	n.note("%s", dir.Path())
}

// missingState reports the loops that are on in a project without state.
func missingState(dir seal.Dir, project string, n *notes) {
	records, err := dir.Of(project)
	for _, r := range records {
		if r.Runs() {
			n.warn("nothing is lost: the next event of its session writes it again",
				"session %s has a loop on, and %s is gone", r.Session, store.Dir)
		}
	}
	if err != nil {
		n.fail("look at that file and remove it", "%v", err)
	}
}

func locks(m *machine, n *notes) {
	for _, skill := range loop.Skills() {
		l, err := n.state.Holder(skill)
		unreadable(n, err)
		if l != nil {
			m.lock(n, skill, l)
		}
	}
	if len(n.Found)+len(n.Problems) == 0 {
		n.note("no lock is held")
	}
}

// lock reports what became of the process that a lock names.
func (m *machine) lock(n *notes, skill loop.Skill, l *loop.Lock) {
	at := fmt.Sprintf("%s: pid %d, iteration %d, since %s", store.LockPath(skill), l.PID,
		l.Iteration, l.StartedAt.UTC().Format("2006-01-02 15:04 UTC"))
	here := proc.Describe(l.PID, l.Source)
	switch proc.Of(l.Process) {
	case loop.Alive:
		n.note("%s, alive", at)
	case loop.Dead:
		why := "no such process runs"
		if here.Start != "" && l.Start != "" && here.Start != l.Start {
			why = "the number belongs to another process now"
		}
		n.warn("the next tick takes it away; or `hooks doctor --fix`", "%s is stale: %s", at, why).
			repaired(fmt.Sprintf("removed the stale lock of pid %d", l.PID),
				m.repairState(func(s *store.Store) error { return s.Reap(skill, l) }))
	default:
		why := "it cannot be told whether it runs"
		if l.Host != "" && l.Host != here.Host {
			why = fmt.Sprintf("it is of host %s, this is %s", l.Host, here.Host)
		}
		n.warn("ask whoever runs it; or take it over with --lock=force in the session",
			"%s is foreign: %s", at, why)
	}
}

// openIterations reports the runs that have not ended, and which of them are stuck.
func openIterations(m *machine, n *notes) {
	for _, skill := range loop.Skills() {
		s, err := n.state.Load(skill)
		if err != nil || s.Budget == nil {
			continue
		}
		b := s.Budget
		at, is := fmt.Sprintf("run %s", b.RunID), "active"
		if s.Tick != nil {
			at, is = fmt.Sprintf("iteration %d", s.Tick.Iteration), "open"
		}
		resume := report.Resume(b, s.Elsewhere())
		switch {
		case b.Status == loop.Paused:
			waits, why := false, b.StopText
			for _, g := range b.Pending {
				n.note("[%s] %s", g.Name, g.Question)
				waits, why = waits || g.Answer == "", "every question is answered"
			}
			if !waits {
				n.warn("continue with "+resume, "%s run %s is paused: %s", skill, b.RunID, why)
				break
			}
			n.warn("answer it, see `hooks gate list`, then continue with "+resume,
				"%s run %s is paused: a question waits for a person", skill, b.RunID)
		case b.Status != loop.Active:
		case b.OwnerLeft || proc.Of(b.Owner) == loop.Dead:
			n.warn(fmt.Sprintf("continue with %s, or archive it with `hooks loop reset %s`",
				resume, skill),
				"%s %s is %s and its session (pid %d) is gone", skill, at, is, b.Owner.PID)
		case s.Tick != nil && !s.Tick.Braked:
			n.warn("see the iteration's first line, and protect the branch at its forge",
				"%s %s runs without a brake: programs are not judged as they start", skill, at)
		case s.Tick != nil:
			n.note("%s %s runs in pid %d", skill, at, b.Owner.PID)
		default:
			n.note("%s %s is between iterations, in pid %d", skill, at, b.Owner.PID)
		}
	}
	if len(n.Found)+len(n.Problems) == 0 {
		n.note("no loop runs")
	}
}

// disk tries whether the state can be written durably, and under locks.
func disk(m *machine, n *notes) {
	files, err := store.Open(m.project)
	switch {
	case err == nil:
		defer files.Close()
		tryState(n, files)
	case errors.Is(err, fs.ErrNotExist):
		tryProject(n, m.project)
	}
}

func tryState(n *notes, files *store.Store) {
	took, locks, err := files.Probe()
	switch {
	case errors.Is(err, store.ErrBusy):
		n.warn("see what holds it: a hook takes milliseconds",
			"another process holds the state's guard")
	case err != nil:
		n.fail("make .sdd/loop writable for you", "a state file cannot be written: %v", err)
	default:
		n.note("a durable write takes %.1f ms", float64(took.Microseconds())/1000)
	}
	switch locks {
	case store.StateLocks:
		n.note("the file system has no locks; " +
			"hooks lock a file in the user's state directory instead")
	case store.NoLocks:
		n.warn("keep the project on a disk with file locks while loops run in it",
			"the file system has no locks: two hooks at the same moment may lose a count")
	}
}

// tryProject tries whether the state's folder could be made.
func tryProject(n *notes, project string) {
	f, err := os.CreateTemp(project, ".hooks-doctor-*.tmp")
	if err != nil {
		n.fail("make the project's folder writable for you", "no state can be made here: %v", err)
		return
	}
	if err = errors.Join(f.Sync(), f.Close(), os.Remove(f.Name())); err != nil {
		n.fail("see what is wrong with the disk", "a file cannot be written here: %v", err)
		return
	}
	n.note("the state can be written")
}
