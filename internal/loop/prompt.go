package loop

import (
	"strings"

	"hooks/internal/hint"
)

// maxPrompt bounds a prompt loop's prompt, in bytes, because every history line contains it.
const maxPrompt = 4 << 10

// cutPrompt splits a prompt loop's arguments at the first word "--", which precedes the person's
// prompt. For any other command, including a person's own skill, prompt is empty.
func (c Command) cutPrompt() (args, prompt string) {
	if !KindOf(c.Skill).Prompts || c.OptsIn() {
		return c.Args, ""
	}
	blanks := strings.NewReplacer("\t", " ", "\r", " ", "\n", " ", "\u00a0", "  ")
	at := strings.Index(" "+blanks.Replace(c.Args)+" ", " -- ")
	if at < 0 {
		return c.Args, ""
	}
	return c.Args[:at], strings.TrimSpace(c.Args[at+2:])
}

// badPrompt returns an error if the prompt after "--" or the words before it cannot begin a loop.
func (f Flags) badPrompt(kind Kind) error {
	first, _, _ := strings.Cut(f.Prompt, "\n")
	_, loops := ParsePrompt(f.Prompt)
	switch {
	case len(f.Rest) > 0:
		words := strings.Join(f.Rest, " ")
		return hint.New("put the prompt after --, as in `"+kind.Invoked()+" -- "+words+"`",
			"%q is not a flag of %s", words, kind.Invoked())
	case len(f.Prompt) > maxPrompt:
		return hint.New("write it to a file, as in `"+kind.Invoked()+
			" -- do what prompt.md says`",
			"the prompt has %d bytes, but the maximum is %d", len(f.Prompt), maxPrompt)
	case loops:
		return hint.New("type that command without "+kind.Invoked(),
			"the prompt %q is itself a loop command", first)
	}
	return nil
}

// Prompt returns the prompt that a prompt loop repeats, as a person typed it when the run began. It
// returns "" for other kinds.
func (b *Budget) Prompt() string {
	if !b.Kind().Prompts {
		return ""
	}
	_, prompt := b.Invocation().cutPrompt()
	return prompt
}

// alike reports whether a prompt is empty or equals the run's prompt, apart from white space.
func (b *Budget) alike(prompt string) bool {
	return prompt == "" || oneBlank(prompt) == oneBlank(b.Prompt())
}
