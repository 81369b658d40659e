package event

import "strings"

// Named returns the reply with every command of this program written so that it starts: name is
// asked for only where the reply holds a command, and gives "hooks" where that word is enough.
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

func rename(text, to string) string {
	var b strings.Builder
	for {
		at := nextCommand(text)
		if at < 0 {
			b.WriteString(text)
			return b.String()
		}
		b.WriteString(text[:at] + to)
		text = text[at+len("hooks"):]
	}
}

// nextCommand is where a command such as "hooks gate list" begins, -1 where none does.
func nextCommand(text string) int {
	for from := 0; ; {
		i := strings.Index(text[from:], "hooks ")
		if i < 0 {
			return -1
		}
		at := from + i
		from = at + len("hooks ")
		word, _, _ := strings.Cut(text[from:], " ")
		begins := at == 0 || strings.ContainsRune(" `(\n", rune(text[at-1]))
		if begins && command(strings.TrimRight(word, "`.,;:)\n")) {
			return at
		}
	}
}

func command(word string) bool {
	word, _, _ = strings.Cut(word, "\n")
	switch word {
	case "report", "gate", "loop", "cost", "backlog", "schema", "doctor", "explain", "history",
		"status":
		return true
	}
	return false
}
