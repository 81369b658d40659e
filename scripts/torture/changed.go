//go:build linux

package main

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

// changedScenarios are events over files that somebody changed since the last one.
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

// changed is an iteration whose ceiling somebody raised, and whose tick and lock are gone.
func changed(p *player) {
	worked(flags)(p)
	p.edit("work.budget.json", `"max_iterations": 20`, `"max_iterations": 500`)
	p.Check(os.Remove(filepath.Join(p.State(), "work.tick.json")))
	p.Check(os.Remove(filepath.Join(p.State(), "work.lock")))
}

// changedBetween is a run whose counter somebody changed, and whose history is cut off.
func changedBetween(p *player) {
	oneDone(p)
	p.edit("work.budget.json", `"iterations_used": 1`, `"iterations_used": 0`)
	p.Check(os.Truncate(filepath.Join(p.State(), "work.history.jsonl"), 20))
	p.spoiled = true
}

// merged is an approved merge that was made, and the files of before it.
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

// recordLost is a session whose client died and whose record is gone, as in a rebuilt container.
func recordLost(p *player) {
	oneDone(p)
	p.Bury(p.clients.Gone)
	p.Client = p.clients.Second
	p.Check(os.Remove(p.record()))
}

// record is the session's, outside of the project.
func (p *player) record() string {
	return filepath.Join(p.Dir, "home", ".local", "state", "hooks", "on", p.Session)
}

// moved is a project that had another name when its files were written last, and somebody changed
// its counter since: only who finds its record knows.
func moved(p *player) {
	oneDone(p)
	p.leads(filepath.Join(p.Dir, "old"))
	p.edit("work.budget.json", `"iterations_used": 1`, `"iterations_used": 0`)
}

// leads makes the record lead to another folder.
func (p *player) leads(to string) {
	text, err := os.ReadFile(p.record())
	p.Check(err)
	old := fmt.Appendf(nil, "%q", p.Project())
	text = bytes.Replace(text, old, fmt.Appendf(nil, "%q", to), 1)
	p.Check(os.WriteFile(p.record(), text, 0o600))
}

// copied is a copy of a project, in a session of its own; the original is beside it.
func copied(p *player) {
	oneDone(p)
	old := filepath.Join(p.Dir, "repo", "p")
	p.Check(os.CopyFS(old, os.DirFS(p.Project())))
	p.leads(old)
	p.As("s2", p.clients.Second)
}

// continued checks that the run continues with what it had used.
func continued(p *player) {
	d := p.disk()
	if b := d.budget; p.calm && (b == nil || b.IterationsUsed < 3 || len(d.budgets) > 1) {
		p.Errorf("the run does not continue: %+v", b)
	}
}

// itsOwn checks that a copy has a run id that the original has not.
func itsOwn(p *player) {
	original := p.schemas.read(filepath.Join(p.Dir, "repo", "p", ".sdd", "loop"), nil).budget
	b := p.disk().budget
	if p.calm && (b == nil || original == nil || b.RunID == original.RunID) {
		p.Errorf("the copy and its original are one run: %+v", b)
	}
}

// raising may put the words that the raise adds into the history.
func raising(p *player) {
	oneDone(p)
	words := []string{"raise --max-iterations 25"}
	p.Ledger.Answers = append(p.Ledger.Answers, words...)
	p.Ledger.Unheard = append(p.Ledger.Unheard, words...)
}

// undone checks that no change of somebody else is believed, and that it was kept.
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

// onceMerged checks that one answer let one merge pass.
func onceMerged(p *player) {
	if p.Ledger.Merges.Min > 1 {
		p.Errorf("one answer let %d merges pass", p.Ledger.Merges.Min)
	}
}

// twoRuns checks that a budget file that a person deleted did not come back, unless the command was
// cut off or asked for it with --resume.
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
