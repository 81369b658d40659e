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
	Fork    bool     `json:"fork"` // the branch is in another repository
	// Elsewhere reports that the branch is not in origin's repository either. In a clone of the
	// fork, it is.
	Elsewhere bool `json:"-"`
	// CI is passing, failing, pending or none, or empty if unknown. It is only displayed (R85).
	CI       string   `json:"ci,omitempty"`
	Closes   []int    `json:"closes"`
	Feedback []Remark `json:"feedback"`
	// Since is the time from which all feedback is known. It is zero if all feedback is known.
	Since time.Time `json:"-"`
	// Approved maps the login of a person, in lower case, to the time of their last approval of the
	// head commit without text.
	Approved map[string]time.Time `json:"-"`
}

// Remark is a comment or a review.
type Remark struct {
	Author string    `json:"author"` // "ghost" for a deleted user
	Human  bool      `json:"human"`
	At     time.Time `json:"at,omitzero"`
	Kind   string    `json:"kind"` // comment, review, or approval: a review that only approves
}

// HumanFeedback reports whether a person commented or reviewed at or after from (R99, R101). It
// returns nil if that is unknown. An approval without text does not count. Other feedback counts
// even if it was addressed.
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

// Loop returns the PR for package loop. Human feedback of any age counts, because no tracker
// records when it was addressed, and an old comment may be addressed only now (R99).
func (p *PR) Loop() loop.PR {
	return loop.PR{
		Number: p.Number, State: p.State, Branch: p.Branch, HeadSHA: p.HeadSHA, Labels: p.Labels,
		Title:         p.Title,
		HumanFeedback: p.HumanFeedback(time.Time{}),
	}
}

func (p *PR) add(r Remark) Remark {
	p.Feedback = append(p.Feedback, r)
	return r
}

// approve records r if it is a person's approval of the head commit without text.
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

// Reviewed reports whether no further review is needed (R99, R102): every person who commented has
// since approved the head commit, and it was already the head when the previous iteration ended, so
// that no later commit addresses feedback.
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

// identities holds the logins of agents and the label of PRs that must not be merged.
type identities struct {
	agents     []string
	doNotMerge string
}

// remark returns a comment or review. An unknown author counts as a person, because asking once too
// often is better than not asking (R101).
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

// finish sorts a PR's feedback by time, and sets the state do-not-merge for an open PR with that
// label (R21).
func (id identities) finish(p *PR) {
	slices.SortStableFunc(p.Feedback, func(a, b Remark) int { return a.At.Compare(b.At) })
	if p.State == "open" && slices.ContainsFunc(p.Labels, func(l string) bool {
		return strings.EqualFold(l, id.doNotMerge)
	}) {
		p.State = "do-not-merge"
	}
}

// cutAt records that feedback before oldest is unknown, or all feedback if oldest is zero. After
// several calls, the latest time counts.
func (p *PR) cutAt(oldest time.Time) {
	if oldest.IsZero() {
		oldest = time.Unix(1<<40, 0).UTC()
	}
	if oldest.After(p.Since) {
		p.Since = oldest
	}
}

// ci maps a forge's word for the state of its checks to a value of PR.CI.
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
