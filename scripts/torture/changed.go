//go:build linux

package main

import (
	"bytes"
	"errors"
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
	on("raise", raising, person("loop", "raise", "work", "--max-iterations", "25"), nextTick,
		cleared),
}

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
