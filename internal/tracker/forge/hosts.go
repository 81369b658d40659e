package forge

import (
	"io"
	"path/filepath"
	"strings"

	"hooks/internal/regular"
	"hooks/internal/tracker"
)

// kindOf says which forge serves a host: by its name, else by who is logged in there.
func kindOf(getenv func(string) string, host string) string {
	switch kind := tracker.ForgeOf(host); {
	case host == "" || kind != "":
		return kind
	case host == getenv("GH_HOST"):
		return GitHub
	case host == gitlabHost(getenv):
		return GitLab
	}
	glab := configFiles(getenv, "glab-cli/config.yml")
	if dir := getenv("GLAB_CONFIG_DIR"); dir != "" {
		glab = []string{filepath.Join(dir, "config.yml")}
	}
	for _, client := range []struct {
		kind  string
		files []string
	}{{GitHub, []string{tracker.GhConfig(getenv, "hosts.yml")}}, {GitLab, glab}, {Gitea, teaConfig(getenv)}} {
		if named, _ := names(client.files, host); named {
			return client.kind
		}
	}
	return ""
}

// configFiles are where glab and tea may keep a file: on Linux, on a Mac, on Windows. A folder that is not named is not looked
// for in the project.
func configFiles(getenv func(string) string, name string) (files []string) {
	for _, dir := range []string{
		tracker.ConfigHome(getenv), filepath.Join(getenv("HOME"), "Library", "Application Support"), getenv("LOCALAPPDATA"),
	} {
		if filepath.IsAbs(dir) {
			files = append(files, filepath.Join(dir, name))
		}
	}
	return files
}

func teaConfig(getenv func(string) string) []string {
	return configFiles(getenv, "tea/config.yml")
}

// teaLogin is tea's name of its first login at a host, "" where it has none: then tea picks one by the remotes.
func teaLogin(getenv func(string) string, host string) string {
	_, login := names(teaConfig(getenv), host)
	return login
}

// onlyElsewhere says that tea has logins, but none at this host. It would ask its default one, which is another server.
func onlyElsewhere(getenv func(string) string, host string) bool {
	if host == "" || getenv("GITEA_SERVER_URL") != "" || getenv("GITEA_INSTANCE_URL") != "" {
		return false
	}
	some, _ := names(teaConfig(getenv), "")
	at, _ := names(teaConfig(getenv), host)
	return some && !at
}

// mostConfig bounds what is read of a forge client's configuration, in bytes.
const mostConfig = 256 << 10

// names says whether a client's configuration has a host, "" for any login: as a key, or in the url or the ssh_host of a
// login, whose name it gives then. Ports are not compared: ssh has another one.
func names(files []string, host string) (named bool, login string) {
	for _, file := range files {
		if named, login = namedIn(file, host); named {
			break
		}
	}
	return named, login
}

// namedIn looks through one file, and at nothing else of it, the tokens least of all.
func namedIn(file, host string) (named bool, login string) {
	f, _, err := regular.Open(file)
	if err != nil {
		return false, ""
	}
	defer f.Close()
	text, _ := io.ReadAll(io.LimitReader(f, mostConfig))
	host = withoutPort(host)
	for line := range strings.Lines(string(text)) {
		item := strings.HasPrefix(strings.TrimSpace(line), "- ")
		line = strings.Trim(strings.TrimSpace(line), "- ")
		key, value, ok := strings.Cut(line, ":")
		value = strings.Trim(strings.TrimSpace(value), `"'`)
		if item {
			login = ""
		}
		switch {
		case ok && host != "" && strings.EqualFold(strings.Trim(key, `"'`), host):
			return true, ""
		case key == "name":
			login = value
		case key == "url":
			if at, _ := splitRemote(value); host == "" || strings.EqualFold(withoutPort(at), host) {
				return true, login
			}
		case key == "ssh_host" && login != "" && strings.EqualFold(withoutPort(value), host):
			return true, login
		}
	}
	return false, ""
}

func withoutPort(host string) string {
	host, _, _ = strings.Cut(host, ":")
	return host
}
