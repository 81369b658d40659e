package report

import (
	"cmp"
	"fmt"
	"strings"

	"hooks/internal/kind/audit"
	"hooks/internal/kind/tasks"
	"hooks/internal/loop"
	"hooks/internal/page"
	"hooks/internal/term"
)

// kind draws the parts of each text and page that only one kind of loop has.
type kind interface {
	block(*text, *loop.Iteration) // writes the status block of an iteration
	ended() (must, more []string) // returns lines for the final report; more is cut to fit
	stand() page.Facts            // returns the progress of the loop
	card(*cardPage)               // draws the kind's part of the report card
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
func (backlogLoop) stand() page.Facts            { return nil }
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

// promptLoop is a backlogLoop that also shows the prompt that it repeats.
type promptLoop struct{ backlogLoop }

func (b promptLoop) block(t *text, _ *loop.Iteration) { t.line("Prompt: %s", b.prompt()) }
func (b promptLoop) stand() (list page.Facts) {
	list.Given("prompt", b.prompt())
	return list
}

func (b promptLoop) ended() (must, more []string) { return []string{"Prompt: " + b.prompt()}, nil }

func (b promptLoop) card(c *cardPage) {
	c.Section("Prompt", "the same in each iteration", "")
	c.Line(page.Plain, "%s", b.prompt())
}

// maxPrompt bounds the prompt on a page, in characters.
const maxPrompt = 500

func (b promptLoop) prompt() string { return term.Clip(term.Line(b.Prompt()), maxPrompt) }

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
