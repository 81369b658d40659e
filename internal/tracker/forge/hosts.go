package forge

import (
	"cmp"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// kindOf says which forge serves a host: by its name, else by who is logged in there.
func kindOf(getenv func(string) string, host string) string {
	switch {
	case host == "":
		return ""
	case strings.Contains(host, "github") || strings.HasSuffix(host, ".ghe.com") || host == getenv("GH_HOST"):
		return GitHub
	case strings.Contains(host, "gitlab") || host == getenv("GITLAB_HOST"):
		return GitLab
	case strings.Contains(host, "gitea") || strings.Contains(host, "forgejo") || host == "codeberg.org":
		return Gitea
	}
	base := cmp.Or(getenv("XDG_CONFIG_HOME"), filepath.Join(getenv("HOME"), ".config"))
	for _, login := range []struct{ kind, file string }{
		{GitHub, filepath.Join(cmp.Or(getenv("GH_CONFIG_DIR"), filepath.Join(base, "gh")), "hosts.yml")},
		{GitLab, filepath.Join(cmp.Or(getenv("GLAB_CONFIG_DIR"), filepath.Join(base, "glab-cli")), "config.yml")},
		{Gitea, filepath.Join(base, "tea", "config.yml")},
	} {
		if names(login.file, host) {
			return login.kind
		}
	}
	return ""
}

// mostConfig bounds what is read of a forge client's configuration, in bytes.
const mostConfig = 256 << 10

// names says whether a client's configuration has a host: as a key, or in the url of a login. Nothing else of it, the
// tokens least of all, is looked at.
func names(file, host string) bool {
	fi, err := os.Stat(file)
	if err != nil || !fi.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	text, _ := io.ReadAll(io.LimitReader(f, mostConfig))
	for line := range strings.Lines(string(text)) {
		line = strings.Trim(strings.TrimSpace(line), "- ")
		if key, _, ok := strings.Cut(line, ":"); ok && strings.EqualFold(strings.Trim(key, `"'`), host) {
			return true
		}
		if value, ok := strings.CutPrefix(line, "url:"); ok {
			name, _ := splitRemote(strings.Trim(strings.TrimSpace(value), `"'`))
			if strings.EqualFold(name, host) {
				return true
			}
		}
	}
	return false
}
