package app

import (
	"strings"

	"hooks/internal/brake"
	"hooks/internal/guard"
	"hooks/internal/tracker"
)

// elsewhere names the repository that a merge is about, and the project's own, where they are not
// the same: a person is asked about the project's only.
func (h *handler) elsewhere(a guard.Act) (other, own string) {
	if h.replayRepo != nil {
		return "", ""
	}
	known := tracker.Repo(h.Env, h.project).Remotes
	own = address(known["origin"])
	if a.Repo != "" {
		if len(known) > 0 && !brake.Known(known, a.Repo) {
			return a.Repo, own
		}
		return "", own
	}
	if a.Cwd == "" {
		return "", own
	}
	if there := tracker.Repo(h.Env, a.Cwd); there.Top != "" &&
		there.Remotes["origin"] != known["origin"] {
		return "that of " + there.Top, own
	}
	return "", own
}

// address is a remote as people may see it: without a password, and without its .git.
func address(url string) string {
	if scheme, rest, ok := strings.Cut(url, "://"); ok {
		host, _, _ := strings.Cut(rest, "/")
		url = scheme + "://" + rest[strings.LastIndexByte(host, '@')+1:]
	}
	return strings.TrimSuffix(url, ".git")
}
