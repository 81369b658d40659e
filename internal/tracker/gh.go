package tracker

import (
	"cmp"
	"io"
	"path/filepath"
	"runtime"
	"strings"
	"unicode"

	"hooks/internal/regular"
)

// maxConfig bounds what ReadConfig reads, in bytes.
const maxConfig = 256 << 10

// ReadConfig returns the first 256 KiB of a client's configuration file, "" if it cannot be read.
func ReadConfig(path string) string {
	f, _, err := regular.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	text, _ := io.ReadAll(io.LimitReader(f, maxConfig))
	return string(text)
}

// GhAliases are a person's own commands of the gh client by name: a command line after "gh", or
// after a leading "!" one for a shell.
func GhAliases(getenv func(string) string) map[string]string {
	text := ReadConfig(GhConfig(getenv, "config.yml"))
	if text == "" {
		return nil
	}
	return parseGhAliases(text)
}

// GhConfig is where gh keeps a file of its configuration.
func GhConfig(getenv func(string) string, name string) string {
	windows := ""
	if data := getenv("APPDATA"); data != "" && runtime.GOOS == "windows" && getenv("XDG_CONFIG_HOME") == "" {
		windows = filepath.Join(data, "GitHub CLI")
	}
	dir := cmp.Or(getenv("GH_CONFIG_DIR"), windows, filepath.Join(ConfigHome(getenv), "gh"))
	return filepath.Join(dir, name)
}

// ConfigHome is where programs keep their configuration on Linux, and some of them anywhere.
func ConfigHome(getenv func(string) string) string {
	return cmp.Or(getenv("XDG_CONFIG_HOME"), filepath.Join(getenv("HOME"), ".config"))
}

// parseGhAliases reads the `aliases:` mapping as gh writes it: one indented line each, a longer text as an indented
// block below its name.
func parseGhAliases(text string) map[string]string {
	bodies := map[string][]string{} // joined once: a block may have as many lines as the file
	in, name, depth := false, "", 0
	for line := range strings.Lines(text) {
		line = strings.TrimRightFunc(line, unicode.IsSpace)
		trimmed := strings.TrimLeft(line, " ")
		indent := len(line) - len(trimmed)
		switch {
		case trimmed == "" || strings.HasPrefix(trimmed, "#"):
		case indent == 0:
			in, name = strings.HasPrefix(line, "aliases:"), ""
		case !in:
		case name != "" && indent > depth: // a block's next line
			bodies[name] = append(bodies[name], trimmed)
		default:
			key, value, _ := strings.Cut(trimmed, ":")
			name, depth, value = unquoteYAML(key), indent, unquoteYAML(value)
			if strings.HasPrefix(value, "|") || strings.HasPrefix(value, ">") {
				value = ""
			}
			bodies[name] = []string{value}
		}
	}
	aliases := make(map[string]string, len(bodies))
	for name, body := range bodies {
		aliases[name] = strings.TrimSpace(strings.Join(body, "\n"))
	}
	return aliases
}

func unquoteYAML(s string) string {
	s = strings.TrimSpace(s)
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		inner := s[1 : len(s)-1]
		if s[0] == '\'' {
			return strings.ReplaceAll(inner, "''", "'")
		}
		return strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(inner)
	}
	return s
}
