//go:build linux

package torture

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"hooks/internal/loop"
	"hooks/scripts/driver"
)

// afterEvent checks the invariants after an event, whatever failed in it, and records new facts in
// the ledger.
func (p *player) afterEvent(e driver.Event, r driver.Result, before, now *disk) {
	p.Errors = append(p.Errors, now.faults...)
	isHook := gjson.Get(e.Stdin, "hook_event_name").Exists()
	unheard := p.Failing || strings.Contains(r.Err, "write reply")
	if !r.Killed && r.Code != 0 && (r.Code != 1 || isHook && !unheard) {
		p.Errorf("exit code %d: %s", r.Code, r.Err)
	}
	if isHook && !oneObject(r.Out) {
		p.Errorf("stdout is not one JSON object or nothing: %q", r.Out)
	}
	if strings.Contains(r.Err, "internal error") || strings.Contains(r.Err, "goroutine ") {
		p.Errorf("panic: %s", r.Err)
	}
	if r.Killed || r.Err != "" || p.Failing {
		p.Ledger.Unheard = append(p.Ledger.Unheard, e.Answers...)
	}
	for text := range p.Ledger.Lines {
		if !p.spoiled && !now.has(func(l line) bool { return l.text == text }) {
			p.Errorf("a history line is gone: %.120s", text)
		}
	}
	for _, l := range now.lines {
		if !p.Ledger.Lines[l.text] && l.SessionID == p.Session && usageUnknown(l) {
			p.Ledger.Admitted = true
		}
		p.Ledger.Lines[l.text] = true
	}
	if t := now.tick; t != nil && t.Started {
		p.Ledger.Begun[iterationKey(t.RunID, t.Iteration)] = true
	}
	// This event began and closed an iteration.
	if t := before.tick; t != nil && !t.Started && answered(now, t) {
		p.Ledger.Begun[iterationKey(t.RunID, t.Iteration)] = true
	}
	p.promises(e, r, before, now)
	p.afterLoopEvent(e, r, before, now)
}

func iterationKey(run string, n int) string { return fmt.Sprintf("%s %d", run, n) }

func usageUnknown(l line) bool {
	return slices.ContainsFunc(l.Notes, func(n string) bool {
		return strings.HasPrefix(n, "Usage could not be counted")
	})
}

// answered reports whether the line of a waiting iteration counts the iteration and has an answer.
func answered(d *disk, t *loop.Tick) bool {
	return d.has(func(l line) bool {
		return l.RunID == t.RunID && l.Iteration == t.Iteration &&
			l.Budget.IterationsUsed >= l.Iteration && len(l.Gates) > 0
	})
}

// oneObject reports whether out is empty, or is one JSON object and a newline.
func oneObject(out string) bool {
	if out == "" {
		return true
	}
	in := json.NewDecoder(strings.NewReader(out))
	var v map[string]any
	return in.Decode(&v) == nil && in.Decode(&v) == io.EOF && strings.HasSuffix(out, "}\n")
}

// promises checks that the promises of a reply are on disk.
func (p *player) promises(e driver.Event, r driver.Result, before, now *disk) {
	reply := func(path string) string { return gjson.Get(r.Out, path).String() }
	decision := reply("decision") + reply("hookSpecificOutput.permissionDecision")
	refused := decision == "block" || decision == "deny"
	context, said := reply("hookSpecificOutput.additionalContext"), reply("systemMessage")
	mine := now.tick != nil && slices.Contains(now.tick.Prompts, p.Prompt)
	switch gjson.Get(e.Stdin, "hook_event_name").String() {
	case "Stop":
		if refused && !p.blockCounted(before, now) {
			p.Errorf("a block is not counted on disk: %s", r.Out)
		}
		if strings.Contains(said, "Outcome: ") && len(now.lines) == len(before.lines) {
			p.Errorf("an iteration that the reply calls closed has no line")
		}
		if strings.Contains(said, "without having closed its iteration") && p.hasLine(now) &&
			len(now.lines) > len(before.lines) && !p.Failing {
			p.Errorf("an iteration that the reply calls open has a line: %s", said)
		}
	case "UserPromptExpansion":
		if began(r) && (!mine || now.lock == nil || now.lock.SessionID != p.Session) {
			p.Errorf("an iteration that the reply begins is not open under a lock")
		}
		if refused && mine && !p.Failing {
			p.Errorf("a refused entry left an open iteration: %s", r.Out)
		}
	}
	if strings.Contains(context, "the person answered") && !recorded(now, e.Answers) {
		p.Errorf("an answer that the reply takes is not on disk: %s", context)
	}
}

// began reports whether an entry's reply begins an iteration.
func began(r driver.Result) bool {
	context := gjson.Get(r.Out, "hookSpecificOutput.additionalContext").String()
	return strings.Contains(context, "## Loop Iteration") ||
		strings.Contains(context, "This thread only conducts") ||
		strings.Contains(context, "Gate 1: is the spec")
}

// blockCounted reports whether the block is in the budget, in the line that closed the
// iteration, or in the claim.
func (p *player) blockCounted(before, now *disk) bool {
	var old loop.Blocks
	if before.budget != nil && before.budget.Blocks.PromptID == p.Prompt {
		old = before.budget.Blocks
	}
	counted := func(b *loop.Budget) bool {
		return b != nil && b.Blocks.PromptID == p.Prompt &&
			(len(b.Blocks.Reasons) > len(old.Reasons) || b.Blocks.At.After(old.At))
	}
	return counted(now.budget) || now.claim != nil && now.claim.Blocked ||
		now.has(func(l line) bool { return counted(&l.Budget) })
}

func (p *player) hasLine(d *disk) bool {
	return d.has(func(l line) bool {
		return l.Ran() && slices.Contains(l.Budget.LastPrompts, p.Prompt)
	})
}

func recorded(d *disk, words []string) bool {
	var all []loop.GateAnswer
	if d.tick != nil {
		all = slices.Concat(d.tick.Answered, d.tick.DeferredAnswers)
	}
	for _, l := range d.lines {
		all = append(all, l.Gates...)
	}
	return !slices.ContainsFunc(words, func(w string) bool {
		return !slices.ContainsFunc(all, func(a loop.GateAnswer) bool { return a.Answer == w })
	})
}

// settle checks the disk against the ledger when no iteration should be open. Nothing may be lost
// or counted twice, and no lock may be left.
func (p *player) settle() {
	d := p.disk()
	over := p.Skill != "work" && d.budget.Status == loop.Halted // a later entry clears away
	if d.tick != nil && !over {
		p.Errorf("an iteration is still open")
	}
	if d.lock != nil && !over {
		p.Errorf("a lock is left: %+v", *d.lock)
	}
	var sum total
	var merges, prs int
	for _, b := range d.budgets {
		if !strings.HasSuffix(b.RunID, "-copy") { // it has its original's counters
			p.settleRun(d, &b)
		}
		sum.add(b.TokensIn, b.TokensOut, b.DollarsEstimate, b.AgentsDispatched, b.CommentsPushed)
		merges, prs = merges+b.MergesAttempted, prs+len(b.PRsTouched)
	}
	l := p.Ledger
	if (sum.in != l.In || sum.out != l.Out) && !(l.Admitted && sum.in <= l.In) {
		p.Errorf("%d/%d tokens were spent, %d/%d are counted", l.In, l.Out, sum.in, sum.out)
	}
	for _, c := range []struct {
		name string
		n    int
		want driver.Range
	}{
		{"agents", sum.agents, l.Agents}, {"comments", sum.comments, l.Comments},
		{"merges", merges, l.Merges}, {"PRs", prs, l.PRs},
	} {
		if c.n < c.want.Min || c.n > c.want.Max {
			p.Errorf("%d %s are counted, want %d to %d", c.n, c.name, c.want.Min, c.want.Max)
		}
	}
	if p.Skill == "work" {
		p.settleAnswers(d)
	} else {
		p.settleLoop(d)
	}
}

// total is the spend of a run, or of its lines.
type total struct {
	in, out          int64
	dollars          loop.USD
	agents, comments int
}

func (t *total) add(in, out int64, dollars loop.USD, agents, comments int) {
	t.in, t.out, t.dollars = t.in+in, t.out+out, t.dollars+dollars
	t.agents, t.comments = t.agents+agents, t.comments+comments
}

// settleRun checks a run's budget against its lines and the iterations that were seen to begin.
func (p *player) settleRun(d *disk, b *loop.Budget) {
	errorf := func(format string, args ...any) {
		p.Errorf("run %s: %s", b.RunID, fmt.Sprintf(format, args...))
	}
	var sum, want total
	var numbers []int
	lines := d.closed(b.RunID)
	for i, l := range lines {
		if l.Seq != i+1 {
			errorf("line %d has seq %d", i+1, l.Seq)
		}
		switch {
		case l.Budget.IterationsUsed < l.Iteration: // ended at its gates: the next has its number
		case !slices.Contains(numbers, l.Iteration):
			numbers = append(numbers, l.Iteration)
		case l.Outcome != loop.Waiting && l.Outcome != loop.Stopped:
			errorf("iteration %d has a second line", l.Iteration)
		}
		sum.add(l.TokensIn, l.TokensOut, l.Dollars, l.Agents, l.Comments)
	}
	begun := 0
	for n := 1; n <= b.IterationsUsed+20; n++ {
		seen := p.Ledger.Begun[iterationKey(b.RunID, n)]
		if seen {
			begun++
		}
		if seen != slices.Contains(numbers, n) {
			errorf("iteration %d: seen to begin %v, in the history %v", n, seen, !seen)
		}
	}
	if b.Seq != len(lines) {
		errorf("the budget has seq %d, the history %d lines", b.Seq, len(lines))
	}
	if b.IterationsUsed != begun {
		errorf("%d iterations are used, %d have begun", b.IterationsUsed, begun)
	}
	want.add(b.TokensIn, b.TokensOut, b.DollarsEstimate, b.AgentsDispatched, b.CommentsPushed)
	if sum != want && !p.Ledger.Admitted { // otherwise the end of the session is in no line
		errorf("the lines add up to %+v, the budget has %+v", sum, want)
	}
}

// settleAnswers checks that the history has each heard answer once, and no other answers.
func (p *player) settleAnswers(d *disk) {
	times := map[string]int{}
	for _, l := range d.lines {
		for _, a := range l.Gates {
			times[a.Answer]++
		}
	}
	for _, given := range p.Ledger.Answers {
		n := times[given]
		if n != 1 && !(n == 0 && slices.Contains(p.Ledger.Unheard, given)) {
			p.Errorf("the answer %q is in the history %d times", given, n)
		}
		delete(times, given)
	}
	for invented := range times {
		p.Errorf("no one answered %q", invented)
	}
}
