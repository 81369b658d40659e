package forge

import (
	"cmp"
	"path/filepath"
	"strings"

	"hooks/internal/config"
	"hooks/internal/tracker"
	"hooks/internal/tracker/backlog"
)

// The kinds of tracker.
const (
	GitHub  = "github"
	GitLab  = "gitlab"
	Gitea   = "gitea"
	Command = "command"
)

// Place identifies the repository of a project's issues and the client or command that reads them.
type Place struct {
	Kind string
	backlog.Home
	Origin string   // owner/name of the origin remote, empty if there is none
	Args   []string // the configured command
}

// String returns host/owner/repo, as in "github.com/acme/app", or the configured command.
func (p Place) String() string {
	if p.Kind == Command {
		return strings.Join(p.Args, " ")
	}
	return p.Host + "/" + p.Owner + "/" + p.Repo
}

// Program returns the name of the client or of the configured command.
func (p Place) Program() string {
	if p.Kind == Command {
		return filepath.Base(p.Args[0])
	}
	return tracker.Client(p.Kind)
}

// Pages returns the URL prefixes of PRs, issues and commits, to which a number or a commit's name
// is appended. They are empty if the URLs are unknown, for example if the host has a port.
func (p Place) Pages() (pr, issue, commit string) {
	if !plainName(p.Host, false) || !plainName(p.Owner, true) || !plainName(p.Repo, false) {
		return "", "", ""
	}
	top := "https://" + p.String()
	switch p.Kind {
	case GitHub:
		return top + "/pull/", top + "/issues/", top + "/commit/"
	case GitLab:
		return top + "/-/merge_requests/", top + "/-/issues/", top + "/-/commit/"
	case Gitea:
		return top + "/pulls/", top + "/issues/", top + "/commit/"
	}
	return "", "", ""
}

// Allow is the environment variable in which the user repeats the tracker's command verbatim.
// Without it, a checked-out repository could start any program.
const Allow = "HOOKS_TRACKER_COMMAND"

// Choose determines the tracker from CLAUDE.md and, for fields that it does not set, from a remote.
// An error is a Failure.
func Choose(getenv func(string) string, c config.Tracker, repo tracker.Facts) (Place, error) {
	p := Place{Kind: c.Type, Args: strings.Fields(c.Command)}
	unconfigured := func(says string) (Place, error) {
		return p, &Failure{Why: Unconfigured, Says: says}
	}
	base := repo.Base()
	if before, after, ok := strings.Cut(c.Repo, "/"); ok && c.Owner == "" {
		c.Owner, c.Repo = before, after
	}
	p.Host, p.Owner = cmp.Or(c.Host, base.Host), cmp.Or(c.Owner, base.Owner)
	p.Repo = cmp.Or(c.Repo, base.Name)
	if origin := repo.Remote("origin"); origin.Name != "" {
		p.Origin = origin.Owner + "/" + origin.Name
	}
	if p.Kind == Command || p.Kind == "" && len(p.Args) > 0 {
		p.Kind = Command
		switch {
		case len(p.Args) == 0:
			return unconfigured("CLAUDE.md has Type command, but no Command")
		case getenv(Allow) != c.Command:
			return p, &Failure{Why: NotAllowed, Program: p.Program(), Says: c.Command}
		}
		return p, nil
	}
	official := tracker.OfficialHost(p.Host)
	if p.Kind == "" && p.Host != "" {
		p.Kind = kindOf(getenv, cmp.Or(official, p.Host))
	}
	switch p.Host = official; p.Kind {
	case GitHub:
		p.Host = cmp.Or(official, getenv("GH_HOST"), "github.com")
	case GitLab:
		p.Host = cmp.Or(official, gitlabHost(getenv), "gitlab.com")
	case Gitea:
	default:
		says := "no origin remote with a known host was found, and CLAUDE.md names no tracker"
		if p.Kind != "" {
			says = "CLAUDE.md has Type " + p.Kind + ", not github, gitlab, gitea or command"
		} else if official != "" {
			says = "the host " + official + " is not a known forge, and CLAUDE.md names no Type"
		}
		return unconfigured(says)
	}
	if !plainName(p.Owner, p.Kind == GitLab) || !plainName(p.Repo, false) {
		return unconfigured("neither the remote nor CLAUDE.md names owner and repository")
	}
	if p.Kind == Gitea {
		if _, elsewhere := teaLogin(getenv, p.Host); elsewhere {
			says := "it has logins, but none at " + p.Host
			return p, &Failure{Why: LoggedOut, Program: p.Program(), Says: says}
		}
	}
	return p, nil
}

// gitlabHost returns the host in the variables that glab reads, which may hold a URL.
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
