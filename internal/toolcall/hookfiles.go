package toolcall

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"hooks/internal/config"
	"hooks/internal/guard/paths"
	"hooks/internal/install"
	"hooks/internal/safefile"
	"hooks/internal/tracker"
)

// hookFiles lists the files and folders from which the client of one session reads its hooks. The
// paths are absolute and folded; each is listed as written and with links resolved.
type hookFiles struct {
	fixed    []string // settings, other files and folders of the client, and this program
	data     []string // the folder below fixed in which plugins keep data
	plugins  []string // folders of plugins; only the files that define hooks count
	prompts  []string // folders of skills, commands and agents, whose heads may define hooks
	programs []string // files that the commands of hooks name
}

// hookFiles returns the files from which this session's client reads hooks.
func (c *Call) hookFiles() *hookFiles {
	if c.hooks != nil {
		return c.hooks
	}
	home, _ := install.Home(c.Env)
	dir, _ := install.ClientDir(c.Env)
	program, _ := os.Executable()
	h := &hookFiles{
		fixed: c.folded(filepath.Join(dir, ".claude.json"), filepath.Join(home, ".claude.json"),
			filepath.Join(dir, "remote-settings.json"), filepath.Join(dir, "plugins"),
			install.ManagedDir(), program),
		data: c.folded(filepath.Join(dir, "plugins", "data")),
	}
	files := c.SettingsFiles()
	for _, file := range files[:len(files)-1] { // the managed file is in fixed
		h.fixed = append(h.fixed, c.folded(file)...)
		h.programs = append(h.programs, c.programs(file, c.Project, home)...)
		for _, name := range []string{"skills", "commands", "agents"} {
			folder := filepath.Join(filepath.Dir(file), name)
			h.prompts = append(h.prompts, c.folded(folder)...)
		}
	}
	for _, root := range c.pluginRoots(dir) {
		h.plugins = append(h.plugins, c.folded(root)...)
		for _, name := range []string{"hooks.json", "hooks/hooks.json"} {
			h.programs = append(h.programs, c.programs(filepath.Join(root, name), root)...)
		}
	}
	c.hooks = h
	return h
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

// programs returns the files that the commands in a settings or plugin file may name. A path that
// begins with a variable or ~, and a relative path, is in one of roots. Permission rules are left
// out, because hooks do not start the files that they name.
func (c *Call) programs(file string, roots ...string) (list []string) {
	text, _ := safefile.Read(file, config.MaxFile)
	all := ""
	gjson.Parse(strings.TrimPrefix(text, "\ufeff")).ForEach(func(key, value gjson.Result) bool {
		if key.Str != "permissions" {
			all += value.Raw + "\n"
		}
		return true
	})
	all = strings.NewReplacer(`\"`, `"`, `\\`, `\`, `\/`, "/").Replace(all)
	words := strings.FieldsFunc(all, func(c rune) bool {
		return strings.ContainsRune(" \t\n\"';|&<>(),", c)
	})
	words = append(words, strings.Split(all, `"`)...) // a quoted path may contain blanks
	slices.Sort(words)
	for _, word := range slices.Compact(words) {
		if !strings.ContainsAny(word, "/.") || strings.Contains(word, "\n") {
			continue
		}
		paths := []string{word}
		if i := strings.IndexAny(word, "$~"); i >= 0 {
			_, word, _ = strings.Cut(word[i:], "/")
		}
		for _, root := range roots { // even if it begins with /, because "$ROOT"/x is two words
			paths = append(paths, filepath.Join(root, word))
		}
		list = append(list, c.folded(paths...)...)
	}
	return list
}

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

// defines reports whether the client reads its hooks from a file, or whether a hook starts it.
func (h *hookFiles) defines(file string) bool {
	file = fold(file)
	manifest := path.Base(file) == "hooks.json" || strings.Contains(file, "/.claude-plugin/")
	return manifest && paths.Own(h.plugins, file) || slices.Contains(h.programs, file) ||
		paths.Own(h.fixed, file) && !paths.Own(h.data, file)
}

// prompt reports whether a file is a skill, a command or an agent.
func (h *hookFiles) prompt(file string) bool {
	file = fold(file)
	return path.Ext(file) == ".md" && paths.Own(h.prompts, file)
}

// holds reports whether a folder contains a file from which the client reads hooks. Moving or
// removing such a folder changes the hooks.
func (h *hookFiles) holds(dir string) bool {
	dir = fold(dir)
	below := func(file string) bool { return paths.Own([]string{dir}, file) }
	return paths.Own(h.fixed, dir) && !paths.Own(h.data, dir) ||
		slices.ContainsFunc(slices.Concat(h.plugins, h.fixed, h.programs), below)
}
