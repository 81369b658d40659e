package app

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hooks/internal/install"
	"hooks/internal/regular"
	"hooks/internal/seal"
)

// own are the loop's paths outside of .sdd/loop, each as it is written and as it lies on disk: the
// session's transcript, this program with its plugin, and its state. They may be read only. A
// folder that holds the project is none of them.
func (v *visit) own() []string {
	if v.ownPaths == nil {
		v.ownPaths = v.findOwn()
	}
	return v.ownPaths
}

func (v *visit) findOwn() []string {
	program, _ := os.Executable()
	list := []string{v.ev.Transcript, program}
	if v.past == nil { // a replayed call is judged the same on every machine
		list = append(list, v.pluginParts(program)...)
		list = append(list, seal.Home(v.Env), v.Env("CLAUDE_PLUGIN_DATA"), v.strayConfig())
	}
	all := []string{}
	add := func(path string) {
		for _, p := range []string{path, "~/" + strings.TrimPrefix(path, v.home()+"/")} {
			if (p == path || strings.HasPrefix(path, v.home()+"/")) && !slices.Contains(all, p) {
				all = append(all, p)
			}
		}
	}
	for _, path := range list {
		if !filepath.IsAbs(path) {
			continue
		}
		real := v.paths.Real(path)
		if path = filepath.Clean(path); !v.holdsProject(path, real) {
			add(path)
			add(real)
		}
	}
	return all
}

// pluginParts are the plugin's folders. Of its own source, when that is the project, only what the
// client runs.
func (v *visit) pluginParts(program string) (list []string) {
	roots := []string{v.Env("CLAUDE_PLUGIN_ROOT")}
	if dir := filepath.Dir(program); filepath.Base(dir) == "bin" && isPlugin(filepath.Dir(dir)) {
		roots = append(roots, filepath.Dir(dir))
	}
	for _, root := range roots {
		real := v.paths.Real(root)
		switch {
		case !filepath.IsAbs(root):
		case within(v.project, root), within(v.paths.Real(v.project), real),
			v.holdsProject(root, real):
			for _, part := range []string{"bin/hooks", "hooks.json", ".claude-plugin"} {
				list = append(list, filepath.Join(root, filepath.FromSlash(part)))
			}
		default:
			list = append(list, root)
		}
	}
	return list
}

// strayConfig is the user's settings file where the client's folder has a name that the guard does
// not know.
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

// holdsProject reports whether the project, or where the call works in it, lies in a folder.
func (v *visit) holdsProject(path, real string) bool {
	if v.held == nil {
		v.held = []string{v.project, v.ev.Cwd, v.paths.Real(v.project), v.paths.Real(v.ev.Cwd)}
	}
	return slices.ContainsFunc(v.held, func(dir string) bool {
		return dir != "" && (within(path, dir) || within(real, dir))
	})
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
