package app

import (
	"path/filepath"
	"slices"
	"strings"

	"hooks/internal/clienthooks"
	"hooks/internal/guard"
	"hooks/internal/guard/place"
)

// rewires names the file by which a call of a file tool would change the hooks that the client
// runs, or what they do. A copy that this session's client does not read, as in a worktree, is a
// file like any other.
func (v *visit) rewires() string {
	path, ok := v.fileTool()
	if !ok || path == "" || v.past != nil { // what the file held then is not known
		return ""
	}
	path = v.absolute(path)
	if v.keepsHooks(path) {
		return ""
	}
	return path
}

// keepsHooks reports whether a file tool's call leaves the client's hooks as they are, whatever the
// file is to the client: under the name that is given, and where a link leads.
func (v *visit) keepsHooks(path string) bool {
	if !v.registers(path) {
		return !v.isOwn(path)
	}
	before, after, known := v.leaves(path)
	return known && !slices.ContainsFunc(v.kinds(path), func(kind clienthooks.Kind) bool {
		return !clienthooks.Same(kind, before, after)
	})
}

// tampers are the acts on the loop's own files, gates and registration, without those on files that
// only look like a registration and those that were looked at.
func (v *visit) tampers(r guard.Reading) []guard.Act {
	file, edits := v.fileTool()
	return slices.DeleteFunc(r.Tampers(), func(a guard.Act) bool {
		path := v.absolute(a.Path)
		switch {
		case v.past != nil || a.Path == "" || !filepath.IsAbs(path):
			return false
		case edits:
			return path == v.absolute(file) && path == v.strayConfig()
		}
		return a.Kind == guard.DropRegistration &&
			!v.registers(path) && !v.holdsHooks(path) && !v.holdsOwn(path)
	})
}

func (v *visit) isOwn(path string) bool {
	own := v.own()
	return place.Own(own, path) || place.Own(own, v.paths.Real(path))
}

// holdsOwn reports whether a path is one of this program's own, or a folder with one in it.
func (v *visit) holdsOwn(path string) bool {
	below := func(own string) bool { return strings.HasPrefix(own, path+"/") }
	return v.isOwn(path) || slices.ContainsFunc(v.own(), below)
}

func (v *visit) absolute(path string) string {
	if path == "" {
		return ""
	}
	return filepath.Clean(v.below(v.ev.Cwd).absolute(path))
}

// kinds are what a file is to the client, as it is written and as it lies on disk.
func (v *visit) kinds(path string) []clienthooks.Kind {
	p := v.clientPlaces()
	real := v.paths.Real(path)
	return []clienthooks.Kind{p.Of(filepath.ToSlash(path)), p.Of(filepath.ToSlash(real))}
}

// registers reports whether the client may read hooks from a file.
func (v *visit) registers(path string) bool {
	return slices.ContainsFunc(v.kinds(path), func(kind clienthooks.Kind) bool {
		return kind != clienthooks.Foreign
	})
}

func (v *visit) holdsHooks(dir string) bool {
	p := v.clientPlaces()
	return p.Holds(filepath.ToSlash(dir)) || p.Holds(filepath.ToSlash(v.paths.Real(dir)))
}
