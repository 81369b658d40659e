package forges

import (
	"path"
	"strings"

	"hooks/internal/guard/plain"
	"hooks/internal/guard/shellword"
)

// hooksOf are the hooks of the repository that git runs with a command, as githooks(5) has them.
func hooksOf(cmd string, args []shellword.Word) string {
	switch cmd {
	case "commit":
		return "pre-commit prepare-commit-msg commit-msg post-commit"
	case "merge", "pull":
		return "pre-merge-commit post-merge"
	case "checkout", "switch", "worktree":
		return "post-checkout"
	case "rebase":
		return "pre-rebase post-checkout post-rewrite"
	case "cherry-pick", "revert":
		return "post-commit"
	case "am":
		return "applypatch-msg pre-applypatch post-applypatch"
	case "push":
		return "pre-push"
	case "hook":
		return shellword.ParseFlags(args, "").Arg(1).Text
	}
	return ""
}

// gitHooks reads the hooks of a command that really starts: git puts its own folder first in their
// PATH, so the git that a hook starts meets no link. Hooks are the person's as a rule, so only one
// that merges or pushes counts.
func gitHooks(f *plain.Frame, g gitRun, cmd string, args []shellword.Word) {
	if !f.M.Real {
		return
	}
	f.M.Real = false // what a hook starts itself would lead in a circle
	defer func() { f.M.Real = true }()
	for name := range strings.FieldsSeq(hooksOf(cmd, args)) {
		text, _ := f.Open(hooksFolder(f, g) + "/" + name)
		f.Landing(func(h *plain.Frame) {
			h.Cwd = g.dir
			h.Within("git hook "+name, func() { h.Run(text) })
		})
	}
}

// hooksFolder is where a repository keeps its hooks. A linked worktree uses those of its
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
