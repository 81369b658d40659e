package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"hooks/internal/attempt"
	"hooks/internal/loop"
	"hooks/internal/page"
	"hooks/internal/tracker/backlog"
	"hooks/internal/tracker/forge"
)

// Board is a project's backlog as reported by its tracker, with the conditions and gates it would
// trigger in a work loop.
type Board struct {
	Tracker string         `json:"tracker"`
	Scope   string         `json:"scope,omitempty"`
	Whole   bool           `json:"whole"`  // if false, issues may be missing from the list
	Issues  []backlog.Fact `json:"issues"` // open issues in scope
	Edges   [][2]int       `json:"edges"`  // blocker, blocked
	// Workable lists the issues that a loop may pick now. It is nil if Whole is false.
	Workable []int `json:"workable"`
	// backlog-empty and dependency-cycle, if they hold
	Fired []loop.Fired `json:"conditions"`
	Gates []string     `json:"gates"` // questions about the criteria of picked issues
	Notes []string     `json:"notes,omitempty"`
}

// MarshalJSON encodes a nil list, which means unknown, as null and an empty one as []. The codec
// for loop files would encode both as [].
func (b Board) MarshalJSON() ([]byte, error) {
	type board Board
	return json.Marshal(board(b))
}

func (b Board) Draw(p *page.Text) {
	if b.Issues != nil {
		p.Line(page.Plain, "Backlog: %s%s", b.counts(), when(!b.Whole, " (incomplete)"))
	}
	p.Line(page.Plain, "Tracker: %s%s", b.Tracker, prefixed("; scope: ", b.Scope))
	p.Notes("Note", b.Notes)
	for _, f := range b.Fired {
		p.Line(page.Plain, "Would stop a work loop: %s: %s", f.Condition, f.Text)
	}
	p.Notes("Would be asked", b.Gates)
	for _, i := range b.Issues {
		p.Line(page.Plain, "#%-5d %-11s %s%s", i.Number, i.State, i.Title,
			prefixed(" — ", remarksOn(i)))
	}
}

func (b *Board) counts() string {
	n := map[string]int{}
	for _, i := range b.Issues {
		n[i.State]++
	}
	var parts []string
	for i, state := range []string{"unblocked", "blocked", "in-progress", "merged", "unknown"} {
		if i < 3 || n[state] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n[state], state))
		}
	}
	return strings.Join(parts, ", ")
}

func remarksOn(i backlog.Fact) string {
	return strings.Join(loop.AppendNew(nil, prefixed("blocked by ", commas(i.BlockedBy...)),
		prefixed("unknown: ", commas(i.Unknown...)),
		when(i.Criteria != "ok", "criteria: "+i.Criteria)), "; ")
}

// PR is a pull request as reported by its tracker, with the condition and gate it would trigger in
// a review loop.
type PR struct {
	Tracker string `json:"tracker"`
	forge.PR
	// HumanFeedback is nil if it is not known whether a person commented. Reviewed is true if
	// everyone who commented has since approved the head commit and the head has not moved since
	// the review loop's previous iteration ended.
	HumanFeedback *bool        `json:"human_feedback"`
	Reviewed      bool         `json:"reviewed,omitempty"`
	Fired         []loop.Fired `json:"conditions"` // pr-terminal, for a loop that watches this PR
	Gate          string       `json:"gate,omitempty"`
	Notes         []string     `json:"notes,omitempty"`
}

func (pr PR) Draw(p *page.Text) {
	p.Line(page.Plain, "PR #%d (%s%s): %s", pr.Number, pr.State, when(pr.Draft, ", draft"),
		pr.Title)
	var about page.Facts
	about.Row("tracker", page.Plain, "%s", pr.Tracker)
	about.Row("head", page.Plain, "%s at %s, into %s%s", pr.Branch, attempt.Short(pr.HeadSHA),
		pr.Base, when(pr.Fork, ", from a fork"))
	about.Given("checks", pr.CI)
	about.Given("labels", commas(pr.Labels...))
	about.Given("closes", numbers(pr.Closes))
	for _, f := range pr.Feedback {
		about.Row(f.Kind, page.Plain, "by %s (%s), %s", f.Author,
			cmp.Or(when(f.Human, "human"), "agent"), f.At.UTC().Format(time.RFC3339))
	}
	for _, f := range pr.Fired {
		about.Row("would stop", page.Warn, "a loop that watches it: %s", f.Text)
	}
	merge := "waits for your answer: " + pr.Gate
	switch {
	case pr.Reviewed:
		merge = "passes, because everyone who commented has since approved this commit"
	case pr.HumanFeedback == nil:
		merge += " (it is unknown whether a person commented)"
	case !*pr.HumanFeedback:
		merge = "passes, because no person commented"
	}
	about.Row("a merge", page.Plain, "%s", merge)
	about.Rows("note", page.Plain, pr.Notes)
	p.Facts(about)
}
