package tracker

import (
	"os"
	"path/filepath"
	"strings"
)

// setting is one line of a git config: the key as git prints it, section and name in lower case, and its value. A
// name without "=" is "true".
type setting struct{ key, value string }

// settings are those of one or more files in order; later ones overrule.
type settings struct {
	list []setting
	// partial says that something was not read: an include, a file over the bounds, a line that git would refuse.
	partial bool
}

// config reads the repository's own settings.
func (p gitPlace) config() settings {
	var s settings
	s.add(filepath.Join(p.common, "config"))
	if s.last("extensions.worktreeconfig") == "true" {
		s.add(filepath.Join(p.dir, "config.worktree"))
	}
	return s
}

// personal reads the settings of the system and of the person. An absent file is not missed.
func personal(getenv func(string) string) settings {
	var s settings
	system := getenv("GIT_CONFIG_SYSTEM")
	if system == "" && getenv("GIT_CONFIG_NOSYSTEM") == "" {
		system = "/etc/gitconfig"
	}
	files := []string{system, filepath.Join(ConfigHome(getenv), "git", "config"), filepath.Join(getenv("HOME"), ".gitconfig")}
	if global := getenv("GIT_CONFIG_GLOBAL"); global != "" {
		files = []string{system, global}
	}
	for _, path := range files {
		s.add(path)
	}
	return s
}

func (s *settings) add(path string) {
	if _, err := os.Lstat(path); path == "" || path == os.DevNull || os.IsNotExist(err) { // null is how a person says none
		return
	}
	text, ok := readSmall(path)
	if !ok {
		s.partial = true
		return
	}
	read := parseConfig(text)
	s.list = append(s.list, read.list...)
	s.partial = s.partial || read.partial
}

func (s settings) last(key string) string {
	value := ""
	for _, one := range s.list {
		if one.key == key {
			value = one.value
		}
	}
	return value
}

// parseConfig reads git's config format. Includes are not followed. At the first line that git would refuse it stops.
func parseConfig(text string) settings {
	text, rest, _ := strings.Cut(strings.TrimPrefix(text, "\xef\xbb\xbf"), "\x00")
	p, s := configParser{text: text}, settings{partial: rest != ""}
	for {
		switch c := p.skipBlank(); {
		case c == 0:
			return s
		case c == '#' || c == ';':
			p.skipLine()
			continue
		case c == '[':
			if p.header() {
				continue
			}
		default:
			if one, ok := p.setting(); ok {
				s.list = append(s.list, one)
				s.partial = s.partial || isInclude(one.key)
				continue
			}
		}
		s.partial = true
		return s
	}
}

func isInclude(key string) bool {
	return strings.HasPrefix(key, "include.") || strings.HasPrefix(key, "includeif.")
}
