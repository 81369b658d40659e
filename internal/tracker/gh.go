package tracker

import (
	"cmp"
	"path/filepath"
	"runtime"
	"strings"

	"hooks/internal/safefile"
)

// maxConfig is the maximum size in bytes of a configuration file.
const maxConfig = 256 << 10

// ReadConfig returns the first 256 KiB of a client's configuration file, or an empty string if it
// cannot be read.
func ReadConfig(path string) string {
	text, _ := safefile.ReadHead(path, maxConfig)
	return text
}

// GhAliases returns the names of the user's gh aliases, such as "land" or "pr land", without gh's
// default alias. An empty name stands for aliases that could not be read.
func GhAliases(getenv func(string) string) (names []string) {
	text := ReadConfig(GhConfig(getenv, "config.yml"))
	if len(text) == maxConfig { // the rest was not read
		names = append(names, "")
	}
	in, depth := false, 0
	for line := range strings.Lines(text) {
		entry := strings.TrimSpace(line)
		indent := len(line) - len(strings.TrimLeft(line, " \t"))
		key, value, _ := strings.Cut(entry, ":")
		switch {
		case entry == "" || entry[0] == '#' || entry == "co: pr checkout":
		case indent == 0:
			in, depth = key == "aliases", 0
			if inline := strings.TrimSpace(value); aliasName(key) == "" ||
				in && inline != "" && inline != "{}" {
				names = append(names, "")
			}
		case in && (depth == 0 || indent <= depth): // deeper lines belong to the previous alias
			depth = indent
			names = append(names, aliasName(strings.Trim(key, `"' `)))
		}
	}
	return names
}

// aliasName returns a key of a configuration file with single spaces, or an empty string if it has
// unusual characters.
func aliasName(key string) string {
	if strings.Trim(strings.ToLower(key), word+"_ ") != "" {
		return ""
	}
	return strings.Join(strings.Fields(key), " ")
}

// GlabAliases is like GhAliases for glab.
func GlabAliases(getenv func(string) string) (names []string) {
	dirs := []string{getenv("GLAB_CONFIG_DIR")}
	if dirs[0] == "" {
		mac := filepath.Join(getenv("HOME"), "Library", "Application Support")
		dirs = []string{ConfigHome(getenv) + "/glab-cli", mac + "/glab-cli"}
	}
	for _, dir := range dirs {
		for line := range strings.Lines(ReadConfig(filepath.Join(dir, "aliases.yml"))) {
			entry := strings.TrimSpace(line)
			key, _, _ := strings.Cut(entry, ":")
			switch entry {
			case "", "{}", "ci: pipeline ci", "co: mr checkout": // glab's defaults
			default:
				names = append(names, aliasName(strings.Trim(key, `"' `)))
			}
		}
	}
	return names
}

// GhConfig returns the path of a file in gh's configuration directory.
func GhConfig(getenv func(string) string, name string) string {
	dir := filepath.Join(ConfigHome(getenv), "gh")
	data := getenv("APPDATA")
	if runtime.GOOS == "windows" && data != "" && getenv("XDG_CONFIG_HOME") == "" {
		dir = filepath.Join(data, "GitHub CLI")
	}
	return filepath.Join(cmp.Or(getenv("GH_CONFIG_DIR"), dir), name)
}

// ConfigHome returns the directory for the configuration of programs on Linux. Some programs use it
// on any system.
func ConfigHome(getenv func(string) string) string {
	return cmp.Or(getenv("XDG_CONFIG_HOME"), filepath.Join(getenv("HOME"), ".config"))
}
