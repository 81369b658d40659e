package forges

import (
	"path"
	"strings"

	"hooks/internal/guard/shell"
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

// gitHooks reads the hooks that a command would start. Hooks are the person's as a rule, so only
// one that merges or pushes counts.
func gitHooks(f *shell.Frame, g gitRun, cmd string, args []shellword.Word) {
	names := strings.Fields(hooksOf(cmd, args))
	if len(names) == 0 || f.M.InHook {
		return
	}
	f.M.InHook = true
	defer func() { f.M.InHook = false }()
	folder := hooksFolder(f, g)
	for _, name := range names {
		run := func(h *shell.Frame) {
			h.Cwd = g.dir
			h.RunFile(folder+"/"+name, nil, "git hook "+name)
		}
		if f.Would(run) {
			f.Quietly(func() { run(f.External()) })
		}
	}
}

// hooksFolder is where a repository keeps its hooks. A linked worktree uses those of its
// repository.
func hooksFolder(f *shell.Frame, g gitRun) string {
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
