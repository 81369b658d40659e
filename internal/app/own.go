package app

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hooks/internal/install"
	"hooks/internal/regular"
	"hooks/internal/seal"
	"hooks/internal/tracker"
)

// own are the loop's paths outside of .sdd/loop, each as it is written and as it lies on disk: the session's
// transcript, this program with its plugin, and its state. They may be read only. A folder that holds the project is
// none of them.
func (v *visit) own() []string {
	program, _ := os.Executable()
	list := []string{v.ev.Transcript, program}
	if v.past == nil { // a replayed call is judged the same on every machine
		list = append(list, v.pluginParts(program)...)
		list = append(list, seal.Home(v.Env), v.Env("CLAUDE_PLUGIN_DATA"), v.strayConfig())
	}
	var all []string
	for _, path := range list {
		if !filepath.IsAbs(path) || v.holdsProject(path) {
			continue
		}
		for _, p := range []string{filepath.Clean(path), tracker.RealPath(path)} {
			if !slices.Contains(all, p) {
				all = append(all, p)
			}
			if rel, ok := strings.CutPrefix(p, v.home()+"/"); ok && !slices.Contains(all, "~/"+rel) {
				all = append(all, "~/"+rel)
			}
		}
	}
	return all
}

// pluginParts are the plugin's folders. Of its own source, when that is the project, only what the client runs.
func (v *visit) pluginParts(program string) (list []string) {
	roots := []string{v.Env("CLAUDE_PLUGIN_ROOT")}
	if dir := filepath.Dir(program); filepath.Base(dir) == "bin" && isPlugin(filepath.Dir(dir)) {
		roots = append(roots, filepath.Dir(dir))
	}
	for _, root := range roots {
		switch {
		case !filepath.IsAbs(root):
		case v.inProject(root), v.holdsProject(root):
			for _, part := range []string{"bin/hooks", "hooks.json", ".claude-plugin"} {
				list = append(list, filepath.Join(root, filepath.FromSlash(part)))
			}
		default:
			list = append(list, root)
		}
	}
	return list
}

// strayConfig is the user's settings file where the client's folder has a name that the guard does not know.
func (v *visit) strayConfig() string {
	if dir := v.Env("CLAUDE_CONFIG_DIR"); dir != "" && filepath.Base(dir) != ".claude" {
		return filepath.Join(dir, "settings.json")
	}
	return ""
}

func isPlugin(dir string) bool {
	f, _, err := regular.Open(filepath.Join(dir, ".claude-plugin", "plugin.json"))
	if err == nil {
		f.Close()
	}
	return err == nil
}

func (v *visit) inProject(path string) bool { return within(v.project, path) }

func (v *visit) holdsProject(path string) bool {
	return within(path, v.project) || v.ev.Cwd != "" && within(path, v.ev.Cwd)
}

func within(dir, path string) bool {
	rel, err := filepath.Rel(tracker.RealPath(dir), tracker.RealPath(path))
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
