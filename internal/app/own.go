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
	"hooks/internal/loop"
	"hooks/internal/safefile"
	"hooks/internal/seal"
)

// own are the loop's paths outside of .sdd/loop, each as it is written and as it lies on disk: the
// session's transcript, this program with its plugin, and its state. They may be read only. A
// folder that holds the project is not among them.
func (h *handler) own() []string {
	if h.ownPaths == nil {
		h.ownPaths = h.findOwn()
	}
	return h.ownPaths
}

func (h *handler) findOwn() []string {
	program, _ := os.Executable()
	list := []string{h.ev.Transcript, program}
	if h.replayRepo == nil { // a replayed call is judged the same on every machine
		list = append(list, h.pluginParts()...)
		list = append(list, seal.Home(h.Env), h.Env("CLAUDE_PLUGIN_DATA"), h.strayConfig())
	}
	if slices.ContainsFunc(h.runs, func(t *loopState) bool {
		return t.Budget != nil && t.Budget.Tasks != nil
	}) {
		list = append(list, h.viewPath()) // a worker writes the progress file only (T90)
	}
	all := []string{}
	for _, path := range list {
		if !filepath.IsAbs(path) || h.holdsProject(path) {
			continue
		}
		for _, p := range []string{filepath.Clean(path), h.paths.Real(path)} {
			all = loop.AppendNew(all, p)
			if rest, ok := strings.CutPrefix(p, h.home()+"/"); ok {
				all = loop.AppendNew(all, "~/"+rest)
			}
		}
	}
	return all
}

// pluginParts are the plugin's folders. Of its own source, when that is the project, only what the
// client runs.
func (h *handler) pluginParts() (list []string) {
	for _, root := range h.ownPlugins() {
		switch {
		case !filepath.IsAbs(root):
		case h.inProject(root), h.holdsProject(root):
			for _, part := range [...]string{
				"bin/hooks", "hooks.json", "hooks/hooks.json", "launch", ".claude-plugin",
			} {
				list = append(list, filepath.Join(root, filepath.FromSlash(part)))
			}
		default:
			list = append(list, root)
		}
	}
	return list
}

// ownPlugins are the folders of this program's plugin, as the client names it and around the
// program.
func (h *handler) ownPlugins() []string {
	roots := []string{h.Env("CLAUDE_PLUGIN_ROOT")}
	if program, err := os.Executable(); err == nil {
		if root := filepath.Dir(filepath.Dir(program)); isPlugin(root) {
			roots = append(roots, root)
		}
	}
	return roots
}

// strayConfig is the user's settings file where the client's folder has a name that the guard does
// not know.
func (h *handler) strayConfig() string {
	if dir := h.Env("CLAUDE_CONFIG_DIR"); dir != "" && filepath.Base(dir) != ".claude" {
		return filepath.Join(dir, "settings.json")
	}
	return ""
}

func isPlugin(dir string) bool {
	f, _, err := safefile.Open(filepath.Join(dir, ".claude-plugin", "plugin.json"))
	if err == nil {
		f.Close()
	}
	return err == nil
}

// holdsProject reports whether the project, or where the call works in it, lies in a folder.
func (h *handler) holdsProject(folder string) bool {
	dirs := []string{h.project, h.ev.Cwd, h.paths.Real(h.project), h.paths.Real(h.ev.Cwd)}
	return slices.ContainsFunc(dirs, func(dir string) bool {
		return dir != "" && (within(folder, dir) || within(h.paths.Real(folder), dir))
	})
}

func (h *handler) inProject(path string) bool {
	return within(h.project, path) || within(h.paths.Real(h.project), h.paths.Real(path))
}

func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// home is the person's own folder, "" where nothing names it.
func (a *App) home() string {
	home, err := install.Home(a.Env)
	if err != nil {
		return ""
	}
	return home
}

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
