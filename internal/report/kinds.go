package report

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"hooks/internal/kind/audit"
	"hooks/internal/kind/tasks"
	"hooks/internal/loop"
	"hooks/internal/term"
)

// kind draws the parts of each text and page that only one kind of loop has.
type kind interface {
	block(*text, *loop.Iteration) // writes the status block of an iteration
	ended() (must, more []string) // returns lines for the final report; more is cut to fit
	stand() facts                 // returns the progress of the loop
	card(*cardPage)               // draws the kind's part of the report card
	evidence(*Card) evidence      // returns the evidence for the report card
}

type (
	taskLoop struct {
		*loop.Budget
		run *tasks.Run
	}
	auditLoop struct {
		*loop.Budget
		run  *audit.Run
		head string // HEAD of its worktree, "" if unknown
	}
	backlogLoop struct{ *loop.Budget }
)

// kindOf returns the run's kind; no other code distinguishes kinds.
func kindOf(b *loop.Budget, head string) kind {
	switch r := b.Own.(type) {
	case *tasks.Run:
		return taskLoop{b, r}
	case *audit.Run:
		return auditLoop{b, r, head}
	}
	if b.Kind().Prompts && b.Prompt() != "" {
		return promptLoop{backlogLoop{b}}
	}
	return backlogLoop{b}
}

func (backlogLoop) ended() (must, more []string) { return nil, nil }
func (backlogLoop) stand() facts                 { return nil }
func (backlogLoop) card(*cardPage)               {}

func (b backlogLoop) block(t *text, l *loop.Iteration) {
	switch {
	case b.Kind().Backlog:
		t.line("Backlog: %s", inBacklog(l.Backlog))
		t.line("Iteration plan: %s", cmp.Or(numbers(l.Plan), "not reported"))
	case b.SinglePR != 0:
		t.line("Tracked PR: %s", trackedPR(l, b.SinglePR))
		t.line("Comments pushed: %d (+%d), merges attempted: %d (+%d)",
			b.CommentsPushed, l.Comments, b.MergesAttempted, l.Merges)
	}
}

func (backlogLoop) evidence(c *Card) evidence {
	v, d := c.Verified, c.Claimed
	e := evidence{by: "reported by the skill"}
	e.verified.given("PRs", c.refs(v.PRs))
	e.verified.given("merged", c.refs(v.Merged))
	if v.Attempts > 0 {
		e.verified.given("merges", words(fmt.Sprintf("%d tried", v.Attempts)))
	}
	if n := refused(c.Denied); n != "" {
		e.verified.given("refused", words(n))
	}
	e.verified.given("comments", counted(v.Comments))
	e.verified.given("commits", c.commits(true))
	e.verified.given("progress", words(v.Progress.String()))
	e.claimed.given("PRs", c.refs(d.PRs))
	e.claimed.given("ended PRs", c.refs(d.States))
	e.claimed.given("comments", counted(d.Comments))
	e.claimed.given("commits", c.commits(false))
	if d.Outcomes > 0 && c.Run.Kind().Owes != nil {
		e.claimed.given("outcomes", words("reported for "+loop.Plural(d.Outcomes, "iteration")))
	}
	for _, f := range d.Failures {
		e.claimed = append(e.claimed,
			fact{"failure", warn, words(f.Subject() + ": " + f.Cause)})
	}
	return e
}

// counted returns a number as a cell, which is empty for 0.
func counted(n int) cell {
	if n == 0 {
		return nil
	}
	return words(strconv.Itoa(n))
}

// commits returns the heads of the PRs whose commit the remote confirmed. If remote is false, it
// returns the other heads.
func (c *Card) commits(remote bool) (list cell) {
	for _, p := range c.PRs {
		if p.SHA != "" && p.Head == remote {
			commit := c.commit(p.SHA)
			commit.text = fmt.Sprintf("#%d %s", p.Number, commit.text)
			list = append(list, commit)
		}
	}
	return list
}

// promptLoop is a backlogLoop that also shows the prompt that it repeats.
type promptLoop struct{ backlogLoop }

func (b promptLoop) block(t *text, _ *loop.Iteration) { t.line("Prompt: %s", b.prompt()) }
func (b promptLoop) stand() facts {
	return facts{{"prompt", plain, words(b.prompt())}}
}

func (b promptLoop) ended() (must, more []string) { return []string{"Prompt: " + b.prompt()}, nil }

func (b promptLoop) card(c *cardPage) {
	c.section("Prompt", "the same in each iteration", "")
	c.line(plain, "%s", b.prompt())
}

// maxPrompt bounds the prompt on a page, in characters.
const maxPrompt = 500

func (b promptLoop) prompt() string { return clip(term.Line(b.Prompt()), maxPrompt) }

// prompt writes the prompt of a prompt loop as the person typed it, including line breaks.
func (x *text) prompt(prompt string) {
	x.line("Do the person's prompt below once, and end the turn; the loop repeats it. " +
		"No other text changes it.")
	if name, args, _ := strings.Cut(prompt, " "); strings.HasPrefix(name, "/") {
		x.line("It is a command. Call the Skill tool: %s",
			fmt.Sprintf("skill %q, args %q", name[1:], strings.TrimSpace(args)))
	}
	x.line("Prompt:")
	for line := range strings.Lines(prompt) {
		x.line("> %s", line)
	}
}
