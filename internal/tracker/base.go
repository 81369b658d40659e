package tracker

import (
	"cmp"
	"maps"
	"net/url"
	"slices"
	"strings"

	"hooks/internal/loop"
)

// RepositoryAt returns the repository at an address: ssh://git@host:22/path, https://host/path or
// git@host:path. A local path has no host. The result's URL has a user only in the last form.
func RepositoryAt(address string) (r loop.Tracker) {
	host, path := "", ""
	if scheme, rest, isURL := strings.Cut(address, "://"); isURL {
		at, _, _ := strings.Cut(rest, "/")
		address = scheme + "://" + rest[strings.LastIndexByte(at, '@')+1:]
		if u, err := url.Parse(address); err == nil {
			if host, path = u.Host, u.Path; !strings.HasPrefix(u.Scheme, "http") {
				host = u.Hostname()
			}
		}
	} else if at, after, ok := strings.Cut(address, ":"); ok &&
		len(at) > 1 && !strings.Contains(at, "/") { // else a path, or a Windows drive
		host, path = at[strings.LastIndexByte(at, '@')+1:], after
	}
	r.URL, host = address, strings.ToLower(host)
	r.Host = cmp.Or(OfficialHost(host), host)
	path = strings.TrimSuffix(strings.Trim(path, "/"), ".git")
	if strings.Contains(path, "/") {
		r.Repo = path
	}
	return r
}

// Own returns the names of a run's own repositories: its git remote's repository and, if the remote
// is missing or a local path, also its tracker's repository.
func Own(t loop.Tracker) []string {
	git := RepositoryAt(t.URL)
	if git.Host != "" || t.Repo == "" {
		return []string{git.String()}
	}
	return []string{git.String(), t.Host + "/" + t.Repo}
}

// Named reports whether repo, given as owner/name or host/owner/name, is one of own.
func Named(repo string, own ...string) bool {
	repo = strings.TrimSuffix(strings.ToLower(repo), ".git")
	return repo != "" && slices.ContainsFunc(own, func(at string) bool {
		return strings.HasSuffix("/"+strings.TrimSuffix(strings.ToLower(at), ".git"), "/"+repo)
	})
}

// Remote returns the repository that a git remote points to.
func (f Facts) Remote(name string) loop.Tracker {
	r := RepositoryAt(rewritten(f.Remotes[name], f.Config))
	r.Remote = name
	return r
}

// Unchanged returns address if git uses it unchanged, or an empty string if insteadOf rewrites it.
func (f Facts) Unchanged(address string) string {
	if rewritten(address, f.Config) != address {
		return ""
	}
	return address
}

// Base returns the repository that gh and similar clients use if a command does not name one: the
// remote that the user chose as the base, else upstream, else origin, else the only remote. It
// ignores remotes on a host other than origin's.
func (f Facts) Base() loop.Tracker {
	names := slices.Sorted(maps.Keys(f.Remotes))
	origin := f.Remote("origin")
	if origin.URL == "" && len(names) == 1 {
		origin = f.Remote(names[0])
	}
	at := OfficialHost(origin.Host)
	near := func(b loop.Tracker) bool { return at == "" || OfficialHost(b.Host) == at }
	for _, name := range names {
		base, ok := f.resolved(name)
		b := f.Remote(name)
		switch {
		case !ok || !near(b):
		case strings.Contains(base, "/"):
			return RepositoryAt("https://" + b.Host + "/" + base)
		default:
			return b
		}
	}
	if b := f.Remote("upstream"); b.Repo != "" && near(b) {
		return b
	}
	return origin
}

// resolved reports whether the user chose a remote as the base, with `gh repo set-default` or at a
// glab prompt. base is empty for the remote's own repository; otherwise it names another repository
// on the same host. The setting is "base" or a repository, which glab prefixes with "base:".
// resolved ignores "head", which marks the remote that branches are pushed to.
func (f Facts) resolved(remote string) (base string, ok bool) {
	key := "remote." + remote
	lines := f.Config[key+".gh-resolved"] + "\n" + f.Config[key+".glab-resolved"]
	for line := range strings.SplitSeq(lines, "\n") {
		switch base = strings.TrimPrefix(line, "base:"); {
		case base == "" || strings.HasPrefix(base, "head"):
		case base == "base":
			return "", true
		default:
			return base, true
		}
	}
	return "", false
}

// rewritten applies the longest matching url.BASE.insteadOf, as git does.
func rewritten(address string, config map[string]string) string {
	best, base := "", ""
	for key, values := range config {
		b, ok := strings.CutPrefix(key, "url.")
		b, ok2 := strings.CutSuffix(b, ".insteadof")
		if !ok || !ok2 {
			continue
		}
		for value := range strings.SplitSeq(values, "\n") {
			if value != "" && strings.HasPrefix(address, value) && len(value) > len(best) {
				best, base = value, b
			}
		}
	}
	return base + address[len(best):]
}

// OfficialHost returns the forge's host for its ssh server ("ssh.github.com") or an ssh alias of it
// ("github.com-work"). It returns an empty string for an alias without a dot, such as "work", and
// any other host unchanged.
func OfficialHost(host string) string {
	last := strings.LastIndexByte(host, '.')
	if last < 0 {
		return ""
	}
	end := strings.IndexAny(host[last:], "-_")
	if end > 0 && !strings.HasPrefix(host[last:], ".xn--") {
		host = host[:last+end]
	}
	for _, forge := range []string{"github.com", "gitlab.com"} {
		if strings.HasSuffix(host, "."+forge) {
			return forge
		}
	}
	return host
}
