package brake

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// defaultPath is the search path for programs if PATH is not set.
const defaultPath = "/usr/local/bin:/usr/bin:/bin"

// folder identifies one session's directory of links.
type folder struct{ home, session string }

// search is the result of searching PATH for the real program of a link.
type search struct {
	real  string // absolute; empty if not found
	links []folder
}

// find searches PATH for directories of links and for the first program with that name that is not
// this one. If argv0 is a path, its directory comes first in the search for links.
func find(argv0, name, path string) search {
	exe, _ := os.Executable()
	self, _ := os.Stat(exe)
	var s search
	if strings.Contains(argv0, "/") {
		s.note(filepath.Dir(argv0), name)
	}
	for _, dir := range filepath.SplitList(path) {
		if dir == "" {
			dir = "."
		}
		if !s.note(dir, name) && s.real == "" {
			s.real = program(filepath.Join(dir, name), self)
		}
	}
	return s
}

// program returns the absolute path of an executable file that is not this program, or an empty
// string for any other file.
func program(path string, self fs.FileInfo) string {
	info, err := os.Stat(path)
	runs := err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
	if !runs || self != nil && os.SameFile(info, self) {
		return ""
	}
	path, _ = filepath.Abs(path)
	return path
}

// note adds dir to the links if it is HOME/brake/SESSION and name in it is a symbolic link, as in
// no other directory of that name. It reports whether it did.
func (s *search) note(dir, name string) bool {
	info, err := os.Lstat(filepath.Join(dir, name))
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return false
	}
	dir, err = filepath.Abs(dir)
	if err == nil && filepath.Base(filepath.Dir(dir)) != "brake" {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil || filepath.Base(filepath.Dir(dir)) != "brake" {
		return false
	}
	found := folder{filepath.Dir(filepath.Dir(dir)), filepath.Base(dir)}
	if !slices.Contains(s.links, found) {
		s.links = append(s.links, found)
	}
	return true
}
