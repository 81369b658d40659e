package brake

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"hooks/internal/loop"
)

// defaultPath is the search path for programs if PATH is not set.
const defaultPath = "/usr/local/bin:/usr/bin:/bin"

// folder identifies one session's directory of links.
type folder struct{ home, session string }

// find searches path for directories of links and for the real program, that is, the first program
// of that name that is neither a link nor this program. target is its absolute path, or empty if
// there is none. If argv0 is a path, its directory comes first in the search for links.
func find(argv0, name, path string) (target string, links []folder) {
	exe, _ := os.Executable()
	self, _ := os.Stat(exe)
	if strings.Contains(argv0, "/") {
		links = loop.AppendNew(links, linksIn(filepath.Dir(argv0), name))
	}
	for _, dir := range filepath.SplitList(path) {
		dir = cmp.Or(dir, ".")
		found := linksIn(dir, name)
		if links = loop.AppendNew(links, found); found == (folder{}) && target == "" {
			target = program(filepath.Join(dir, name), self)
		}
	}
	return target, links
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

// linksIn returns the session whose directory of links is dir: HOME/brake/SESSION, with name as a
// symbolic link in it. It returns the zero value for any other directory.
func linksIn(dir, name string) folder {
	info, err := os.Lstat(filepath.Join(dir, name))
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return folder{}
	}
	dir, err = filepath.Abs(dir)
	if err == nil && filepath.Base(filepath.Dir(dir)) != "brake" {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil || filepath.Base(filepath.Dir(dir)) != "brake" {
		return folder{}
	}
	return folder{filepath.Dir(filepath.Dir(dir)), filepath.Base(dir)}
}
