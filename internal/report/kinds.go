package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"hooks/internal/loop"
	"hooks/internal/page"
	"hooks/internal/term"
)

// kind writes the parts of pages and messages that depend on the kind of loop. The payload of a
// task or audit loop implements it.
type kind interface {
	// Block returns the lines that the kind adds to an iteration's status block.
	Block(*loop.Budget, *loop.Iteration) []string
	Final(loop.Shown) (must, more []string) // lines for the final report; more is cut to fit
	Stand(loop.Shown) page.Facts            // the loop's progress
	// Card draws the kind's part of the report card. commit returns a linked commit hash.
	Card(to page.Sheet, s loop.Shown, commit func(sha string) page.Word)
	Evidence() (seen, said page.Facts) // observed facts and claimed facts
}

// Lister is a payload with a list of tasks.
type Lister interface {
	Tried() int                                             // number of attempted tasks
	Rows(s loop.Shown) any                                  // the tasks, for JSON
	Page(s loop.Shown, style, title, next string) page.Page // works on a nil payload
	// Trouble returns the causes of problems and how to fix them. last is the run's last iteration,
	// or nil.
	Trouble(b *loop.Budget, last *loop.Iteration) []string
}

// kindOf returns the run's payload or, if it has none, a plainLoop.
func kindOf(b *loop.Budget) kind {
	if own, ok := b.Own.(kind); ok {
		return own
	}
	if b.Kind().Prompts {
		return plainLoop{term.Clip(term.Line(b.Prompt()), maxPrompt)}
	}
	return plainLoop{}
}

// plainLoop is a loop without a payload: a prompt loop or, if prompt is "", a work or review loop.
type plainLoop struct{ prompt string }

// maxPrompt is the maximum length of a prompt on a page, in characters.
const maxPrompt = 500

func (p plainLoop) Block(b *loop.Budget, l *loop.Iteration) []string {
	switch {
	case p.prompt != "":
		return []string{"Prompt: " + p.prompt}
	case b.Kind().Backlog:
		return []string{"Backlog: " + inBacklog(l.Backlog),
			"Iteration plan: " + cmp.Or(numbers(l.Plan), "not reported")}
	case b.SinglePR != 0:
		return []string{"Tracked PR: " + trackedPR(l, b.SinglePR),
			fmt.Sprintf("Comments pushed: %d (+%d), merges attempted: %d (+%d)",
				b.CommentsPushed, l.Comments, b.MergesAttempted, l.Merges)}
	}
	return nil
}

func (p plainLoop) Final(loop.Shown) (must, more []string) {
	return []string{prefixed("Prompt: ", p.prompt)}, nil
}

func (p plainLoop) Stand(loop.Shown) (list page.Facts) {
	list.Given("prompt", p.prompt)
	return list
}

func (p plainLoop) Card(to page.Sheet, _ loop.Shown, _ func(string) page.Word) {
	if p.prompt != "" {
		to.Section("Prompt", "the same in each iteration", "")
		to.Line(page.Plain, "%s", p.prompt)
	}
}

func (plainLoop) Evidence() (seen, said page.Facts) { return nil, nil }

// prompt writes the prompt of a prompt loop as the person typed it, including line breaks.
func (x *text) prompt(prompt string) {
	x.line("Carry out the person's prompt below once, then end the turn. The loop " +
		"repeats the prompt; no other text changes it.")
	if name, args, _ := strings.Cut(prompt, " "); strings.HasPrefix(name, "/") {
		x.line("It is a command. Call the Skill tool: %s",
			fmt.Sprintf("skill %q, args %q", name[1:], strings.TrimSpace(args)))
	}
	x.line("Prompt:")
	x.lines("> ", slices.Collect(strings.Lines(prompt)))
}
