package guard

import (
	"path"
	"slices"
	"strings"

	"hooks/internal/guard/plain"
	"hooks/internal/guard/shellword"

	"mvdan.cc/sh/v3/syntax"
)

// LeavesLinks reports whether a command may start a program without going through the brake's
// links, for example by absolute path or in a login shell, which resets PATH.
func LeavesLinks(command string) bool {
	stmts, problem := plain.Parse(command)
	for n, argv := range nodes(stmts) {
		leaves := false
		switch n := n.(type) {
		case *syntax.Assign:
			leaves = n.Name != nil && n.Name.Value == "PATH" || slices.ContainsFunc(argv, leadsTo)
		case *syntax.Redirect:
			if d := n.Hdoc; d != nil && len(d.Parts) > 0 {
				leaves = leavesBy(tokens(command[d.Pos().Offset():d.End().Offset()]))
			}
		case *syntax.CallExpr:
			leaves = leavesCall(argv)
		}
		if leaves {
			return true
		}
	}
	return problem != "" && leavesBy(tokens(command))
}

// leavesCall is like LeavesLinks for one simple command, whose arguments may contain shell text.
func leavesCall(argv []string) bool {
	if len(argv) == 0 {
		return false
	}
	name := shellword.ProgramName(argv[0])
	runs := shellword.Has("sed awk type which whereis hash", name)
	switch {
	case strings.Contains(argv[0], "/") && (shellword.Has(linked, name) ||
		shellword.HasUnknown(argv[0])), shellword.Has("crontab at batch systemd-run", name):
		return true
	case shellword.Has("git gh glab tea hub", name):
		return false
	case shellword.DataProgram(name) && !runs: // $(realpath /usr/bin/gh)
		return slices.ContainsFunc(argv[1:], leadsTo)
	}
	return leavesBy(argv) || slices.ContainsFunc(argv[1:], func(w string) bool {
		return strings.ContainsAny(w, " \n(=") && leavesBy(tokens(w))
	})
}

// leavesBy is like LeavesLinks for a list of words. Any of the words may begin a command.
func leavesBy(words []string) bool {
	for i, w := range words {
		base, rest := path.Base(w), words[i+1:]
		switch {
		case w == "--login", strings.HasPrefix(w, "PATH="),
			shellword.Has("which type whereis hash getconf", w),
			shellword.Has("su sudo doas runuser pkexec", base),
			base == "env" && (leads(rest, "i") || slices.ContainsFunc(rest, func(o string) bool {
				return shellword.Has("- -i --ignore-environment", o)
			})),
			base == "exec" && leads(rest, "cl"),
			base == "command" && slices.Contains(rest, "-p"),
			leadsTo(w),
			shellword.Has("sh bash zsh dash ksh", base) && leads(rest, "l"):
			return true
		}
	}
	return false
}

// leadsTo reports whether w is a path to a linked program or to a folder such as /usr/bin.
func leadsTo(w string) bool {
	place := strings.HasPrefix(w, "~") || strings.HasPrefix(w, ".") ||
		strings.HasPrefix(w, "/") && path.Dir(w) != "/"
	return place && strings.Contains(w, "/") && (shellword.Has(linked, path.Base(w)) ||
		strings.HasSuffix(path.Base(w), "bin"))
}

// linked lists the programs that the brake installs links for.
const linked = "gh glab tea tea-cli hub git curl wget http https xh xhs"

// tokens splits text in any language at whitespace, quotes, brackets and punctuation.
func tokens(text string) []string {
	return strings.FieldsFunc(text, func(c rune) bool {
		return strings.ContainsRune(" \t\n'\"`();|&{}[]<>!=:,", c)
	})
}

// leads reports whether a short option before the first operand contains one of the letters. The
// options -o and -O take the next word as their value.
func leads(words []string, letters string) bool {
	for i := 0; i < len(words) && words[i] != "" && strings.IndexByte("-+", words[i][0]) >= 0; i++ {
		switch w := words[i]; {
		case strings.HasPrefix(w, "--"):
		case strings.ContainsAny(w, letters):
			return true
		case strings.ContainsAny(w, "oO"):
			i++
		}
	}
	return false
}
