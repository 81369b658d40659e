package tracker

import (
	"os"
	"path/filepath"
	"strings"
)

// setting is one setting of a git config. The key is as git prints it, with section and name in
// lower case. The value of a name without "=" is "true".
type setting struct{ key, value string }

// settings holds the settings of one or more files in order; later ones override earlier ones.
type settings struct {
	list []setting
	// partial reports that something was not read: an include, a file over the bound, or the rest
	// of a file after an invalid line.
	partial bool
}

// config reads the repository's own settings.
func (p gitPlace) config() (s settings) {
	s.add(filepath.Join(p.common, "config"))
	if s.last("extensions.worktreeconfig") == "true" {
		s.add(filepath.Join(p.dir, "config.worktree"))
	}
	return s
}

// personal reads the settings of the system and of the user.
func personal(getenv func(string) string) (s settings) {
	system := getenv("GIT_CONFIG_SYSTEM")
	if system == "" && getenv("GIT_CONFIG_NOSYSTEM") == "" {
		system = "/etc/gitconfig"
	}
	s.add(system)
	if global := getenv("GIT_CONFIG_GLOBAL"); global != "" {
		s.add(global)
		return s
	}
	s.add(filepath.Join(ConfigHome(getenv), "git", "config"))
	s.add(filepath.Join(getenv("HOME"), ".gitconfig"))
	return s
}

// add reads one more file if it exists. The path os.DevNull stands for no file.
func (s *settings) add(path string) {
	if _, err := os.Lstat(path); path == "" || path == os.DevNull || os.IsNotExist(err) {
		return
	}
	text, ok := readSmall(path)
	read := parseConfig(text)
	s.list = append(s.list, read.list...)
	s.partial = s.partial || read.partial || !ok
}

func (s settings) last(key string) (value string) {
	for _, one := range s.list {
		if one.key == key {
			value = one.value
		}
	}
	return value
}

// parseConfig parses git's config format. It follows no includes and stops at the first invalid
// line.
func parseConfig(text string) (s settings) {
	text, rest, _ := strings.Cut(strings.TrimPrefix(text, "\xef\xbb\xbf"), "\x00")
	text = strings.ReplaceAll(text, "\r\n", "\n")
	section, ok := "", true
	for ok {
		text = strings.TrimLeft(text, " \t\r\n")
		switch {
		case text == "":
			s.partial = s.partial || rest != ""
			return s
		case text[0] == '#' || text[0] == ';':
			_, text, _ = strings.Cut(text, "\n")
		case text[0] == '[':
			section, text, ok = readHeader(text[1:])
		default:
			var one setting
			if one, text, ok = readSetting(section, text); ok {
				s.list = append(s.list, one)
				s.partial = s.partial || strings.HasPrefix(one.key, "include.") ||
					strings.HasPrefix(one.key, "includeif.")
			}
		}
	}
	s.partial = true
	return s
}

const (
	letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	word    = letters + "0123456789-"
)

// cutWord cuts leading characters of a set off text and returns them in lower case.
func cutWord(text, set string) (word, rest string) {
	rest = strings.TrimLeft(text, set)
	return strings.ToLower(text[:len(text)-len(rest)]), rest
}

// readHeader reads `section]`, `section "sub"]` or the old `section.sub]`. The case of a quoted
// part matters.
func readHeader(text string) (section, rest string, ok bool) {
	section, text = cutWord(text, word+".")
	if rest, ok = strings.CutPrefix(text, "]"); ok {
		return section + ".", rest, section != ""
	}
	quoted := strings.TrimLeft(text, " \t\r")
	if quoted == text || quoted == "" || quoted[0] != '"' {
		return "", "", false
	}
	sub := []byte(section + ".")
	for i := 1; i < len(quoted) && quoted[i] != '\n'; i++ {
		if quoted[i] == '"' {
			rest, ok = strings.CutPrefix(quoted[i+1:], "]")
			return string(sub) + ".", rest, ok
		}
		if quoted[i] == '\\' {
			if i++; i == len(quoted) || quoted[i] == '\n' {
				break
			}
		}
		sub = append(sub, quoted[i])
	}
	return "", "", false
}

// readSetting reads `name = value` or a name alone.
func readSetting(section, text string) (one setting, rest string, ok bool) {
	name, rest := cutWord(text, word)
	if name == "" || !strings.Contains(letters, name[:1]) {
		return one, "", false
	}
	one = setting{section + name, "true"}
	rest = strings.TrimLeft(rest, " \t")
	if rest == "" || rest[0] == '\n' {
		return one, rest, true
	}
	if rest, ok = strings.CutPrefix(rest, "="); ok {
		one.value, rest, ok = readValue(rest)
	}
	return one, rest, ok
}

// readValue reads to the end of the logical line. Quotes may open anywhere, a backslash joins
// lines, and white space around the value is dropped.
func readValue(text string) (value, rest string, ok bool) {
	var b strings.Builder
	quoted, solid := false, 0 // solid is the length without trailing white space
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\n':
			return b.String()[:solid], text[i:], !quoted
		case !quoted && (c == '#' || c == ';'):
			_, rest, _ = strings.Cut(text[i:], "\n")
			return b.String()[:solid], rest, true
		case !quoted && (c == ' ' || c == '\t' || c == '\r'):
			if b.Len() > 0 {
				b.WriteByte(c)
			}
			continue
		case c == '"':
			quoted = !quoted
			solid = b.Len()
			continue
		case c == '\\':
			if i++; i == len(text) || text[i] == '\n' {
				solid = b.Len()
				continue
			}
			at := strings.IndexByte(`ntb"\`, text[i])
			if at < 0 {
				return "", "", false
			}
			c = "\n\t\b\"\\"[at]
		}
		b.WriteByte(c)
		solid = b.Len()
	}
	return b.String()[:solid], "", !quoted
}
