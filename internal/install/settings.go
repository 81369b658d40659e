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

// File is a settings file, a plugin's hook file or manifest, or an unreadable plugin registry.
type File struct {
	Scope string // user, project, local, managed, "plugin ID", or "plugins" for a registry
	Path  string
	Root  string       // the plugin's folder, "" for settings
	Text  string       // without a byte order mark; "" if it cannot be read
	Body  gjson.Result // Text, parsed
	Bad   string       // reason why the client cannot read the file, or ""
}

// Hook is a handler that starts this program.
type Hook struct {
	File    *File
	Event   string
	Raw     gjson.Result
	Program string   // path of the binary
	Word    string   // hook word
	Argv    []string // command line that the client runs

	group string // the handler's group, as JSON
}

// Current reports whether the hook runs whenever this version's hook would, with at least the same
// timeout.
func (h Hook) Current() bool {
	own := gjson.Get(plugin.Hooks, "hooks."+h.Event+".0").Raw
	if h.File.Root == "" {
		program, _ := starts(h.Raw)
		for _, e := range entries(program) {
			if e.event == h.Event {
				own = e.group
			}
		}
	}
	return own != "" && asStrong(h.group, own)
}

// Settings holds the files that apply to one person in one project. Each file is read once.
type Settings struct {
	Files []*File // settings in ascending precedence, then plugin hooks
	Ours  []Hook  // the hooks that start this program

	project, client string
	plugins         []plugged
}

// plugged is a plugin installed for the project.
type plugged struct {
	id, name string // "sdd@acme", "sdd"
	root     string
	on       bool // enabled by the settings
}

// maxRead is the maximum size of a client file, in bytes.
const maxRead = 16 << 20

// ReadSettings reads the settings of the person, the project and the machine and the hook files of
// the enabled plugins, and finds the hooks that start this program. managed is the folder with the
// administrator's settings, or "" for the default. self is the path of this program.
func ReadSettings(project, managed, self string, env func(string) string) *Settings {
	s := &Settings{project: project}
	s.client, _ = ClientDir(env)
	for _, scope := range Scopes {
		if path, err := Path(scope, project, env); err == nil {
			s.add(scope, path, "")
		}
	}
	managed = cmp.Or(managed, ManagedDir())
	paths, _ := filepath.Glob(filepath.Join(managed, "managed-settings.d", "*.json"))
	paths = slices.Insert(paths, 0, filepath.Join(managed, "managed-settings.json"))
	for _, path := range paths {
		s.add("managed", path, "")
	}
	s.addPlugins()
	for _, f := range s.Files {
		s.addHooks(f, self)
	}
	return s
}

// add adds a file if it exists and has not been added with the same root. root is the plugin's
// folder, or "" for settings.
func (s *Settings) add(scope, path, root string) {
	known := func(f *File) bool { return f.Path == path && f.Root == root }
	if f, found := readFile(scope, path); found && !slices.ContainsFunc(s.Files, known) {
		f.Root = root
		s.Files = append(s.Files, f)
	}
}

// readFile reads a JSON file of the client. found is false if the file does not exist; f.Body is
// then empty.
func readFile(scope, path string) (f *File, found bool) {
	f = &File{Scope: scope, Path: path}
	text, err := read(path, maxRead)
	if err == nil && text == nil {
		return f, false
	}
	if err == nil {
		err = valid(*text)
	}
	if err != nil {
		f.Bad = err.Error()
		return f, true
	}
	_, f.Text = cutBOM(*text)
	f.Body = gjson.Parse(f.Text)
	return f, true
}

// Setting returns the value at nested keys and the file that sets it. If several files set the
// value, the one with the highest precedence wins. If none does, from is nil.
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

// Unhooks describes how the settings disable the program's hooks, or returns "" if they do not.
// plugin is the plugin's folder, or "" if the program is registered in settings. env is the
// session's environment.
func (s *Settings) Unhooks(program, plugin string, env func(string) string) string {
	registered := false
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
				return f.Path + " sets " + k.key + ", which the hooks read"
			}
		}
		if found := programs(f.Text); len(found) > 0 && len(WrongTypes(f.Text)) == 0 {
			own := found[0]
			registered = registered || Same(own, program) && hasAll(f.Text, entries(own))
		}
	}
	switch {
	case plugin != "":
		return s.unplugged(plugin)
	case !registered:
		return "the client's settings no longer register " + program
	}
	return ""
}

// unplugged is like Unhooks for a marketplace plugin, which runs only while a readable settings
// file enables it.
func (s *Settings) unplugged(plugin string) (lost string) {
	for _, p := range s.plugins {
		if p.name != "hooks" && !Same(p.root, plugin) {
			continue
		}
		on := false
		for _, f := range s.Files {
			v := look(rootOf(f.Text).member("enabledPlugins")).member(p.id)
			if f.Root == "" && v.Exists() && len(WrongTypes(f.Text)) == 0 {
				on = v.Type != gjson.False
			}
		}
		if on {
			return ""
		}
		lost = "the client's settings no longer enable the plugin " + p.id
	}
	return lost
}

// addHooks adds the handlers in f that start self, or a binary named hooks, with a hook word.
func (s *Settings) addHooks(f *File, self string) {
	expand := strings.NewReplacer(
		"${CLAUDE_PLUGIN_ROOT}", f.Root, "$CLAUDE_PLUGIN_ROOT", f.Root,
		"${CLAUDE_PROJECT_DIR}", s.project, "$CLAUDE_PROJECT_DIR", s.project,
	).Replace
	eachHandler(f.Body, func(name string, group, raw gjson.Result) {
		program, word := starts(raw)
		file := expand(program)
		if event.NameOf(word) != "" && (named(program) || Same(file, self)) {
			s.Ours = append(s.Ours, Hook{f, name, raw, file, word, argv(raw, expand), group.Raw})
		}
	})
}

// argv returns the command line that the client runs for a handler. It is either a program with
// arguments or a shell with a command.
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

// addPlugins finds the plugins installed for this project and adds the hooks of the enabled ones.
func (s *Settings) addPlugins() {
	registry, _ := readFile("plugins", s.registry("installed_plugins.json"))
	if registry.Bad != "" {
		s.Files = append(s.Files, registry)
	}
	for id, installs := range registry.Body.Get("plugins").Map() {
		root := cmp.Or(s.source(id), s.installed(installs))
		if root == "" {
			continue
		}
		_, value := s.Setting("enabledPlugins", id)
		name, _, _ := strings.Cut(id, "@")
		on := value.Exists() && value.Type != gjson.False
		s.plugins = append(s.plugins, plugged{id, name, root, on})
	}
	slices.SortFunc(s.plugins, func(a, b plugged) int { return cmp.Compare(a.id, b.id) })
	for _, p := range s.plugins {
		if p.on {
			s.addPlugin("plugin "+p.id, p.root)
		}
	}
}

func (s *Settings) registry(name string) string { return filepath.Join(s.client, "plugins", name) }

// source returns the source folder of a plugin from a directory marketplace, because the client
// runs such a plugin in place. It returns "" for other plugins.
func (s *Settings) source(name string) string {
	plugin, market, _ := strings.Cut(name, "@")
	known, _ := readFile("plugins", s.registry("known_marketplaces.json"))
	entry := known.Body.Map()[market]
	if entry.Get("source.source").Str != "directory" {
		return ""
	}
	root := cmp.Or(entry.Get("installLocation").Str, entry.Get("source.path").Str)
	list, _ := readFile("plugins", filepath.Join(root, ".claude-plugin", "marketplace.json"))
	for _, p := range list.Body.Get("plugins").Array() {
		if path := p.Get("source"); p.Get("name").Str == plugin && path.Type == gjson.String {
			return filepath.Join(root, filepath.FromSlash(path.Str))
		}
	}
	return ""
}

// installed returns the folder where a plugin is installed for the project or else for the user, or
// "". In the registry's first format, a plugin had a single installation.
func (s *Settings) installed(installs gjson.Result) (root string) {
	for _, i := range installs.Array() { // Array turns a single object into a list
		at := i.Get("projectPath").String()
		if at == "" && root == "" || at != "" && Same(at, s.project) {
			root = i.Get("installPath").String()
		}
	}
	return root
}

// addPlugin adds a plugin's default hook file, and the hooks or hook files in its manifest.
func (s *Settings) addPlugin(scope, root string) {
	s.add(scope, filepath.Join(root, "hooks", "hooks.json"), root)
	manifest, _ := readFile(scope, filepath.Join(root, ".claude-plugin", "plugin.json"))
	hooks := manifest.Body.Get("hooks")
	if hooks.IsObject() || manifest.Bad != "" {
		manifest.Root = root
		s.Files = append(s.Files, manifest)
		return
	}
	for _, name := range hooks.Array() { // Array turns a single string into a list
		s.add(scope, filepath.Join(root, filepath.FromSlash(name.String())), root)
	}
}

// Same reports whether two paths name the same file. If a does not exist, it compares the paths.
func Same(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return filepath.Clean(a) == filepath.Clean(b)
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}
