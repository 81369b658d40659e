package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"hooks/internal/child"
	"hooks/internal/kind"
	"hooks/internal/loop"
	"hooks/internal/proc"
	"hooks/internal/store"
	"hooks/internal/tracker"
)

// removalTime is the time limit for removing a worktree, which may have many files.
const removalTime = 20 * time.Second

// linkedWorktrees offers to remove the worktrees of complete loops if the work is committed, and
// pushed or merged. It keeps all others, because a person may continue them (A12–A15).
func linkedWorktrees(m *machine, n *notes) {
	if m.repo.Top == "" {
		n.skip("no git repository")
	}
	ctx, cancel := context.WithTimeout(context.Background(), childTime)
	defer cancel()
	for _, path := range tracker.Trees(ctx, m.project) {
		for _, b := range linkedRuns(path) {
			about := fmt.Sprintf("%s: the %s of %s is", path, b.Skill, b.Attempts().Source)
			switch {
			case !loop.Completes(b.StopCause):
				n.note("%s %s", about, b.StatusWord())
			case !tracker.Elsewhere(ctx, path, b.Attempts().Branch):
				n.note("%s complete, but its work exists only here", about)
			default:
				m.offerRemoval(ctx, n, path, about, b)
			}
		}
	}
}

// linkedRuns returns a worktree's readable runs of kinds that run only in a linked worktree.
func linkedRuns(worktree string) (list []*loop.Budget) {
	files, err := store.Open(worktree)
	if err != nil {
		return nil
	}
	defer files.Close()
	for _, k := range kind.All {
		if !k.Linked {
			continue
		}
		st, err := files.LoadRun(k.Name)
		if b := st.Budget; err == nil && b != nil && b.Own != nil {
			list = append(list, b)
		}
	}
	return list
}

// offerRemoval offers to remove a complete loop's worktree. --fix removes it only if nothing is
// lost. The client must have ended, and git may ignore or hide only the loop's own files.
func (m *machine) offerRemoval(
	ctx context.Context, n *notes, path, about string, b *loop.Budget,
) {
	way, why := "run `hooks doctor --fix` to remove it; the branch and the history stay", ""
	hidden, err := tracker.Hidden(ctx, path)
	switch other := m.ignoredIn(path, b.Skill); {
	case proc.Of(b.Owner) != loop.Dead:
		why = "its client may still be running"
	case other != "":
		why = "git ignores " + other + " there"
	case err != nil:
		why = "git cannot list the hidden changes: " + child.Line(err.Error())
	case len(hidden) > 0:
		why = "git is configured to ignore changes to " + hidden[0] + " there"
	}
	if why != "" {
		way = "run `git worktree remove " + path + "` to remove it and all ignored files; " +
			"the branch stays"
		why = ", but " + why
	}
	remove := func() error { return m.remove(path, b) }
	if why != "" || !n.repaired("removed the worktree "+path, remove) {
		n.warn(way, "%s complete, and its work is pushed or merged%s", about, why)
	}
}

// ignoredIn returns an ignored file in the worktree that is not part of the skill's loop, or "". If
// git cannot list the files, it returns words for them.
func (m *machine) ignoredIn(worktree string, skill loop.Skill) string {
	out, err := m.run("git", "-C", worktree, "ls-files", "--others", "--ignored",
		"--exclude-standard")
	if err != nil {
		return "files that it cannot list"
	}
	for name := range strings.Lines(out) {
		name = strings.TrimSpace(name)
		own, in := strings.CutPrefix(name, store.Dir+"/")
		if !in || !store.OfLoop(skill, own) {
			return name
		}
	}
	return ""
}

// remove archives the worktree's run, moves the worktree's archive into the project's, and removes
// the worktree with git, without force.
func (m *machine) remove(worktree string, b *loop.Budget) error {
	files, err := m.open(worktree)
	if err != nil {
		return err
	}
	defer files.Close()
	tx, err := files.Begin(context.Background())
	if err != nil {
		return err
	}
	err = files.Archive(b.Skill, b.RunID)
	_ = tx.End() // the lock is removed with the worktree
	if err != nil {
		return err
	}
	to, err := store.Create(m.project)
	if err != nil {
		return err
	}
	defer to.Close()
	archive := filepath.Join(filepath.FromSlash(store.Dir), "archive")
	err = os.MkdirAll(filepath.Join(m.project, archive), 0o700)
	entries, rerr := os.ReadDir(filepath.Join(worktree, archive))
	err = errors.Join(err, rerr)
	for _, e := range entries {
		free := filepath.Join(m.project, archive, e.Name())
		for n := 2; exists(free); n++ {
			free = filepath.Join(m.project, archive, fmt.Sprintf("%s-%d", e.Name(), n))
		}
		err = errors.Join(err, os.Rename(filepath.Join(worktree, archive, e.Name()), free))
	}
	if err == nil {
		_, err = start(child.Command{Args: []string{"git", "worktree", "remove", worktree},
			Dir: m.project, Wait: removalTime})
	}
	return err
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
