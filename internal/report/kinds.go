package report

import (
	"cmp"

	"hooks/internal/loop"
)

// kind is what a kind of loop shows of its own, beside what every loop has.
type kind interface {
	block(*text, *loop.Iteration) // in the status block of an iteration
	ended(*text)                  // in the final report
	stand(*page)                  // where the loop stands
	card(*page, Card)             // on the morning page
	facts(*page, Card)            // on it: what is verified, and what is only claimed
	article(*drawing)             // both, on a page of HTML
	count() string                // beside iterations, minutes and dollars
}

type (
	taskLoop  struct{ *loop.Budget }
	auditLoop struct {
		*loop.Budget
		head string // of its worktree, "" if it is not known
	}
	backlogLoop struct{ *loop.Budget }
)

// kindOf is the one place that asks which kind a run is of.
func kindOf(b *loop.Budget, head string) kind {
	switch {
	case b.Tasks != nil:
		return taskLoop{b}
	case b.Audit != nil:
		return auditLoop{b, head}
	}
	return backlogLoop{b}
}

func (backlogLoop) ended(*text)      {}
func (backlogLoop) stand(*page)      {}
func (backlogLoop) card(*page, Card) {}
func (backlogLoop) article(*drawing) {}
func (b backlogLoop) count() string  { return loop.Plural(len(b.PRsTouched), "PR") }

func (b backlogLoop) block(t *text, l *loop.Iteration) {
	switch b.Scope() {
	case loop.WorkRun:
		t.line("Backlog: %s", inBacklog(l.Backlog))
		t.line("Iteration plan: %s", cmp.Or(numbers(l.Plan), "not reported"))
	case loop.SinglePR:
		t.line("Tracked PR: %s", trackedPR(l, b.SinglePR))
		t.line("Comments pushed: %d (+%d), merges attempted: %d (+%d)",
			b.CommentsPushed, l.Comments, b.MergesAttempted, l.Merges)
	}
}

func (backlogLoop) facts(p *page, c Card) {
	v, d := c.Verified, c.Claimed
	p.row("PRs", plain, "%s", orNone(numbers(v.PRs)))
	p.row("merges", plain, "%s", v.merges())
	p.row("comments", plain, "%d", v.Comments)
	p.row("commits", plain, "%s", commits(c.PRs, true, shortSHA))
	p.row("progress", plain, "%s", v.Progress)
	p.section("Claimed: reported by the skill, not verified")
	p.row("PRs", plain, "%s", orNone(numbers(d.PRs)))
	p.row("ended PRs", plain, "%s", orNone(numbers(d.States)))
	p.row("comments", plain, "%d", d.Comments)
	p.row("commits", plain, "%s", commits(c.PRs, false, shortSHA))
	p.row("outcomes", plain, "reported for %s", loop.Plural(d.Outcomes, "iteration"))
	for _, f := range d.Failures {
		p.row("failure", warn, "%s: %s", f.Subject(), f.Cause)
	}
}
