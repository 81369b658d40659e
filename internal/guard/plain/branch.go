package plain

import (
	"cmp"
	"path"
	"strings"

	"hooks/internal/guard/shellword"
)

// Place returns the shell's working directory, or the call's if Cwd is empty.
func (f *Frame) Place() string { return cmp.Or(f.Cwd, f.M.Call.Cwd) }

// At resolves p against dir. It returns dir if p is empty.
func (f *Frame) At(dir, p string) string { return cmp.Or(f.In(dir).Resolve(p), dir) }

// Branch returns the branch checked out in dir. If the call checked out a branch there, Branch
// returns that branch; otherwise it asks Repo or reads .git/HEAD. It returns an empty string if
// there is no repository or the call detached HEAD, and Unknown if the branch is uncertain.
func (f *Frame) Branch(dir string) string {
	dir = path.Clean(dir)
	call := path.Clean(f.M.Call.Cwd)
	for d := dir; d != path.Dir(d); d = path.Dir(d) {
		if name, ok := f.M.heads[d]; ok {
			return name
		}
		if name := f.M.Repo().Branch; d == call && name != "" {
			return name
		}
		git := d + "/.git"
		link, _ := f.Open(git) // .git is a file in a linked worktree
		if to, ok := strings.CutPrefix(strings.TrimSpace(link), "gitdir: "); ok {
			git = f.At(d, to)
		}
		if head, ok := f.Open(git + "/HEAD"); ok {
			return strings.TrimPrefix(strings.TrimSpace(head), "ref: refs/heads/")
		}
	}
	if dir == call || dir[0] != '/' || shellword.HasUnknown(dir) || f.M.Files == nil {
		return shellword.Unknown
	}
	return ""
}

// CheckedOut records that the call may have checked out a branch in a directory. The names "-" and
// "@{-1}" mean the previous branch, which is known only if this call switched away from it.
func (f *Frame) CheckedOut(dir, name string) {
	dir = path.Clean(dir)
	switch {
	case name == "-" || name == "@{-1}":
		name = cmp.Or(f.M.heads["before "+dir], shellword.Unknown)
	case strings.HasPrefix(name, "@{-"):
		name = shellword.Unknown
	}
	f.M.heads["before "+dir], f.M.heads[dir] = f.Branch(dir), name
}
