package tracker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"hooks/internal/loop"
	"hooks/internal/safefile"
)

// Worktrees returns the linked worktrees of the project's repository (R122), except the project
// itself. It includes worktrees whose directory is missing. A detached worktree has no branch. A
// path inside the project is relative to it, with slashes. Worktrees does not start git if the
// repository has no linked worktrees.
func Worktrees(ctx context.Context, project string) (list []loop.Worktree, err error) {
	place, ok := findGit(project)
	if !ok {
		return nil, errors.New("list worktrees: not a git repository")
	}
	if safefile.IsDir(filepath.Join(place.common, "objects")) {
		_, err := os.Lstat(filepath.Join(place.common, "worktrees"))
		if os.IsNotExist(err) {
			return nil, nil
		}
	}
	out, err := git(ctx, project, "worktree", "list", "--porcelain", "-z")
	if err != nil {
		return nil, fmt.Errorf("list worktrees: %w", err)
	}
	root := RealPath(project)
	for i, record := range strings.Split(string(out), "\x00\x00") {
		w := parseWorktree(record)
		if i == 0 || w.Path == "" || w.Path == root { // git lists the main worktree first
			continue
		}
		if rel, err := filepath.Rel(root, w.Path); err == nil && filepath.IsLocal(rel) {
			w.Path = filepath.ToSlash(rel)
		}
		list = append(list, w)
	}
	return list, nil
}

// Trees returns the paths of the linked worktrees that exist on disk.
func Trees(ctx context.Context, project string) (list []string) {
	all, _ := Worktrees(ctx, project)
	for _, w := range all {
		if path := safefile.Absolute(RealPath(project), w.Path); safefile.IsDir(path) {
			list = append(list, path)
		}
	}
	return list
}

// parseWorktree reads one record of `git worktree list --porcelain -z`.
func parseWorktree(record string) (w loop.Worktree) {
	for line := range strings.SplitSeq(record, "\x00") {
		switch name, value, _ := strings.Cut(line, " "); name {
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

// CheckWorktrees compares recorded worktrees with the current ones. It returns one note for each
// recorded worktree that is missing or has another branch or head, in the recorded order (R143,
// R144). It compares only recorded facts, and changes nothing.
func CheckWorktrees(project string, recorded, now []loop.Worktree) (notes []string) {
	root := RealPath(project)
	locate := func(path string) string { return RealPath(safefile.Absolute(root, path)) }
	byPath := make(map[string]loop.Worktree, len(now))
	for _, w := range now {
		byPath[locate(w.Path)] = w
	}
	for _, was := range recorded {
		path := locate(was.Path)
		is, listed := byPath[path]
		what := ""
		switch {
		case !listed || !safefile.IsDir(path):
			what = "missing"
		case moved(was, is):
			what = "diverged"
		default:
			continue
		}
		notes = append(notes, fmt.Sprintf(
			"Worktree %s %s — leaving in place per worktree-preservation rule", was.Path, what))
	}
	return notes
}

// moved reports whether the branch or the head has changed. The recorded head may be abbreviated. A
// recorded worktree without a branch was detached if it has a head; otherwise its branch is
// unknown.
func moved(was, is loop.Worktree) bool {
	branch := strings.TrimPrefix(was.Branch, "refs/heads/")
	return branch != is.Branch && (branch != "" || was.HeadSHA != "") ||
		was.HeadSHA != "" && !loop.SameSHA(strings.ToLower(was.HeadSHA), is.HeadSHA)
}
