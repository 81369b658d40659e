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
func gitHooks(f *plain.Frame, g gitRun, cmd string) {
	const starts = "commit merge pull checkout switch worktree rebase cherry-pick revert am push hook"
	if !f.M.Real || !shellword.Has(starts, cmd) {
		return
	}
	f.M.Real = false // what a hook starts itself would lead in a circle
	defer func() { f.M.Real = true }()
	const hooks = `pre-commit prepare-commit-msg commit-msg post-commit pre-merge-commit post-merge
post-checkout pre-rebase post-rewrite applypatch-msg pre-applypatch post-applypatch pre-push`
	folder := hooksFolder(f, g)
	for name := range strings.FieldsSeq(hooks) {
		text, ok := f.Open(folder + "/" + name)
		if !ok {
			continue
		}
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
