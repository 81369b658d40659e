package forges

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"hooks/internal/guard/effect"
	"hooks/internal/guard/plain"
	"hooks/internal/guard/shellword"
)

// Truth is an answer that may be unknown.
type Truth int

// The answers.
const (
	Maybe Truth = iota
	Yes
	No
)

// Protected reports whether a branch is one that only a reviewed PR may move. Unknown text may
// stand for one.
func Protected(f *plain.Frame, name string) Truth {
	pat := strings.ReplaceAll(name, shellword.Unknown, "*")
	switch {
	case name == "", pat != name && anyProtected(f, func(p string) bool {
		return shellword.GlobMatch(pat, p)
	}):
		return Maybe
	case anyProtected(f, func(p string) bool { return shellword.GlobMatch(p, name) }):
		return Yes
	}
	return No
}

// anyProtected asks for every protected name or glob.
func anyProtected(f *plain.Frame, is func(p string) bool) bool {
	r := f.M.Repo()
	names := []string{"main", "master", "trunk", r.Default}
	if r.Default == "" {
		names = append(names, "release", "release/*", "release-*", "releases/*")
	}
	return slices.ContainsFunc(names, func(p string) bool { return p != "" && is(p) })
}

// Moves judges a push or a request by the branch that it moves; "" counts as unknown. A target with
// * is every branch that it matches.
func Moves(f *plain.Frame, a effect.Act, to string, argv []shellword.Word) {
	name := strings.TrimPrefix(strings.TrimPrefix(to, "refs/"), "heads/")
	moved := Protected(f, name)
	switch other, _, _ := strings.Cut(name, "/"); {
	case to == "refs/*", strings.Contains(name, "*") && anyProtected(f, func(p string) bool {
		return shellword.GlobMatch(name, p)
	}):
		moved = Yes
	case shellword.Has("tags notes pull for", other) && (other == "tags" || to != name):
		moved = No
	}
	switch moved {
	case Yes:
		a.Kind, a.Ref = effect.PushProtected, name
		f.Act(a, argv)
	case No:
		UseBranch(f, argv, name)
	case Maybe:
		f.OpaqueForge(shellword.Join(argv), "the branch it moves is only known when it runs")
	}
}

// DefaultBranch is the branch that the forge merges into, "main" while that is unknown.
func DefaultBranch(f *plain.Frame) string {
	return cmp.Or(f.M.Repo().Default, "main")
}

// branch returns the branch that is checked out in a directory, as the call left it, as git's files
// have it, or as the caller reported it. It returns an empty string if there is no repository or no
// branch, and unknown text if in doubt.
func branch(f *plain.Frame, dir string) string {
	dir = path.Clean(dir)
	call := path.Clean(f.M.Call.Cwd)
	lost := shellword.HasUnknown(dir) || dir == "." || strings.HasPrefix(dir, "~") ||
		f.M.Files == nil
	for d := dir; ; d = path.Dir(d) {
		if name, ok := f.M.Heads[d]; ok {
			return name
		}
		if d == call && f.M.Repo().Branch != "" {
			return f.M.Repo().Branch
		}
		if lost && d != call {
			return shellword.Unknown
		}
		if git := gitDir(f, d); git != "" {
			head := strings.TrimSpace(f.FileText(git + "/HEAD"))
			return strings.TrimPrefix(head, "ref: refs/heads/")
		}
		switch {
		case dir == call:
			return shellword.Unknown
		case d == "/" || d == ".":
			return ""
		case f.M.ReadsLeft() <= 4:
			return shellword.Unknown
		}
	}
}

// gitDir returns git's folder for the repository or linked worktree in dir, or "".
func gitDir(f *plain.Frame, dir string) string {
	git := dir + "/.git"
	if _, ok := f.Open(git + "/HEAD"); ok {
		return git
	}
	link, _ := f.Open(git)
	if to, ok := strings.CutPrefix(strings.TrimSpace(link), "gitdir: "); ok {
		return at(f, dir, to)
	}
	return ""
}

// UseBranch records that the words check out a branch, push to it or move another to it. Protected
// branches are no PR's own, though a fork may have one of their name. pull/142/head is the PR.
func UseBranch(f *plain.Frame, argv []shellword.Word, name string) {
	for _, place := range []string{"refs/", "heads/", "remotes/", "origin/", "upstream/"} {
		name = strings.TrimPrefix(name, place)
	}
	if i := strings.IndexAny(name, "~^"); i > 0 {
		name = name[:i]
	}
	noun, number, _ := strings.Cut(name, "/")
	number, _, _ = strings.Cut(number, "/")
	if n := shellword.Number(number); n > 0 && shellword.Has("pull merge-requests", noun) {
		f.Use(effect.Act{PR: n}, argv)
		return
	}
	if !shellword.HasUnknown(name) && Protected(f, name) == No {
		f.Use(effect.Act{Ref: name}, argv)
	}
}

// checkedOut notes that a directory may now be on a branch. "-" and "@{-1}" are the one before, if
// this call left it.
func checkedOut(f *plain.Frame, dir, name string) {
	dir = path.Clean(dir)
	switch {
	case name == "-" || name == "@{-1}":
		name = cmp.Or(f.M.Heads["before "+dir], shellword.Unknown)
	case strings.HasPrefix(name, "@{-"):
		name = shellword.Unknown
	}
	f.M.Heads["before "+dir], f.M.Heads[dir] = branch(f, dir), name
}
