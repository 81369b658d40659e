package doctor

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"hooks/internal/install"
)

// settings is one file that can register hooks.
type settings struct {
	scope string // "user", "project", "local", "managed" or "plugin NAME"
	path  string
	root  string // the plugin's folder, empty for settings
	text  string // as it is written
	body  gjson.Result
	bad   string // why it cannot be read, empty if it can
}

// configDir is the client's own folder.
func (m *machine) configDir() string {
	dir, _ := install.ClientDir(m.Env)
	return dir
}

func (m *machine) managedDir() string {
	return cmp.Or(m.Managed, install.ManagedDir())
}

// settingsFiles are the files that exist, those that count less first.
func (m *machine) settingsFiles() (list []*settings) {
	add := func(scope, path string) {
		if s := open(scope, path); s != nil {
			list = append(list, s)
		}
	}
	add("user", filepath.Join(m.configDir(), "settings.json"))
	if project := filepath.Join(m.project, ".claude"); project != m.configDir() {
		add("project", filepath.Join(project, "settings.json"))
		add("local", filepath.Join(project, "settings.local.json"))
	}
	add("managed", filepath.Join(m.managedDir(), "managed-settings.json"))
	more, _ := filepath.Glob(filepath.Join(m.managedDir(), "managed-settings.d", "*.json"))
	for _, path := range more {
		add("managed", path)
	}
	return list
}

// open reads a file of settings, nil where there is none.
func open(scope, path string) *settings {
	text, err := read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	s := &settings{scope: scope, path: path}
	if err == nil {
		err = install.Valid(text)
	}
	if err != nil {
		s.bad = err.Error()
		return s
	}
	s.text = text
	s.body = gjson.Parse(strings.TrimPrefix(text, "\ufeff"))
	return s
}

// plugins are the hook files of the plugins that are installed for this project and switched on.
func (m *machine) plugins(files []*settings) (list []*settings) {
	registry := open("plugins", filepath.Join(m.configDir(), "plugins", "installed_plugins.json"))
	if registry == nil {
		return nil
	}
	if registry.bad != "" {
		return []*settings{registry}
	}
	registry.body.Get("plugins").ForEach(func(name, installs gjson.Result) bool {
		if enabled(files, name.String()) {
			if root := firstOf(m.source(name.String()), m.installed(installs)); root != "" {
				list = append(list, pluginHooks(name.String(), root)...)
			}
		}
		return true
	})
	return list
}

// source is the folder that a plugin of a directory marketplace runs from, which is the source and
// not the copy in the client's cache. It is "" for any other plugin.
func (m *machine) source(name string) string {
	plugin, market, _ := strings.Cut(name, "@")
	known := open("plugins", filepath.Join(m.configDir(), "plugins", "known_marketplaces.json"))
	if known == nil {
		return ""
	}
	entry := known.body.Map()[market]
	if entry.Get("source.source").Str != "directory" {
		return ""
	}
	root := firstOf(entry.Get("installLocation").Str, entry.Get("source.path").Str)
	list := open("plugins", filepath.Join(root, ".claude-plugin", "marketplace.json"))
	if list == nil {
		return ""
	}
	for _, p := range list.body.Get("plugins").Array() {
		if path := p.Get("source"); p.Get("name").Str == plugin && path.Type == gjson.String {
			return filepath.Join(root, filepath.FromSlash(path.Str))
		}
	}
	return ""
}

// enabled says whether the settings switch a plugin on; the file that counts most decides.
func enabled(files []*settings, name string) (on bool) {
	for _, s := range files {
		s.body.Get("enabledPlugins").ForEach(func(key, value gjson.Result) bool {
			if key.String() == name {
				on = value.Type != gjson.False
			}
			return true
		})
	}
	return on
}

// installed is the folder of a plugin's installation that counts here: the project's own before the user's. The first
// format of the registry had one installation a plugin.
func (m *machine) installed(installs gjson.Result) (root string) {
	if installs.IsObject() {
		return installs.Get("installPath").String()
	}
	for _, i := range installs.Array() {
		at := i.Get("projectPath").String()
		if at == "" && root == "" || at != "" && same(at, m.project) {
			root = i.Get("installPath").String()
		}
	}
	return root
}

func same(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return filepath.Clean(a) == filepath.Clean(b)
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// pluginHooks are the hook files of a plugin: the default one, and what its manifest names on top.
func pluginHooks(name, root string) (list []*settings) {
	scope := "plugin " + name
	add := func(s *settings) {
		if s != nil {
			s.root = root
			list = append(list, s)
		}
	}
	if _, err := os.Stat(root); err != nil {
		add(&settings{scope: scope, path: root, bad: "the plugin's folder is not there"})
		return list
	}
	add(open(scope, filepath.Join(root, "hooks", "hooks.json")))
	manifest := open(scope, filepath.Join(root, ".claude-plugin", "plugin.json"))
	if manifest == nil || manifest.bad != "" {
		add(manifest)
		return list
	}
	hooks := manifest.body.Get("hooks")
	named := hooks.Array() // of a string a list of one
	if hooks.IsObject() {
		add(&settings{scope: scope, path: manifest.path, body: gjson.Parse(`{"hooks":` + hooks.Raw + `}`)})
		named = nil
	}
	for _, path := range named {
		full := filepath.Join(root, filepath.FromSlash(path.String()))
		if slices.ContainsFunc(list, func(s *settings) bool { return s.path == full }) {
			continue
		}
		if s := open(scope, full); s != nil {
			add(s)
		} else {
			add(&settings{scope: scope, path: full, bad: "the manifest names it and it is not there"})
		}
	}
	return list
}
