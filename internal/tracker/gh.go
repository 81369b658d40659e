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

// Entry is one line of a client's YAML file, such as `- name: "x"`.
type Entry struct {
	Indent     int
	Item       bool // it begins an item of a list
	Key, Value string
}

// ReadEntries returns the lines of a client's configuration file. whole is false if the file is
// longer than 256 KiB; the rest is then not read.
func ReadEntries(path string) (list []Entry, whole bool) {
	text, _ := safefile.ReadHead(path, maxConfig)
	for line := range strings.Lines(text) {
		bare := strings.TrimSpace(line)
		if bare == "" || bare[0] == '#' {
			continue
		}
		key, value, _ := strings.Cut(strings.TrimPrefix(bare, "- "), ":")
		list = append(list, Entry{
			Indent: len(line) - len(strings.TrimLeft(line, " \t")),
			Item:   strings.HasPrefix(bare, "- "),
			Key:    strings.Trim(key, `"' `), Value: strings.Trim(value, `"' `),
		})
	}
	return list, len(text) < maxConfig
}

// GhAliases returns the names of the user's gh aliases, such as "land" or "pr land". It omits gh's
// default alias. An empty name means that the aliases could not be read.
func GhAliases(getenv func(string) string) (names []string) {
	entries, whole := ReadEntries(GhConfig(getenv, "config.yml"))
	if !whole {
		names = append(names, "")
	}
	in, depth := false, 0
	for _, e := range entries {
		name := aliasName(e.Key)
		switch {
		case e.Indent == 0:
			in, depth = e.Key == "aliases", 0
			if name == "" || in && e.Value != "" && e.Value != "{}" {
				names = append(names, "")
			}
		case !in || depth > 0 && e.Indent > depth: // a deeper line belongs to the previous alias
		default:
			if depth = e.Indent; name != "co" || e.Value != "pr checkout" {
				names = append(names, name)
			}
		}
	}
	return names
}

// aliasName returns a key of a configuration file with single spaces, or an empty string if it has
// unusual characters.
func aliasName(key string) string {
	const plain = "abcdefghijklmnopqrstuvwxyz0123456789-_ "
	if strings.Trim(strings.ToLower(key), plain) != "" {
		return ""
	}
	return strings.Join(strings.Fields(key), " ")
}

// GlabAliases is like GhAliases for glab.
func GlabAliases(getenv func(string) string) (names []string) {
	for _, file := range GlabConfig(getenv, "aliases.yml") {
		entries, _ := ReadEntries(file)
		for _, e := range entries {
			switch e.Key + ": " + e.Value {
			case "{}: ", "ci: pipeline ci", "co: mr checkout": // glab's defaults
			default:
				names = append(names, aliasName(e.Key))
			}
		}
	}
	return names
}

// GlabConfig returns the paths at which glab may keep a file.
func GlabConfig(getenv func(string) string, name string) []string {
	if dir := getenv("GLAB_CONFIG_DIR"); dir != "" {
		return []string{filepath.Join(dir, name)}
	}
	return ConfigFiles(getenv, "glab-cli/"+name)
}

// ConfigFiles returns the paths at which glab and tea may keep a file on Linux, macOS and Windows.
// It skips relative directories, which would be in the project.
func ConfigFiles(getenv func(string) string, name string) (files []string) {
	mac := filepath.Join(getenv("HOME"), "Library", "Application Support")
	for _, dir := range []string{configHome(getenv), mac, getenv("LOCALAPPDATA")} {
		if filepath.IsAbs(dir) {
			files = append(files, filepath.Join(dir, name))
		}
	}
	return files
}

// GhConfig returns the path of a file in gh's configuration directory.
func GhConfig(getenv func(string) string, name string) string {
	dir := filepath.Join(configHome(getenv), "gh")
	data := getenv("APPDATA")
	if runtime.GOOS == "windows" && data != "" && getenv("XDG_CONFIG_HOME") == "" {
		dir = filepath.Join(data, "GitHub CLI")
	}
	return filepath.Join(cmp.Or(getenv("GH_CONFIG_DIR"), dir), name)
}

// configHome returns the directory for the configuration of programs on Linux. Some programs use it
// on any system.
func configHome(getenv func(string) string) string {
	return cmp.Or(getenv("XDG_CONFIG_HOME"), filepath.Join(getenv("HOME"), ".config"))
}
