package guard

import (
	"strings"

	"hooks/internal/guard/plain"
	"hooks/internal/guard/shellword"

	"mvdan.cc/sh/v3/syntax"
)

// Finishing reports whether the call only looks, or brings finished work to the iteration's own
// branch: git add, rm, mv, commit, fetch and the push of a branch that is not protected, in plain
// text. In doubt it says no.
func Finishing(c Call, repo func() Repo, files Files) bool {
	if ReadOnly(c) {
		return true
	}
	if c.Tool != "Bash" {
		return false
	}
	r := Read(c, repo, files)
	if len(r.Acts) > 0 || len(r.Opaque) > 0 || r.Unparsable != "" {
		return false
	}
	stmts, problem := plain.Parse(c.CommandText())
	fine := problem == ""
	commands(stmts, func(n syntax.Node, argv []string) bool {
		call, ok := n.(*syntax.CallExpr)
		done := ok && len(call.Assigns) == 0 && commits(argv)
		fine = fine && (done || looker(c.Own).node(n, argv))
		return fine
	})
	return fine
}

// commits reports whether a simple command is one of git's that record or push work.
func commits(argv []string) bool {
	if len(argv) < 2 || argv[0] != "git" {
		return false
	}
	args := argv[1:]
	if len(args) > 2 && args[0] == "-C" && !shellword.HasUnknown(args[1]) {
		args = args[2:]
	}
	switch args[0] {
	case "add", "rm", "mv", "commit":
		return true
	case "fetch":
		return len(args) == 1 || len(args) == 2 && args[1] == "origin"
	case "push":
		return pushes(args[1:])
	}
	return false
}

// pushes reports whether a push names at most a remote and a branch. The reading has already
// excluded protected branches.
func pushes(args []string) bool {
	names := 0
	for _, a := range args {
		switch {
		case shellword.HasUnknown(a):
			return false
		case strings.HasPrefix(a, "-"):
			const plain = "-u --set-upstream -q --quiet -v --verbose --porcelain --force-with-lease"
			if !shellword.Has(plain, a) {
				return false
			}
		default:
			names++
		}
	}
	return names <= 2
}
