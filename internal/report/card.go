package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hooks/internal/loop"
)

// Card is the morning page of one run.
type Card struct {
	Run        *loop.Budget     `json:"run"`
	Stopped    *StopWhy         `json:"stopped,omitempty"` // nil while the run continues
	Budgets    []Axis           `json:"budgets"`
	Iterations []loop.Iteration `json:"iterations"`      // the last ones, oldest first
	Earlier    int              `json:"earlier_lines"`   // not among them
	PRs        []CardPR         `json:"prs"`             // of these iterations and the run
	Tasks      []TaskRow        `json:"tasks,omitempty"` // of a task loop
	Verified   Verified         `json:"verified"`
	Claimed    Claimed          `json:"claimed"`
	// Worktrees appeared in the run's iterations and are still on disk.
	Worktrees []loop.Worktree `json:"active_worktrees"`
	Branches  []string        `json:"branches"`
	Gates     []Asked         `json:"gates"`
	Denied    []loop.Denial   `json:"denied"` // of these iterations
	Waiting   []Waiting       `json:"waiting"`
	Resume    string          `json:"resume"`              // what to type to continue; may be empty
	Raise     string          `json:"raise,omitempty"`     // as of Stand
	Next      string          `json:"next_tick,omitempty"` // while the run continues
	Present   bool            `json:"present"`             // not archived
	Open      bool            `json:"iteration_open"`
	// OpenDollars is the spend of the open iteration so far.
	OpenDollars loop.USD `json:"open_iteration_dollars"`
	Project     string   `json:"project,omitempty"`       // as of Stand
	Stale       bool     `json:"verdict_stale,omitempty"` // as of Stand
	Head        string   `json:"-"`                       // as of Stand
}

// CardPR is a PR with what is known about it, and from whom.
type CardPR struct {
	Number int    `json:"number"`
	Branch string `json:"branch,omitempty"`
	State  string `json:"state,omitempty"`
	SHA    string `json:"head_sha,omitempty"`
	Seen   bool   `json:"seen"`             // a call about it succeeded
	Merged bool   `json:"merge_seen"`       // a merge call succeeded
	Told   bool   `json:"told_by_tracker"`  // the state comes from the tracker
	Head   bool   `json:"head_from_remote"` // the commit comes from the remote
}

// Verified holds the facts that the program observed in transcripts, tool calls and the remote.
type Verified struct {
	Dollars  loop.USD `json:"dollars"`
	Agents   int      `json:"agents_dispatched"`
	PRs      []int    `json:"prs"`
	Merged   []int    `json:"merged"`
	Attempts int      `json:"merges_attempted"`
	Comments int      `json:"comments"`
	Heads    []string `json:"heads"` // branches
	Progress Progress `json:"progress"`
	// Tried counts the attempts and phases in these iterations, Fresh those whose context was
	// seen to be empty at its beginning (T93).
	Tried int `json:"attempts,omitempty"`
	Fresh int `json:"fresh_contexts,omitempty"`
}

// Progress is the last iteration on a card with observed progress, 0 for none, and the spend since.
type Progress struct {
	Iteration  int      `json:"iteration"`
	Iterations int      `json:"iterations_since"`
	Dollars    loop.USD `json:"dollars_since"`
}

// add counts the next iteration. Progress is a PR that a call was about, a commit that reached the
// remote, or one that finished a task.
func (p *Progress) add(l *loop.Iteration) {
	if l.Task != nil && l.Task.Judgement.SHA != "" && l.Task.Done() {
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
	since := fmt.Sprintf("%s, $%s", loop.Plural(p.Iterations, "iteration"), p.Dollars)
	switch {
	case p.Iteration == 0:
		return "none seen in " + since
	case p.Iterations == 0:
		return fmt.Sprintf("in iteration %d, the last one", p.Iteration)
	}
	return fmt.Sprintf("last in iteration %d; %s since", p.Iteration, since)
}

// Claimed holds the facts that only the skill reported.
type Claimed struct {
	PRs      []int          `json:"prs"`
	States   []int          `json:"states"` // PRs that only the skill saw end
	Comments int            `json:"comments"`
	Failures []loop.Failure `json:"failures"`
	Outcomes int            `json:"outcomes"` // iterations whose outcome was reported
	Notes    []string       `json:"notes"`
}

// NewCard makes a card from a run and its last lines, oldest first.
func NewCard(b *loop.Budget, lines []loop.Iteration, earlier int) Card {
	c := Card{
		Run: b, Iterations: append([]loop.Iteration{}, lines...), Earlier: earlier,
		PRs: []CardPR{}, Worktrees: []loop.Worktree{}, Branches: []string{},
		Gates: []Asked{}, Denied: []loop.Denial{},
		Verified: Verified{Dollars: b.DollarsEstimate, Agents: b.AgentsDispatched,
			Attempts: b.MergesAttempted, PRs: []int{}, Merged: []int{}, Heads: []string{}},
		Claimed: Claimed{PRs: []int{}, States: []int{}, Failures: []loop.Failure{},
			Notes: []string{}},
	}
	for _, name := range b.PRsTouched {
		if n, err := strconv.Atoi(strings.TrimPrefix(name, "#")); err == nil {
			c.pr(n)
		}
	}
	for i := range lines {
		c.add(&lines[i])
	}
	c.settle()
	return c
}

// pr returns the PR of that number, a new one if the card has none.
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
	if l.Task != nil || l.Audit != nil {
		c.Verified.Tried++
	}
	if l.Task != nil && l.Task.Fresh != "" || l.Audit != nil && l.Audit.Fresh != "" {
		c.Verified.Fresh++
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
	for _, t := range l.TrackedPRs {
		p := c.pr(t.Number)
		p.Branch, p.State, p.SHA = t.Branch, t.StateAtEnd, t.EndSHA
		p.Head = slices.Contains(l.Observed.Heads, t.Branch)
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

// Keep drops the worktrees that are not left on disk.
func (c *Card) Keep(left func(path string) bool) {
	c.Worktrees = slices.DeleteFunc(c.Worktrees,
		func(w loop.Worktree) bool { return !left(w.Path) })
}

// settle separates what was observed from what was only reported.
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

// CardText writes a card.
func CardText(s Screen, c Card) string {
	p, b := newPage(s), c.Run
	style := warn
	switch {
	case c.Stopped == nil && c.Next != "":
		style = good
	case c.Stopped != nil && b.Status == loop.Halted:
		style = bad
	}
	p.title(style, "%s: %s", invocation(b), c.state())
	p.continuing(c)
	p.section("Run")
	p.given("project", plain, c.Project)
	p.row("run", plain, "%s", b.RunID)
	p.row("started", plain, "%s", s.at(b.StartedAt))
	if st := c.Stopped; st != nil {
		p.row("stopped", plain, "%s, %s, by %s", s.at(st.Since), st.where(), st.Cause)
		p.given("last error", plain, st.LastError)
	}
	p.section("Spend")
	for _, a := range c.Budgets {
		p.row(a.Name, a.style(), "%s", a.standing()+a.rest(false))
	}
	p.given("outside", plain, outside(b))
	if b.Replaced > 0 {
		p.row("written again", plain, "%s: somebody had changed the run's files",
			loop.Plural(b.Replaced, "time"))
	}
	kindOf(b, c.Head).card(p, c)
	p.iterations(c)
	p.facts(&c)
	p.leftBehind(c)
	if len(c.Denied) > 0 {
		p.section("Refused")
	}
	for _, d := range c.Denied {
		p.row(d.Rule, plain, "%s, %s", refusedCall(d), loop.Plural(d.Times, "time"))
	}
	return p.String()
}

// state describes a run.
func (c Card) state() string {
	switch {
	case c.Stopped != nil:
		return fmt.Sprintf("%s — %s", state(c.Run.Status, c.Run.StopCause), c.Stopped.Text)
	case c.Next != "" && c.Open:
		return "active, an iteration runs"
	case c.Next != "":
		return "active, between iterations"
	case c.Present:
		return "active, but its session is gone"
	}
	return "cut off, and archived"
}

// continuing writes what brings the next iteration, or what a person can do for it.
func (p *page) continuing(c Card) {
	p.section("Next")
	p.waiting(c.Waiting, true)
	switch {
	case c.Next != "":
		p.row("next tick", plain, "%s", c.Next)
	case c.Resume != "":
		p.row("type", strong, "%s", c.Resume)
	case c.Stopped != nil && len(c.Stopped.Do) > 0:
		p.rows("next", strong, c.Stopped.Do)
	default:
		p.row("nothing", plain, "is left to do")
	}
}

func (b taskLoop) card(p *page, c Card) {
	p.section("Tasks")
	p.row("done", plain, "%s", b.Tasks.Result())
	p.row("check", plain, "%s", checked(b.Tasks.Check))
	for _, r := range c.Tasks {
		p.row(fmt.Sprintf("task %d", r.Number), r.style(), "%s", r.text())
		p.rows("   note", warn, r.remarks())
	}
}

func (p *page) iterations(c Card) {
	p.section("Iterations")
	if c.Earlier > 0 {
		p.row("earlier", plain, "%s: hooks history --run %s", loop.Plural(c.Earlier, "more line"),
			c.Run.RunID)
	}
	for i := range c.Iterations {
		l := &c.Iterations[i]
		p.row(numberOf(l, "-")+"  "+p.at(l.StartedAt), outcomeStyle(l.Outcome), "%s", did(l))
		p.rows("   note", plain, l.Notes)
	}
}

// did describes an iteration in words.
func did(l *loop.Iteration) string {
	parts := []string{fmt.Sprintf("%s, %d min, $%s", outcomeName(l.Outcome),
		minutesOf(l), l.Dollars)}
	add := func(holds bool, format string, args ...any) {
		if holds {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	refused := loop.Refusals(l.Denied)
	if l.Task != nil {
		parts = append(parts, tried(l.Task))
	}
	if l.Audit != nil {
		parts = append(parts, phaseEnded(l.Audit))
	}
	add(l.Agents > 0, "%s dispatched", loop.Plural(l.Agents, "worker"))
	add(l.Comments > 0, "%s pushed", loop.Plural(l.Comments, "comment"))
	add(l.Merges > 0, "%s tried", loop.Plural(l.Merges, "merge"))
	add(len(l.PRsTouched) > 0, "PRs %s", strings.Join(l.PRsTouched, " "))
	add(len(l.Fired) > 0, "stopped by %s", strings.Join(l.Fired, ", "))
	add(l.Facts != "", "the skill reported nothing")
	add(refused > 0, "%s refused", loop.Plural(refused, "call"))
	if l.Overrun != nil {
		parts = append(parts, l.Overrun.String())
	}
	return strings.Join(parts, ", ")
}

// facts are the verified and the claimed facts of a run.
type facts struct {
	by                string // who claims, and how
	verified, claimed []fact
}

// fact has its value as HTML on a page, and as text elsewhere.
type fact struct {
	name  string
	value raw
}

func count(n int) raw { return raw(strconv.Itoa(n)) }

// spent are the facts of every kind.
func (facts) spent(c *Card) []fact {
	dollars := fmt.Sprintf("$%s (API-equivalent), counted from the transcripts", c.Verified.Dollars)
	return []fact{{"dollars", raw(dollars)}, {"workers", count(c.Verified.Agents) + " dispatched"}}
}

// facts writes what the program observed and, apart from it, what was only reported.
func (p *page) facts(c *Card) {
	f := kindOf(c.Run, c.Head).facts(c, refs{})
	p.section("Verified: seen by the program itself")
	for _, one := range append(f.spent(c), f.verified...) {
		p.row(one.name, plain, "%s", one.value)
	}
	p.section("Claimed: " + f.by + ", not verified")
	for _, one := range f.claimed {
		p.row(one.name, cmp.Or(when(one.name == "failure", warn), plain), "%s", one.value)
	}
}

func (b taskLoop) facts(c *Card, r refs) facts {
	v := c.Verified
	f := facts{by: "by the workers", verified: []fact{{"tasks", tasksOf(c.Tasks, loop.Verified)}},
		claimed: []fact{{"tasks", tasksOf(c.Tasks, loop.Claimed)},
			{"criteria", "of every task; no check can see whether all of them are met"}}}
	given := func(name string, value raw) {
		if value != "none" {
			f.verified = append(f.verified, fact{name, value})
		}
	}
	given("not broken", tasksOf(c.Tasks, loop.Unbroken))
	given("PRs", r.prs(v.PRs))
	given("merged", r.prs(v.Merged))
	given("fresh", v.fresh("attempt"))
	given("progress", raw(v.Progress.String()))
	return f
}

func (v Verified) fresh(unit string) raw {
	return sprint("%d of %s began with an empty context", v.Fresh, loop.Plural(v.Tried, unit))
}

// tasksOf are the numbers of the tasks with a verdict, as in "1, 3".
func tasksOf(rows []TaskRow, verdict loop.TaskDone) raw {
	var list []string
	for _, r := range rows {
		if r.Verdict == TaskState(verdict) {
			list = append(list, fmt.Sprint(r.Number))
		}
	}
	return raw(orNone(strings.Join(list, ", ")))
}

func orNone(s string) string { return cmp.Or(s, "none") }

// leftBehind writes what a run leaves for a person to look at.
func (p *page) leftBehind(c Card) {
	p.section("Left behind")
	for _, pr := range c.PRs {
		p.row(fmt.Sprintf("PR #%d", pr.Number), plain, "%s, %s%s", cmp.Or(pr.State, "unknown"),
			cmp.Or(when(pr.Seen, "seen"), "reported"), prefixed(", branch ", pr.Branch))
	}
	for _, w := range c.Worktrees {
		p.row("worktree", plain, "%s%s", w.Path, prefixed(", branch ", w.Branch))
	}
	p.row("branches", plain, "%s", orNone(strings.Join(c.Branches, ", ")))
	p.section("Gates")
	if len(c.Gates) == 0 {
		p.row("asked", plain, "none")
	}
	for _, g := range c.Gates {
		p.row(fmt.Sprintf("iteration %d", g.Iteration), plain, "%s: %q %s", g.Name,
			g.Question, g.Given())
	}
}
