package report

import (
	"fmt"
	"slices"
	"strings"

	"hooks/internal/loop"
)

// Card is what a person reads in the morning of one run.
type Card struct {
	Run        *loop.Budget     `json:"run"`
	Stopped    *StopWhy         `json:"stopped,omitempty"` // nil while it goes on
	Budgets    []Axis           `json:"budgets"`
	Iterations []loop.Iteration `json:"iterations"`       // the last ones, oldest first
	Earlier    int              `json:"earlier_lines"`    // that are left out here
	PRs        []CardPR         `json:"prs"`              // of these iterations and the run
	Verified   Verified         `json:"verified"`         // what the program saw itself
	Claimed    Claimed          `json:"claimed"`          // what the skill told
	Worktrees  []loop.Worktree  `json:"active_worktrees"` // that came in the run's iterations, and are on disk
	Branches   []string         `json:"branches"`
	Gates      []Asked          `json:"gates"`
	Denied     []loop.Denial    `json:"denied"` // of these iterations
	Waiting    []Waiting        `json:"waiting"`
	Resume     string           `json:"resume"`              // what to type to go on; empty where nothing is left to do
	Next       string           `json:"next_tick,omitempty"` // what brings it, while the run goes on
	Present    bool             `json:"present"`             // not archived
	Open       bool             `json:"iteration_open"`
}

// CardPR is a PR with what is known of it, and by whom.
type CardPR struct {
	Number int    `json:"number"`
	Branch string `json:"branch,omitempty"`
	State  string `json:"state,omitempty"`
	SHA    string `json:"head_sha,omitempty"`
	Seen   bool   `json:"seen"`             // a call that succeeded was about it
	Merged bool   `json:"merge_seen"`       // a merge call that succeeded
	Told   bool   `json:"told_by_tracker"`  // the state is the tracker's own word
	Head   bool   `json:"head_from_remote"` // the commit is the remote's own word
}

// Verified is what was observed: transcripts, tool calls that succeeded, the remote.
type Verified struct {
	Dollars  loop.USD `json:"dollars"`
	Agents   int      `json:"agents_dispatched"`
	PRs      []int    `json:"prs"`
	Merged   []int    `json:"merged"`
	Attempts int      `json:"merges_attempted"`
	Comments int      `json:"comments"`
	Heads    []string `json:"heads"` // branches
	Progress Progress `json:"progress"`
}

// Progress is the last iteration on a card that was seen to bring something, 0 for none, and what was spent since.
type Progress struct {
	Iteration  int      `json:"iteration"`
	Iterations int      `json:"iterations_since"`
	Dollars    loop.USD `json:"dollars_since"`
}

// add takes the next iteration in. A PR that a call was about counts, and a commit that reached the remote.
func (p *Progress) add(l *loop.Iteration) {
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
	since := fmt.Sprintf("%s, $%s", plural(p.Iterations, "iteration"), p.Dollars)
	switch {
	case p.Iteration == 0:
		return "none seen in " + since
	case p.Iterations == 0:
		return fmt.Sprintf("in iteration %d, the last one", p.Iteration)
	}
	return fmt.Sprintf("last in iteration %d; %s since", p.Iteration, since)
}

// Claimed is what nothing but the skill's word stands for.
type Claimed struct {
	PRs      []int          `json:"prs"`
	States   []int          `json:"states"` // PRs whose state nobody else saw
	Comments int            `json:"comments"`
	Failures []loop.Failure `json:"failures"`
	Outcomes int            `json:"outcomes"` // iterations whose outcome was told
	Notes    []string       `json:"notes"`
}

// NewCard gathers a card from a run and its last lines, oldest first.
func NewCard(b *loop.Budget, lines []loop.Iteration, earlier int) Card {
	c := Card{
		Run: b, Iterations: append([]loop.Iteration{}, lines...), Earlier: earlier,
		PRs: []CardPR{}, Worktrees: []loop.Worktree{}, Branches: []string{},
		Gates: []Asked{}, Denied: []loop.Denial{},
		Verified: Verified{Dollars: b.DollarsEstimate, Agents: b.AgentsDispatched, Attempts: b.MergesAttempted, PRs: []int{}, Merged: []int{}, Heads: []string{}},
		Claimed:  Claimed{PRs: []int{}, States: []int{}, Failures: []loop.Failure{}, Notes: []string{}},
	}
	for _, name := range b.PRsTouched {
		var n int
		if _, err := fmt.Sscanf(name, "#%d", &n); err == nil {
			c.pr(n)
		}
	}
	for i := range lines {
		c.add(&lines[i])
	}
	c.settle()
	return c
}

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
	c.Verified.Comments += l.Observed.Comments
	c.Claimed.Comments += max(0, l.Comments-l.Observed.Comments)
	c.Claimed.Failures = append(c.Claimed.Failures, l.Failures...)
	if l.Began() && l.Facts == "" {
		c.Claimed.Outcomes++
	}
	for _, w := range l.Worktrees {
		before := len(c.Worktrees)
		c.Worktrees = slices.DeleteFunc(c.Worktrees, func(o loop.Worktree) bool { return o.Path == w.Path })
		if len(c.Worktrees) < before || slices.Contains(l.Observed.Worktrees, w.Path) {
			c.Worktrees = append(c.Worktrees, w)
		}
	}
	for _, t := range l.TrackedPRs {
		p := c.pr(t.Number)
		p.Branch, p.State, p.SHA, p.Head = t.Branch, t.StateAtEnd, t.EndSHA, slices.Contains(l.Observed.Heads, t.Branch)
	}
	for _, n := range l.Observed.PRs {
		c.pr(n).Seen = true
	}
	for _, n := range l.Observed.Tracker {
		p := c.pr(n)
		p.Seen, p.Told = true, true
	}
	for _, n := range l.Observed.Merged {
		p := c.pr(n)
		p.Seen, p.Merged = true, true
	}
}

// Keep leaves out the worktrees that are not left on disk.
func (c *Card) Keep(left func(path string) bool) {
	c.Worktrees = slices.DeleteFunc(c.Worktrees, func(w loop.Worktree) bool { return !left(w.Path) })
}

// settle tells apart what was seen and what was only told.
func (c *Card) settle() {
	for _, p := range c.PRs {
		if p.Seen {
			c.Verified.PRs = append(c.Verified.PRs, p.Number)
		} else {
			c.Claimed.PRs = append(c.Claimed.PRs, p.Number)
		}
		if p.Merged {
			c.Verified.Merged = append(c.Verified.Merged, p.Number)
		} else if !p.Told && (p.State == "merged" || p.State == "closed") {
			c.Claimed.States = append(c.Claimed.States, p.Number)
		}
		if p.Head {
			c.Verified.Heads = append(c.Verified.Heads, p.Branch)
		}
		if p.Branch != "" {
			c.Branches = add(c.Branches, p.Branch)
		}
	}
	for _, w := range c.Worktrees {
		if w.Branch != "" {
			c.Branches = add(c.Branches, w.Branch)
		}
	}
}

func add(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

// did is what an iteration did, in words.
func did(l *loop.Iteration) string {
	parts := []string{fmt.Sprintf("%s, %d min, $%s", l.Outcome, minutesOf(l.StartedAt, l.EndedAt), l.Dollars)}
	for _, n := range []struct {
		n    int
		what string
	}{{l.Agents, "workers dispatched"}, {l.Comments, "comments pushed"}, {l.Merges, "merges tried"}} {
		if n.n > 0 {
			parts = append(parts, fmt.Sprintf("%s: %d", n.what, n.n))
		}
	}
	if len(l.PRsTouched) > 0 {
		parts = append(parts, "PRs "+strings.Join(l.PRsTouched, " "))
	}
	if len(l.Fired) > 0 {
		parts = append(parts, "stopped by "+strings.Join(l.Fired, ", "))
	}
	if l.Facts != "" {
		parts = append(parts, "the skill reported nothing")
	}
	if n := loop.Refusals(l.Denied); n > 0 {
		parts = append(parts, plural(n, "call")+" refused")
	}
	if l.Overrun != nil {
		parts = append(parts, l.Overrun.String())
	}
	return strings.Join(parts, ", ")
}
