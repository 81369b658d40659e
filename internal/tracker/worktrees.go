package tracker

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"hooks/internal/loop"
	"hooks/internal/safefile"
)

// Worktrees lists the linked worktrees of the project's repository (R122), also those whose
// directory is gone, without the project itself. A detached one has no branch. Paths inside the
// project are relative to it, with slashes.
func Worktrees(ctx context.Context, project string) (list []loop.Worktree, err error) {
	all, err := allWorktrees(ctx, project)
	if err != nil {
		return nil, err
	}
	root := RealPath(project)
	for _, w := range all {
		if w.Path == root {
			continue
		}
		if rel, err := filepath.Rel(root, w.Path); err == nil && filepath.IsLocal(rel) {
			w.Path = filepath.ToSlash(rel)
		}
		list = append(list, w)
	}
	return list, nil
}

// HeadOf returns the commit that a linked worktree has checked out, or an empty string if it is
// unknown.
func HeadOf(ctx context.Context, worktree string) string {
	all, _ := allWorktrees(ctx, worktree)
	for _, w := range all {
		if w.Path == RealPath(worktree) {
			return w.HeadSHA
		}
	}
	return ""
}

// Trees returns the linked worktrees that exist on disk, if the project is in the repository's
// first worktree. It is empty in a linked one.
func Trees(ctx context.Context, project string) (list []string) {
	if top, linked := LinkedWorktree(project); top == "" || linked {
		return nil
	}
	all, _ := allWorktrees(ctx, project)
	for _, w := range all {
		if safefile.IsDir(w.Path) {
			list = append(list, w.Path)
		}
	}
	return list
}

func allWorktrees(ctx context.Context, project string) ([]loop.Worktree, error) {
	if all, ok := readWorktrees(project); ok {
		return all, nil
	}
	return askWorktrees(ctx, project)
}

// askWorktrees asks git, which always lists the main worktree first.
func askWorktrees(ctx context.Context, project string) (list []loop.Worktree, err error) {
	out, err := git(ctx, project, "worktree", "list", "--porcelain", "-z")
	if err != nil {
		return nil, fmt.Errorf("list worktrees: %w", err)
	}
	for i, record := range strings.Split(string(out), "\x00\x00") {
		if w := parseWorktree(record); i > 0 && w.Path != "" {
			list = append(list, w)
		}
	}
	return list, nil
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

// readWorktrees reads the same from the repository's own files, because starting git costs as much
// as the rest of a Stop. ok is false if anything is unusual, and git has to be asked.
func readWorktrees(project string) (list []loop.Worktree, ok bool) {
	place, ok := findGit(project)
	if !ok {
		return nil, false
	}
	entries, err := os.ReadDir(filepath.Join(place.common, "worktrees"))
	if os.IsNotExist(err) {
		return nil, safefile.IsDir(filepath.Join(place.common, "objects"))
	}
	for _, e := range entries {
		w, ok := readWorktree(place.common, filepath.Join(place.common, "worktrees", e.Name()))
		if !ok {
			return nil, false
		}
		list = append(list, w)
	}
	return list, err == nil
}

// readWorktree reads one linked worktree: the path of its .git file, and a HEAD that is a commit or
// a branch.
func readWorktree(common, dir string) (w loop.Worktree, ok bool) {
	dot, _ := readSmall(filepath.Join(dir, "gitdir"))
	path, ok := strings.CutSuffix(strings.TrimSuffix(dot, "\n"), "/.git")
	w.Path = filepath.FromSlash(path)
	if !ok || !filepath.IsAbs(path) || filepath.Clean(path) != w.Path {
		return w, false
	}
	info, err := os.Lstat(filepath.Join(dir, "HEAD"))
	if err != nil || !info.Mode().IsRegular() { // a link is a branch, too
		return w, false
	}
	head, _ := readSmall(filepath.Join(dir, "HEAD"))
	w.HeadSHA = strings.TrimSuffix(head, "\n")
	if ref, symbolic := strings.CutPrefix(w.HeadSHA, "ref: "); symbolic {
		if w.Branch, ok = strings.CutPrefix(ref, "refs/heads/"); !ok || !filepath.IsLocal(ref) {
			return w, false
		}
		w.HeadSHA = readRef(common, ref)
	}
	hash := len(w.HeadSHA) == 40 || len(w.HeadSHA) == 64 // SHA-1 or SHA-256
	return w, hash && strings.Trim(w.HeadSHA, "0123456789abcdef") == "" &&
		strings.Trim(w.HeadSHA, "0") != ""
}

// readRef returns the commit of a ref, from its own file or from packed-refs, or an empty string if
// neither has it.
func readRef(common, ref string) string {
	if text, ok := readSmall(filepath.Join(common, filepath.FromSlash(ref))); ok {
		return strings.TrimSuffix(text, "\n")
	}
	packed, _ := readSmall(filepath.Join(common, "packed-refs"))
	before, _, ok := strings.Cut(packed, " "+ref+"\n")
	if !ok {
		return ""
	}
	return before[strings.LastIndexByte(before, '\n')+1:]
}

// CheckWorktrees compares the worktrees that a history line recorded with those of now. It returns
// one note for each that is gone or has moved, in the order recorded (R143, R144). It touches
// nothing, and compares only facts that were recorded.
func CheckWorktrees(project string, recorded, now []loop.Worktree) (notes []string) {
	root := RealPath(project)
	locate := func(path string) string { return RealPath(relativeTo(root, path)) }
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

// moved reports whether the branch or the head is another one. A recorded head may be abbreviated,
// as in "def5678"; a worktree without a branch is detached if a head was recorded, else its branch
// is unknown.
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
