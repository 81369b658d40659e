package forge

import (
	"os/exec"
	"path/filepath"
	"testing"

	"hooks/internal/config"
	"hooks/internal/tracker"
)

// Real repositories: git writes their configuration.
func TestChoose(t *testing.T) {
	home := t.TempDir()
	put(t, filepath.Join(home, ".config/gh/hosts.yml"),
		"git.corp.example:\n    user: mara\n    oauth_token: gho_x\n")
	put(t, filepath.Join(home, ".config/glab-cli/config.yml"), "hosts:\n    code.example.net:\n  "+
		"      token: x\n    lab.example.net:8443:\n        token: x\n")
	put(t, filepath.Join(home, ".config/tea/config.yml"), "logins:\n- name: mine\n  url: "+
		"https://tea.example.com\n  token: x\n- name: box\n  url: http://10.10.10.5:3000\n  "+
		"ssh_host: ssh.box.example\n")
	put(t, filepath.Join(home, "Library/Application Support/glab-cli/config.yml"),
		"hosts:\n    mac.example.net:\n        token: x\n")
	gh := config.Tracker{Type: "github"}
	for _, c := range []struct {
		name   string
		config config.Tracker
		git    []string // settings, name and value in turns
		want   string   // kind and place, or the failure
	}{
		{"scp form", config.Tracker{}, []string{"remote.origin.url", "git@github.com:acme/app.git"},
			"github github.com/acme/app"},
		{"https with a user", config.Tracker{},
			[]string{"remote.origin.url", "https://mara:pw@github.com/acme/app/"},
			"github github.com/acme/app"},
		{"enterprise by its name", config.Tracker{},
			[]string{"remote.origin.url", "ssh://git@github.corp.example:2222/acme/app"},
			"github github.corp.example/acme/app"},
		{"enterprise by its login", config.Tracker{},
			[]string{"remote.origin.url", "git@git.corp.example:acme/app"},
			"github git.corp.example/acme/app"},
		{"another port", gh,
			[]string{"remote.origin.url", "https://git.corp.example:8443/acme/app"},
			"github git.corp.example:8443/acme/app"},
		{"gitlab groups", config.Tracker{},
			[]string{"remote.origin.url", "git@gitlab.com:group/sub/app.git"},
			"gitlab gitlab.com/group/sub/app"},
		{"gitlab by its login", config.Tracker{},
			[]string{"remote.origin.url", "git@code.example.net:group/app.git"},
			"gitlab code.example.net/group/app"},
		{"gitlab by its login on a mac", config.Tracker{},
			[]string{"remote.origin.url", "git@mac.example.net:group/app.git"},
			"gitlab mac.example.net/group/app"},
		{"gitea by its login", config.Tracker{},
			[]string{"remote.origin.url", "git@tea.example.com:acme/app.git"},
			"gitea tea.example.com/acme/app"},
		{"gitlab by its variable", config.Tracker{},
			[]string{"remote.origin.url", "git@forge.example.edu:group/app.git"},
			"gitlab forge.example.edu/group/app"},
		{"rewritten", config.Tracker{},
			[]string{"remote.origin.url", "gh:acme/app", "url.git@github.com:.insteadOf", "gh:"},
			"github github.com/acme/app"},
		{"an alias of ssh", gh, []string{"remote.origin.url", "git@work:acme/app.git"},
			"github github.com/acme/app"},
		{"an alias with a host's name", config.Tracker{},
			[]string{"remote.origin.url", "git@github.com-work:acme/app.git"},
			"github github.com/acme/app"},
		{"an alias of a known host", config.Tracker{},
			[]string{"remote.origin.url", "git@git.corp.example_mine:acme/app.git"},
			"github git.corp.example/acme/app"},
		{"an alias below the forge", config.Tracker{},
			[]string{"remote.origin.url", "git@work.github.com:acme/app.git"},
			"github github.com/acme/app"},
		{"a port of its own for ssh", config.Tracker{},
			[]string{"remote.origin.url", "ssh://git@10.10.10.5:2222/acme/app"},
			"gitea 10.10.10.5/acme/app"},
		{"a host of its own for ssh", config.Tracker{},
			[]string{"remote.origin.url", "git@ssh.box.example:acme/app"},
			"gitea ssh.box.example/acme/app"},
		{"a login with a port", config.Tracker{},
			[]string{"remote.origin.url", "https://lab.example.net:8443/group/app"},
			"gitlab lab.example.net:8443/group/app"},
		{"a fork's base", config.Tracker{},
			[]string{"remote.origin.url", "git@github.com-work:mara/app", "remote.upstream.url",
				"https://github.com/acme/app", "remote.upstream.gh-resolved", "base"},
			"github github.com/acme/app"},
		{"a fork's base by its name", config.Tracker{},
			[]string{"remote.origin.url", "git@github.com:mara/app", "remote.origin.gh-resolved",
				"acme/app"}, "github github.com/acme/app"},
		{"a fork's base on gitlab", config.Tracker{},
			[]string{"remote.origin.url", "git@gitlab.com:mara/app", "remote.origin.glab-resolved",
				"head", "remote.up.url", "git@gitlab.com:a/b/app", "remote.up.glab-resolved",
				"base",
				"remote.up.glab-resolved", "head"}, "gitlab gitlab.com/a/b/app"},
		{"a fork's base by its name on gitlab", config.Tracker{},
			[]string{"remote.origin.url", "git@gitlab.com:mara/app", "remote.origin.glab-resolved",
				"base:a/b/app"}, "gitlab gitlab.com/a/b/app"},
		{"a mirror elsewhere is no base", config.Tracker{},
			[]string{"remote.origin.url", "git@gitlab.com:mara/app", "remote.mirror.url",
				"git@github.com:mara/app", "remote.mirror.gh-resolved", "base"},
			"gitlab gitlab.com/mara/app"},
		{"a fork whose base is configured", config.Tracker{Owner: "other"},
			[]string{"remote.origin.url", "git@github.com:mara/app", "remote.origin.gh-resolved",
				"acme/app"}, "github github.com/other/app"},
		{"the only remote", config.Tracker{},
			[]string{"remote.up.url", "git@github.com:acme/app.git"}, "github github.com/acme/app"},
		{"named whole",
			config.Tracker{Type: "gitlab", Host: "git.example.org", Owner: "a/b", Repo: "c"}, nil,
			"gitlab git.example.org/a/b/c"},
		{"repo with its owner", config.Tracker{Type: "github", Repo: "else/where"},
			[]string{"remote.origin.url", "git@github.com:acme/app"},
			"github github.com/else/where"},
		{"a command", config.Tracker{Command: "./tracker --x"},
			[]string{"remote.origin.url", "git@github.com:acme/app"}, "command ./tracker --x"},
		{"another command than the person's", config.Tracker{Command: "./tracker --y"}, nil,
			"tracker: tracker was not run, because only the repository configures it " +
				"(./tracker --y)"},

		{"no remote", config.Tracker{}, nil, "no tracker is known: no origin remote with a known " +
			"host was found, and CLAUDE.md names no tracker"},
		{"a local path", config.Tracker{}, []string{"remote.origin.url", "../origin.git"},
			"no tracker is known: no origin remote with a known host was found, and CLAUDE.md " +
				"names no tracker"},
		{"a host no one knows", config.Tracker{},
			[]string{"remote.origin.url", "git@git.nowhere.example:acme/app"},
			"no tracker is known: the host git.nowhere.example is not a known forge, and " +
				"CLAUDE.md sets no Type"},
		{"a kind no one knows", config.Tracker{Type: "jira"},
			[]string{"remote.origin.url", "git@github.com:acme/app"},
			"no tracker is known: CLAUDE.md sets Type to jira, " +
				"not github, gitlab, gitea or command"},
		{"a name that is none", gh, []string{"remote.origin.url", "git@github.com:--help/app"},
			"no tracker is known: neither the remote nor CLAUDE.md names the owner and repository"},
		{"tea is at home elsewhere", config.Tracker{},
			[]string{"remote.origin.url", "https://codeberg.org/acme/app"},
			"tracker: tea is not logged in (it has logins, but none for codeberg.org)"},
		{"no command", config.Tracker{Type: "command"}, nil,
			"no tracker is known: CLAUDE.md sets Type to command, but sets no Command"},
	} {
		dir := t.TempDir()
		git := func(args ...string) {
			cmd := exec.Command("git", args...)
			cmd.Dir = dir
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("git %v: %s", args, out)
			}
		}
		git("init", "-q")
		for i := 0; i < len(c.git); i += 2 {
			git("config", "--add", c.git[i], c.git[i+1])
		}
		env := func(key string) string {
			return map[string]string{"HOME": home, "GIT_CONFIG_NOSYSTEM": "1",
				"GITLAB_HOST": "https://forge.example.edu/", Allow: "./tracker --x"}[key]
		}
		p, err := Choose(env, c.config, tracker.Repo(t.Context(), dir))
		got := p.Kind + " " + p.String()
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
