//go:build linux

package torture

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"hooks/internal/attempt"
	"hooks/internal/kind/audit"
	"hooks/internal/kind/tasks"
	"hooks/internal/loop"
	"hooks/internal/store"
	"hooks/scripts/driver"
)

// afterLoopEvent checks the invariants after an event of a task or an audit loop, and records new
// facts in the ledger.
func (p *player) afterLoopEvent(e driver.Event, r driver.Result, before, now *disk) {
	l := p.Ledger.Loops
	left, err := filepath.Glob(filepath.Join(p.Project(), ".sdd-*"))
	p.Check(err)
	for _, name := range left { // a worker would commit it
		if base := filepath.Base(name); base != ".sdd-progress.md" && base != ".sdd-state.json" {
			p.Errorf("%s is left in the project", base)
		}
	}
	for _, old := range before.budgets {
		for _, b := range now.budgets {
			if b.RunID == old.RunID && smaller(&b, &old) {
				p.Errorf("run %s went back: from %d iterations and $%s to %d and $%s", b.RunID,
					old.IterationsUsed, old.DollarsEstimate, b.IterationsUsed, b.DollarsEstimate)
			}
		}
	}
	if b := now.budget; audit.Of(b) != nil {
		for _, f := range audit.Of(b).Findings {
			l.See(f.ID)
		}
	}
	opened, _, _ := strings.Cut(strings.TrimPrefix(r.Out, "opened "), ";")
	if e.Args[0] == "report" && strings.HasPrefix(r.Out, "opened ") {
		for _, id := range strings.Split(opened, ", ") {
			l.See(id)
		}
	}
	for line := range l.Progress {
		if p.Skill == "task" && now.budget != nil && !strings.Contains(now.copy, line) {
			p.Errorf("the copy of the progress file lost %q", line)
		}
	}
	for line := range strings.Lines(now.copy) {
		if strings.HasPrefix(line, "- ") {
			l.Progress[line] = true
		}
	}
	if t := now.tick; t != nil && t.Attempt != nil && t.Attempt.Token != "" {
		_, nonce, _ := strings.Cut(t.Attempt.Token, "-")
		at := iterationKey(t.RunID, t.Iteration)
		if old := l.Nonces[nonce]; old != "" && old != at {
			p.Errorf("iterations %s and %s have the same token", old, at)
		}
		l.Nonces[nonce] = at
	}
	if p.Failing || strings.Contains(r.Out+r.Err, "keep sync events") {
		p.Ledger.Loops.Unqueued = true // and a person knows
	}
	p.loopPromises(e, r, before, now)
}

// smaller reports whether a counter of a run decreased.
func smaller(b, old *loop.Budget) bool {
	return b.DollarsEstimate < old.DollarsEstimate || b.IterationsUsed < old.IterationsUsed ||
		b.Seq < old.Seq || b.TokensOut < old.TokensOut ||
		wentBack(b.Own, old.Own)
}

// wentBack reports whether the progress of a loop decreased.
func wentBack(now, before loop.Payload) bool {
	switch old := before.(type) {
	case *tasks.Run:
		r, same := now.(*tasks.Run)
		return same && (r.Index < old.Index || len(r.Passed) < len(old.Passed))
	case *audit.Run:
		r, same := now.(*audit.Run)
		return same && (r.Audits < old.Audits || len(r.Findings) < len(old.Findings))
	}
	return false
}

func hasFinding(r *audit.Run, id string) bool {
	return slices.ContainsFunc(r.Findings, func(f audit.Finding) bool { return f.ID == id })
}

// loopPromises checks that the promises of a reply are on disk, and that no worker merges.
func (p *player) loopPromises(e driver.Event, r driver.Result, before, now *disk) {
	reply := func(path string) string { return gjson.Get(r.Out, path).String() }
	event := gjson.Get(e.Stdin, "hook_event_name").String()
	if event == "SubagentStop" && reply("decision") == "block" && p.Skill != "work" &&
		(now.tick == nil || now.tick.Attempt.Holds <= before.tick.Attempt.Holds) {
		p.Errorf("a hold of the worker is not counted on disk: %s", r.Out)
	}
	merges := strings.HasPrefix(gjson.Get(e.Stdin, "tool_input.command").String(), "gh pr merge")
	unsaid := r.Killed || p.Failing || strings.Contains(r.Err, "write reply")
	if merges && p.Skill != "work" && before.tick != nil && !unsaid &&
		reply("hookSpecificOutput.permissionDecision") != "deny" {
		p.Errorf("a worker's merge is let pass: %s", r.Out)
	}
}

// settleLoop checks a task or an audit loop between its turns. No task may count twice, or without
// evidence, and the files for people must agree with the state.
func (p *player) settleLoop(d *disk) {
	l := p.Ledger.Loops
	times := map[string]int{}
	for _, line := range d.lines {
		if t := tasks.LineOf(&line.iteration); t != nil && t.Judgement.Verdict.Done() {
			times[t.Title]++
			c := t.Judgement.Check
			if t.Judgement.Verdict != attempt.Unbroken || c == nil || c.Exit != 0 ||
				c.Head != t.Judgement.SHA || !l.Green[c.Head] || !l.Claimed[taskKey(t)] {
				p.Errorf("task %d counts as %s without its evidence: %+v", t.Task,
					t.Judgement.Verdict, t.Judgement)
			}
			if !d.queued(line) && !l.Unqueued {
				p.Errorf("no event of task %d is in the queue", t.Task)
			}
		}
		if a := audit.LineOf(&line.iteration); a != nil && (a.Judgement.Verdict == attempt.Clean ||
			a.Judgement.Verdict == attempt.Dirty) && !l.Looked[a.Judgement.SHA] {
			p.Errorf("the audit of section %d is %s about a commit that no auditor looked at",
				a.Section, a.Judgement.Verdict)
		}
	}
	switch b := d.budget; {
	case b == nil:
	case tasks.Of(b) != nil:
		for _, i := range tasks.Of(b).List {
			if n := times[i.Title]; n > 1 || (n == 1) != (i.Result == attempt.Unbroken) {
				p.Errorf("%s: %d lines count it as done, the run has %q", i.Title, n, i.Result)
			}
		}
		p.settleFiles(d, tasks.Of(b))
	case audit.Of(b) != nil:
		for id := range l.Findings {
			if !hasFinding(audit.Of(b), id) {
				p.Errorf("the finding %s is lost", id)
			}
		}
		for _, f := range audit.Of(b).Findings {
			if f.State != audit.OpenFinding && !l.Findings[f.ID] {
				p.Errorf("no one called finding %s resolved, and it is %s", f.ID, f.State)
			}
		}
	}
}

// settleFiles checks the two files of a task loop for people.
func (p *player) settleFiles(d *disk, r *tasks.Run) {
	log, err := os.ReadFile(filepath.Join(p.Project(), ".sdd-progress.md"))
	p.Check(err)
	view, err := os.ReadFile(filepath.Join(p.Project(), ".sdd-state.json"))
	p.Check(err)
	if string(log) != d.copy {
		p.Errorf("the progress file differs from its copy:\n%s\n%s", log, d.copy)
	}
	if n := gjson.GetBytes(view, "taskIndex").Int(); int(n) != r.Index {
		p.Errorf("the view has task %d, the run %d", n, r.Index)
	}
	for i, item := range r.List {
		want := 0
		if item.Result == attempt.Unbroken {
			want = 1
		}
		if n := strings.Count(string(log), "- [x] "+taskName(i)); n != want {
			p.Errorf("the progress file has %d lines of %s, want %d:\n%s",
				n, taskName(i), want, log)
		}
	}
}

func taskName(index int) string { return fmt.Sprintf("Task %d: ", index) }

// taskKey returns the attempt of a line as in a claim, as in "1.2".
func taskKey(t *tasks.Line) string { return fmt.Sprintf("%d.%d", t.Task, t.Try) }

// queued reports whether the Sync queue has the event of a task that is done.
func (d *disk) queued(l line) bool {
	key := fmt.Sprintf("%s/%d/task", l.RunID, l.Seq)
	return slices.ContainsFunc(d.queue, func(q store.Queued) bool { return q.Key == key })
}
