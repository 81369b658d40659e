package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hooks/internal/english"
	"hooks/internal/loop"
	"hooks/internal/tracker/forge"
)

// Card is the report card of one run.
type Card struct {
	Run        *loop.Budget     `json:"run"`
	Stopped    *StopWhy         `json:"stopped,omitempty"` // nil while the run is active
	Budgets    []Axis           `json:"budgets"`
	Iterations []loop.Iteration `json:"iterations"`       // most recent ones, oldest first
	Earlier    int              `json:"earlier_lines"`    // number of earlier history lines
	PRs        []CardPR         `json:"prs"`              // PRs from these iterations and the run
	Issues     []loop.Issue     `json:"issues,omitempty"` // issues, titled as in the tracker
	Tasks      any              `json:"tasks,omitempty"`  // set for a task loop
	Verified   Verified         `json:"verified"`
	Claimed    Claimed          `json:"claimed"`
	// Worktrees lists worktrees that appeared in these iterations and still exist.
	Worktrees []loop.Worktree `json:"active_worktrees"`
	Branches  []string        `json:"branches"`
	Gates     []Asked         `json:"gates"`
	Denied    []loop.Denial   `json:"denied"` // refusals in these iterations
	Waiting   []Waiting       `json:"waiting"`
	Resume    string          `json:"resume"`              // command that continues the run, if any
	Raise     string          `json:"raise,omitempty"`     // see Stand
	Next      string          `json:"next_tick,omitempty"` // set while the run continues
	Present   bool            `json:"present"`             // the run is not archived
	Open      bool            `json:"iteration_open"`
	// OpenDollars is the amount spent so far in the open iteration.
	OpenDollars loop.USD `json:"open_iteration_dollars"`
	Project     string   `json:"project,omitempty"`       // see Stand
	Stale       bool     `json:"verdict_stale,omitempty"` // see Stand

	stand Stand

	// The remaining fields are used only by the page.
	Folder string      `json:"-"` // project folder
	Links  forge.Links `json:"-"`
	Unread []string    `json:"-"` // errors from reading the history
}

// CardPR holds the known facts about a PR and their sources.
type CardPR struct {
	Number int    `json:"number"`
	Title  string `json:"title,omitempty"` // title in the tracker
	Branch string `json:"branch,omitempty"`
	State  string `json:"state,omitempty"`
	SHA    string `json:"head_sha,omitempty"`
	Seen   bool   `json:"seen"`             // the tracker reported it, or a call about it succeeded
	Merged bool   `json:"merge_seen"`       // a merge call succeeded
	Told   bool   `json:"told_by_tracker"`  // the state comes from the tracker
	Head   bool   `json:"head_from_remote"` // the commit comes from the remote
}

// Verified holds facts that were observed in transcripts and tool calls or reported by the tracker
// or the remote.
type Verified struct {
	Dollars  loop.USD `json:"dollars"`
	Agents   int      `json:"agents_dispatched"`
	PRs      []int    `json:"prs"`
	Merged   []int    `json:"merged"`
	Attempts int      `json:"merges_attempted"`
	Comments int      `json:"comments"`
	Heads    []string `json:"heads"` // branches
	Progress Progress `json:"progress"`
	// Tried counts the attempts and phases in these iterations. Fresh counts the attempts and
	// phases whose worker provably began with an empty context (T93).
	Tried int `json:"attempts,omitempty"`
	Fresh int `json:"fresh_contexts,omitempty"`
}

// Progress records the last iteration on a card that made observable progress, and the number and
// cost of the iterations since. Iteration is 0 if no iteration made progress.
type Progress struct {
	Iteration  int      `json:"iteration"`
	Iterations int      `json:"iterations_since"`
	Dollars    loop.USD `json:"dollars_since"`
}

// add counts the next iteration. An iteration made progress if a successful call opened, merged or
// commented on a PR, a commit reached the remote, or a commit finished a task.
func (p *Progress) add(l *loop.Iteration) {
	if j := l.Judged(); j != nil && j.SHA != "" && j.Verdict.Done() {
		*p = Progress{Iteration: l.Iteration}
		return
	}
	moved := slices.ContainsFunc(l.TrackedPRs, func(t loop.TrackedPR) bool {
		return t.StartSHA != t.EndSHA && slices.Contains(l.Observed.Heads, t.Branch)
	})
	if moved || len(l.Observed.PRs)+len(l.Observed.Merged) > 0 {
		*p = Progress{Iteration: l.Iteration}
	} else if l.Began() {
		p.Iterations, p.Dollars = p.Iterations+1, p.Dollars+l.Dollars
	}
}

func (p Progress) String() string {
	since := fmt.Sprintf("%s, $%s", english.Plural(p.Iterations, "iteration"), p.Dollars)
	switch {
	case p.Iteration == 0:
		return "none seen in " + since
	case p.Iterations == 0:
		return fmt.Sprintf("in iteration %d, the last one", p.Iteration)
	}
	return fmt.Sprintf("last in iteration %d; since then %s", p.Iteration, since)
}

// Claimed holds the facts reported only by the skill.
type Claimed struct {
	PRs      []int          `json:"prs"`
	States   []int          `json:"states"` // PRs that only the skill reported as ended
	Comments int            `json:"comments"`
	Failures []loop.Failure `json:"failures"`
	Outcomes int            `json:"outcomes"` // iterations whose outcome the skill reported
	Notes    []string       `json:"notes"`
}

// NewCard returns a loop's report card. lines are its most recent history lines, oldest first.
func NewCard(st Stand, lines []loop.Iteration) Card {
	b := st.Run
	c := Card{
		Run: b, Budgets: st.Budgets, Iterations: lines, Waiting: st.Gates, Raise: st.Raise,
		Next: when(b.Status == loop.Active && st.OwnerAlive, st.Next), Open: st.Tick != nil,
		OpenDollars: st.Open, Project: st.Project, Stale: st.Stale,
		stand: st, Verified: Verified{Dollars: b.DollarsEstimate, Agents: b.AgentsDispatched,
			Attempts: b.MergesAttempted},
	}
	if own, ok := b.Own.(Lister); ok {
		c.Tasks = own.Rows(st.shown())
	}
	for _, name := range b.PRsTouched {
		if n, err := strconv.Atoi(strings.TrimPrefix(name, "#")); err == nil {
			c.pr(n)
		}
	}
	if len(lines) > 0 {
		c.Earlier = max(0, lines[0].Seq-1)
	}
	for i := range lines {
		c.add(&lines[i])
	}
	c.settle()
	return c
}

// pr returns the PR with the given number, adding it to the card if necessary.
func (c *Card) pr(number int) *CardPR {
	i := slices.IndexFunc(c.PRs, func(p CardPR) bool { return p.Number == number })
	if i < 0 {
		c.PRs, i = append(c.PRs, CardPR{Number: number}), len(c.PRs)
	}
	return &c.PRs[i]
}

func (c *Card) add(l *loop.Iteration) {
	for _, g := range l.Gates {
		c.Gates = append(c.Gates, Asked{l.Iteration, g})
	}
	for _, d := range l.Denied {
		c.Denied = loop.AddDenial(c.Denied, d)
	}
	if !l.Ran() {
		return
	}
	c.Verified.Progress.add(l)
	if l.Own != nil {
		if c.Verified.Tried++; l.Own.Context() != "" {
			c.Verified.Fresh++
		}
	}
	c.Verified.Comments += l.Observed.Comments
	c.Claimed.Comments += max(0, l.Comments-l.Observed.Comments)
	c.Claimed.Failures = append(c.Claimed.Failures, l.Failures...)
	if l.Began() && l.Facts == "" && loop.KindOf(l.Skill).Owes != nil {
		c.Claimed.Outcomes++
	}
	for _, w := range l.Worktrees {
		before := len(c.Worktrees)
		c.Worktrees = slices.DeleteFunc(c.Worktrees,
			func(o loop.Worktree) bool { return o.Path == w.Path })
		if len(c.Worktrees) < before || slices.Contains(l.Observed.Worktrees, w.Path) {
			c.Worktrees = append(c.Worktrees, w)
		}
	}
	for _, i := range l.Titles {
		c.Issues = append(slices.DeleteFunc(c.Issues,
			func(o loop.Issue) bool { return o.Number == i.Number }), i)
	}
	for _, t := range l.TrackedPRs {
		p := c.pr(t.Number)
		p.Branch, p.State, p.SHA = t.Branch, t.StateAtEnd, t.EndSHA
		p.Title = cmp.Or(t.Title, p.Title)
		p.Head = slices.Contains(l.Observed.Heads, t.Branch)
	}
	for _, n := range slices.Concat(l.Observed.PRs, l.Observed.Tracker, l.Observed.Merged) {
		p := c.pr(n)
		p.Seen = true
		p.Told = p.Told || slices.Contains(l.Observed.Tracker, n)
		p.Merged = p.Merged || slices.Contains(l.Observed.Merged, n)
	}
}

// settle sorts the PRs into verified and claimed ones, and collects the branches.
func (c *Card) settle() {
	v, d := &c.Verified, &c.Claimed
	for _, p := range c.PRs {
		if p.Seen {
			v.PRs = append(v.PRs, p.Number)
		} else {
			d.PRs = append(d.PRs, p.Number)
		}
		if p.Merged {
			v.Merged = append(v.Merged, p.Number)
		} else if !p.Told && (p.State == "merged" || p.State == "closed") {
			d.States = append(d.States, p.Number)
		}
		if p.Head {
			v.Heads = append(v.Heads, p.Branch)
		}
		c.Branches = loop.AppendNew(c.Branches, p.Branch)
	}
	for _, w := range c.Worktrees {
		c.Branches = loop.AppendNew(c.Branches, w.Branch)
	}
}
