package guard

import (
	"path"
	"strings"
)

// protected tells whether a branch is one that only a reviewed PR may move. Unknown text may stand for one.
func (f *frame) protected(name string) truth {
	if name == "" {
		return maybe
	}
	if unknown(name) {
		pat := strings.NewReplacer(hole, "*", soft, "*").Replace(name)
		if f.anyProtected(func(p string) bool { return globMatch(pat, p) }) {
			return maybe
		}
		return no
	}
	return truthOf(f.anyProtected(func(p string) bool { return globMatch(p, name) }))
}

// anyProtected asks for every protected name or glob.
func (f *frame) anyProtected(is func(p string) bool) bool {
	r := f.m.repo
	for _, p := range []string{"main", "master", "trunk", r.Default} {
		if p != "" && is(p) {
			return true
		}
	}
	if r.Default == "" && (is("release") || is("release/*") || is("release-*") || is("releases/*")) {
		return true
	}
	for _, p := range r.Protected {
		if is(p) {
			return true
		}
	}
	return false
}

func (f *frame) defaultBranch() string {
	if f.m.repo.Default != "" {
		return f.m.repo.Default
	}
	return "main"
}

// branches are the branches that may be checked out in a directory: as the call left it, as its files say, or as the
// caller said. none is true when the place is no repository that could be found.
func (f *frame) branches(dir string) (names []string, none bool) {
	dir = path.Clean(dir)
	if names, ok := f.m.heads[dir]; ok {
		return names, false
	}
	call := path.Clean(f.m.call.Cwd)
	if dir == call {
		if f.m.repo.Branch != "" {
			return []string{f.m.repo.Branch}, false
		}
		if name, ok := f.readHead(dir); ok {
			return []string{name}, false
		}
		return nil, false
	}
	if unknown(dir) || dir == "." || strings.HasPrefix(dir, "~") || f.m.files == nil {
		return nil, false
	}
	for d := dir; ; d = path.Dir(d) {
		if names, ok := f.m.heads[d]; ok {
			return names, false
		}
		if name, ok := f.readHead(d); ok {
			return []string{name}, false
		}
		if d == call && f.m.repo.Branch != "" {
			return []string{f.m.repo.Branch}, false
		}
		if d == "/" || d == "." || f.m.readsLeft() <= 4 {
			return nil, true
		}
	}
}

// readHead reads the branch of a repository or of a linked worktree; "" is a detached head.
func (f *frame) readHead(dir string) (string, bool) {
	git := dir + "/.git"
	text, from := f.open(git + "/HEAD")
	if from == nowhere {
		link, from := f.open(git)
		to, ok := strings.CutPrefix(strings.TrimSpace(link), "gitdir: ")
		if from == nowhere || !ok {
			return "", false
		}
		if !strings.HasPrefix(to, "/") {
			to = path.Join(dir, to)
		}
		if text, from = f.open(to + "/HEAD"); from == nowhere {
			return "", false
		}
	}
	return strings.TrimPrefix(strings.TrimSpace(text), "ref: refs/heads/"), true
}

// checkedOut notes that a directory may now be on a branch. A switch that stands alone surely happened.
func (f *frame) checkedOut(dir, branch string) {
	f.m.heads[path.Clean(dir)] = []string{branch}
}
