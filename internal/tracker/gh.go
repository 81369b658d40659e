package tracker

import (
	"cmp"
	"path/filepath"
	"runtime"
	"strings"
	"unicode"

	"hooks/internal/safefile"
)

// maxConfig bounds what ReadConfig reads, in bytes.
const maxConfig = 256 << 10

// ReadConfig returns the first 256 KiB of a client's configuration file, or an empty string if it
// cannot be read.
func ReadConfig(path string) string {
	text, _ := safefile.ReadHead(path, maxConfig)
	return text
}

// GhAliases are a person's own commands of the gh client by name: a command line after "gh", or
// after a leading "!" one for a shell.
func GhAliases(getenv func(string) string) map[string]string {
	return parseGhAliases(ReadConfig(GhConfig(getenv, "config.yml")))
}

// GhConfig returns the path of a file in gh's configuration folder.
func GhConfig(getenv func(string) string, name string) string {
	dir := filepath.Join(ConfigHome(getenv), "gh")
	data := getenv("APPDATA")
	if runtime.GOOS == "windows" && data != "" && getenv("XDG_CONFIG_HOME") == "" {
		dir = filepath.Join(data, "GitHub CLI")
	}
	return filepath.Join(cmp.Or(getenv("GH_CONFIG_DIR"), dir), name)
}

// ConfigHome returns the folder in which programs keep their configuration on Linux, and some of
// them on any system.
func ConfigHome(getenv func(string) string) string {
	return cmp.Or(getenv("XDG_CONFIG_HOME"), filepath.Join(getenv("HOME"), ".config"))
}

// parseGhAliases reads the `aliases:` mapping as gh writes it: one indented line each, a longer
// text as an indented block below its name.
func parseGhAliases(text string) (aliases map[string]string) {
	in, name, depth := false, "", 0
	var body []string // joined once: a block may have as many lines as the file
	end := func() {
		if name != "" {
			if aliases == nil {
				aliases = map[string]string{}
			}
			aliases[name] = strings.TrimSpace(strings.Join(body, "\n"))
		}
		name, body = "", nil
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRightFunc(line, unicode.IsSpace)
		trimmed := strings.TrimLeft(line, " ")
		indent := len(line) - len(trimmed)
		switch {
		case trimmed == "" || strings.HasPrefix(trimmed, "#"):
		case indent == 0:
			end()
			in = strings.HasPrefix(line, "aliases:")
		case !in:
		case name != "" && indent > depth: // a block's next line
			body = append(body, trimmed)
		default:
			end()
			key, value, _ := strings.Cut(trimmed, ":")
			name, depth, value = unquoteYAML(key), indent, unquoteYAML(value)
			if !strings.HasPrefix(value, "|") && !strings.HasPrefix(value, ">") {
				body = []string{value}
			}
		}
	}
	end()
	return aliases
}

func unquoteYAML(s string) string {
	s = strings.TrimSpace(s)
	if len(s) < 2 || s[0] != s[len(s)-1] {
		return s
	}
	switch inner := s[1 : len(s)-1]; s[0] {
	case '\'':
		return strings.ReplaceAll(inner, "''", "'")
	case '"':
		return strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(inner)
	}
	return s
}
