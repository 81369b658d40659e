package report

import (
	"cmp"
	"fmt"

	"hooks/internal/loop"
)

// kind draws the parts of each text and page that only one kind of loop has.
type kind interface {
	block(*text, *loop.Iteration) // in the status block of an iteration
	ended(*text)                  // in the final report
	stand(*page)                  // where the loop stands
	card(*page, Card)             // on the morning page
	facts(*Card, refs) facts      // on it: what is verified, and what is only claimed
	article(*drawing)             // as card, on a page of HTML
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

// kindOf returns the run's kind; no other code distinguishes kinds.
func kindOf(b *loop.Budget, head string) kind {
	switch {
	case b.Tasks != nil:
		return taskLoop{b}
	case b.Audit != nil:
		return auditLoop{b, head}
	case b.Prompt() != "":
		return promptLoop{backlogLoop{b}}
	}
	return backlogLoop{b}
}

func (backlogLoop) ended(*text)      {}
func (backlogLoop) stand(*page)      {}
func (backlogLoop) card(*page, Card) {}
func (backlogLoop) article(*drawing) {}
func (b backlogLoop) count() string  { return loop.Plural(len(b.PRsTouched), "PR") }

func (b backlogLoop) block(t *text, l *loop.Iteration) {
	switch {
	case b.Kind().Backlog:
		t.line("Backlog: %s", inBacklog(l.Backlog))
		t.line("Iteration plan: %s", cmp.Or(numbers(l.Plan), "not reported"))
	case b.SinglePR != 0:
		t.line("Tracked PR: %s", trackedPR(l, b.SinglePR))
		t.line("Comments pushed: %d (+%d), merges attempted: %d (+%d)",
			b.CommentsPushed, l.Comments, b.MergesAttempted, l.Merges)
	}
}

func (b backlogLoop) facts(c *Card, r refs) facts {
	v, d := c.Verified, c.Claimed
	merges := raw("none")
	if v.Attempts+len(v.Merged) > 0 {
		merges = raw(fmt.Sprintf("%d tried; merged: ", v.Attempts)) + r.prs(v.Merged)
	}
	f := facts{by: "reported by the skill", verified: []fact{{"PRs", r.prs(v.PRs)},
		{"merges", merges}, {"comments", count(v.Comments)}, {"commits", r.commits(c.PRs, true)},
		{"progress", raw(v.Progress.String())}},
		claimed: []fact{{"PRs", r.prs(d.PRs)}, {"ended PRs", r.prs(d.States)},
			{"comments", count(d.Comments)}, {"commits", r.commits(c.PRs, false)}}}
	if b.Kind().Owes != nil {
		f.claimed = append(f.claimed,
			fact{"outcomes", raw("reported for " + loop.Plural(d.Outcomes, "iteration"))})
	}
	failures := d.Failures
	if r.html {
		failures = failures[max(0, len(failures)-maxListedRows):]
	}
	for _, one := range failures {
		f.claimed = append(f.claimed, fact{"failure", r.text(one.Subject() + ": " + one.Cause)})
	}
	return f
}
