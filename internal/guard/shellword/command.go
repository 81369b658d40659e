package shellword

import (
	"slices"
	"strings"
)

// Command returns a wrapper's arguments behind its flags and behind so many leading words. valued
// lists the flags that take a value.
func Command(args []Word, valued string, skip int) []Word {
	for i := 0; i < len(args); i++ {
		t := args[i].Text
		switch {
		case t == "--":
			if i+1+skip <= len(args) {
				return args[i+1+skip:]
			}
			return nil
		case len(t) > 1 && t[0] == '-':
			i += takesNext(t, valued)
		case skip > 0:
			skip--
		default:
			return args[i:]
		}
	}
	return nil
}

// takesNext is 1 where a flag's value is the next word: "-u bot", "--user bot", joined "-nu bot".
func takesNext(t, valued string) int {
	if Has(valued, t) {
		return 1
	}
	if t[1] == '-' || strings.Contains(t, "=") {
		return 0
	}
	for j := 1; j < len(t); j++ {
		if Has(valued, "-"+t[j:j+1]) {
			return Btoi(j == len(t)-1)
		}
	}
	return 0
}

// Assignment reports whether a text is NAME=value.
func Assignment(text string) bool {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789"
	name, _, ok := strings.Cut(text, "=")
	return ok && name != "" && strings.Trim(name, letters) == "" && (name[0] < '0' || name[0] > '9')
}

// JoinText is words joined by spaces, as wrappers do that hand them to a shell.
func JoinText(words []Word) string { return strings.Join(Texts(words), " ") }

// Subcommand is the first word that is no flag, with everything else behind it: flags before a
// command belong to it. ok is false where that word is unknown.
func Subcommand(args []Word, valued string) (sub Word, rest []Word, ok bool) {
	found := Command(args, valued, 0)
	if len(found) == 0 {
		return Word{}, nil, true
	}
	before := args[:len(args)-len(found)]
	return found[0], slices.Concat(before, found[1:]), found[0].Known()
}

// AsksHelp reports whether a command line only asks for help. valued lists the flags that take a
// value: theirs is no question.
func AsksHelp(argv []Word, valued string) bool {
	for i := 0; i < len(argv) && argv[i].Text != "--"; i++ {
		switch t := argv[i].Text; {
		case t == "--help" || t == "-h":
			return true
		case len(t) > 1 && t[0] == '-':
			i += takesNext(t, valued)
		}
	}
	return false
}

// Shorts reports whether joined short flags (-lc) hold the letter.
func Shorts(t string, letter byte) bool {
	return len(t) > 1 && t[0] == '-' && t[1] != '-' && strings.IndexByte(t, letter) > 0
}

// HasWord reports whether one of the words is the text.
func HasWord(args []Word, text string) bool {
	return slices.ContainsFunc(args, func(w Word) bool { return w.Text == text })
}
