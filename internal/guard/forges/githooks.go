package forges

import (
	"path"
	"strings"

	"hooks/internal/guard/plain"
	"hooks/internal/guard/shellword"
)

// gitHooks reads the hooks of a command that really starts: git puts its own folder first in their
// PATH, so the git that a hook starts meets no link. Hooks are the person's as a rule, so only one
// that merges or pushes counts.
func gitHooks(f *plain.Frame, g gitRun, cmd string, args []shellword.Word) {
	if !f.M.Real {
		return
	}
	f.M.Real = false // what a hook starts itself would lead in a circle
	defer func() { f.M.Real = true }()
	const hooks = `commit pre-commit prepare-commit-msg commit-msg post-commit
merge pre-merge-commit post-merge
pull pre-merge-commit post-merge
checkout post-checkout
switch post-checkout
worktree post-checkout
rebase pre-rebase post-checkout post-rewrite
cherry-pick post-commit
revert post-commit
am applypatch-msg pre-applypatch post-applypatch
push pre-push`
	for line := range strings.SplitSeq(hooks+"\nhook "+
		shellword.ParseFlags(args, "").Arg(1).Text, "\n") {
		if names := strings.Fields(line); names[0] == cmd {
			for _, name := range names[1:] {
				text, _ := f.Open(hooksFolder(f, g) + "/" + name)
				f.Landing(func(h *plain.Frame) {
					h.Cwd = g.dir
					h.Within("git hook "+name, func() { h.Run(text) })
				})
			}
		}
	}
}

// hooksFolder returns the folder of a repository's hooks. A linked worktree uses those of its
// repository.
func hooksFolder(f *plain.Frame, g gitRun) string {
	if p := setting(f, g, "core.hookspath"); p != "" {
		return at(f, g.dir, p)
	}
	for d := g.dir; ; d = path.Dir(d) {
		if git := gitDir(f, d); git != "" {
			common, _, _ := strings.Cut(git, "/worktrees/")
			return common + "/hooks"
		}
		if path.Dir(d) == d || f.M.ReadsLeft() <= 8 {
			return at(f, g.dir, ".git/hooks")
		}
	}
}
