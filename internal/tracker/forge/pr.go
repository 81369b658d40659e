package forge

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"hooks/internal/loop"
)

// PR is a pull or merge request.
type PR struct {
	Number  int      `json:"number"`
	Title   string   `json:"title"`
	State   string   `json:"state"` // open, merged, closed or do-not-merge
	Draft   bool     `json:"draft"`
	Labels  []string `json:"labels"`
	Branch  string   `json:"branch"`
	Base    string   `json:"base"`
	HeadSHA string   `json:"head_sha"`
	Fork    bool     `json:"fork"` // the branch is in another repository
	// Elsewhere reports whether Fork is set and the branch is not known to be in origin's
	// repository. It is false in a clone of the fork.
	Elsewhere bool `json:"-"`
	// CI is passing, failing, pending or none, or empty if unknown. It is only displayed (R85).
	CI       string   `json:"ci,omitempty"`
	Closes   []int    `json:"closes"`
	Feedback []Remark `json:"feedback"`
	Cut      bool     `json:"-"` // some feedback is unknown
}

// Remark is a comment or a review.
type Remark struct {
	Author string    `json:"author"` // "ghost" for a deleted user
	Human  bool      `json:"human"`
	At     time.Time `json:"at,omitzero"`
	Kind   string    `json:"kind"` // comment, review, or approval (a review that only approves)
	// Commit is the reviewed commit. It is empty if unknown, or if the author is the login that the
	// loop uses.
	Commit string `json:"-"`
}

// HumanFeedback reports whether a person has ever commented or reviewed, because no tracker records
// whether feedback has been addressed (R99, R101). It returns nil if that is unknown. An approval
// without text does not count.
func (p *PR) HumanFeedback() *bool {
	switch {
	case slices.ContainsFunc(p.Feedback, Remark.speaks):
		return new(true)
	case p.Cut:
		return nil
	}
	return new(false)
}

// speaks reports whether a remark is feedback from a person.
func (r Remark) speaks() bool { return r.Human && r.Kind != "approval" }

// Loop converts the PR to a loop.PR.
func (p *PR) Loop() loop.PR {
	return loop.PR{
		Number: p.Number, State: p.State, Branch: p.Branch, HeadSHA: p.HeadSHA, Labels: p.Labels,
		Title:         p.Title,
		HumanFeedback: p.HumanFeedback(),
	}
}

// Reviewed reports whether the PR needs no further review (R99, R102): every person who commented
// has since approved the head commit, and that commit was already the head when the previous
// iteration ended, so no later commit addresses feedback. It returns false if nobody commented.
func (p *PR) Reviewed(headAtEnd string) bool {
	if headAtEnd == "" || !loop.SameSHA(headAtEnd, p.HeadSHA) || p.Cut {
		return false
	}
	spoke := false
	for _, r := range p.Feedback {
		if !r.speaks() {
			continue
		}
		spoke = true
		approved := func(a Remark) bool {
			return a.Human && a.Kind == "approval" && a.Commit == p.HeadSHA &&
				strings.EqualFold(a.Author, r.Author) && a.At.After(r.At)
		}
		if r.At.IsZero() || !slices.ContainsFunc(p.Feedback, approved) {
			return false
		}
	}
	return spoke
}

// remark adds a comment or review. An unknown author counts as a person, because a needless
// question is better than a missing one (R101).
func (r *reader) remark(p *PR, login string, bot bool, said Remark) {
	bare := strings.TrimPrefix(strings.ToLower(login), "app/")
	bot = bot || strings.HasSuffix(bare, "[bot]")
	agent := slices.ContainsFunc(r.Config.AgentLogins, func(a string) bool {
		return strings.EqualFold(strings.TrimPrefix(a, "@"), bare)
	})
	said.Author, said.Human = cmp.Or(login, "ghost"), login == "" || !bot && !agent
	p.Feedback = append(p.Feedback, said)
}

// finish sorts a PR's feedback by time, and sets the state do-not-merge for an open PR with that
// label (R21).
func (r *reader) finish(p *PR) {
	slices.SortStableFunc(p.Feedback, func(a, b Remark) int { return a.At.Compare(b.At) })
	if p.State == "open" && slices.ContainsFunc(p.Labels, func(l string) bool {
		return strings.EqualFold(l, r.Config.DoNotMerge)
	}) {
		p.State = "do-not-merge"
	}
}

// ci maps a forge's name for a check status to a value of PR.CI.
func ci(word string) string {
	switch strings.ToLower(word) {
	case "success", "passing", "passed":
		return "passing"
	case "failure", "error", "failed", "failing", "canceled", "cancelled", "canceling":
		return "failing"
	case "pending", "expected", "running", "created", "waiting_for_resource",
		"waiting_for_callback", "preparing", "scheduled", "manual":
		return "pending"
	case "none", "skipped":
		return "none"
	}
	return ""
}
