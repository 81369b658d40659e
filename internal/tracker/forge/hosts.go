package forge

import (
	"strings"

	"hooks/internal/safefile"
	"hooks/internal/tracker"
)

// kindOf determines the kind of forge at a host from its name, or else from the client that is set
// to the host or has a login there. It returns an empty string if the kind is unknown.
func kindOf(getenv func(string) string, host string) string {
	switch kind := tracker.ForgeOf(host); {
	case kind != "":
		return kind
	case host == getenv("GH_HOST"):
		return GitHub
	case host == gitlabHost(getenv):
		return GitLab
	}
	kinds := []string{GitHub, GitLab, Gitea}
	for i, files := range [][]string{
		tracker.ConfigFiles(getenv, "gh", "hosts.yml"),
		tracker.ConfigFiles(getenv, "glab", "config.yml"),
		tracker.ConfigFiles(getenv, "tea", "config.yml"),
	} {
		if found, _ := findLogin(files, host); found {
			return kinds[i]
		}
	}
	return ""
}

// teaLogin returns tea's name for its first login at a host, or an empty string if there is none.
// elsewhere reports whether tea has logins only at other hosts and would ask the wrong server.
func teaLogin(getenv func(string) string, host string) (login string, elsewhere bool) {
	files := tracker.ConfigFiles(getenv, "tea", "config.yml")
	found, login := findLogin(files, host)
	any, _ := findLogin(files, "")
	fixed := host == "" || getenv("GITEA_SERVER_URL") != "" || getenv("GITEA_INSTANCE_URL") != ""
	return login, any && !found && !fixed
}

// maxConfig is the maximum number of bytes that findLogin reads from a configuration file.
const maxConfig = 256 << 10

// findLogin searches a client's configuration for a host, or for any login if host is empty. The
// host may be a key, or a login's url or ssh_host; findLogin then returns the login's name. It
// ignores ports, because ssh uses a different one, and does not use tokens.
func findLogin(files []string, host string) (found bool, login string) {
	host = withoutPort(host)
	for _, file := range files {
		text, _ := safefile.ReadHead(file, maxConfig)
		login = ""
		for line := range strings.Lines(text) {
			entry, item := strings.CutPrefix(strings.TrimSpace(line), "- ")
			key, value, _ := strings.Cut(entry, ":")
			key, value = strings.Trim(key, `"' `), strings.Trim(value, `"' `)
			if item {
				login = ""
			}
			switch {
			case host != "" && strings.EqualFold(key, host):
				return true, ""
			case key == "name":
				login = value
			case key == "url":
				at := tracker.RepositoryAt(value).Host
				if host == "" || strings.EqualFold(withoutPort(at), host) {
					return true, login
				}
			case login != "" && key == "ssh_host" && strings.EqualFold(withoutPort(value), host):
				return true, login
			}
		}
	}
	return false, ""
}

func withoutPort(host string) string {
	host, _, _ = strings.Cut(host, ":")
	return host
}
