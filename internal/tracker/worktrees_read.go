package tracker

import (
	"os"
	"path/filepath"
	"strings"

	"hooks/internal/loop"
)

// readWorktrees reads what `git worktree list` would say of the linked worktrees out of the repository's own files: to start
// git costs as much as all else that a Stop does. ok is false where anything is not plain: git is asked then.
func readWorktrees(project string) (list []loop.Worktree, ok bool) {
	place, ok := findGit(project)
	if !ok {
		return nil, false
	}
	entries, err := os.ReadDir(filepath.Join(place.common, "worktrees"))
	if os.IsNotExist(err) {
		return nil, isDir(filepath.Join(place.common, "objects"))
	}
	for _, e := range entries {
		w, plain := readWorktree(place.common, filepath.Join(place.common, "worktrees", e.Name()))
		if !plain {
			return nil, false
		}
		list = append(list, w)
	}
	return list, err == nil
}

// readWorktree reads one linked worktree: the path of its .git file, and a HEAD that is a commit or a branch.
func readWorktree(common, dir string) (w loop.Worktree, plain bool) {
	dot, _ := readSmall(filepath.Join(dir, "gitdir"))
	path, named := strings.CutSuffix(strings.TrimSuffix(dot, "\n"), "/.git")
	head, _ := readSmall(filepath.Join(dir, "HEAD"))
	if info, err := os.Lstat(filepath.Join(dir, "HEAD")); err != nil || !info.Mode().IsRegular() { // a link is a branch, too
		return w, false
	}
	if !named || !filepath.IsAbs(path) || filepath.Clean(path) != filepath.FromSlash(path) {
		return w, false
	}
	w.Path, w.HeadSHA = filepath.FromSlash(path), strings.TrimSuffix(head, "\n")
	if ref, symbolic := strings.CutPrefix(w.HeadSHA, "ref: "); symbolic {
		w.Branch, plain = strings.CutPrefix(ref, "refs/heads/")
		if w.HeadSHA = looseOrPacked(common, ref); !plain || !filepath.IsLocal(ref) {
			return w, false
		}
	}
	return w, isCommit(w.HeadSHA)
}

// looseOrPacked is the commit of a ref, "" where neither its own file nor the packed one says it.
func looseOrPacked(common, ref string) string {
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

// isCommit says that a text is the full name of a commit, SHA-1 or SHA-256, and not of none.
func isCommit(sha string) bool {
	return (len(sha) == 40 || len(sha) == 64) && strings.Trim(sha, "0123456789abcdef") == "" && strings.Trim(sha, "0") != ""
}
