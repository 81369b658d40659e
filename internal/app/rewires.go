package app

import (
	"path/filepath"
	"slices"
	"strings"

	"hooks/internal/clienthooks"
	"hooks/internal/guard"
	"hooks/internal/guard/paths"
)

// rewires names the file by which a call of a file tool would change the hooks that the client
// runs, or what they do. A copy that this session's client does not read, as in a worktree, is a
// file like any other.
func (h *handler) rewires() string {
	path, ok := h.fileTool()
	if !ok || path == "" || h.replayRepo != nil { // what the file held then is not known
		return ""
	}
	path = h.absolute(path)
	if h.keepsHooks(path) {
		return ""
	}
	return path
}

// keepsHooks reports whether a file tool's call leaves the client's hooks as they are, whatever the
// file is to the client: under the name that is given, and where a link leads.
func (h *handler) keepsHooks(path string) bool {
	if !h.registers(path) {
		return !h.isOwn(path)
	}
	before, after, known := h.leaves(path)
	return known && !slices.ContainsFunc(h.kinds(path), func(kind clienthooks.Kind) bool {
		return !clienthooks.Same(kind, before, after)
	})
}

// tampers are the acts on the loop's own files, gates and registration, without those on files that
// only look like a registration and those that were looked at.
func (h *handler) tampers(r guard.Reading) []guard.Act {
	file, edits := h.fileTool()
	return slices.DeleteFunc(r.Tampers(), func(a guard.Act) bool {
		path := h.absolute(a.Path)
		switch {
		case h.replayRepo != nil || a.Path == "" || !filepath.IsAbs(path):
			return false
		case edits:
			return path == h.absolute(file) && path == h.strayConfig()
		}
		return a.Kind == guard.DropRegistration &&
			!h.registers(path) && !h.holdsHooks(path) && !h.holdsOwn(path)
	})
}

func (h *handler) isOwn(path string) bool {
	own := h.own()
	return paths.Own(own, path) || paths.Own(own, h.paths.Real(path))
}

// holdsOwn reports whether a path is one of this program's own, or a folder with one in it.
func (h *handler) holdsOwn(path string) bool {
	below := func(own string) bool { return strings.HasPrefix(own, path+"/") }
	return h.isOwn(path) || slices.ContainsFunc(h.own(), below)
}

func (h *handler) absolute(path string) string {
	if path == "" {
		return ""
	}
	return filepath.Clean(h.below(h.ev.Cwd).absolute(path))
}

// kinds are what a file is to the client, as it is written and as it lies on disk.
func (h *handler) kinds(path string) []clienthooks.Kind {
	p := h.clientPlaces()
	real := h.paths.Real(path)
	return []clienthooks.Kind{p.Of(filepath.ToSlash(path)), p.Of(filepath.ToSlash(real))}
}

// registers reports whether the client may read hooks from a file.
func (h *handler) registers(path string) bool {
	return slices.ContainsFunc(h.kinds(path), func(kind clienthooks.Kind) bool {
		return kind != clienthooks.Foreign
	})
}

func (h *handler) holdsHooks(dir string) bool {
	p := h.clientPlaces()
	return p.Holds(filepath.ToSlash(dir)) || p.Holds(filepath.ToSlash(h.paths.Real(dir)))
}
