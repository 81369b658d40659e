// Package clienthooks decides whether a change to a client file preserves the hooks that the client
// runs and their effect. It works on text and paths only; the caller reads the files.
package clienthooks

import (
	"path"
	"slices"
	"strings"
)

// Kind is the role of a file for the client of a session.
type Kind int

// The kinds of a file.
const (
	Foreign  Kind = iota // the client reads no hooks from it
	Settings             // a person's settings: rules and the model may change
	Fixed                // managed settings, registries, manifests: only their layout may change
	Script               // a hook's program or another plugin file: no byte may change
	Markdown             // a skill, command or agent, whose head may define hooks
)

// Places lists the files and folders from which the client of one session reads its hooks, as
// absolute paths with links resolved. Each may be missing.
type Places struct {
	Settings []string // files that a person edits: the user's and the project's
	Home     string
	Config   string   // the client's own folder, such as ~/.claude
	Managed  string   // the folder of the machine's administrator
	Plugins  []string // folders of plugins that may be enabled
	Scripts  []string // files named in the commands of hooks
}

// Of returns the kind of a file by its absolute path. It ignores case, because some file systems
// do.
func (p Places) Of(file string) Kind {
	file = fold(file)
	owned := func(dir string) bool { return ofPlugin(fold(dir), file) }
	beside := func(settings string) bool { return besides(settings, file) }
	switch {
	case slices.Contains(folded(p.Settings), file):
		return Settings
	case fixed(p, file), slices.ContainsFunc(p.Plugins, owned):
		return Fixed
	case slices.Contains(folded(p.Scripts), file):
		return Script
	case path.Ext(file) == ".md" && slices.ContainsFunc(folded(p.Settings), beside):
		return Markdown
	case !p.cached(file):
		return Foreign
	case path.Ext(file) == ".json":
		return Fixed
	}
	return Script
}

// Holds reports whether dir contains a file from which the client reads hooks. Moving or removing
// such a folder changes the hooks.
func (p Places) Holds(dir string) bool {
	roots := slices.Concat(p.Settings, p.Plugins, p.Scripts, []string{p.Managed})
	dir = fold(dir)
	below := func(r string) bool { return r != "" && inside(r, dir) }
	return p.cached(dir) || slices.ContainsFunc(folded(roots), below)
}

// cached reports whether a path lies in the client's folder of installed plugins, except their
// data.
func (p Places) cached(file string) bool {
	return inside(file, below(p.Config, "plugins")) &&
		!inside(file, below(p.Config, "plugins/data"))
}

// besides reports whether a file is a skill, command or agent beside a settings file.
func besides(settings, file string) bool {
	dir := path.Dir(settings)
	return inside(file, dir+"/skills") ||
		inside(file, dir+"/commands") || inside(file, dir+"/agents")
}

func fixed(p Places, file string) bool {
	return file == below(p.Config, ".claude.json") || file == below(p.Home, ".claude.json") ||
		file == below(p.Config, "remote-settings.json") || inside(file, fold(p.Managed))
}

// ofPlugin reports whether a file decides which hooks a plugin runs. The plugin's other files do
// not count, because its folder may be a person's source.
func ofPlugin(dir, file string) bool {
	rest, ok := strings.CutPrefix(file, dir+"/")
	return dir != "" && ok &&
		(path.Base(rest) == "hooks.json" || strings.Contains("/"+rest, "/.claude-plugin/"))
}

func inside(file, dir string) bool {
	return dir != "" && (file == dir || strings.HasPrefix(file, strings.TrimSuffix(dir, "/")+"/"))
}

func below(dir, name string) string {
	if dir == "" {
		return "\x00" // matches no path
	}
	return fold(dir) + "/" + name
}

func fold(p string) string { return strings.ToLower(strings.ReplaceAll(p, `\`, "/")) }

func folded(list []string) []string {
	out := make([]string, len(list))
	for i, p := range list {
		out[i] = fold(p)
	}
	return out
}
