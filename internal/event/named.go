package event

import "strings"

// Named returns the reply with "hooks" replaced by name() in every command of this program, so that
// the command can be run. It calls name only if the reply contains a command; name returns "hooks"
// if no other name is needed.
func (r Reply) Named(name func() string) Reply {
	if !names(r.reason) && !names(r.context) && !names(r.say) {
		return r
	}
	if to := name(); to != "hooks" {
		r.reason, r.context, r.say = rename(r.reason, to), rename(r.context, to), rename(r.say, to)
	}
	return r
}

func names(text string) bool { return nextCommand(text) >= 0 }

func rename(text, to string) (renamed string) {
	for at := nextCommand(text); at >= 0; at = nextCommand(text) {
		renamed += text[:at] + to
		text = text[at+len("hooks"):]
	}
	return renamed + text
}

// commands lists the commands that a reply may mention, each with a space on both sides.
const commands = " report gate loop cost backlog schema doctor explain history status "

// nextCommand returns the index of the first command such as "hooks gate list", or -1.
func nextCommand(text string) int {
	for from := 0; ; {
		i := strings.Index(text[from:], "hooks ")
		if i < 0 {
			return -1
		}
		at := from + i
		from = at + len("hooks ")
		word, _, _ := strings.Cut(text[from:], " ")
		word, _, _ = strings.Cut(word, "\n")
		word = strings.TrimRight(word, "`.,;:)")
		begins := at == 0 || strings.ContainsRune(" `(\n", rune(text[at-1]))
		if begins && word != "" && strings.Contains(commands, " "+word+" ") {
			return at
		}
	}
}
