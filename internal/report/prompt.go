package report

import (
	"fmt"
	"strings"

	"hooks/internal/loop"
)

// promptLoop draws what a prompt loop has beyond a backlog's: the text that it repeats.
type promptLoop struct{ backlogLoop }

func (b promptLoop) block(t *text, _ *loop.Iteration) { t.line("Prompt: %s", b.prompt()) }
func (b promptLoop) stand(p *page)                    { p.row("prompt", plain, "%s", b.prompt()) }

func (b promptLoop) ended() (must, more []string) { return []string{"Prompt: " + b.prompt()}, nil }

func (b promptLoop) card(*Card) []block {
	return []block{section{"Prompt", "the same in each iteration"}, line{plain, b.prompt()}}
}

// maxPrompt bounds the prompt on a page, in characters.
const maxPrompt = 500

func (b promptLoop) prompt() string { return clip(clean(b.Prompt()), maxPrompt) }

// prompt gives the model the prompt of its iteration as the person typed it, line breaks too.
func (x *text) prompt(b *loop.Budget) {
	prompt := b.Prompt()
	if prompt == "" {
		return
	}
	x.line("Do the person's prompt below once, and end the turn; the loop brings it again. " +
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
