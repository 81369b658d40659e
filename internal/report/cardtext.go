package report

import (
	"fmt"
	"strconv"
	"strings"

	"hooks/internal/loop"
)

// sheet is what a card is written on: a screen, or Markdown.
type sheet interface {
	title(style, text string)
	section(name string)
	item(label, style, text string)
}

// CardText prints a card for a screen.
func CardText(s Screen, c Card) string {
	p := newPage(s)
	c.write(p, s)
	return p.String()
}

// CardMarkdown prints a card as Markdown in which foreign words stand as they are: nothing in them formats, links or
// mentions anybody.
func CardMarkdown(s Screen, c Card) string {
	var m markdown
	c.write(&m, s)
	return strings.TrimSpace(m.b.String())
}

func (p *page) title(style, text string) { p.put("", 2, style, text) }

func (p *page) section(name string) {
	p.blank()
	p.line(strong, "%s", name)
}

func (p *page) item(label, style, text string) { p.row(label, style, "%s", text) }

type markdown struct{ b strings.Builder }

func (m *markdown) title(_, text string) { fmt.Fprintf(&m.b, "# %s\n", literal(text)) }
func (m *markdown) section(name string)  { fmt.Fprintf(&m.b, "\n## %s\n\n", name) }
func (m *markdown) item(label, style, t string) {
	fmt.Fprintf(&m.b, "- **%s**: %s\n", label, literal(t))
}

// literal takes every meaning that Markdown and forges give to signs out of a text.
func literal(text string) string {
	var b strings.Builder
	for _, r := range clean(text) {
		switch {
		case r == '@':
			b.WriteString("&#64;")
		case strings.ContainsRune("\\`*_{}[]<>|~", r):
			b.WriteString("\\" + string(r))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func (c Card) write(to sheet, s Screen) {
	b := c.Run
	c.head(to, s)
	to.section("Spend")
	for _, a := range c.Budgets {
		to.item(a.Name, a.mood(), strings.TrimSpace(a.standing()+a.rest(false)))
	}
	to.section("Iterations")
	if c.Earlier > 0 {
		to.item("earlier", plain, fmt.Sprintf("%d lines more: hooks history --run %s", c.Earlier, b.RunID))
	}
	for i := range c.Iterations {
		l := &c.Iterations[i]
		to.item(fmt.Sprintf("%s  %s", numberOf(l), s.at(l.StartedAt)), rowStyle(string(l.Outcome)), did(l))
		for _, n := range l.Notes {
			to.item("   note", plain, n)
		}
	}
	c.facts(to)
	c.left(to)
	c.refused(to)
}

// refused lists the calls that the hooks refused.
func (c Card) refused(to sheet) {
	if len(c.Denied) == 0 {
		return
	}
	to.section("Refused")
	for _, d := range c.Denied {
		to.item(d.Rule, plain, refusedCall(d)+", "+plural(d.Times, "time"))
	}
}

func (c Card) head(to sheet, s Screen) {
	b := c.Run
	switch {
	case c.Stopped == nil:
		to.title(map[bool]string{true: good, false: warn}[c.Next != ""], fmt.Sprintf("%s — %s", invocation(b), c.state()))
	default:
		to.title(map[bool]string{true: bad, false: warn}[b.Status == loop.Halted], fmt.Sprintf("%s — %s: %s", invocation(b), b.Status, c.Stopped.Text))
	}
	c.goOn(to)
	to.section("Run")
	to.item("run", plain, b.RunID)
	to.item("started", plain, s.at(b.StartedAt))
	if st := c.Stopped; st != nil {
		to.item("stopped", plain, fmt.Sprintf("%s, %s, by %s", s.at(st.Since), st.where(), st.Cause))
	}
	if c.Stopped != nil && c.Stopped.LastError != "" {
		to.item("last error", plain, c.Stopped.LastError)
	}
}

// goOn is what brings the run on, or what a person can do for that.
func (c Card) goOn(to sheet) {
	to.section("Go on")
	for _, g := range c.Waiting {
		to.item("waiting", warn, fmt.Sprintf("[%s] %s", g.Gate.Name, g.Gate.Question))
		to.item(g.label(), strong, g.way())
	}
	switch {
	case c.Next != "":
		to.item("next tick", plain, c.Next)
	case c.Resume != "":
		to.item("type", strong, c.Resume)
	default:
		to.item("nothing", plain, "is left to do")
	}
}

// numberOf is an iteration's number; a stop between two has none.
func numberOf(l *loop.Iteration) string {
	if l.Outcome == loop.Stopped && !l.Began() {
		return "-"
	}
	return strconv.Itoa(l.Iteration)
}

// facts are in two parts: what can be relied on, and what is somebody's word.
func (c Card) facts(to sheet) {
	v, d := c.Verified, c.Claimed
	to.section("Verified: seen by the program itself")
	to.item("dollars", plain, "$"+v.Dollars.String()+" (API-equivalent), counted from the transcripts")
	to.item("workers", plain, fmt.Sprintf("%d dispatched", v.Agents))
	to.item("PRs", plain, orNone(numbers(v.PRs)))
	to.item("merges", plain, fmt.Sprintf("%d tried; merged: %s", v.Attempts, orNone(numbers(v.Merged))))
	to.item("comments", plain, fmt.Sprint(v.Comments))
	to.item("commits", plain, orNone(heads(c.PRs, true)))
	to.item("progress", plain, v.Progress.String())
	to.section("Claimed: reported by the skill, seen by nobody else")
	to.item("PRs", plain, orNone(numbers(d.PRs)))
	to.item("ended PRs", plain, orNone(numbers(d.States)))
	to.item("comments", plain, fmt.Sprint(d.Comments))
	to.item("commits", plain, orNone(heads(c.PRs, false)))
	to.item("outcomes", plain, "reported for "+plural(d.Outcomes, "iteration"))
	for _, f := range d.Failures {
		to.item("failure", warn, fmt.Sprintf("%s: %s", f.Subject(), f.Cause))
	}
}

// state is how a run stands that has not stopped.
func (c Card) state() string {
	switch {
	case c.Next != "" && c.Open:
		return "an iteration runs"
	case c.Next != "":
		return "between two iterations"
	case c.Present:
		return "not stopped, but its session is gone"
	}
	return "cut off, and archived"
}

func heads(prs []CardPR, remote bool) string {
	var list []string
	for _, p := range prs {
		if p.SHA != "" && p.Head == remote {
			list = append(list, fmt.Sprintf("#%d %s", p.Number, short(p.SHA)))
		}
	}
	return strings.Join(list, ", ")
}

// left is what the run leaves behind.
func (c Card) left(to sheet) {
	to.section("Left behind")
	for _, p := range c.PRs {
		seen := "reported"
		if p.Seen {
			seen = "seen"
		}
		to.item(fmt.Sprintf("PR #%d", p.Number), plain, fmt.Sprintf("%s, %s%s", orUnknown(p.State), seen, list(", branch ", some(p.Branch))))
	}
	for _, w := range c.Worktrees {
		to.item("worktree", plain, w.Path+list(", branch ", some(w.Branch)))
	}
	to.item("branches", plain, orNone(strings.Join(c.Branches, ", ")))
	to.section("Gates")
	if len(c.Gates) == 0 {
		to.item("asked", plain, "nothing")
	}
	for _, g := range c.Gates {
		to.item(fmt.Sprintf("iteration %d", g.Iteration), plain, fmt.Sprintf("%s: %q answered %q", g.Name, g.Question, g.Answer))
	}
}

func some(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}
