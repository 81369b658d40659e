package tracker

import (
	"path/filepath"
	"strings"

	"hooks/internal/regular"
)

// Project is the directory whose .sdd/loop holds the state: CLAUDE_PROJECT_DIR, else the nearest parent of cwd that
// has one already, else the main worktree of the git repository, else cwd itself. No child process is started.
func Project(getenv func(string) string, cwd string) string {
	if dir := getenv("CLAUDE_PROJECT_DIR"); filepath.IsAbs(dir) && isDir(dir) {
		return filepath.Clean(dir)
	}
	if cwd == "" {
		return ""
	}
	cwd = filepath.Clean(cwd)
	for dir := range parents(cwd) {
		if isDir(filepath.Join(dir, ".sdd", "loop")) {
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

// gitPlace is where a working directory's repository keeps its files.
type gitPlace struct {
	top    string // root of the worktree
	dir    string // this worktree's git directory: HEAD, config.worktree
	common string // the repository's: config, refs; equal to dir in the main worktree
}

// findGit looks for the repository that a directory belongs to, as git does: the nearest .git above it, a directory
// or, in a linked worktree and in a submodule, a file that names one.
func findGit(from string) (gitPlace, bool) {
	for top := range parents(from) {
		dot := filepath.Join(top, ".git")
		if isDir(filepath.Join(dot, "objects")) || isDir(filepath.Join(dot, "refs")) {
			return gitPlace{top, dot, dot}, true
		}
		text, ok := readSmall(dot)
		if !ok {
			continue
		}
		if target, ok := strings.CutPrefix(text, "gitdir: "); ok {
			return linked(top, target), true
		}
	}
	return gitPlace{}, false
}

func linked(top, target string) gitPlace {
	dir := relativeTo(top, strings.TrimRight(target, "\r\n"))
	place := gitPlace{top, dir, dir}
	if text, ok := readSmall(filepath.Join(dir, "commondir")); ok {
		place.common = relativeTo(dir, strings.TrimRight(text, "\r\n"))
	}
	return place
}

func relativeTo(dir, path string) string {
	path = filepath.FromSlash(path)
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// mainWorktree is the root of the repository's first worktree: what the repository's config names (a submodule),
// else the directory that holds the repository, if they lead back into it. A bare repository has neither: then it is
// the worktree at hand.
func (p gitPlace) mainWorktree() string {
	if p.dir == p.common {
		return p.top
	}
	if named := p.config().last("core.worktree"); named != "" {
		if top := relativeTo(p.common, named); p.sharedBy(top) {
			return top
		}
	}
	if holder := filepath.Dir(p.common); p.sharedBy(holder) {
		return holder
	}
	return p.top
}

// sharedBy says that a directory is the root of a worktree of the same repository.
func (p gitPlace) sharedBy(top string) bool {
	place, ok := findGit(top)
	return ok && place.top == top && place.common == p.common
}

const smallFile = 256 << 10 // bytes

// readSmall reads a regular file of at most 256 KiB. It never waits, whatever stands at the path: a pipe planted as
// .git/config must not hold a hook until its timeout lets the tool run.
func readSmall(path string) (string, bool) {
	return regular.Read(path, smallFile)
}
