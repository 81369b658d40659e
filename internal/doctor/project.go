package doctor

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"hooks/internal/child"
	"hooks/internal/config"
	"hooks/internal/store"
	"hooks/internal/tracker"
)

func repository(m *machine, n *notes) {
	if asked := damage(m, n); m.repo.Top == "" {
		if !asked {
			n.warn("work in a git repository: worktrees and heads are found by git",
				"%s is no git repository", m.project)
		}
		return
	}
	n.say("%s, branch %s, default branch %s", m.shown(m.repo.Top), firstOf(m.repo.Branch, "(detached)"), firstOf(m.repo.Default, "unknown"))
	if m.repo.Default == "" && len(m.repo.Remotes) > 0 {
		n.warn("git remote set-head origin --auto", "the default branch of the remote is not known here: release branches count as protected too, others do not")
	}
	if len(m.repo.Remotes) == 0 {
		n.say("no remote")
	}
	if m.repo.Partial {
		n.warn("see that included settings hold no alias or push rule that merges", "some git settings are in included files, which the guard does not follow")
	}
}

// damage reports what keeps git from answering in a folder with a .git, and whether there is such.
func damage(m *machine, n *notes) bool {
	_, err := os.Lstat(filepath.Join(m.project, ".git"))
	if m.repo.Top == "" && err != nil {
		return false
	}
	_, _, err = feed(child.Command{
		Dir: m.project, Env: append(os.Environ(), "LC_ALL=C"), Wait: childTime,
		Args: []string{"git", "status", "--porcelain", "--untracked-files=no"},
	})
	switch {
	case err == nil || errors.Is(err, exec.ErrNotFound):
		return false
	case strings.Contains(err.Error(), "dubious ownership"):
		n.fail("git config --global --add safe.directory "+firstOf(m.repo.Top, m.project),
			"git refuses to work here, because the folder belongs to another user")
	default:
		n.fail("run `git fsck`, or clone the repository anew",
			"the repository is damaged: %v", err)
	}
	return true
}

// stateHidden: what a loop writes is never committed.
func stateHidden(m *machine, n *notes) {
	if m.repo.Top == "" {
		n.skip("no git repository")
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), childTime)
	defer cancel()
	committed := slices.DeleteFunc(tracker.Committed(ctx, m.project, store.Dir), func(path string) bool { return filepath.Base(path) == ".gitignore" })
	if len(committed) > 0 {
		n.fail("git rm -r --cached "+store.Dir+", and commit that; see whether the history must be rewritten too", "%s of the loop's state committed, as %s", count(len(committed), "file"), committed[0])
	}
	if files, err := store.Open(m.project); err == nil {
		if !files.Hidden() {
			n.warn("hooks doctor --fix writes it", "%s/.gitignore does not hide the folder", store.Dir).mend =
				m.mended("wrote "+store.Dir+"/.gitignore", (*store.Store).Hide)
		}
		files.Close()
	}
	switch ignored, err := tracker.Ignored(ctx, m.project, ".sdd/worktrees/x"); {
	case err != nil:
		n.warn("see that `git check-ignore` works here", "%v", err)
	case !ignored:
		n.warn("add the line .sdd/ to .gitignore", ".sdd/ is not ignored: a worktree below it can be committed by accident")
	}
	if len(n.problems) == 0 {
		n.say("ignored, nothing of it committed")
	}
}

func configuration(m *machine, n *notes) {
	c := m.config
	for _, w := range c.Warnings {
		n.warn("correct the line; until then it does not count", "%s", w)
	}
	for _, w := range c.Unread {
		n.warn("write it as in docs/configuration.md, or move it out of the block", "%s", w)
	}
	for _, w := range c.Foreign {
		n.say("%s", w)
	}
	for _, dir := range []string{filepath.Join(m.project, ".claude"), m.configDir()} {
		elsewhere(m, n, dir)
	}
	n.say("%s, %s, tracker %s, do-not-merge label %q", count(len(c.Rates), "price row"), count(len(c.Patterns), "redaction pattern"), firstOf(c.Tracker.Type, "by its remote"), c.DoNotMerge)
	if way := strings.ToLower(c.Notify); way != "" && way != "bell" && way != "off" {
		n.warn("put it into your own CLAUDE.md, or HOOKS_NOTIFY", "the notify command %q of a project is not run", c.Notify)
	}
}

// elsewhere finds a configuration in a file that the client reads as instructions and that the
// program does not read.
func elsewhere(m *machine, n *notes, dir string) {
	if !config.Load(dir).Same(config.Load(filepath.Join(dir, "none"))) {
		n.warn("move the block to CLAUDE.md in the project's root",
			"%s has an SDD Configuration, which is not read there", m.shown(dir)+"/CLAUDE.md")
	}
}

func agentLogins(m *machine, n *notes) {
	if len(m.config.AgentLogins) == 0 {
		n.say("none configured: every comment counts as a person's, so that a merge asks once more rather than once less")
		return
	}
	n.say("%s", join(m.config.AgentLogins))
}
