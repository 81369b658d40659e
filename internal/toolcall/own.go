package toolcall

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

// ownPaths returns the loop's paths outside .sdd/loop that a call may only read: the session's
// transcript, the task loop's view, this program and its plugin, state and data, and the user's
// settings in an unusual folder. Each path is listed as written and with symlinks resolved. Folders
// that contain the project are omitted.
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
		for _, p := range []string{filepath.Clean(path), c.real(path)} {
			c.own = loop.AppendNew(c.own, p)
			if rest, ok := strings.CutPrefix(p, home+"/"); ok {
				c.own = loop.AppendNew(c.own, "~/"+rest)
			}
		}
	}
	return c.own
}

// pluginParts returns the plugin's folders. If the project is the plugin's source, it returns only
// the parts of the plugin that the client reads or runs.
func (c *Call) pluginParts() (list []string) {
	for _, root := range c.ownPlugins() {
		switch {
		case !filepath.IsAbs(root):
		case within(c.Project, root), within(c.real(c.Project), c.real(root)),
			c.holdsProject(root):
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

// ownPlugins returns the folders of this program's plugin: the folder named by the client, and the
// plugin folder that contains the program.
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
// only name that the guard recognizes. Otherwise it returns "".
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
	folders := []string{folder, c.real(folder)}
	dirs := []string{
		c.Project, c.Event.Cwd, c.real(c.Project), c.real(c.Event.Cwd),
	}
	return slices.ContainsFunc(dirs, func(dir string) bool {
		return dir != "" && (within(folders[0], dir) || within(folders[1], dir))
	})
}

func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// SettingsFiles returns the client's settings files for a person to edit, then the managed file.
func (c *Call) SettingsFiles() (list []string) {
	dir, _ := install.ClientDir(c.Env)
	for _, folder := range []string{dir, filepath.Join(c.Project, ".claude")} {
		if filepath.IsAbs(folder) {
			list = append(list, filepath.Join(folder, "settings.json"),
				filepath.Join(folder, "settings.local.json"))
		}
	}
	return append(list, filepath.Join(install.ManagedDir(), "managed-settings.json"))
}
