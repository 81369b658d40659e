package tracker

import (
	"os"
	"path/filepath"
	"strings"

	"hooks/internal/safefile"
)

// Project is the directory whose .sdd/loop holds the state: CLAUDE_PROJECT_DIR, else the nearest
// parent of cwd that has one already, else the main worktree of the git repository, else cwd
// itself. It starts no child process.
func Project(getenv func(string) string, cwd string) string {
	if dir := getenv("CLAUDE_PROJECT_DIR"); filepath.IsAbs(dir) && safefile.IsDir(dir) {
		return filepath.Clean(dir)
	}
	if cwd == "" {
		return ""
	}
	cwd = filepath.Clean(cwd)
	for dir := range parents(cwd) {
		if safefile.IsDir(filepath.Join(dir, ".sdd", "loop")) {
			return dir
		}
	}
	if place, ok := findGit(cwd); ok {
		return place.mainWorktree()
	}
	return cwd
}

// parents yields dir and every directory above it.
func parents(dir string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for yield(dir) {
			up := filepath.Dir(dir)
			if up == dir {
				return
			}
			dir = up
		}
	}
}

// gitPlace holds the folders in which a working directory's repository keeps its files.
type gitPlace struct {
	top    string // root of the worktree
	dir    string // this worktree's git directory: HEAD, config.worktree
	common string // the repository's: config, refs; equal to dir in the main worktree
}

// findGit looks for the repository that a directory belongs to, as git does: the nearest .git above
// it, a directory or, in a linked worktree and in a submodule, a file that names one.
func findGit(from string) (gitPlace, bool) {
	for top := range parents(from) {
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
		dir := relativeTo(top, strings.TrimRight(target, "\r\n"))
		place := gitPlace{top, dir, dir}
		if text, ok := readSmall(filepath.Join(dir, "commondir")); ok {
			place.common = relativeTo(dir, strings.TrimRight(text, "\r\n"))
		}
		return place, true
	}
	return gitPlace{}, false
}

// certain reports whether git takes this place for the repository too: it passes over a folder that
// lacks one of these, and follows a commondir in any.
func (p gitPlace) certain() bool {
	_, err := os.Lstat(filepath.Join(p.dir, "commondir"))
	head, _ := readSmall(filepath.Join(p.dir, "HEAD"))
	head = strings.TrimSpace(head)
	detached := len(head) >= 40 && strings.Trim(head, "0123456789abcdef") == ""
	return (err == nil) == (p.dir != p.common) &&
		(strings.HasPrefix(head, "ref: refs/") || detached) &&
		safefile.IsDir(filepath.Join(p.common, "objects")) &&
		safefile.IsDir(filepath.Join(p.common, "refs"))
}

func relativeTo(dir, path string) string {
	path = filepath.FromSlash(path)
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// mainWorktree is the root of the repository's first worktree: the one that the repository's config
// names (a submodule), else the directory that holds the repository, if they lead back into it. A
// bare repository has neither; then it is this worktree.
func (p gitPlace) mainWorktree() string {
	if p.dir == p.common {
		return p.top
	}
	tops := []string{filepath.Dir(p.common)}
	if named := p.config().last("core.worktree"); named != "" {
		tops = []string{relativeTo(p.common, named), tops[0]}
	}
	for _, top := range tops {
		if place, ok := findGit(top); ok && place.top == top && place.common == p.common {
			return top
		}
	}
	return p.top
}

// readSmall reads a regular file of at most 256 KiB. It never waits: a pipe planted as .git/config
// must not hold a hook until its timeout lets the tool run.
func readSmall(path string) (string, bool) { return safefile.Read(path, maxConfig) }

// LinkedWorktree is the root of the worktree that a directory lies in, and whether it is a linked
// one: not the repository's first, and no submodule. It starts no child process.
func LinkedWorktree(dir string) (top string, linked bool) {
	place, ok := findGit(filepath.Clean(dir))
	return place.top, ok && place.dir != place.common
}
