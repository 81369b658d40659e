package toolcall

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

// ownPaths returns the loop's read-only paths outside .sdd/loop, as written and with links
// resolved: the session's transcript, this program with its plugin, and its state. It omits folders
// that contain the project.
func (c *Call) ownPaths() []string {
	if c.own != nil {
		return c.own
	}
	program, _ := os.Executable()
	list := []string{c.Event.Transcript, program}
	if c.Past == nil {
		list = append(list, c.pluginParts()...)
		list = append(list, seal.Home(c.Env), c.Env("CLAUDE_PLUGIN_DATA"), c.strayConfig())
	}
	list = append(list, c.View)
	c.own = []string{}
	home, _ := install.Home(c.Env)
	for _, path := range list {
		if !filepath.IsAbs(path) || c.holdsProject(path) {
			continue
		}
		for _, p := range []string{filepath.Clean(path), c.paths.Real(path)} {
			c.own = loop.AppendNew(c.own, p)
			if rest, ok := strings.CutPrefix(p, home+"/"); ok {
				c.own = loop.AppendNew(c.own, "~/"+rest)
			}
		}
	}
	return c.own
}

// pluginParts returns the plugin's folders. If the project is the plugin's source, only the files
// that the client runs are included.
func (c *Call) pluginParts() (list []string) {
	for _, root := range c.ownPlugins() {
		switch {
		case !filepath.IsAbs(root):
		case c.inProject(root), c.holdsProject(root):
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

// ownPlugins returns the folders of this program's plugin: the client's value and the one around
// the program.
func (c *Call) ownPlugins() []string {
	roots := []string{c.Env("CLAUDE_PLUGIN_ROOT")}
	if program, err := os.Executable(); err == nil {
		if root := filepath.Dir(filepath.Dir(program)); isPlugin(root) {
			roots = append(roots, root)
		}
	}
	return roots
}

// strayConfig returns the user's settings file if the client's folder is not named .claude, the
// only name that the guard knows. Otherwise it returns "".
func (c *Call) strayConfig() string {
	if dir := c.Env("CLAUDE_CONFIG_DIR"); dir != "" && filepath.Base(dir) != ".claude" {
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

// holdsProject reports whether folder contains the project or the call's working directory.
func (c *Call) holdsProject(folder string) bool {
	dirs := []string{c.Project, c.Event.Cwd, c.paths.Real(c.Project), c.paths.Real(c.Event.Cwd)}
	return slices.ContainsFunc(dirs, func(dir string) bool {
		return dir != "" && (within(folder, dir) || within(c.paths.Real(folder), dir))
	})
}

func (c *Call) inProject(path string) bool {
	return within(c.Project, path) || within(c.paths.Real(c.Project), c.paths.Real(path))
}

func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// Places returns the files and folders from which this session's client reads hooks.
func (c *Call) Places() clienthooks.Places {
	if c.places != nil {
		return *c.places
	}
	home, _ := install.Home(c.Env)
	dir, err := install.ClientDir(c.Env)
	if err != nil {
		dir = ""
	}
	p := clienthooks.Places{Home: home, Config: dir, Managed: install.ManagedDir()}
	var settings []string
	for _, folder := range []string{dir, filepath.Join(c.Project, ".claude")} {
		settings = append(settings,
			filepath.Join(folder, "settings.json"), filepath.Join(folder, "settings.local.json"))
	}
	p.Settings = c.bothWays(settings)
	p.Plugins = c.bothWays(c.pluginRoots(dir))
	program, _ := os.Executable()
	p.Scripts = c.bothWays(append(c.scripts(settings, p.Plugins), program))
	c.places = &p
	return p
}

// bothWays returns the absolute paths, each as written and with links resolved.
func (c *Call) bothWays(paths []string) (list []string) {
	for _, path := range paths {
		if filepath.IsAbs(path) {
			list = append(list,
				filepath.ToSlash(filepath.Clean(path)), filepath.ToSlash(c.paths.Real(path)))
		}
	}
	return list
}

// pluginRoots returns the folders of plugins outside the client's cache: this program's own, those
// in the client's registries, and the project if it is a plugin.
func (c *Call) pluginRoots(dir string) []string {
	roots := c.ownPlugins()
	if isPlugin(c.Project) {
		roots = append(roots, c.Project)
	}
	for _, name := range []string{"installed_plugins.json", "known_marketplaces.json"} {
		text, _ := safefile.Read(filepath.Join(dir, "plugins", name), config.MaxFile)
		roots = append(roots, located(gjson.Parse(text), 0)...)
	}
	return roots
}

// located returns the folders named in a registry of the client, to a depth of five.
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

// scripts returns the files named in the commands of settings and of plugins outside the cache.
func (c *Call) scripts(settings, roots []string) (list []string) {
	take := func(path, root string) {
		text, ok := safefile.Read(path, config.MaxFile)
		if !ok {
			return
		}
		expand := strings.NewReplacer(
			"${CLAUDE_PROJECT_DIR}", c.Project, "$CLAUDE_PROJECT_DIR", c.Project,
			"${CLAUDE_PLUGIN_ROOT}", root, "$CLAUDE_PLUGIN_ROOT", root)
		for _, word := range clienthooks.Commands(text) {
			list = append(list, c.below(c.Project).absolute(expand.Replace(word)))
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

// SettingsFiles returns the client's settings files, the managed one last.
func (c *Call) SettingsFiles() []string {
	p := c.Places()
	return append(slices.Clone(p.Settings), filepath.Join(p.Managed, "managed-settings.json"))
}
