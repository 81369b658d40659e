package forge

import (
	"slices"
	"strings"
	"time"

	"hooks/internal/loop"
)

// PR is a pull or merge request as the tracker tells it.
type PR struct {
	Number  int      `json:"number"`
	Title   string   `json:"title"`
	State   string   `json:"state"` // open, merged, closed or do-not-merge
	Draft   bool     `json:"draft,omitempty"`
	Labels  []string `json:"labels,omitempty"`
	Branch  string   `json:"branch"`
	Base    string   `json:"base"`
	HeadSHA string   `json:"head_sha"`
	Fork    bool     `json:"fork,omitempty"` // the branch is another repository's
	// Elsewhere says that origin is not that repository either: in a clone of the fork it is.
	Elsewhere bool `json:"-"`
	// CI is passing, failing, pending or none; empty when the tracker did not tell. It decides nothing here (R85).
	CI       string   `json:"ci,omitempty"`
	Closes   []int    `json:"closes,omitempty"`
	Feedback []Remark `json:"feedback,omitempty"`
	// Since is the moment from which all feedback is known; the zero time means from the beginning.
	Since time.Time `json:"feedback_since,omitzero"`
	// Approved is when a person last approved the head commit without a word, by login in lower case.
	Approved map[string]time.Time `json:"-"`
}

// Remark is a comment or a review.
type Remark struct {
	Author string    `json:"author"` // "ghost" for a deleted user
	Human  bool      `json:"human"`
	At     time.Time `json:"at,omitzero"`
	Kind   string    `json:"kind"` // comment, review, or approval: a review that says yes and nothing else
}

// HumanFeedback says whether a person commented or reviewed from a moment on (R99, R101); nil when that is not known.
// An approval without words is none. Whether the feedback was addressed is not said.
func (p *PR) HumanFeedback(from time.Time) *bool {
	for _, r := range p.Feedback {
		if r.Human && r.Kind != "approval" && (r.At.IsZero() || !r.At.Before(from)) {
			return new(true)
		}
	}
	if from.Before(p.Since) {
		return nil
	}
	return new(false)
}

// Loop is the PR as a loop takes it. Human feedback of any age counts: when it was addressed stands nowhere, and a comment
// from long ago may be addressed only now (R99).
func (p *PR) Loop() loop.PR {
	return loop.PR{Number: p.Number, State: p.State, Branch: p.Branch, HeadSHA: p.HeadSHA, Labels: p.Labels, HumanFeedback: p.HumanFeedback(time.Time{})}
}

// approve notes a person's bare approval of the head commit.
func (p *PR) approve(r Remark, commit string) {
	if !r.Human || r.Kind != "approval" || commit == "" || commit != p.HeadSHA || r.At.IsZero() {
		return
	}
	if p.Approved == nil {
		p.Approved = map[string]time.Time{}
	}
	if who := strings.ToLower(r.Author); r.At.After(p.Approved[who]) {
		p.Approved[who] = r.At
	}
}

// Reviewed says that nothing is left to re-review (R99, R102): every person who spoke has approved the head commit since,
// and that one was the head already when the previous iteration ended, so that nothing was addressed after it.
func (p *PR) Reviewed(headAtEnd string) bool {
	if headAtEnd == "" || !loop.SameSHA(headAtEnd, p.HeadSHA) || !p.Since.IsZero() {
		return false
	}
	spoke := false
	for _, r := range p.Feedback {
		if !r.Human || r.Kind == "approval" {
			continue
		}
		if spoke = true; r.At.IsZero() || !p.Approved[strings.ToLower(r.Author)].After(r.At) {
			return false
		}
	}
	return spoke
}

// identities tell persons from agents and PRs that must not be merged.
type identities struct {
	agents     []string
	doNotMerge string
}

// remark is one comment. An author nobody knows counts as a person: better asked once too often (R101).
func (id identities) remark(login string, bot bool, at time.Time, kind string) Remark {
	if login == "" {
		return Remark{"ghost", true, at, kind}
	}
	bare := strings.TrimPrefix(strings.ToLower(login), "app/")
	agent := bot || strings.HasSuffix(bare, "[bot]") || slices.ContainsFunc(id.agents, func(a string) bool {
		return strings.EqualFold(strings.TrimPrefix(a, "@"), bare)
	})
	return Remark{login, !agent, at, kind}
}

// terminal turns an open PR's state into do-not-merge where it carries the label (R21).
func (id identities) terminal(p *PR) {
	if p.State == "open" && slices.ContainsFunc(p.Labels, func(l string) bool { return strings.EqualFold(l, id.doNotMerge) }) {
		p.State = "do-not-merge"
	}
}

// order sorts the feedback by time.
func (p *PR) order() {
	slices.SortStableFunc(p.Feedback, func(a, b Remark) int { return a.At.Compare(b.At) })
}

// cutAt notes that older feedback than a moment is not known; at the zero time, that none is. Of several lists that are cut,
// the one whose oldest entry is the youngest decides.
func (p *PR) cutAt(oldest time.Time) {
	if oldest.IsZero() {
		oldest = time.Unix(1<<40, 0).UTC()
	}
	if oldest.After(p.Since) {
		p.Since = oldest
	}
}

// ci is one word for what the forges call their checks' state.
func ci(word string) string {
	switch strings.ToLower(word) {
	case "success", "passing", "passed":
		return "passing"
	case "failure", "error", "failed", "failing", "canceled", "cancelled", "canceling":
		return "failing"
	case "pending", "expected", "running", "created", "waiting_for_resource", "waiting_for_callback", "preparing", "scheduled", "manual":
		return "pending"
	case "none", "skipped":
		return "none"
	}
	return ""
}
