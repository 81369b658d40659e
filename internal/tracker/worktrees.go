package tracker

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"hooks/internal/loop"
)

// Worktrees lists the linked worktrees of the project's repository (R122), also those whose directory is gone. The
// main worktree and the project itself are not among them. A detached one has no branch. Paths are relative to the
// project, with slashes, where they lie inside it.
func Worktrees(ctx context.Context, project string) ([]loop.Worktree, error) {
	all, ok := readWorktrees(project)
	if !ok {
		var err error
		if all, err = askWorktrees(ctx, project); err != nil {
			return nil, err
		}
	}
	root := RealPath(project)
	var list []loop.Worktree
	for _, w := range all {
		if w.Path == root {
			continue
		}
		w.Path = within(root, w.Path)
		list = append(list, w)
	}
	return list, nil
}

// askWorktrees asks git for the linked worktrees.
func askWorktrees(ctx context.Context, project string) ([]loop.Worktree, error) {
	out, err := git(ctx, project, "worktree", "list", "--porcelain", "-z")
	if err != nil {
		return nil, fmt.Errorf("list worktrees: %w", err)
	}
	var list []loop.Worktree
	for i, record := range strings.Split(string(out), "\x00\x00") {
		if w := parseWorktree(record); i > 0 && w.Path != "" {
			list = append(list, w)
		}
	}
	return list, nil
}

// parseWorktree reads one record of `git worktree list --porcelain -z`; git always names the main worktree first.
func parseWorktree(record string) loop.Worktree {
	var w loop.Worktree
	for line := range strings.SplitSeq(record, "\x00") {
		name, value, _ := strings.Cut(line, " ")
		switch name {
		case "worktree":
			w.Path = filepath.FromSlash(value)
		case "HEAD":
			w.HeadSHA = value
		case "branch":
			w.Branch = strings.TrimPrefix(value, "refs/heads/")
		}
	}
	return w
}

func within(root, path string) string {
	if rel, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return path
}

// CheckWorktrees compares the worktrees a history line recorded with those of now and returns one note for each that
// is gone or has moved, in the order recorded; one that matches is silent (R143, R144). Nothing is touched. A fact
// that was not recorded is not compared.
func CheckWorktrees(project string, recorded, now []loop.Worktree) []string {
	root := RealPath(project)
	byPath := make(map[string]loop.Worktree, len(now))
	for _, w := range now {
		byPath[locate(root, w.Path)] = w
	}
	var notes []string
	for _, was := range recorded {
		path := locate(root, was.Path)
		is, listed := byPath[path]
		switch {
		case !listed || !isDir(path):
			notes = append(notes, note(was.Path, "missing"))
		case moved(was, is):
			notes = append(notes, note(was.Path, "diverged"))
		}
	}
	return notes
}

func note(path, what string) string {
	return fmt.Sprintf("Worktree %s %s — leaving in place per worktree-preservation rule", path, what)
}

func locate(root, path string) string {
	path = filepath.FromSlash(path)
	if !filepath.IsAbs(path) {
		path = filepath.Join(root, path)
	}
	return RealPath(path)
}

// moved says that the branch or the head is another one. A recorded head may be abbreviated, as in "def5678"; no
// branch stands for a detached worktree if a head was recorded, else for an unknown one.
func moved(was, is loop.Worktree) bool {
	branch := strings.TrimPrefix(was.Branch, "refs/heads/")
	if branch != is.Branch && (branch != "" || was.HeadSHA != "") {
		return true
	}
	if len(was.HeadSHA) < 7 {
		return was.HeadSHA != "" && was.HeadSHA != is.HeadSHA
	}
	return !strings.HasPrefix(is.HeadSHA, strings.ToLower(was.HeadSHA))
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
