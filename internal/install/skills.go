package install

import (
	"path/filepath"
	"slices"
	"strings"

	"hooks/internal/safefile"
)

// Skill is a skill or a command that a person can type in this project.
type Skill struct {
	Name string // as typed, without the slash: "work", or "sdd:work" of a plugin
	Path string // its file
}

// Skills lists the skills and commands of the project, of the person and of the plugins that are
// switched on, in this order.
func (s *Settings) Skills() []Skill {
	list := skillsIn("", filepath.Join(s.project, ".claude"))
	if s.client != "" && !Same(s.client, filepath.Join(s.project, ".claude")) {
		list = append(list, skillsIn("", s.client)...)
	}
	for _, p := range s.plugins {
		list = append(list, skillsIn(p.name+":", p.root)...)
	}
	return list
}

// skillsIn lists the skills and commands of a folder, each name with a prefix. A command in a
// folder of commands has that folder's name as its namespace.
func skillsIn(prefix, dir string) (list []Skill) {
	skills, _ := safefile.Glob(dir, "skills", "*", "SKILL.md")
	for _, path := range skills {
		list = append(list, Skill{prefix + filepath.Base(filepath.Dir(path)), path})
	}
	for _, pattern := range []string{"*.md", filepath.Join("*", "*.md")} {
		commands, _ := safefile.Glob(dir, "commands", pattern)
		for _, path := range commands {
			space := ""
			if within := filepath.Base(filepath.Dir(path)); pattern != "*.md" {
				space = within + ":"
			}
			name := strings.TrimSuffix(filepath.Base(path), ".md")
			list = append(list, Skill{prefix + space + name, path})
		}
	}
	return list
}

// PluginSkills lists the skills of a plugin, in the folder root or, if that is "", in the one that
// is switched on. read is false if not all of them are known, because the plugin is not found or
// keeps some elsewhere.
func (s *Settings) PluginSkills(name, root string) (list []Skill, read bool) {
	for _, p := range s.plugins {
		if p.name == name && root == "" {
			root = p.root
		}
	}
	if root == "" {
		return nil, false
	}
	manifest := ReadFile("plugin", filepath.Join(root, ".claude-plugin", "plugin.json"))
	more := manifest == nil || manifest.Bad != "" || manifest.Body.Get("skills").Exists() ||
		manifest.Body.Get("commands").Exists()
	list = skillsIn(name+":", root)
	return list, !more && len(list) > 0
}

// Plugged reports whether this program's own plugin is switched on.
func (s *Settings) Plugged() bool {
	return slices.ContainsFunc(s.plugins, func(p plugged) bool { return p.name == "hooks" })
}

// PluginBeside finds a folder that the client can add as a marketplace with this plugin: that of
// the program, as in a release, or its link in share/hooks, or a checkout around dir. It returns ""
// if it finds no such folder.
func PluginBeside(program, dir string) string {
	up := filepath.Dir(filepath.Dir(program))
	for _, root := range []string{up, filepath.Join(up, "share", "hooks")} {
		if isPlugin(root) {
			if real, err := filepath.EvalSymlinks(root); err == nil {
				return real
			}
		}
	}
	for ; ; dir = filepath.Dir(dir) {
		if isPlugin(dir) {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

func isPlugin(root string) bool {
	f := ReadFile("plugins", filepath.Join(root, ".claude-plugin", "marketplace.json"))
	return f != nil && f.Body.Get("name").Str == "hooks"
}
