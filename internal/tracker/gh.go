package tracker

import (
	"io"
	"path/filepath"
	"strings"

	"hooks/internal/regular"
)

// mostGhConfig bounds the forge client's configuration file, in bytes.
const mostGhConfig = 256 << 10

// GhAliases are a person's own commands of the gh client by name, as its configuration has them: a command line after
// "gh", or after a leading "!" one for a shell. Without a readable file there are none.
func GhAliases(getenv func(string) string) map[string]string {
	dir := getenv("GH_CONFIG_DIR")
	if dir == "" {
		base := getenv("XDG_CONFIG_HOME")
		if base == "" {
			base = filepath.Join(getenv("HOME"), ".config")
		}
		dir = filepath.Join(base, "gh")
	}
	f, _, err := regular.Open(filepath.Join(dir, "config.yml"))
	if err != nil {
		return nil
	}
	defer f.Close()
	text, _ := io.ReadAll(io.LimitReader(f, mostGhConfig))
	return parseGhAliases(string(text))
}

// parseGhAliases reads the `aliases:` mapping as gh writes it: one indented line each, a longer text as an indented
// block below its name.
func parseGhAliases(text string) map[string]string {
	aliases := map[string]string{}
	in, name, depth := false, "", 0
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		trimmed := strings.TrimLeft(line, " ")
		indent := len(line) - len(trimmed)
		switch {
		case trimmed == "" || strings.HasPrefix(trimmed, "#"):
		case indent == 0:
			in, name = strings.HasPrefix(line, "aliases:"), ""
		case !in:
		case name != "" && indent > depth: // a block's next line
			aliases[name] = strings.TrimSpace(aliases[name] + "\n" + trimmed)
		default:
			key, value, _ := strings.Cut(trimmed, ":")
			name, depth = unquoteYAML(key), indent
			aliases[name] = unquoteYAML(value)
			if strings.HasPrefix(aliases[name], "|") || strings.HasPrefix(aliases[name], ">") {
				aliases[name] = ""
			}
		}
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
