package doctor

import (
	"path/filepath"
	"strings"

	"hooks/internal/install"
	"hooks/internal/safefile"
)

// maxRead bounds what is read of one file, in bytes.
const maxRead = 16 << 20

// read returns the text of a regular file, its first maxRead bytes; "" when it cannot be read.
func read(path string) string {
	text, _ := safefile.ReadHead(path, maxRead)
	return text
}

// home is the person's own folder, "" where it is unknown.
func (m *machine) home() string {
	h, _ := install.Home(m.Env)
	return h
}

// clientDir is the client's own folder.
func (m *machine) clientDir() string {
	dir, _ := install.ClientDir(m.Env)
	return dir
}

// shown is a path as people read it: relative to the project or to their home.
func (m *machine) shown(path string) string {
	if rel, err := filepath.Rel(m.project, path); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	home := m.home()
	if rel, err := filepath.Rel(home, path); err == nil && home != "" && filepath.IsLocal(rel) {
		return "~/" + filepath.ToSlash(rel)
	}
	return path
}

func join(list []string) string { return strings.Join(list, ", ") }
