package forges

import (
	"cmp"
	"slices"
	"strings"

	"hooks/internal/guard/effect"
	"hooks/internal/guard/plain"
	"hooks/internal/guard/shellword"
)

// Free reports whether a branch is certainly unprotected. An empty name is not free. A partly
// unknown name is free only if it cannot name a protected branch.
func Free(f *plain.Frame, name string) bool {
	pat := strings.ReplaceAll(name, shellword.Unknown, "*")
	r := f.M.Repo()
	names := []string{"main", "master", "trunk", r.Default}
	if r.Default == "" {
		names = append(names, "release", "release/*", "release-*", "releases/*")
	}
	return name != "" && !slices.ContainsFunc(names, func(p string) bool {
		return p != "" && (shellword.GlobMatch(p, name) || shellword.GlobMatch(pat, p) ||
			shellword.GlobMatch(pat, "heads/"+p) || shellword.GlobMatch(pat, "refs/heads/"+p))
	})
}

// Moves judges a push or a request that moves the branch named to. An empty name means that the
// branch is unknown. A name with * stands for all matching branches.
func Moves(f *plain.Frame, a effect.Act, to string, argv []shellword.Word) {
	name := strings.TrimPrefix(strings.TrimPrefix(to, "refs/"), "heads/")
	switch other, _, _ := strings.Cut(name, "/"); {
	case shellword.Has("tags notes pull for", other) && (other == "tags" || to != name),
		Free(f, name):
		UseBranch(f, argv, name)
	case name == "" || shellword.HasUnknown(name):
		f.OpaqueForge(shellword.Join(argv), "the branch that it moves is only known at run time")
	default:
		a.Kind, a.Ref = effect.PushProtected, name
		f.Act(a, argv)
	}
}

// DefaultBranch returns the repository's default branch, or "main" if that is unknown.
func DefaultBranch(f *plain.Frame) string {
	return cmp.Or(f.M.Repo().Default, "main")
}

// UseBranch records that the command works on a branch. It ignores protected branches, which are
// not PR branches. It records a name such as pull/142/head as PR 142.
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
	if !shellword.HasUnknown(name) && Free(f, name) {
		f.Use(effect.Act{Ref: name}, argv)
	}
}
