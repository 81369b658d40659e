package report

import (
	"fmt"
	"strings"
	"time"

	"hooks/internal/loop"
)

// Board is a project's backlog as its tracker tells it, and what it would trigger in a work loop.
type Board struct {
	Tracker string       `json:"tracker"`
	Scope   string       `json:"scope,omitempty"`
	Whole   bool         `json:"whole"` // else nothing follows from what is absent
	Issues  []BoardIssue `json:"issues"`
	Edges   [][2]int     `json:"edges"` // blocker, blocked
	// Workable are the issues that a loop may pick now; nil where the backlog is not whole.
	Workable []int        `json:"workable"`
	Fired    []loop.Fired `json:"conditions"` // of backlog-empty and dependency-cycle, those that hold
	Gates    []string     `json:"gates"`      // questions about acceptance criteria, each asked once its issue is picked
	Notes    []string     `json:"notes,omitempty"`
}

// BoardIssue is one open issue in scope.
type BoardIssue struct {
	Number    int      `json:"number"`
	Title     string   `json:"title"`
	State     string   `json:"state"` // unblocked, blocked, in-progress, merged or unknown
	Criteria  string   `json:"criteria"`
	Labels    []string `json:"labels,omitempty"`
	Milestone string   `json:"milestone,omitempty"`
	BlockedBy []string `json:"blocked_by,omitempty"`
	Unknown   []string `json:"unknown,omitempty"` // dependencies whose state nobody knows
}

// Backlog prints a board.
func Backlog(b Board) string {
	t := wholeText()
	if b.Issues != nil {
		t.line("Backlog: %s%s", b.counts(), map[bool]string{false: " (not whole)"}[b.Whole])
	}
	t.line("Tracker: %s%s", b.Tracker, prefixed("; scope: ", b.Scope))
	for _, n := range b.Notes {
		t.line("Note: %s", n)
	}
	for _, f := range b.Fired {
		t.line("Would stop a work loop: %s: %s", f.Condition, f.Text)
	}
	for _, g := range b.Gates {
		t.line("Would be asked: %s", g)
	}
	for _, i := range b.Issues {
		t.line("#%-5d %-11s %s%s", i.Number, i.State, i.Title, i.remarks())
	}
	return t.String()
}

func (b *Board) counts() string {
	n := map[string]int{}
	for _, i := range b.Issues {
		n[i.State]++
	}
	text := fmt.Sprintf("%d unblocked, %d blocked, %d in-progress", n["unblocked"], n["blocked"], n["in-progress"])
	for _, more := range []string{"merged", "unknown"} {
		if n[more] > 0 {
			text += fmt.Sprintf(", %d %s", n[more], more)
		}
	}
	return text
}

func (i *BoardIssue) remarks() string {
	var parts []string
	if len(i.BlockedBy) > 0 {
		parts = append(parts, "blocked by "+strings.Join(i.BlockedBy, ", "))
	}
	if len(i.Unknown) > 0 {
		parts = append(parts, "unknown: "+strings.Join(i.Unknown, ", "))
	}
	if i.Criteria != "ok" {
		parts = append(parts, "criteria: "+i.Criteria)
	}
	return prefixed(" — ", strings.Join(parts, "; "))
}

func prefixed(prefix, s string) string {
	if s == "" {
		return ""
	}
	return prefix + s
}

// PR is one PR as its tracker tells it, and what it would trigger in a review loop.
type PR struct {
	Tracker  string     `json:"tracker"`
	Number   int        `json:"number"`
	Title    string     `json:"title"`
	State    string     `json:"state"` // open, merged, closed or do-not-merge
	Draft    bool       `json:"draft"`
	Fork     bool       `json:"fork"`
	Labels   []string   `json:"labels"`
	Branch   string     `json:"branch"`
	Base     string     `json:"base"`
	HeadSHA  string     `json:"head_sha"`
	CI       string     `json:"ci,omitempty"`
	Closes   []int      `json:"closes"`
	Feedback []Feedback `json:"feedback"`
	// HumanFeedback is nil when it is not known whether a person spoke. Reviewed says that all who did have approved the
	// head commit since, as it was when the review loop's previous iteration ended.
	HumanFeedback *bool        `json:"human_feedback"`
	Reviewed      bool         `json:"reviewed,omitempty"`
	Fired         []loop.Fired `json:"conditions"` // pr-terminal, where it holds in a loop that watches this PR
	Gate          string       `json:"gate,omitempty"`
	Notes         []string     `json:"notes,omitempty"`
}

// Feedback is a comment or review on a PR.
type Feedback struct {
	Author string    `json:"author"`
	Human  bool      `json:"human"`
	At     time.Time `json:"at,omitzero"`
	Kind   string    `json:"kind"` // comment, review, or approval: a review that says yes and nothing else
}

// mostFeedback is how many comments and reviews people get to read; --json has all.
const mostFeedback = 10

// PullRequest prints a PR.
func PullRequest(p PR) string {
	t := wholeText()
	t.line("PR #%d (%s%s): %s", p.Number, p.State, map[bool]string{true: ", draft"}[p.Draft], p.Title)
	t.line("Tracker: %s", p.Tracker)
	t.line("Head: %s at %s, into %s%s", p.Branch, short(p.HeadSHA), p.Base, map[bool]string{true: ", from a fork"}[p.Fork])
	if p.CI != "" {
		t.line("Checks: %s", p.CI)
	}
	if len(p.Labels)+len(p.Closes) > 0 {
		t.line("Labels: %s; closes: %s", orNone(strings.Join(p.Labels, ", ")), orNone(numbers(p.Closes)))
	}
	older := max(len(p.Feedback)-mostFeedback, 0)
	for _, f := range p.Feedback[older:] {
		t.line("%s by %s (%s), %s", f.Kind, f.Author, map[bool]string{true: "human", false: "agent"}[f.Human], f.At.UTC().Format(time.RFC3339))
	}
	if older > 0 {
		t.line("and %d earlier", older)
	}
	for _, f := range p.Fired {
		t.line("Would stop a loop that watches it: %s", f.Text)
	}
	switch {
	case p.Reviewed:
		t.line("Every person who spoke has approved this commit since: a merge passes without a question")
	case p.HumanFeedback == nil:
		t.line("Before a merge would be asked: %s (whether a person spoke is not known)", p.Gate)
	case *p.HumanFeedback:
		t.line("Before a merge would be asked: %s", p.Gate)
	default:
		t.line("No person spoke: a merge passes without a question")
	}
	for _, n := range p.Notes {
		t.line("Note: %s", n)
	}
	return t.String()
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}
