//go:build linux

package torture

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hooks/internal/loop"
)

// changedScenarios lists events that follow a change of the files by someone else.
var changedScenarios = []scenario{
	on("stop-over-changed-files", changed, stop(), nextTick, resumed),
	on("entry-over-changed-files", changedBetween, enter(flags), nextTick, sameTurn, resumed),
	on("merge-over-files-of-before", merged, merge, sameTurn, resumed),
	on("entry-over-a-deleted-budget", deleted, enter(flags), nextTick, sameTurn, resumed),
	on("resume-without-its-record", recordLost, enter(flags+" --resume"), onceMore),
	on("entry-in-a-moved-project", moved, enter(flags), nextTick),
	on("resume-in-a-copy", copied, enter(flags+" --resume"), onceMore),
	on("raise", raising, person("loop", "raise", "work", "--max-iterations", "25"), nextTick,
		cleared),
}

var onceMore = way{"--resume once more", func(p *player) { p.iterate(flags+" --resume", 2) }}

// edit changes a file of the state.
func (p *player) edit(name, old, text string) {
	path := filepath.Join(p.State(), name)
	body, err := os.ReadFile(path)
	p.Check(err)
	p.Check(os.WriteFile(path, bytes.Replace(body, []byte(old), []byte(text), 1), 0o600))
}

// changed plays an iteration, raises its ceiling in the file, and removes its tick and lock.
func changed(p *player) {
	worked(flags)(p)
	p.edit("work.budget.json", `"max_iterations": 20`, `"max_iterations": 500`)
	p.Check(os.Remove(filepath.Join(p.State(), "work.tick.json")))
	p.Check(os.Remove(filepath.Join(p.State(), "work.lock")))
}

// changedBetween plays an iteration, resets its counter in the file, and truncates its history.
func changedBetween(p *player) {
	oneDone(p)
	p.edit("work.budget.json", `"iterations_used": 1`, `"iterations_used": 0`)
	p.Check(os.Truncate(filepath.Join(p.State(), "work.history.jsonl"), 20))
	p.spoiled = true
}

// merged plays an approved merge and then restores the files from before it.
func merged(p *player) {
	approvedMerge(p)
	path := filepath.Join(p.State(), "work.tick.json")
	before, err := os.ReadFile(path)
	p.Check(err)
	p.Ledger.Merges.Add(p.do(merge(p)).Out == "")
	p.Check(os.WriteFile(path, before, 0o600))
}

func deleted(p *player) {
	oneDone(p)
	p.Check(os.Remove(filepath.Join(p.State(), "work.budget.json")))
}

// recordLost kills the session's client and removes its record, as in a rebuilt container.
func recordLost(p *player) {
	oneDone(p)
	p.Bury(p.clients.Gone)
	p.Client = p.clients.Second
	p.Check(os.Remove(p.record()))
}

// record returns the path of the session's record, outside of the project.
func (p *player) record() string {
	return filepath.Join(p.Dir, "home", ".local", "state", "hooks", "on", p.Session)
}

// moved plays a project that was renamed after its files were written, and whose counter was
// changed since. Only the record shows the change.
func moved(p *player) {
	oneDone(p)
	p.leads(filepath.Join(p.Dir, "old"))
	p.edit("work.budget.json", `"iterations_used": 1`, `"iterations_used": 0`)
}

// leads makes the record refer to another folder.
func (p *player) leads(to string) {
	text, err := os.ReadFile(p.record())
	p.Check(err)
	old := fmt.Appendf(nil, "%q", p.Project())
	text = bytes.ReplaceAll(text, old, fmt.Appendf(nil, "%q", to))
	p.Check(os.WriteFile(p.record(), text, 0o600))
}

// copied makes a copy of a project, which another session uses. The original remains.
func copied(p *player) {
	oneDone(p)
	old := filepath.Join(p.Dir, "repo", "p")
	p.Check(os.CopyFS(old, os.DirFS(p.Project())))
	p.leads(old)
	p.As("s2", p.clients.Second)
}

// continued checks that the run continues with its counters.
func continued(p *player) {
	d := p.disk()
	if b := d.budget; p.calm && (b == nil || b.IterationsUsed < 3 || len(d.budgets) > 1) {
		p.Errorf("the run does not continue: %+v", b)
	}
}

// itsOwn checks that a copy has another run id than the original.
func itsOwn(p *player) {
	original := p.schemas.read(filepath.Join(p.Dir, "repo", "p", ".sdd", "loop"), nil).budget
	b := p.disk().budget
	if p.calm && (b == nil || original == nil || b.RunID == original.RunID) {
		p.Errorf("the copy and its original are one run: %+v", b)
	}
}

// raising adds the answer that the raise may write into the history to the ledger.
func raising(p *player) {
	oneDone(p)
	words := []string{"raise --max-iterations 25"}
	p.Ledger.Answers = append(p.Ledger.Answers, words...)
	p.Ledger.Unheard = append(p.Ledger.Unheard, words...)
}

// undone checks that the change of the files was undone, and that a copy of it was kept.
func undone(p *player) {
	b := p.disk().budget
	if b == nil || b.Ceilings.Iterations != 20 || b.Replaced == 0 {
		p.Errorf("the changed budget is believed: %+v", b)
	}
	for text := range p.Ledger.Lines {
		if !p.disk().has(func(l line) bool { return l.text == text }) {
			p.Errorf("a history line did not come back: %.120s", text)
		}
	}
	kept := filepath.Join(p.State(), "archive", "replaced", "work.budget.json")
	if _, err := os.Stat(kept); errors.Is(err, fs.ErrNotExist) {
		p.Errorf("what somebody wrote is not kept")
	}
}

// onceMerged checks that one answer let at most one merge pass.
func onceMerged(p *player) {
	if p.Ledger.Merges.Min > 1 {
		p.Errorf("one answer let %d merges pass", p.Ledger.Merges.Min)
	}
}

// twoRuns checks that a deleted budget file is not restored, unless the command was cut off or had
// --resume.
func twoRuns(p *player) {
	if d := p.disk(); p.calm && len(d.budgets) < 2 && !strings.Contains(p.Session, "2") {
		p.Errorf("the deleted budget came back: %d runs", len(d.budgets))
	}
}

// raised checks the ceiling, unless the command failed or was killed.
func raised(p *player) {
	b := p.disk().budget
	said := slices.ContainsFunc(p.disk().lines, func(l line) bool {
		return slices.ContainsFunc(l.Gates, func(a loop.GateAnswer) bool {
			return a.Answer == "raise --max-iterations 25"
		})
	})
	if b == nil || said != (b.Ceilings.Iterations == 25) || p.calm && !said {
		p.Errorf("the raise is in the history: %v, and the budget is %+v", said, b)
	}
}
