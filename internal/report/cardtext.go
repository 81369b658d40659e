package report

import (
	"cmp"
	"fmt"
	"strings"

	"hooks/internal/loop"
)

// CardText writes a card.
func CardText(s Screen, c Card) string {
	p, b := newPage(s), c.Run
	style := warn
	switch {
	case c.Stopped == nil && c.Next != "":
		style = good
	case c.Stopped != nil && b.Status == loop.Halted:
		style = bad
	}
	p.title(style, "%s: %s", invocation(b), c.state())
	p.continuing(c)
	p.section("Run")
	p.given("project", plain, c.Project)
	p.row("run", plain, "%s", b.RunID)
	p.row("started", plain, "%s", s.at(b.StartedAt))
	if st := c.Stopped; st != nil {
		p.row("stopped", plain, "%s, %s, by %s", s.at(st.Since), st.where(), st.Cause)
		p.given("last error", plain, st.LastError)
	}
	p.section("Spend")
	for _, a := range c.Budgets {
		p.row(a.Name, a.style(), "%s", a.standing()+a.rest(false))
	}
	p.given("outside", plain, outside(b))
	if b.Replaced > 0 {
		p.row("written again", plain, "%s: somebody had changed the run's files",
			loop.Plural(b.Replaced, "time"))
	}
	kindOf(b, c.Head).card(p, c)
	p.iterations(c)
	p.facts(c)
	p.leftBehind(c)
	if len(c.Denied) > 0 {
		p.section("Refused")
	}
	for _, d := range c.Denied {
		p.row(d.Rule, plain, "%s, %s", refusedCall(d), loop.Plural(d.Times, "time"))
	}
	return p.String()
}

// state describes a run.
func (c Card) state() string {
	switch {
	case c.Stopped != nil:
		return fmt.Sprintf("%s — %s", state(c.Run.Status, c.Run.StopCause), c.Stopped.Text)
	case c.Next != "" && c.Open:
		return "active, an iteration runs"
	case c.Next != "":
		return "active, between iterations"
	case c.Present:
		return "active, but its session is gone"
	}
	return "cut off, and archived"
}

// continuing writes what brings the next iteration, or what a person can do for it.
func (p *page) continuing(c Card) {
	p.section("Next")
	p.waiting(c.Waiting, true)
	switch {
	case c.Next != "":
		p.row("next tick", plain, "%s", c.Next)
	case c.Resume != "":
		p.row("type", strong, "%s", c.Resume)
	case c.Stopped != nil && len(c.Stopped.Do) > 0:
		p.rows("next", strong, c.Stopped.Do)
	default:
		p.row("nothing", plain, "is left to do")
	}
}

func (b taskLoop) card(p *page, c Card) {
	p.section("Tasks")
	p.row("done", plain, "%s", b.Tasks.Result())
	p.row("check", plain, "%s", checked(b.Tasks.Check))
	for _, r := range c.Tasks {
		p.row(fmt.Sprintf("task %d", r.Number), r.style(), "%s", r.text())
		p.rows("   note", warn, r.remarks())
	}
}

func (p *page) iterations(c Card) {
	p.section("Iterations")
	if c.Earlier > 0 {
		p.row("earlier", plain, "%s: hooks history --run %s", loop.Plural(c.Earlier, "more line"),
			c.Run.RunID)
	}
	for i := range c.Iterations {
		l := &c.Iterations[i]
		p.row(numberOf(l, "-")+"  "+p.at(l.StartedAt), outcomeStyle(l.Outcome), "%s", did(l))
		p.rows("   note", plain, l.Notes)
	}
}

// did is what an iteration did, in words.
func did(l *loop.Iteration) string {
	parts := []string{fmt.Sprintf("%s, %d min, $%s", outcomeName(l.Outcome),
		minutesOf(l), l.Dollars)}
	add := func(holds bool, format string, args ...any) {
		if holds {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	refused := loop.Refusals(l.Denied)
	if l.Task != nil {
		parts = append(parts, tried(l.Task))
	}
	if l.Audit != nil {
		parts = append(parts, phaseEnded(l.Audit))
	}
	add(l.Agents > 0, "%s dispatched", loop.Plural(l.Agents, "worker"))
	add(l.Comments > 0, "%s pushed", loop.Plural(l.Comments, "comment"))
	add(l.Merges > 0, "%s tried", loop.Plural(l.Merges, "merge"))
	add(len(l.PRsTouched) > 0, "PRs %s", strings.Join(l.PRsTouched, " "))
	add(len(l.Fired) > 0, "stopped by %s", strings.Join(l.Fired, ", "))
	add(l.Facts != "", "the skill reported nothing")
	add(refused > 0, "%s refused", loop.Plural(refused, "call"))
	if l.Overrun != nil {
		parts = append(parts, l.Overrun.String())
	}
	return strings.Join(parts, ", ")
}

// facts writes what the program observed and, apart from it, what was only reported.
func (p *page) facts(c Card) {
	p.section("Verified: seen by the program itself")
	p.row("dollars", plain, "$%s (API-equivalent), counted from the transcripts",
		c.Verified.Dollars)
	p.row("workers", plain, "%d dispatched", c.Verified.Agents)
	kindOf(c.Run, c.Head).facts(p, c)
}

// merges are the merge calls that ran, and what they merged. Refused ones are not among them.
func (v Verified) merges() string {
	if v.Attempts+len(v.Merged) == 0 {
		return "none"
	}
	return fmt.Sprintf("%d tried; merged: %s", v.Attempts, orNone(numbers(v.Merged)))
}

func (taskLoop) facts(p *page, c Card) {
	v := c.Verified
	p.row("tasks", plain, "%s", orNone(tasksOf(c.Tasks, loop.Verified)))
	p.given("not broken", plain, tasksOf(c.Tasks, loop.Unbroken))
	p.given("PRs", plain, numbers(v.PRs))
	p.given("merged", plain, numbers(v.Merged))
	p.row("fresh", plain, "%s", v.fresh("attempt"))
	p.row("progress", plain, "%s", v.Progress)
	p.section("Claimed: by the workers, not verified")
	p.row("tasks", plain, "%s", orNone(tasksOf(c.Tasks, loop.Claimed)))
	p.row("criteria", plain, "%s", unseenCriteria)
}

// fresh is how many attempts or phases began with an empty context.
func (v Verified) fresh(unit string) string {
	return fmt.Sprintf("%d of %s began with an empty context", v.Fresh, loop.Plural(v.Tried, unit))
}

// unseenCriteria is what no evidence covers.
const unseenCriteria = "of every task; no check can see whether all of them are met"

// tasksOf are the numbers of the tasks with a verdict, as in "1, 3".
func tasksOf(rows []TaskRow, verdict loop.TaskDone) string {
	var list []string
	for _, r := range rows {
		if r.Verdict == TaskState(verdict) {
			list = append(list, fmt.Sprint(r.Number))
		}
	}
	return strings.Join(list, ", ")
}

func orNone(s string) string { return cmp.Or(s, "none") }

// commits are the heads of the PRs, those that the remote confirmed or the others.
func commits(prs []CardPR, remote bool, shown func(sha string) string) string {
	var list []string
	for _, p := range prs {
		if p.SHA != "" && p.Head == remote {
			list = append(list, fmt.Sprintf("#%d %s", p.Number, shown(p.SHA)))
		}
	}
	return orNone(strings.Join(list, ", "))
}

// leftBehind writes what a run leaves for a person to look at.
func (p *page) leftBehind(c Card) {
	p.section("Left behind")
	for _, pr := range c.PRs {
		p.row(fmt.Sprintf("PR #%d", pr.Number), plain, "%s, %s%s", cmp.Or(pr.State, "unknown"),
			cmp.Or(when(pr.Seen, "seen"), "reported"), prefixed(", branch ", pr.Branch))
	}
	for _, w := range c.Worktrees {
		p.row("worktree", plain, "%s%s", w.Path, prefixed(", branch ", w.Branch))
	}
	p.row("branches", plain, "%s", orNone(strings.Join(c.Branches, ", ")))
	p.section("Gates")
	if len(c.Gates) == 0 {
		p.row("asked", plain, "none")
	}
	for _, g := range c.Gates {
		p.row(fmt.Sprintf("iteration %d", g.Iteration), plain, "%s: %q answered %q", g.Name,
			g.Question, g.Answer)
	}
}
