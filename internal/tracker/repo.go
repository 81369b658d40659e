package tracker

import (
	"path/filepath"
	"strings"
)

// Facts are what is known of a repository without asking anyone.
type Facts struct {
	Top     string // root of the worktree, "" outside of a repository
	Branch  string // checked-out branch, "" when unknown or detached
	Default string // default branch of origin, or of the only remote, "" when unknown
	Remotes map[string]string
	// Config holds every setting of the system, the person and the repository by git's key: section and name in
	// lower case, the part between as written. Of a key that stands several times the last counts, but of
	// remote.*.push, .url, .pushurl and what forges' clients keep there all count: their values are joined by line feeds.
	Config map[string]string
	// Partial says that some settings are not known: includes are not followed, and there are bounds.
	Partial bool
}

// Repo reads the facts of the repository that dir lies in. No child process is started.
func Repo(getenv func(string) string, dir string) Facts {
	all := personal(getenv)
	place, ok := findGit(filepath.Clean(dir))
	if ok {
		own := place.config()
		all = settings{append(all.list, own.list...), all.partial || own.partial}
	}
	f := Facts{Config: map[string]string{}, Remotes: map[string]string{}, Partial: all.partial}
	for _, s := range all.list {
		if old, again := f.Config[s.key]; again && several(s.key) {
			s.value = old + "\n" + s.value
		}
		f.Config[s.key] = s.value
	}
	for key, value := range f.Config {
		if name, ok := remoteURL(key); ok {
			f.Remotes[name], _, _ = strings.Cut(value, "\n")
		}
	}
	if ok && f.Config["extensions.refstorage"] != "reftable" { // that keeps its refs in no text file
		f.Branch = symbolic(filepath.Join(place.dir, "HEAD"), "refs/heads/")
		f.Default = defaultBranch(place.common, f.Remotes)
	}
	f.Top = place.top
	return f
}

// several says that git, or a forge's client, uses every value of a key.
func several(key string) bool {
	return strings.HasPrefix(key, "remote.") && (strings.HasSuffix(key, ".push") || strings.HasSuffix(key, ".url") ||
		strings.HasSuffix(key, ".pushurl") || strings.HasSuffix(key, "-resolved"))
}

func remoteURL(key string) (remote string, ok bool) {
	key, ok = strings.CutPrefix(key, "remote.")
	if !ok {
		return "", false
	}
	return strings.CutSuffix(key, ".url")
}

// defaultBranch is where the remote's HEAD pointed when it was last fetched. There is no guess: without the file,
// which branch is protected is not known.
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

// symbolic is what a symbolic ref points at below a prefix, "" for anything else.
func symbolic(path, prefix string) string {
	text, _ := readSmall(path)
	target, ok := strings.CutPrefix(text, "ref:")
	if !ok {
		return ""
	}
	name, ok := strings.CutPrefix(strings.TrimSpace(target), prefix)
	if !ok {
		return ""
	}
	return name
}
