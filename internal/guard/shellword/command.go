package shellword

import (
	"slices"
	"strings"
)

// Command returns the arguments after a wrapper's flags. valued lists the flags that take a value.
func Command(args []Word, valued string) []Word {
	for len(args) > 0 && len(args[0].Text) > 1 && args[0].Text[0] == '-' {
		if args[0].Text == "--" {
			return args[1:]
		}
		args = args[Flags{}.take(args, valued):]
	}
	return args
}

// JoinText joins the text of the words with spaces, as wrappers pass it to a shell.
func JoinText(words []Word) string { return strings.Join(Texts(words), " ") }

// Subcommand returns the first word that is not a flag, and the other words, both before and after
// it. ok is false if sub is unknown.
func Subcommand(args []Word, valued string) (sub Word, rest []Word, ok bool) {
	found := Command(args, valued)
	if len(found) == 0 {
		return Word{}, nil, true
	}
	before := args[:len(args)-len(found)]
	return found[0], slices.Concat(before, found[1:]), found[0].Known()
}

// AsksHelp reports whether a command line only asks for help. It treats --help or -h after a short
// flag, or after a long flag in valued, as the value of that flag.
func AsksHelp(argv []Word, valued string) bool {
	for i, w := range argv {
		if w.Text == "--" {
			return false
		}
		if w.Text == "--help" || w.Text == "-h" {
			before := argv[max(0, i-1)].Text
			short := len(before) > 1 && before[0] == '-' && before[1] != '-'
			return i == 0 || !short && !Has(valued, before)
		}
	}
	return false
}

// Shorts reports whether t is a group of short flags (-lc) that contains the letter.
func Shorts(t string, letter byte) bool {
	return len(t) > 1 && t[0] == '-' && t[1] != '-' && strings.IndexByte(t, letter) > 0
}

// GitFlag reads a flag between "git" and its subcommand. It returns the flag, its value and the
// number of words that it takes, or 0 words if args does not begin with a flag.
func GitFlag(args []string) (flag, value string, words int) {
	const valued = `-c -C --config-env --git-dir --work-tree --namespace --super-prefix
--attr-source --shallow-file`
	if len(args) == 0 || len(args[0]) < 2 || args[0][0] != '-' {
		return "", "", 0
	}
	flag, value, joined := strings.Cut(args[0], "=")
	if !joined && Has(valued, flag) && len(args) > 1 {
		return flag, args[1], 2
	}
	return flag, value, 1
}
