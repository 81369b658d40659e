package install

import (
	"path/filepath"
	"strings"
)

// Skill is a skill or a command that a person can type in this project.
type Skill struct {
	Name string // as typed, without the slash: "work", or "sdd:work" of a plugin
	Path string // its file
}

// Skills lists the skills and commands of the project, of the person and of the plugins that are
// switched on, in this order.
func (s *Settings) Skills() (list []Skill) {
	add := func(prefix, dir string) {
		skills, _ := filepath.Glob(filepath.Join(escaped(dir), "skills", "*", "SKILL.md"))
		for _, path := range skills {
			list = append(list, Skill{prefix + filepath.Base(filepath.Dir(path)), path})
		}
		commands, _ := filepath.Glob(filepath.Join(escaped(dir), "commands", "*.md"))
		for _, path := range commands {
			name := strings.TrimSuffix(filepath.Base(path), ".md")
			list = append(list, Skill{prefix + name, path})
		}
	}
	add("", filepath.Join(s.project, ".claude"))
	if s.client != "" && !Same(s.client, filepath.Join(s.project, ".claude")) {
		add("", s.client)
	}
	for _, p := range s.plugins {
		add(p.name+":", p.root)
	}
	return list
}

// escaped is a folder as a pattern that means itself.
func escaped(dir string) string {
	if filepath.Separator == '\\' {
		return dir
	}
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(dir)
}

// Plugin returns the folder of this program's own plugin if it is switched on.
func (s *Settings) Plugin() (root string, on bool) {
	for _, p := range s.plugins {
		if p.name == "hooks" {
			return p.root, true
		}
	}
	return "", false
}

// PluginBeside finds a folder that the client can add as a marketplace with this plugin: that of
// the program, as in a release, or its link in share/hooks, or a checkout around dir. It returns ""
// if there is none.
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
