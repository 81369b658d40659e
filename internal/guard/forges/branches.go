package forges

import (
	"cmp"
	"slices"
	"strings"

	"hooks/internal/guard/effect"
	"hooks/internal/guard/plain"
	"hooks/internal/guard/shellword"
)

// Truth is a truth value that may be unknown.
type Truth int

// The truth values.
const (
	Maybe Truth = iota
	Yes
	No
)

// Protected reports whether only a reviewed PR may move the branch. It returns Maybe for an empty
// name, and for a partly unknown name that may be a protected one.
func Protected(f *plain.Frame, name string) Truth {
	pat := strings.ReplaceAll(name, shellword.Unknown, "*")
	switch {
	case name == "", pat != name && anyProtected(f, func(p string) bool {
		return shellword.GlobMatch(pat, p) || shellword.GlobMatch(pat, "refs/heads/"+p)
	}):
		return Maybe
	case anyProtected(f, func(p string) bool { return shellword.GlobMatch(p, name) }):
		return Yes
	}
	return No
}

// anyProtected reports whether is returns true for any protected name or glob.
func anyProtected(f *plain.Frame, is func(p string) bool) bool {
	r := f.M.Repo()
	names := []string{"main", "master", "trunk", r.Default}
	if r.Default == "" {
		names = append(names, "release", "release/*", "release-*", "releases/*")
	}
	return slices.ContainsFunc(names, func(p string) bool { return p != "" && is(p) })
}

// Moves judges a push or a request that moves the branch to, which is unknown if empty. A target
// with * stands for every branch that it matches.
func Moves(f *plain.Frame, a effect.Act, to string, argv []shellword.Word) {
	name := strings.TrimPrefix(strings.TrimPrefix(to, "refs/"), "heads/")
	moved := Protected(f, name)
	switch other, _, _ := strings.Cut(name, "/"); {
	case strings.Contains(to, "*") && anyProtected(f, func(p string) bool {
		return shellword.GlobMatch(name, p) || shellword.GlobMatch(to, "refs/heads/"+p)
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

// DefaultBranch returns the repository's default branch, or "main" if that is unknown.
func DefaultBranch(f *plain.Frame) string {
	return cmp.Or(f.M.Repo().Default, "main")
}

// UseBranch records that the command works on a branch. It ignores protected branches, which belong
// to no single PR. It records a name such as pull/142/head as the PR.
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
