package store

import (
	"strings"

	"hooks/internal/loop"
)

// OfLoop reports whether a file in the state folder belongs to a skill's loop. It also returns true
// for files that all loops share and for the archive.
func OfLoop(k loop.Skill, name string) bool {
	return name[0] == '.' || name == notesName || strings.HasPrefix(name, archiveName+"/") ||
		strings.HasPrefix(name, string(k)+".")
}
