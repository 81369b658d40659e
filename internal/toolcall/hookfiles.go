package toolcall

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"hooks/internal/config"
	"hooks/internal/guard/effect"
	"hooks/internal/guard/paths"
	"hooks/internal/install"
	"hooks/internal/safefile"
	"hooks/internal/tracker"
)

// hookFiles returns the files and folders from which this session's client reads its hooks: the
// settings, other files of the client and this program (fixed), the folder below them in which
// plugins keep data, and the folders of plugins, of which only the files that define hooks count.
// The paths are absolute and folded; each is listed as written and with links resolved.
func (c *Call) hookFiles() (fixed, data, plugins []string) {
	home, _ := install.Home(c.Env)
	dir, _ := install.ClientDir(c.Env)
	program, _ := os.Executable()
	fixed = c.folded(filepath.Join(dir, ".claude.json"), filepath.Join(home, ".claude.json"),
		filepath.Join(dir, "remote-settings.json"), filepath.Join(dir, "plugins"),
		install.ManagedDir(), program)
	files := c.SettingsFiles()
	for _, file := range files[:len(files)-1] { // the managed file is in fixed
		fixed = append(fixed, c.folded(file, filepath.Join(filepath.Dir(file), "hooks"))...)
	}
	data = c.folded(filepath.Join(dir, "plugins", "data"))
	return fixed, data, c.folded(c.pluginRoots(dir)...)
}

// folded returns the paths that are absolute, each as written and with links resolved.
func (c *Call) folded(paths ...string) (list []string) {
	for _, path := range paths {
		if filepath.IsAbs(path) {
			list = append(list, fold(filepath.Clean(path)), fold(tracker.RealPath(path)))
		}
	}
	return list
}

// fold returns a path or text in lower case with forward slashes, because some file systems ignore
// case.
func fold(p string) string { return strings.ToLower(strings.ReplaceAll(p, `\`, "/")) }

// pluginRoots returns the folders of plugins: this program's plugin, those in the client's
// registries, and the project if it is a plugin.
func (c *Call) pluginRoots(dir string) []string {
	roots := c.ownPlugins()
	if isPlugin(c.Project) {
		roots = append(roots, c.Project)
	}
	for _, name := range []string{"installed_plugins.json", "known_marketplaces.json"} {
		text, _ := safefile.Read(filepath.Join(dir, "plugins", name), config.MaxFile)
		for _, key := range []string{"installPath", "installLocation", "path"} {
			for _, folder := range gjson.Get(text, "@dig:"+key).Array() {
				roots = append(roots, folder.Str)
			}
		}
	}
	return roots
}

// registers reports whether this session's client reads its hooks from a file or a folder, or from
// a file in it. It returns false for copies that the client does not read, for example in a
// worktree.
func (c *Call) registers(file string) bool {
	fixed, data, plugins := c.hookFiles()
	own := c.ownPaths()
	for _, p := range []string{file, tracker.RealPath(file)} {
		low := fold(p)
		manifest := path.Base(low) == "hooks.json" || strings.Contains(low, "/.claude-plugin/")
		below := func(f string) bool { return paths.Own([]string{p, low}, f) }
		if paths.Own(own, p) || manifest && paths.Own(plugins, low) ||
			paths.Own(fixed, low) && !paths.Own(data, low) ||
			slices.ContainsFunc(slices.Concat(plugins, fixed, own), below) {
			return true
		}
	}
	return false
}

// Tampers returns the acts on the loop's own files, gates and registration. It omits files that
// only resemble a registration.
func (c *Call) Tampers(r effect.Reading) []effect.Act {
	if c.Past != nil {
		return r.Tampers()
	}
	acts := slices.DeleteFunc(r.Tampers(), func(a effect.Act) bool {
		file := c.absolute(a.Path)
		return a.Kind == effect.DropRegistration && a.Path != "" && filepath.IsAbs(file) &&
			!c.registers(file)
	})
	// The client's folder may have any name.
	if file, ok := c.FileTool(); ok && file != "" && len(acts) == 0 {
		if file = c.absolute(file); c.registers(file) {
			acts = append(acts, effect.Act{
				Kind: effect.DropRegistration, Command: c.Event.Tool, Ref: file, Path: file,
			})
		}
	}
	return acts
}
