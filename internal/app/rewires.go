package app

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"hooks/internal/clienthooks"
	"hooks/internal/config"
	"hooks/internal/guard"
	"hooks/internal/guard/place"
	"hooks/internal/install"
	"hooks/internal/regular"
	"hooks/internal/tracker"
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
	return place.Own(own, path) || place.Own(own, tracker.RealPath(path))
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
	real := tracker.RealPath(path)
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
	return p.Holds(filepath.ToSlash(dir)) || p.Holds(filepath.ToSlash(tracker.RealPath(dir)))
}

// clientPlaces finds once where this session's client reads its hooks.
func (v *visit) clientPlaces() clienthooks.Places {
	if v.places != nil {
		return *v.places
	}
	dir := v.clientDir()
	p := clienthooks.Places{Home: v.home(), Config: dir, Managed: install.ManagedDir()}
	var settings []string
	for _, folder := range []string{dir, filepath.Join(v.project, ".claude")} {
		settings = append(settings,
			filepath.Join(folder, "settings.json"), filepath.Join(folder, "settings.local.json"))
	}
	p.Settings = v.bothWays(settings)
	p.Plugins = v.bothWays(v.pluginRoots(dir))
	program, _ := os.Executable()
	p.Scripts = v.bothWays(append(v.scripts(settings, p.Plugins), program))
	v.places = &p
	return p
}

// bothWays are paths as written and as they lie on disk.
func (v *visit) bothWays(paths []string) (list []string) {
	for _, path := range paths {
		if filepath.IsAbs(path) {
			real := tracker.RealPath(path)
			list = append(list, filepath.ToSlash(filepath.Clean(path)), filepath.ToSlash(real))
		}
	}
	return list
}

// pluginRoots are the folders of plugins outside of the client's cache: this program's own, those
// that the client's registries name, and the project, when it is one.
func (v *visit) pluginRoots(dir string) []string {
	roots := []string{v.Env("CLAUDE_PLUGIN_ROOT")}
	if program, err := os.Executable(); err == nil {
		if root := filepath.Dir(filepath.Dir(program)); isPlugin(root) {
			roots = append(roots, root)
		}
	}
	if isPlugin(v.project) {
		roots = append(roots, v.project)
	}
	for _, name := range []string{"installed_plugins.json", "known_marketplaces.json"} {
		text, _ := regular.Read(filepath.Join(dir, "plugins", name), config.MaxFile)
		roots = append(roots, located(gjson.Parse(text), 0)...)
	}
	return roots
}

// located are the folders that a registry of the client names.
func located(v gjson.Result, depth int) (list []string) {
	names := []string{"installPath", "installLocation", "path"}
	v.ForEach(func(key, value gjson.Result) bool {
		switch {
		case value.Type == gjson.String && slices.Contains(names, key.Str):
			list = append(list, value.Str)
		case depth < 5 && value.IsObject() || depth < 5 && value.IsArray():
			list = append(list, located(value, depth+1)...)
		}
		return true
	})
	return list
}

// scripts are the files that the commands of settings and of plugins outside of the cache name.
func (v *visit) scripts(settings, roots []string) (list []string) {
	take := func(path, root string) {
		text, ok := regular.Read(path, config.MaxFile)
		if !ok {
			return
		}
		expand := strings.NewReplacer(
			"${CLAUDE_PROJECT_DIR}", v.project, "$CLAUDE_PROJECT_DIR", v.project,
			"${CLAUDE_PLUGIN_ROOT}", root, "$CLAUDE_PLUGIN_ROOT", root)
		for _, word := range clienthooks.Commands(text) {
			list = append(list, v.below(v.project).absolute(expand.Replace(word)))
		}
	}
	for _, path := range settings {
		take(path, "")
	}
	for _, root := range roots {
		take(filepath.Join(root, "hooks.json"), root)
		take(filepath.Join(root, "hooks", "hooks.json"), root)
	}
	return list
}
