package store

import (
	"strings"

	"hooks/internal/loop"
)

// OfLoop reports whether a file in the folder belongs to the loop of a skill. It returns true for
// files that all loops share and for the archive.
func OfLoop(k loop.Skill, name string) bool {
	return name[0] == '.' || name == notesName || strings.HasPrefix(name, archiveName+"/") ||
		strings.HasPrefix(name, string(k)+".")
}

// Hide writes the .gitignore file that makes git ignore the folder.
func (s *Store) Hide() error { return wrap("hide", s.hide()) }

// Hidden reports whether the folder's own .gitignore excludes all of it from git.
func (s *Store) Hidden() bool {
	return strings.TrimSpace(string(s.kept(".gitignore"))) == "*"
}
