package brake

import (
	"slices"

	"hooks/internal/guard/shellword"
	"hooks/internal/loop"
)

// audited returns the arguments with which a program runs in a phase. An auditor's git starts no
// program that a setting names, so that no worker decides what it reads. A coder's git makes no
// local branch of a remote one that is only named.
func audited(argv []string, phase string) []string {
	p := loop.Phase(phase)
	switch {
	case linkName(argv[0]) != "git":
		return argv
	case p == loop.Coding || p == loop.Fixing:
		return slices.Insert(slices.Clone(argv), 1, "-c", "checkout.guess=false")
	case !p.Audits():
		return argv
	}
	sub, _ := gitCommand(argv, "")
	if sub < len(argv) && shellword.Has("diff log show whatchanged blame reflog diff-tree "+
		"diff-index diff-files range-diff", argv[sub]) {
		argv = slices.Insert(slices.Clone(argv), sub+1, "--no-ext-diff", "--no-textconv")
	}
	return slices.Insert(slices.Clone(argv), 1, "--no-pager", "-c", "core.fsmonitor=",
		"-c", "diff.noprefix=false", "-c", "diff.mnemonicPrefix=false")
}
