package install

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	plugin "hooks"
	"hooks/internal/event"
)

// File is a file from which the client takes hooks: settings, or the hooks of a plugin.
type File struct {
	Scope string // user, project, local, managed, or "plugin NAME"
	Path  string
	Root  string       // the plugin's folder, "" for settings
	Text  string       // without a byte order mark; "" when it cannot be read
	Body  gjson.Result // Text, parsed
	Bad   string       // why the client cannot read it, "" when it can
}

// Hook is one handler of a file.
type Hook struct {
	File    *File
	Event   string
	Raw     gjson.Result
	Program string   // binary that it starts, "" when a shell text does more than that
	Word    string   // hook word when Program is this program, "" for any other hook
	Argv    []string // how the client starts it

	group gjson.Result // that it is in
}

// Current reports whether the client runs the hook whenever it would run that of this version, and
// for as long.
func (h Hook) Current() bool {
	own := gjson.Get(plugin.Hooks, "hooks."+h.Event+".0")
	if h.File.Root == "" {
		program, _ := starts(h.Raw)
		for _, e := range entries(program) {
			if e.event == h.Event {
				own = gjson.Parse(e.group)
			}
		}
	}
	return own.Exists() && asStrong(h.group.Value(), own.Value())
}

// Settings are the files that count for one person in one project, each read once.
type Settings struct {
	Files []*File // settings first, each overruling the ones before it, then hooks of plugins
	Hooks []Hook

	project, client string
	plugins         []plugged
}

// plugged is a plugin that is switched on here.
type plugged struct{ name, root string }

// maxRead bounds what is read of a file of the client, in bytes.
const maxRead = 16 << 20

// ReadSettings reads the settings of person, project and machine, and the hooks of the plugins that
// are switched on. A hook starts this program when its binary has the name hooks, or is self.
func ReadSettings(project, managed, self string, env func(string) string) *Settings {
	s := &Settings{project: project}
	s.client, _ = ClientDir(env)
	for _, scope := range Scopes {
		if path, err := Path(scope, project, env); err == nil {
			s.add(scope, path, "")
		}
	}
	managed = cmp.Or(managed, ManagedDir())
	s.add("managed", filepath.Join(managed, "managed-settings.json"), "")
	more, _ := filepath.Glob(filepath.Join(managed, "managed-settings.d", "*.json"))
	for _, path := range more {
		s.add("managed", path, "")
	}
	s.addPlugins()
	for _, f := range s.Files {
		s.addHooks(f, self)
	}
	return s
}

// add reads a file, once among the settings and once in a plugin, whose folder is root. It reports
// whether the file exists.
func (s *Settings) add(scope, path, root string) bool {
	known := func(f *File) bool { return f.Path == path && f.Root == root }
	if slices.ContainsFunc(s.Files, known) {
		return true
	}
	f := ReadFile(scope, path)
	if f != nil {
		f.Root = root
		s.Files = append(s.Files, f)
	}
	return f != nil
}

// ReadFile reads a JSON file of the client. It returns nil if the file does not exist.
func ReadFile(scope, path string) *File {
	text, err := read(path, maxRead)
	if err == nil && text == nil {
		return nil
	}
	f := &File{Scope: scope, Path: path}
	if err == nil {
		err = valid(*text)
	}
	if err != nil {
		f.Bad = err.Error()
		return f
	}
	_, f.Text = cutBOM(*text)
	f.Body = gjson.Parse(f.Text)
	return f
}

// Setting returns a value from the settings file that counts most, and that file.
func (s *Settings) Setting(keys ...string) (from *File, value gjson.Result) {
	for _, f := range s.Files {
		v := f.Body
		for _, key := range keys {
			v = v.Map()[key]
		}
		if f.Root == "" && v.Exists() {
			from, value = f, v
		}
	}
	return from, value
}

// Ours returns the hooks that start this program.
func (s *Settings) Ours() (list []Hook) {
	for _, h := range s.Hooks {
		if h.Word != "" {
			list = append(list, h)
		}
	}
	return list
}

// Unhooks returns how the settings disable the hooks of a program that is registered as a plugin or
// in them, in words for a person, or "" if they do not. plugin is the plugin's folder, empty if the
// program is not a plugin; env is the session's environment.
func (s *Settings) Unhooks(program, plugin string, env func(string) string) string {
	asPlugin := plugin != ""
	registered := asPlugin
	for _, f := range s.Files {
		if f.Root != "" || f.Bad != "" {
			continue
		}
		root := rootOf(f.Text)
		if root.member("disableAllHooks").Bool() {
			return f.Path + " turns all hooks off"
		}
		for _, k := range look(root.member("env")).kids {
			read := k.key == "HOME" || k.key == "XDG_STATE_HOME" ||
				strings.HasPrefix(k.key, "HOOKS_")
			if read && k.value.String() != env(k.key) {
				return f.Path + " sets " + k.key + ", which hooks reads"
			}
		}
		for _, k := range look(root.member("enabledPlugins")).kids {
			_, on := s.Setting("enabledPlugins", k.key)
			if asPlugin && strings.HasPrefix(k.key, "hooks@") && on.Type == gjson.False {
				return f.Path + " switches the plugin " + k.key + " off"
			}
		}
		if found := handlers(f.Text); len(found) > 0 && len(WrongTypes(f.Text)) == 0 {
			own := programOf(found[0][handlerDepth].kid().value)
			registered = registered || Same(own, program) && hasAll(f.Text, entries(own))
		}
	}
	if !registered {
		return "the client's settings no longer register " + program
	}
	return s.unplugged(plugin)
}

// unplugged is Unhooks for a plugin that was installed from a marketplace: it runs only while a
// file that the client reads switches it on.
func (s *Settings) unplugged(plugin string) (lost string) {
	registry := ReadFile("plugins", s.registry("installed_plugins.json"))
	if plugin == "" || registry == nil {
		return ""
	}
	registry.Body.Get("plugins").ForEach(func(name, installs gjson.Result) bool {
		if !Same(cmp.Or(s.source(name.Str), s.installed(installs)), plugin) {
			return true
		}
		on := false
		for _, f := range s.Files {
			v := look(rootOf(f.Text).member("enabledPlugins")).member(name.Str)
			if f.Root == "" && v.Exists() && len(WrongTypes(f.Text)) == 0 {
				on = v.Type != gjson.False
			}
		}
		if !on {
			lost = "the client's settings no longer switch the plugin " + name.Str + " on"
		}
		return on
	})
	return lost
}

func (s *Settings) addHooks(f *File, self string) {
	expand := strings.NewReplacer(
		"${CLAUDE_PLUGIN_ROOT}", f.Root, "$CLAUDE_PLUGIN_ROOT", f.Root,
		"${CLAUDE_PROJECT_DIR}", s.project, "$CLAUDE_PROJECT_DIR", s.project,
	).Replace
	f.Body.Get("hooks").ForEach(func(name, groups gjson.Result) bool {
		for _, g := range groups.Array() {
			for _, raw := range g.Get("hooks").Array() {
				h := Hook{
					File: f, Event: name.String(), Raw: raw, Argv: argv(raw, expand), group: g,
				}
				program, word := starts(raw)
				h.Program = expand(program)
				if event.NameOf(word) != "" && (named(program) || Same(h.Program, self)) {
					h.Word = word
				}
				s.Hooks = append(s.Hooks, h)
			}
		}
		return true
	})
}

// argv returns the command line with which the client starts a handler: a program with arguments,
// or a shell with a text.
func argv(raw gjson.Result, expand func(string) string) []string {
	command, args := expand(raw.Get("command").String()), raw.Get("args")
	if !args.IsArray() {
		return []string{"sh", "-c", command}
	}
	list := []string{command}
	for _, a := range args.Array() {
		list = append(list, expand(a.String()))
	}
	return list
}

// addPlugins adds the hooks of the plugins that are installed for this project and switched on.
func (s *Settings) addPlugins() {
	registry := ReadFile("plugins", s.registry("installed_plugins.json"))
	if registry == nil {
		return
	}
	if registry.Bad != "" {
		s.Files = append(s.Files, registry)
	}
	registry.Body.Get("plugins").ForEach(func(name, installs gjson.Result) bool {
		if _, on := s.Setting("enabledPlugins", name.Str); on.Exists() && on.Type != gjson.False {
			root := cmp.Or(s.source(name.Str), s.installed(installs))
			if root != "" {
				space, _, _ := strings.Cut(name.Str, "@")
				s.plugins = append(s.plugins, plugged{space, root})
				s.addPlugin("plugin "+name.Str, root)
			}
		}
		return true
	})
}

func (s *Settings) registry(name string) string { return filepath.Join(s.client, "plugins", name) }

// source returns the folder that a plugin of a directory marketplace runs from: the source itself,
// not the copy in the client's cache. It returns "" if the plugin is from elsewhere.
func (s *Settings) source(name string) string {
	plugin, market, _ := strings.Cut(name, "@")
	known := ReadFile("plugins", s.registry("known_marketplaces.json"))
	if known == nil {
		return ""
	}
	entry := known.Body.Map()[market]
	if entry.Get("source.source").Str != "directory" {
		return ""
	}
	root := cmp.Or(entry.Get("installLocation").Str, entry.Get("source.path").Str)
	list := ReadFile("plugins", filepath.Join(root, ".claude-plugin", "marketplace.json"))
	if list == nil {
		return ""
	}
	for _, p := range list.Body.Get("plugins").Array() {
		if path := p.Get("source"); p.Get("name").Str == plugin && path.Type == gjson.String {
			return filepath.Join(root, filepath.FromSlash(path.Str))
		}
	}
	return ""
}

// installed returns the folder of the installation that counts here: the project's own before the
// user's. The first format of the registry had one installation for each plugin.
func (s *Settings) installed(installs gjson.Result) (root string) {
	for _, i := range installs.Array() { // of an object a list of one
		at := i.Get("projectPath").String()
		if at == "" && root == "" || at != "" && Same(at, s.project) {
			root = i.Get("installPath").String()
		}
	}
	return root
}

// addPlugin adds the hook files of a plugin: the default one, and what its manifest names.
func (s *Settings) addPlugin(scope, root string) {
	missing := func(path, why string) {
		s.Files = append(s.Files, &File{Scope: scope, Path: path, Root: root, Bad: why})
	}
	if _, err := os.Stat(root); err != nil {
		missing(root, "the plugin's folder is not there")
		return
	}
	s.add(scope, filepath.Join(root, "hooks", "hooks.json"), root)
	manifest := ReadFile(scope, filepath.Join(root, ".claude-plugin", "plugin.json"))
	if manifest == nil {
		return
	}
	hooks := manifest.Body.Get("hooks")
	if hooks.IsObject() || manifest.Bad != "" {
		manifest.Root = root
		s.Files = append(s.Files, manifest)
		return
	}
	for _, name := range hooks.Array() { // of a text a list of one
		path := filepath.Join(root, filepath.FromSlash(name.String()))
		if !s.add(scope, path, root) {
			missing(path, "the manifest names it and it is not there")
		}
	}
}

// Same reports whether two paths lead to the same file.
func Same(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return filepath.Clean(a) == filepath.Clean(b)
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}
