package event

import (
	"slices"
	"strings"
	"unicode"
)

// commandWords lists the commands of this program that a reply may name.
var commandWords = []string{"report", "gate", "loop", "cost", "backlog", "schema", "doctor",
	"explain", "history", "status"}

// Named returns the reply with "hooks" replaced by name() in every command of this program, so that
// the command can be run. It calls name only if the reply contains a command; name returns "hooks"
// if no other name is needed.
func (r Reply) Named(name func() string) Reply {
	const program = "hooks "
	path := ""
	for _, text := range []*string{&r.reason, &r.context, &r.say} {
		var b strings.Builder
		rest := *text
		for {
			before, after, found := strings.Cut(rest, program)
			if b.WriteString(before); !found {
				break
			}
			rest = after
			if !beginsCommand(before, after) {
				b.WriteString(program)
				continue
			}
			if path == "" {
				path = name()
			}
			b.WriteString(path + " ")
		}
		*text = b.String()
	}
	return r
}

// beginsCommand reports whether "hooks " between two texts begins a command of this program.
func beginsCommand(before, after string) bool {
	if before != "" && !strings.ContainsAny(before[len(before)-1:], "\n `(") {
		return false
	}
	word := after
	if end := strings.IndexFunc(after, endsWord); end >= 0 {
		word = after[:end]
	}
	return slices.Contains(commandWords, word)
}

func endsWord(r rune) bool {
	return r != '-' && r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
}
