package forge

import (
	"cmp"
	"net/url"
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

// Place is where a project's issues are and who is asked about them.
type Place struct {
	Kind string
	backlog.Home
	Args []string // the configured command
}

// String is the place in words, as in "github.com/acme/app".
func (p Place) String() string {
	if p.Kind == Command {
		return strings.Join(p.Args, " ")
	}
	return p.Host + "/" + p.Owner + "/" + p.Repo
}

// program is what is called.
func (p Place) program() string {
	switch p.Kind {
	case GitHub:
		return "gh"
	case GitLab:
		return "glab"
	case Gitea:
		return "tea"
	}
	return filepath.Base(p.Args[0])
}

// Allow is the variable in which a person repeats a tracker's command word for word. Without it the words of a checked-out
// repository would start a program.
const Allow = "HOOKS_TRACKER_COMMAND"

// Choose finds the tracker: what CLAUDE.md names wins, the rest comes from the origin remote, or from the only one.
func Choose(getenv func(string) string, c config.Tracker, repo tracker.Facts) (Place, error) {
	p := Place{Kind: c.Type, Args: strings.Fields(c.Command)}
	p.Host, p.Owner, p.Repo = remote(repo)
	if p.Kind == Command || p.Kind == "" && len(p.Args) > 0 {
		p.Kind = Command
		p.override(c)
		if len(p.Args) == 0 {
			return p, &Failure{Why: Unconfigured, Says: "Type is command, Command is empty"}
		}
		if getenv(Allow) != c.Command {
			return p, &Failure{Why: NotAllowed, Program: p.program(), Says: c.Command}
		}
		return p, nil
	}
	p.override(c)
	if p.Kind == "" {
		p.Kind = kindOf(getenv, p.Host)
	}
	p.Host = cmp.Or(officialHost(p.Host), home(getenv, p.Kind))
	switch {
	case p.Kind != GitHub && p.Kind != GitLab && p.Kind != Gitea:
		return p, &Failure{Why: Unconfigured, Says: cmp.Or(p.Kind, "for the remote "+cmp.Or(p.Host, "of this project"))}
	case !plainName(p.Owner, p.Kind == GitLab) || !plainName(p.Repo, false):
		return p, &Failure{Why: Unconfigured, Says: "owner and repository are not known"}
	}
	return p, nil
}

func (p *Place) override(c config.Tracker) {
	p.Host, p.Owner, p.Repo = cmp.Or(c.Host, p.Host), cmp.Or(c.Owner, p.Owner), cmp.Or(c.Repo, p.Repo)
	if owner, name, ok := strings.Cut(c.Repo, "/"); ok && c.Owner == "" {
		p.Owner, p.Repo = owner, name
	}
}

// remote reads host, owner and name out of the origin's URL, or of the only remote's.
func remote(repo tracker.Facts) (host, owner, name string) {
	address, ok := repo.Remotes["origin"]
	if !ok && len(repo.Remotes) == 1 {
		for _, address = range repo.Remotes {
		}
	}
	host, path := splitRemote(rewritten(address, repo.Config))
	path = strings.TrimSuffix(strings.Trim(path, "/"), ".git")
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		owner, name = path[:i], path[i+1:]
	}
	return strings.ToLower(host), owner, name
}

// rewritten applies the longest url.BASE.insteadOf that fits, as git does.
func rewritten(address string, config map[string]string) string {
	best, base := "", ""
	for key, value := range config {
		b, ok := strings.CutPrefix(key, "url.")
		b, ok2 := strings.CutSuffix(b, ".insteadof")
		if ok && ok2 && value != "" && strings.HasPrefix(address, value) && len(value) > len(best) {
			best, base = value, b
		}
	}
	return base + address[len(best):]
}

// splitRemote reads ssh://git@host:22/path, https://host/path and git@host:path.
func splitRemote(address string) (host, path string) {
	if u, err := url.Parse(address); err == nil && strings.Contains(address, "://") {
		if u.Scheme == "https" || u.Scheme == "http" {
			return u.Host, u.Path
		}
		return u.Hostname(), u.Path
	}
	host, path, ok := strings.Cut(address, ":")
	if !ok || strings.Contains(host, "/") || len(host) < 2 { // a path, or a Windows drive
		return "", ""
	}
	return host[strings.LastIndexByte(host, '@')+1:], path
}

// officialHost undoes the names under which the forges serve ssh, and drops a name that only a person's ssh knows.
func officialHost(host string) string {
	switch {
	case host == "ssh.github.com":
		return "github.com"
	case host == "altssh.gitlab.com":
		return "gitlab.com"
	case !strings.Contains(host, "."):
		return ""
	}
	return host
}

// home is a kind's host where the remote names none.
func home(getenv func(string) string, kind string) string {
	switch kind {
	case GitHub:
		return cmp.Or(getenv("GH_HOST"), "github.com")
	case GitLab:
		return cmp.Or(getenv("GITLAB_HOST"), "gitlab.com")
	}
	return ""
}

// plainName keeps anything out of a call that is no name of a repository.
func plainName(s string, nested bool) bool {
	return s != "" && s[0] != '-' && !strings.ContainsFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' || r == '.' || nested && r == '/')
	})
}
