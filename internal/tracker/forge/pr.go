package forge

import (
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
	Fork    bool     `json:"fork"` // the branch is another repository's
	// Elsewhere reports that origin is not that repository either: in a clone of the fork it is.
	Elsewhere bool `json:"-"`
	// CI is passing, failing, pending or none; empty if unknown. It decides nothing here (R85).
	CI       string   `json:"ci,omitempty"`
	Closes   []int    `json:"closes"`
	Feedback []Remark `json:"feedback"`
	// Since is the moment from which all feedback is known; zero is from the beginning.
	Since time.Time `json:"-"`
	// Approved is when a person last approved the head commit without a word, by login in lower
	// case.
	Approved map[string]time.Time `json:"-"`
}

// Remark is a comment or a review.
type Remark struct {
	Author string    `json:"author"` // "ghost" for a deleted user
	Human  bool      `json:"human"`
	At     time.Time `json:"at,omitzero"`
	Kind   string    `json:"kind"` // comment, review, or approval: a review that only approves
}

// HumanFeedback reports whether a person commented or reviewed from a moment on (R99, R101); nil if
// that is unknown. An approval without words does not count. Feedback counts whether it was
// addressed or not.
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

// Loop is the PR as a loop takes it. Human feedback of any age counts, because no tracker records
// when it was addressed, and an old comment may be addressed only now (R99).
func (p *PR) Loop() loop.PR {
	return loop.PR{
		Number: p.Number, State: p.State, Branch: p.Branch, HeadSHA: p.HeadSHA, Labels: p.Labels,
		Title:         p.Title,
		HumanFeedback: p.HumanFeedback(time.Time{}),
	}
}

// add adds feedback.
func (p *PR) add(r Remark) Remark {
	p.Feedback = append(p.Feedback, r)
	return r
}

// approve records a person's bare approval of the head commit.
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

// Reviewed reports that nothing is left to review again (R99, R102): every person who commented has
// since approved the head commit, and that was the head already when the previous iteration ended,
// so nothing was addressed after it.
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

// identities distinguish persons from agents, and PRs that must not be merged.
type identities struct {
	agents     []string
	doNotMerge string
}

// remark is one comment. An unknown author counts as a person: one question too many is better than
// one too few (R101).
func (id identities) remark(login string, bot bool, at time.Time, kind string) Remark {
	if login == "" {
		return Remark{"ghost", true, at, kind}
	}
	bare := strings.TrimPrefix(strings.ToLower(login), "app/")
	bot = bot || strings.HasSuffix(bare, "[bot]")
	agent := slices.ContainsFunc(id.agents, func(a string) bool {
		return strings.EqualFold(strings.TrimPrefix(a, "@"), bare)
	})
	return Remark{login, !bot && !agent, at, kind}
}

// finish sorts a PR's feedback by time, and makes an open one with the label do-not-merge (R21).
func (id identities) finish(p *PR) {
	slices.SortStableFunc(p.Feedback, func(a, b Remark) int { return a.At.Compare(b.At) })
	if p.State == "open" && slices.ContainsFunc(p.Labels, func(l string) bool {
		return strings.EqualFold(l, id.doNotMerge)
	}) {
		p.State = "do-not-merge"
	}
}

// cutAt records that feedback older than a moment is unknown; at the zero time, that all of it is.
// Of several lists that are cut, the one whose oldest entry is the youngest decides.
func (p *PR) cutAt(oldest time.Time) {
	if oldest.IsZero() {
		oldest = time.Unix(1<<40, 0).UTC()
	}
	if oldest.After(p.Since) {
		p.Since = oldest
	}
}

// ci is one word for what the forges call the state of their checks.
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
