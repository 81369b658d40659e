package tracker

import (
	"os"
	"path/filepath"
	"strings"

	"hooks/internal/safefile"
)

// Project returns the directory whose .sdd/loop holds the state: CLAUDE_PROJECT_DIR, else the
// nearest of cwd and its parents that has .sdd/loop, else the main worktree of the git repository,
// else cwd. It starts no child process.
func Project(getenv func(string) string, cwd string) string {
	if dir := getenv("CLAUDE_PROJECT_DIR"); filepath.IsAbs(dir) && safefile.IsDir(dir) {
		return filepath.Clean(dir)
	}
	if cwd == "" {
		return ""
	}
	cwd = filepath.Clean(cwd)
	for dir, below := cwd, ""; dir != below; dir, below = filepath.Dir(dir), dir {
		if safefile.IsDir(filepath.Join(dir, ".sdd", "loop")) {
			return dir
		}
	}
	if place, ok := findGit(cwd); ok {
		return place.mainWorktree()
	}
	return cwd
}

// gitPlace holds the directories of a repository.
type gitPlace struct {
	top string // root of the worktree
	dir string // this worktree's git directory, with HEAD and config.worktree
	// the repository's git directory, with config and refs; equal to dir in the main worktree
	common string
}

// findGit finds a directory's repository by the nearest .git in it or in a parent, as git does. In
// a linked worktree and in a submodule, .git is a file with the path of the git directory.
func findGit(from string) (gitPlace, bool) {
	for top, below := from, ""; top != below; top, below = filepath.Dir(top), top {
		dot := filepath.Join(top, ".git")
		if _, err := os.Lstat(dot); err != nil {
			continue
		}
		if safefile.IsDir(filepath.Join(dot, "objects")) ||
			safefile.IsDir(filepath.Join(dot, "refs")) {
			return gitPlace{top, dot, dot}, true
		}
		text, _ := readSmall(dot)
		target, ok := strings.CutPrefix(text, "gitdir: ")
		if !ok {
			continue
		}
		dir := safefile.Absolute(top, strings.TrimRight(target, "\r\n"))
		place := gitPlace{top, dir, dir}
		if text, ok := readSmall(filepath.Join(dir, "commondir")); ok {
			place.common = safefile.Absolute(dir, strings.TrimRight(text, "\r\n"))
		}
		return place, true
	}
	return gitPlace{}, false
}

// mainWorktree returns the root of the repository's main worktree: the parent of the git directory,
// if that is a worktree of the same repository, else the root of this worktree.
func (p gitPlace) mainWorktree() string {
	top := filepath.Dir(p.common)
	if main, ok := findGit(top); ok && main.top == top && main.common == p.common {
		return top
	}
	return p.top
}

// readSmall reads a regular file of at most 256 KiB. It never blocks, because a hook that waits for
// a named pipe at .git/config would time out, and the client would then run the tool.
func readSmall(path string) (string, bool) { return safefile.Read(path, 256<<10) }

// Root returns the root of the worktree that contains dir, or an empty string. It starts no child
// process.
func Root(dir string) string {
	place, _ := findGit(filepath.Clean(dir))
	return place.top
}

// LinkedWorktree returns the root of the worktree that contains dir and reports whether it is a
// linked worktree. A submodule does not count as one. It starts no child process.
func LinkedWorktree(dir string) (top string, linked bool) {
	place, ok := findGit(filepath.Clean(dir))
	return place.top, ok && place.dir != place.common
}

// RealPath resolves the symbolic links in a path as far as the path exists. The result is absolute.
func RealPath(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	real, err := filepath.EvalSymlinks(path)
	if dir := filepath.Dir(path); err != nil && dir != path {
		return filepath.Join(RealPath(dir), filepath.Base(path))
	} else if err != nil {
		return path
	}
	return real
}
