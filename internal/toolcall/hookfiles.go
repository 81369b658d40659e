package toolcall

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"hooks/internal/config"
	"hooks/internal/guard/effect"
	"hooks/internal/guard/paths"
	"hooks/internal/guard/shellword"
	"hooks/internal/install"
	"hooks/internal/safefile"
)

// hookFiles lists the files and folders where one session's client finds its hooks. The paths are
// absolute and folded; each is listed as written and with symlinks resolved.
type hookFiles struct {
	fixed    []string // settings files, other client files and folders, and this program
	data     []string // the plugins' data folder; it is below fixed, but does not count
	plugins  []string // plugin folders; only files that define hooks count
	prompts  []string // folders of skills, commands and agents, whose front matter may define hooks
	programs []string // files named in hook commands
}

// hookFiles returns the files and folders where this session's client finds its hooks.
func (c *Call) hookFiles() (h hookFiles) {
	home, _ := install.Home(c.Env)
	dir, _ := install.ClientDir(c.Env)
	program, _ := os.Executable()
	h.fixed = c.folded(filepath.Join(dir, ".claude.json"), filepath.Join(home, ".claude.json"),
		filepath.Join(dir, "remote-settings.json"), filepath.Join(dir, "plugins"),
		install.ManagedDir(), program)
	h.data = c.folded(filepath.Join(dir, "plugins", "data"))
	files := c.SettingsFiles()
	for _, file := range files[:len(files)-1] { // fixed covers the last, managed file
		folder := filepath.Dir(file)
		h.fixed = append(h.fixed, c.folded(file, filepath.Join(folder, "hooks"))...)
		h.programs = append(h.programs, c.programs(file, c.Project, home)...)
		h.prompts = append(h.prompts, c.folded(filepath.Join(folder, "skills"),
			filepath.Join(folder, "commands"), filepath.Join(folder, "agents"))...)
	}
	for _, root := range c.pluginRoots(dir) {
		h.plugins = append(h.plugins, c.folded(root)...)
		for _, name := range []string{"hooks.json", "hooks/hooks.json"} {
			h.programs = append(h.programs, c.programs(filepath.Join(root, name), root)...)
		}
	}
	return h
}

// folded returns the absolute paths, folded, both as written and with symlinks resolved.
func (c *Call) folded(paths ...string) (list []string) {
	for _, path := range paths {
		if filepath.IsAbs(path) {
			list = append(list, fold(filepath.Clean(path)), fold(c.real(path)))
		}
	}
	return list
}

// fold returns a path or other text in lower case with forward slashes, because some file systems
// ignore case.
func fold(p string) string { return strings.ToLower(strings.ReplaceAll(p, `\`, "/")) }

// programs returns the files that commands in a settings or plugin file may name. It tries each
// path as written, and below each root without a leading variable or ~. It ignores permission
// rules, because hooks do not start the files in them.
func (c *Call) programs(file string, roots ...string) (list []string) {
	text, _ := safefile.Read(file, config.MaxFile)
	separates := func(c rune) bool { return strings.ContainsRune(" \t\n\"';|&<>(),", c) }
	leaves, _ := shellword.JSONLeaves(text)
	for _, leaf := range leaves {
		words := strings.FieldsFunc(leaf.Value, separates)
		words = append(words, strings.Split(leaf.Value, `"`)...) // a quoted path may contain blanks
		for _, word := range words {
			if !strings.ContainsAny(word, "/.") || strings.Contains(word, "\n") ||
				strings.HasPrefix(leaf.Path, "permissions.") {
				continue
			}
			paths := []string{word}
			if i := strings.IndexAny(word, "$~"); i >= 0 {
				_, word, _ = strings.Cut(word[i:], "/")
			}
			for _, root := range roots { // even for a leading /, because "$ROOT"/x is two words
				paths = append(paths, filepath.Join(root, word))
			}
			list = append(list, c.folded(paths...)...)
		}
	}
	return list
}

// pluginRoots returns the plugin folders: this program's plugin, the plugins in the client's
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

// registers reports whether this session's client reads hooks from file, whether a hook starts
// file, or whether file is a folder that contains such a file. It returns false for a copy that the
// client does not read, such as a copy in a worktree.
func (c *Call) registers(file string) bool {
	h, own := c.hookFiles(), c.ownPaths()
	for _, p := range []string{file, c.real(file)} {
		low := fold(p)
		manifest := path.Base(low) == "hooks.json" || strings.Contains(low, "/.claude-plugin/")
		below := func(f string) bool { return paths.Own([]string{p, low}, f) }
		if paths.Own(own, p) || manifest && paths.Own(h.plugins, low) ||
			paths.Own(h.fixed, low) && !paths.Own(h.data, low) ||
			path.Ext(low) == ".md" && paths.Own(h.prompts, low) && c.mentionsHooks(file) ||
			slices.ContainsFunc(slices.Concat(h.plugins, h.fixed, h.programs, own), below) {
			return true
		}
	}
	return false
}

// mentionsHooks reports whether a skill, command or agent may define hooks, either before or after
// the call's edit.
func (c *Call) mentionsHooks(path string) bool {
	text, _ := safefile.Read(path, config.MaxFile)
	fields, _ := c.Event.Fields()
	for _, fd := range fields {
		text += "\n" + fd.Value
	}
	// Compiled here, because few calls edit a skill or an agent. An escape may hide the key.
	found, _ := regexp.MatchString(`(^|[\s"'{,?])hooks["'\s]*:|\\[uUx]`, text)
	return found
}

// Tampers returns the acts that tamper with the loop's own files, gates or registration. It omits
// acts on files that only look like a registration.
func (c *Call) Tampers(r effect.Reading) []effect.Act {
	if c.Past != nil {
		return r.Tampers()
	}
	acts := slices.DeleteFunc(r.Tampers(), func(a effect.Act) bool {
		file := c.absolute(a.Path)
		return a.Kind == effect.DropRegistration && a.Path != "" && filepath.IsAbs(file) &&
			!c.registers(file)
	})
	// The reading misses some registrations, because the client's folder may have any name.
	if file, ok := c.FileTool(); ok && file != "" && len(acts) == 0 {
		if file = c.absolute(file); c.registers(file) {
			acts = append(acts, effect.Act{
				Kind: effect.DropRegistration, Command: c.Event.Tool, Ref: file, Path: file,
			})
		}
	}
	return acts
}
