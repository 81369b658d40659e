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

// folder identifies a session's link directory.
type folder struct{ home, session string }

// find searches path for link directories and for the real program, which is the first program
// called name that is neither a link nor this program. target is the real program's absolute path,
// or empty if there is none. If argv0 is a path, the search for links starts in its directory.
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

// program returns path as an absolute path if it is an executable file other than this program.
// Otherwise it returns an empty string.
func program(path string, self fs.FileInfo) string {
	info, err := os.Stat(path)
	runs := err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
	if !runs || self != nil && os.SameFile(info, self) {
		return ""
	}
	path, _ = filepath.Abs(path)
	return path
}

// linksIn returns the session whose link directory is dir. A link directory is HOME/brake/SESSION
// and contains name as a symbolic link. For any other directory, linksIn returns the zero value.
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
