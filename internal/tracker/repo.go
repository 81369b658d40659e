package tracker

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"hooks/internal/child"
)

// Facts describes a repository.
type Facts struct {
	Top     string // root of the worktree, empty outside a repository
	Dir     string // its git directory
	Branch  string // checked-out branch, empty if unknown or detached
	Default string // default branch of origin or the only remote, empty if unknown
	Remotes map[string]string
	// Config holds the system, user and repository settings by git's key: section and name in lower
	// case, the subsection as written. The last value of a key counts. For remote.*.push, .fetch,
	// .url, .pushurl, push.pushoption, url.*.insteadof and the forge clients' keys, all values
	// count; they are joined by line feeds.
	Config map[string]string
	Err    error // why git did not print its settings, or nil
}

// Repo returns the facts of the repository that contains dir. Its settings come from git, the rest
// from files.
func Repo(ctx context.Context, dir string) Facts {
	dir = filepath.Clean(dir)
	p, ok := findGit(dir)
	if ok {
		dir = p.top
	}
	list, err := settings(ctx, dir)
	f := p.facts(list)
	if f.Err = err; ok {
		f.Branch = symbolic(filepath.Join(p.dir, "HEAD"), Heads)
	}
	if f.Branch == ".invalid" { // with reftable, HEAD does not name the branch
		f.Branch = ""
	}
	return f
}

// GitStart describes how a program starts git.
type GitStart struct {
	Dir   string   // the directory where it starts
	Env   []string // its environment
	Flags []string // the flags before its command that choose the repository and settings
	Works string   // the directory where it works, which Env and Flags may change
}

// Ask starts git in this way, with args after Flags, and returns its output.
func (s GitStart) Ask(ctx context.Context, args ...string) (string, error) {
	// GIT_CONFIG would hide settings from git config, but not from other git commands.
	env := slices.DeleteFunc(slices.Clone(s.Env), func(kv string) bool {
		return strings.HasPrefix(kv, "GIT_CONFIG=")
	})
	r, err := child.Run(ctx, child.Command{
		Dir: s.Dir, Env: env, Wait: gitWait / 2, Most: maxOutput,
		Args: slices.Concat([]string{installed("git")}, s.Flags, []string{"--no-pager"}, args),
	})
	return strings.TrimSuffix(string(r.Out), "\n"), err
}

// Repo returns the facts of the repository that git uses if started in this way, except the branch.
// The settings come from git.
func (s GitStart) Repo(ctx context.Context) Facts {
	p, _ := findGit(filepath.Clean(s.Works))
	out, err := s.Ask(ctx, listing...)
	f := p.facts(listed(out, ""))
	f.Err = err
	return f
}

// facts returns the facts of a repository with these settings, without its branch.
func (p gitPlace) facts(list []setting) Facts {
	f := Facts{
		Top: p.top, Dir: p.dir, Config: map[string]string{}, Remotes: map[string]string{},
	}
	for _, s := range list {
		if old, again := f.Config[s.key]; again && several(s.key) {
			s.value = old + "\n" + s.value
		}
		f.Config[s.key] = s.value
	}
	for key, value := range f.Config {
		name, isRemote := strings.CutPrefix(key, "remote.")
		if name, isURL := strings.CutSuffix(name, ".url"); isRemote && isURL {
			reset := strings.LastIndex("\n"+value+"\n", "\n\n") + 1 // an empty URL clears the list
			value = value[min(reset, len(value)):]
			f.Remotes[name], _, _ = strings.Cut(value, "\n")
		}
	}
	if p.dir != "" {
		f.Default = defaultBranch(p.common, f.Remotes)
	}
	return f
}

// several reports whether git or a forge's client uses all values of a key, not only the last.
func several(key string) bool {
	return key == "push.pushoption" || strings.HasPrefix(key, "url.") ||
		strings.HasPrefix(key, "remote.") &&
			slices.ContainsFunc([]string{".push", ".fetch", ".url", ".pushurl", "-resolved"},
				func(end string) bool { return strings.HasSuffix(key, end) })
}

// defaultBranch returns the branch that the remote's HEAD named when last fetched, or an empty
// string. It does not guess, because a wrong guess would leave the real default branch unprotected.
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
