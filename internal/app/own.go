package app

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

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
