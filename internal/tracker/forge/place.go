package forge

import (
	"cmp"
	"os/exec"
	"path/filepath"
	"strings"

	"hooks/internal/config"
	"hooks/internal/loop"
	"hooks/internal/tracker"
)

// The kinds of tracker.
const (
	GitHub  = "github"
	GitLab  = "gitlab"
	Gitea   = "gitea"
	Command = "command"
)

// Program returns the name of the client or of the configured command.
func Program(t loop.Tracker) string {
	if command := strings.Fields(t.Client); t.Kind == Command && len(command) > 0 {
		return filepath.Base(command[0])
	}
	return tracker.Client(t.Kind)
}

// Links holds the URL prefixes of PRs, issues and commits. The caller appends a number or a commit
// hash. They are empty if the URLs are unknown, for example if the host has a port.
type Links struct{ PR, Issue, Commit string }

// Pages returns the links for a tracker, which may be nil.
func Pages(t *loop.Tracker) Links {
	if t == nil || !plainName(t.Host, false) || !plainName(t.Repo, true) {
		return Links{}
	}
	top := "https://" + t.String()
	switch t.Kind {
	case GitHub:
		return Links{top + "/pull/", top + "/issues/", top + "/commit/"}
	case GitLab:
		return Links{top + "/-/merge_requests/", top + "/-/issues/", top + "/-/commit/"}
	case Gitea:
		return Links{top + "/pulls/", top + "/issues/", top + "/commit/"}
	}
	return Links{}
}

// Allow is the environment variable where the user repeats the tracker command verbatim. Without
// it, a checked-out repository could start any program.
const Allow = "HOOKS_TRACKER_COMMAND"

// Choose determines the tracker from the project's settings and, for fields that they do not set,
// from a remote. If no tracker is known, it returns only the remote fields. An error is a *Failure.
func Choose(
	getenv func(string) string, c config.Tracker, repo tracker.Facts,
) (loop.Tracker, error) {
	base := repo.Base()
	git := loop.Tracker{Remote: base.Remote, URL: base.URL}
	if origin := repo.Remote("origin").URL; origin != base.URL {
		git.Origin = origin
	}
	unconfigured := func(says string) (loop.Tracker, error) {
		return git, &Failure{Why: Unconfigured, Says: says}
	}
	i := max(strings.LastIndexByte(base.Repo, '/'), 0)
	owner := cmp.Or(c.Owner, base.Repo[:i])
	name := cmp.Or(c.Repo, strings.TrimPrefix(base.Repo[i:], "/"))
	if before, after, ok := strings.Cut(c.Repo, "/"); ok && c.Owner == "" {
		owner, name = before, after
	}
	t := git
	t.Kind, t.Host = c.Type, cmp.Or(c.Host, base.Host)
	if name != "" {
		t.Repo = owner + "/" + name
	}
	command := strings.Fields(c.Command)
	if t.Kind == Command || t.Kind == "" && len(command) > 0 {
		t.Kind, t.Client = Command, strings.Join(command, " ")
		switch {
		case len(command) == 0:
			return unconfigured("CLAUDE.md sets Type to command, but sets no Command")
		case getenv(Allow) != c.Command:
			return t, &Failure{Why: NotAllowed, Program: Program(t), Says: c.Command}
		}
		return t, nil
	}
	official := tracker.OfficialHost(t.Host)
	if t.Kind == "" && t.Host != "" {
		t.Kind = kindOf(getenv, cmp.Or(official, t.Host))
	}
	switch t.Host = official; t.Kind {
	case GitHub:
		t.Host = cmp.Or(official, getenv("GH_HOST"), "github.com")
	case GitLab:
		t.Host = cmp.Or(official, gitlabHost(getenv), "gitlab.com")
	case Gitea:
	default:
		says := "no origin remote with a known host was found, and CLAUDE.md names no tracker"
		if t.Kind != "" {
			says = "CLAUDE.md sets Type to " + t.Kind + ", not github, gitlab, gitea or command"
		} else if official != "" {
			says = "the host " + official + " is not a known forge, and CLAUDE.md sets no Type"
		}
		return unconfigured(says)
	}
	if !plainName(owner, t.Kind == GitLab) || !plainName(name, false) {
		return unconfigured("neither the remote nor CLAUDE.md names the owner and repository")
	}
	t.Client, _ = exec.LookPath(Program(t))
	if t.Kind == Gitea {
		if _, elsewhere := teaLogin(getenv, t.Host); elsewhere {
			says := "it has logins, but none for " + t.Host
			return t, &Failure{Why: LoggedOut, Program: Program(t), Says: says}
		}
	}
	return t, nil
}

// gitlabHost returns the host in GITLAB_HOST or GL_HOST, either of which may hold a URL.
func gitlabHost(getenv func(string) string) string {
	host := cmp.Or(getenv("GITLAB_HOST"), getenv("GL_HOST"))
	if _, after, ok := strings.Cut(host, "://"); ok {
		host, _, _ = strings.Cut(after, "/")
	}
	return host
}

// plainName reports whether s is safe as a name in a command line or URL. A nested name may contain
// slashes.
func plainName(s string, nested bool) bool {
	signs := "-_."
	if nested {
		signs += "/"
	}
	return s != "" && s[0] != '-' && !strings.ContainsFunc(s, func(r rune) bool {
		letter := r|0x20 >= 'a' && r|0x20 <= 'z'
		return !letter && (r < '0' || r > '9') && !strings.ContainsRune(signs, r)
	})
}
