package app

import (
	"slices"
	"strings"

	"hooks/internal/guard"
	"hooks/internal/tracker"
)

// elsewhere names the repository that a merge is about, and the project's own, where they are not the same: a person is
// asked about the project's only.
func (v *visit) elsewhere(a guard.Act) (other, own string) {
	if v.past != nil {
		return "", ""
	}
	known := tracker.Repo(v.Env, v.project).Remotes
	own = address(known["origin"])
	if a.Repo != "" {
		if len(known) > 0 && !slices.ContainsFunc(remotes(known), func(url string) bool { return leads(url, a.Repo) }) {
			return a.Repo, own
		}
		return "", own
	}
	if a.Cwd == "" {
		return "", own
	}
	if there := tracker.Repo(v.Env, a.Cwd); there.Top != "" && there.Remotes["origin"] != known["origin"] {
		return "that of " + there.Top, own
	}
	return "", own
}

// address is a remote as people may see it: without a password, and without its .git.
func address(url string) string {
	if scheme, rest, ok := strings.Cut(url, "://"); ok {
		url = scheme + "://" + rest[strings.LastIndexByte(rest, '@')+1:]
	}
	return strings.TrimSuffix(url, ".git")
}

func remotes(m map[string]string) []string {
	var list []string
	for _, url := range m {
		list = append(list, url)
	}
	return list
}

// leads says that a remote's address is that of owner/name or host/owner/name.
func leads(url, repo string) bool {
	url = "/" + strings.ReplaceAll(strings.TrimSuffix(strings.ToLower(url), ".git"), ":", "/")
	return strings.HasSuffix(url, "/"+strings.TrimSuffix(strings.ToLower(repo), ".git"))
}
