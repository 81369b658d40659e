package brake

import (
	"slices"

	"hooks/internal/guard/shellword"
	"hooks/internal/loop"
)

// audited are the arguments with which a program runs in a phase: an auditor's git starts no
// program that a setting names, so that no worker decides what it reads.
func audited(argv []string, phase string) []string {
	if linkName(argv[0]) != "git" || !loop.Phase(phase).Audits() {
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
