package app

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"hooks/internal/clienthooks"
	"hooks/internal/config"
	"hooks/internal/install"
	"hooks/internal/safefile"
)

// clientPlaces finds once where this session's client reads its hooks.
func (h *handler) clientPlaces() clienthooks.Places {
	if h.places != nil {
		return *h.places
	}
	dir := h.clientDir()
	p := clienthooks.Places{Home: h.home(), Config: dir, Managed: install.ManagedDir()}
	var settings []string
	for _, folder := range []string{dir, filepath.Join(h.project, ".claude")} {
		settings = append(settings,
			filepath.Join(folder, "settings.json"), filepath.Join(folder, "settings.local.json"))
	}
	p.Settings = h.bothWays(settings)
	p.Plugins = h.bothWays(h.pluginRoots(dir))
	program, _ := os.Executable()
	p.Scripts = h.bothWays(append(h.scripts(settings, p.Plugins), program))
	h.places = &p
	return p
}

// bothWays are paths as written and as they lie on disk.
func (h *handler) bothWays(paths []string) (list []string) {
	for _, path := range paths {
		if filepath.IsAbs(path) {
			list = append(list,
				filepath.ToSlash(filepath.Clean(path)), filepath.ToSlash(h.paths.Real(path)))
		}
	}
	return list
}

// pluginRoots are the folders of plugins outside of the client's cache: this program's own, those
// that the client's registries name, and the project, when it is one.
func (h *handler) pluginRoots(dir string) []string {
	roots := h.ownPlugins()
	if isPlugin(h.project) {
		roots = append(roots, h.project)
	}
	for _, name := range []string{"installed_plugins.json", "known_marketplaces.json"} {
		text, _ := safefile.Read(filepath.Join(dir, "plugins", name), config.MaxFile)
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
func (h *handler) scripts(settings, roots []string) (list []string) {
	take := func(path, root string) {
		text, ok := safefile.Read(path, config.MaxFile)
		if !ok {
			return
		}
		expand := strings.NewReplacer(
			"${CLAUDE_PROJECT_DIR}", h.project, "$CLAUDE_PROJECT_DIR", h.project,
			"${CLAUDE_PLUGIN_ROOT}", root, "$CLAUDE_PLUGIN_ROOT", root)
		for _, word := range clienthooks.Commands(text) {
			list = append(list, h.below(h.project).absolute(expand.Replace(word)))
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
