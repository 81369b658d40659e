package tracker

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
)

// Facts holds what the git files of a repository, the user and the system say.
type Facts struct {
	Top     string // root of the worktree, empty outside a repository
	Dir     string // its git directory
	Branch  string // checked-out branch, empty if unknown or detached
	Default string // default branch of origin or the only remote, empty if unknown
	Remotes map[string]string
	// Config holds the settings of the system, the user and the repository by git's key: section
	// and name in lower case, the subsection as written. The last value of a key counts. All values
	// count for remote.*.push, .url, .pushurl, url.*.insteadof and the keys of forges' clients;
	// they are joined by line feeds.
	Config map[string]string
	// Partial reports that some settings may be missing: includes are not followed, and files are
	// read up to a bound.
	Partial bool
}

// Repo reads the facts of the repository that contains dir. It starts no child process.
func Repo(getenv func(string) string, dir string) Facts {
	all := personal(getenv)
	place, ok := findGit(filepath.Clean(dir))
	if ok {
		own := place.config()
		all = settings{append(all.list, own.list...), all.partial || own.partial}
	}
	return place.facts(all)
}

// Asked is like Repo, but asks git for the settings if the files do not show all of them. The
// result is Partial if git fails.
func Asked(ctx context.Context, getenv func(string) string, dir string) Facts {
	f := Repo(getenv, dir)
	place, ok := findGit(filepath.Clean(dir))
	if !ok || !f.Partial && place.certain() {
		return f
	}
	out, err := ask(ctx, maxOutput, dir, "config", "--list", "--includes", "-z")
	if err != nil {
		f.Partial = true
		return f
	}
	var all settings
	for field := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		all.list = append(all.list, readListed(field))
	}
	return place.facts(all)
}

// facts returns the facts of the repository, given its settings.
func (p gitPlace) facts(all settings) Facts {
	f := Facts{
		Top: p.top, Dir: p.dir, Config: map[string]string{}, Remotes: map[string]string{},
		Partial: all.partial,
	}
	for _, s := range all.list {
		if old, again := f.Config[s.key]; again && several(s.key) {
			s.value = old + "\n" + s.value
		}
		f.Config[s.key] = s.value
	}
	for key, value := range f.Config {
		name, isRemote := strings.CutPrefix(key, "remote.")
		if name, isURL := strings.CutSuffix(name, ".url"); isRemote && isURL {
			reset := strings.LastIndex("\n"+value+"\n", "\n\n") + 1 // an empty URL resets
			value = value[min(reset, len(value)):]
			f.Remotes[name], _, _ = strings.Cut(value, "\n")
		}
	}
	// With reftable, HEAD does not hold the branch.
	if p.dir != "" && f.Config["extensions.refstorage"] != "reftable" {
		f.Branch = symbolic(filepath.Join(p.dir, "HEAD"), "refs/heads/")
		f.Default = defaultBranch(p.common, f.Remotes)
	}
	return f
}

// several reports whether git or a forge's client uses all values of a key.
func several(key string) bool {
	return strings.HasPrefix(key, "url.") || strings.HasPrefix(key, "remote.") &&
		slices.ContainsFunc([]string{".push", ".url", ".pushurl", "-resolved"},
			func(end string) bool { return strings.HasSuffix(key, end) })
}

// defaultBranch returns the branch of the remote's HEAD as last fetched, or an empty string. It
// does not guess, because a wrong guess would leave the real default branch unprotected.
func defaultBranch(common string, remotes map[string]string) string {
	name := "origin"
	if _, ok := remotes[name]; !ok && len(remotes) == 1 {
		for name = range remotes {
		}
	}
	if !filepath.IsLocal(name) {
		return ""
	}
	refs := "refs/remotes/" + name + "/"
	return symbolic(filepath.Join(common, filepath.FromSlash(refs), "HEAD"), refs)
}

// symbolic returns the target of a symbolic ref, without prefix. It returns an empty string for
// anything else.
func symbolic(path, prefix string) string {
	text, _ := readSmall(path)
	target, ok := strings.CutPrefix(text, "ref:")
	if name, below := strings.CutPrefix(strings.TrimSpace(target), prefix); ok && below {
		return name
	}
	return ""
}
