package install

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Skill is a skill or command that a person can type in this project.
type Skill struct {
	Name string // name as typed, without the slash: "work", or "sdd:work" from a plugin
	Path string // path of its file
}

// Skills lists the skills and commands of the project, the person and the enabled plugins, in that
// order.
func (s *Settings) Skills() []Skill {
	list := skillsIn("", filepath.Join(s.project, ".claude"))
	if s.client != "" && !Same(s.client, filepath.Join(s.project, ".claude")) {
		list = append(list, skillsIn("", s.client)...)
	}
	for _, p := range s.plugins {
		if p.on {
			list = append(list, skillsIn(p.name+":", p.root)...)
		}
	}
	return list
}

// skillsIn lists the skills and commands in dir and adds prefix to each name. A command's subfolder
// is its namespace.
func skillsIn(prefix, dir string) (list []Skill) {
	for _, pattern := range []string{"skills/*/SKILL.md", "commands/*.md", "commands/*/*.md"} {
		found, _ := fs.Glob(os.DirFS(dir), pattern)
		for _, file := range found {
			_, name, _ := strings.Cut(strings.TrimSuffix(file, ".md"), "/")
			name = strings.ReplaceAll(strings.TrimSuffix(name, "/SKILL"), "/", ":")
			list = append(list, Skill{prefix + name, filepath.Join(dir, file)})
		}
	}
	return list
}

// PluginSkills lists the skills of a plugin from root or, if root is "", from the folder of the
// enabled plugin. read is false if the list may be incomplete because the plugin was not found, no
// skills were found, or its manifest is unreadable or names other folders.
func (s *Settings) PluginSkills(name, root string) (list []Skill, read bool) {
	for _, p := range s.plugins {
		if p.on && p.name == name && root == "" {
			root = p.root
		}
	}
	if root == "" {
		return nil, false
	}
	manifest, found := readFile("plugin", filepath.Join(root, ".claude-plugin", "plugin.json"))
	more := !found || manifest.Bad != "" || manifest.Body.Get("skills").Exists() ||
		manifest.Body.Get("commands").Exists()
	list = skillsIn(name+":", root)
	return list, !more && len(list) > 0
}

// Plugged reports whether this program's plugin is enabled.
func (s *Settings) Plugged() bool {
	return slices.ContainsFunc(s.plugins, func(p plugged) bool { return p.on && p.name == "hooks" })
}

// PluginBeside returns a folder that the client can add as a marketplace with this plugin. It tries
// the parent of the program's bin folder, share/hooks in that parent, and the project. It returns
// "" if none of them qualifies.
func PluginBeside(program, project string) string {
	up := filepath.Dir(filepath.Dir(program))
	for _, root := range []string{up, filepath.Join(up, "share", "hooks"), project} {
		f, _ := readFile("plugins", filepath.Join(root, ".claude-plugin", "marketplace.json"))
		real, err := filepath.EvalSymlinks(root)
		if err == nil && f.Body.Get("name").Str == "hooks" {
			return real
		}
	}
	return ""
}
