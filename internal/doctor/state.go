package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"hooks/internal/loop"
	"hooks/internal/proc"
	"hooks/internal/report"
	"hooks/internal/store"
)

// state opens the loop state; without any the check is skipped.
func (m *machine) state(n *notes) *store.Store {
	files, err := store.Open(m.project)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		n.skip("no loop has run in %s", m.project)
		return nil
	case err != nil:
		n.fail("remove or rename .sdd/loop: it must be a folder of this project", "%v", err)
		return nil
	}
	return files
}

// each takes joined errors apart.
func each(err error) []error {
	if err == nil {
		return nil
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var list []error
		for _, e := range joined.Unwrap() {
			list = append(list, each(e)...)
		}
		return list
	}
	return []error{err}
}

const wayReset = "look at it with `hooks loop status`; `hooks loop reset` archives it, and the next tick starts a fresh run"

// unreadable notes an error of the state with its way out.
func unreadable(n *notes, err error) {
	var newer *store.NewerError
	if errors.As(err, &newer) {
		n.fail("upgrade hooks: a file of a later version is left alone", "%v", err)
		return
	}
	n.fail(wayReset, "%v", err)
}

func stateFiles(m *machine, n *notes) {
	files := m.state(n)
	if files == nil {
		return
	}
	defer files.Close()
	budgets := []string{}
	for _, skill := range loop.Skills() {
		s, err := files.Load(skill)
		for _, e := range each(err) {
			unreadable(n, e)
		}
		if s.Budget != nil {
			n.say("%s: run %s, %s", skill, s.Budget.RunID, s.Budget.Status)
			budgets = append(budgets, s.BudgetPath)
		}
	}
	list, err := files.Files()
	if err != nil {
		n.fail("make .sdd/loop readable for you", "%v", err)
	}
	for _, f := range list {
		switch path := store.Dir + "/" + f.Name; {
		case f.Mode&fs.ModeSymlink != 0:
			n.warn("remove the link: the program refuses it", "%s is a symbolic link", path)
		case !f.Known && !slices.Contains(budgets, path):
			n.warn("move it away if it is not yours to keep there", "%s is no file of the program", path)
		case strings.Contains(f.Name, ".torn-"):
			n.say("%s: a torn last line that a crash left, copied aside", path)
		}
	}
	n.say("%s", count(len(list), "file"))
}

// mostDamage bounds the damaged lines that are listed.
const mostDamage = 10

func historyLines(m *machine, n *notes) {
	files := m.state(n)
	if files == nil {
		return
	}
	defer files.Close()
	all := m.histories()
	for _, d := range all.damaged {
		if newer := (*store.NewerError)(nil); errors.As(d.err, &newer) {
			unreadable(n, d.err)
			continue
		}
		n.warn("the line is passed over; repair it by hand, or archive the run with `hooks loop reset`", "%s%v", d.folder, d.err)
	}
	for _, skill := range loop.Skills() {
		if torn, err := files.Torn(skill); err == nil && torn {
			n.warn("the end of the next iteration copies it aside and goes on; nothing before it is lost", "%s: the last line is torn, a write was cut off", store.HistoryPath(skill))
		}
	}
	if all.more > 0 {
		n.warn("archive the run with `hooks loop reset`", "%d more lines are damaged", all.more)
	}
	n.say("%s", count(all.lines, "line"))
}

func locks(m *machine, n *notes) {
	files := m.state(n)
	if files == nil {
		return
	}
	defer files.Close()
	held := 0
	for _, skill := range loop.Skills() {
		l, err := files.Holder(skill)
		if err != nil {
			unreadable(n, err)
			continue
		}
		if l == nil {
			continue
		}
		held++
		m.lock(n, skill, l)
	}
	if held+len(n.problems) == 0 {
		n.say("no lock is held")
	}
}

// lock tells what became of the process that a lock names.
func (m *machine) lock(n *notes, skill loop.Skill, l *loop.Lock) {
	at := fmt.Sprintf("%s: pid %d, iteration %d, since %s", store.LockPath(skill), l.PID, l.Iteration, l.StartedAt.UTC().Format("2006-01-02 15:04"))
	here := proc.Describe(l.PID, l.Source)
	switch proc.Of(l.Process) {
	case loop.Alive:
		n.say("%s, alive", at)
	case loop.Dead:
		story := "no such process runs"
		if here.Start != "" && l.Start != "" && here.Start != l.Start {
			story = "the number belongs to another process now"
		}
		n.warn("the next tick takes it away; or hooks doctor --fix", "%s is stale: %s", at, story).mend = func() (string, error) {
			return m.reap(skill, l)
		}
	default:
		story := "it cannot be told whether it runs"
		if l.Host != "" && l.Host != here.Host {
			story = fmt.Sprintf("it is of host %s, this is %s", l.Host, here.Host)
		}
		n.warn("ask whoever runs it; or take it over with --lock=force in the session", "%s is foreign: %s", at, story)
	}
}

func (m *machine) reap(skill loop.Skill, l *loop.Lock) (string, error) {
	files, err := store.Open(m.project)
	if err != nil {
		return "", err
	}
	defer files.Close()
	return fmt.Sprintf("removed the stale lock of pid %d", l.PID), files.Reap(skill, l)
}

// clockAndTranscript reports a run of the future, whose clock stands still, and an iteration whose
// money cannot be counted.
func clockAndTranscript(m *machine, n *notes, b *loop.Budget, t *loop.Tick) {
	if ahead := b.StartedAt.Sub(m.Now); ahead > time.Minute && b.Status != loop.Halted {
		n.warn("correct the machine's clock; or archive the run with `hooks loop reset`",
			"%s run %s began %v in the future: its minutes do not count until then",
			b.Skill, b.RunID, ahead.Round(time.Minute))
	}
	if t == nil || t.Transcript == "" || t.Iteration == 0 {
		return
	}
	if _, err := os.Stat(t.Transcript); errors.Is(err, fs.ErrNotExist) {
		n.warn("see that nothing cleans the client's folder; the iteration's money is not counted",
			"the transcript of %s iteration %d is gone: %s",
			b.Skill, t.Iteration, m.shown(t.Transcript))
	}
}

func openIterations(m *machine, n *notes) {
	files := m.state(n)
	if files == nil {
		return
	}
	defer files.Close()
	for _, skill := range loop.Skills() {
		s, err := files.Load(skill)
		if err != nil || s.Budget == nil {
			continue
		}
		b := s.Budget
		clockAndTranscript(m, n, b, s.Tick)
		again := report.Resume(b, s.Elsewhere(skill))
		gone := b.OwnerLeft || proc.Of(b.Owner) == loop.Dead
		switch {
		case b.Status == loop.Paused:
			for _, g := range b.Pending {
				n.say("[%s] %s", g.Name, g.Question)
			}
			n.warn("answer as `hooks gate list` says, then go on with "+again, "%s run %s is paused: a question waits for a person", skill, b.RunID)
		case b.Status != loop.Active:
		case s.Tick != nil && gone:
			n.warn("go on with "+again+", or archive it with `hooks loop reset "+string(skill)+"`", "%s iteration %d is open and its session (pid %d) is gone", skill, s.Tick.Iteration, b.Owner.PID)
		case gone:
			n.warn("go on with "+again+", or archive it with `hooks loop reset "+string(skill)+"`", "%s run %s is active and its session (pid %d) is gone", skill, b.RunID, b.Owner.PID)
		case s.Tick != nil:
			n.say("%s iteration %d runs in pid %d", skill, s.Tick.Iteration, b.Owner.PID)
		default:
			n.say("%s run %s is between iterations, in pid %d", skill, b.RunID, b.Owner.PID)
		}
	}
	if len(n.found)+len(n.problems) == 0 {
		n.say("no loop runs")
	}
}
