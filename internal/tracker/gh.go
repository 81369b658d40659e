package tracker

import (
	"cmp"
	"path/filepath"
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
	var entries []Entry
	for _, file := range ConfigFiles(getenv, "gh", "config.yml") {
		list, whole := ReadEntries(file)
		if entries = append(entries, list...); !whole {
			names = append(names, "")
		}
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
	for _, file := range ConfigFiles(getenv, "glab", "aliases.yml") {
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

// ConfigFiles returns the paths at which gh, glab or tea may keep a file on Linux, macOS and
// Windows. It skips relative directories, which would be in the project.
func ConfigFiles(getenv func(string) string, client, name string) (files []string) {
	folder, own := client, ""
	switch client {
	case "gh":
		own = getenv("GH_CONFIG_DIR")
	case "glab":
		folder, own = "glab-cli", getenv("GLAB_CONFIG_DIR")
	}
	if own != "" {
		return []string{filepath.Join(own, name)}
	}
	home := getenv("HOME")
	for _, dir := range []string{
		filepath.Join(cmp.Or(getenv("XDG_CONFIG_HOME"), filepath.Join(home, ".config")), folder),
		filepath.Join(home, "Library", "Application Support", folder),
		filepath.Join(getenv("LOCALAPPDATA"), folder),
		filepath.Join(getenv("APPDATA"), "GitHub CLI"), // gh on Windows
	} {
		if filepath.IsAbs(dir) {
			files = append(files, filepath.Join(dir, name))
		}
	}
	return files
}
