package doctor

import (
	"slices"

	"hooks/internal/config"
	"hooks/internal/install"
	"hooks/internal/loop"
)

// Setup holds the facts that `hooks init` needs before it registers the program.
type Setup struct {
	Governed   []install.Skill // installed skills with governed loops, except the plugin's
	Registered bool            // registered in a settings file
	Plugged    bool            // registered as the plugin
	Source     string          // the plugin's folder; "" if not found
	// Begin is the line that starts a governed loop in a session here. If no skill can be governed,
	// it is a comment with a command that installs one.
	Begin string
}

// Look inspects the machine and the project that contains dir.
func Look(env func(string) string, dir string) Setup {
	m := Doctor{Env: env, Dir: dir}.machine()
	s := m.settings()
	found := Setup{Source: install.PluginBeside(m.self.Path, m.project), Plugged: s.Plugged()}
	found.Registered = slices.ContainsFunc(s.Ours,
		func(h install.Hook) bool { return h.File.Root == "" })
	found.Governed = slices.DeleteFunc(m.governed(), func(skill install.Skill) bool {
		return loop.Namespace(skill.Name) == "hooks"
	})
	found.Begin = beginLine(found.Governed, m.names(), found.Plugged)
	return found
}

// governedSkills notes each installed skill with governed loops, and its file.
func governedSkills(m *machine, n *notes) {
	list := m.governed()
	for _, skill := range list {
		n.note("/%s from %s", skill.Name, m.shown(skill.Path))
	}
	if len(list) == 0 {
		n.warn("run `hooks uninstall && hooks init --plugin`, or rename one of your skills to "+
			"work or review",
			"no installed skill can be governed, so a `/loop` here would not be governed")
	}
}

// names returns the commands that the project's and the person's configurations add to the built-in
// ones.
func (m *machine) names() []loop.Names {
	return []loop.Names{m.config.Names(), config.User(m.client).Names()}
}

// governed returns the installed skills with governed loops.
func (m *machine) governed() []install.Skill {
	names := m.names()
	return slices.DeleteFunc(m.settings().Skills(), func(skill install.Skill) bool {
		_, ok := loop.ParseCommand(skill.Name, "", names...)
		return !ok
	})
}

// beginLine returns the line that starts a loop. It prefers a work skill, then a review skill, then
// a prompt skill, then the plugin's. Without any, it returns a comment with an install command.
func beginLine(list []install.Skill, names []loop.Names, plugged bool) string {
	for _, kind := range loop.Kinds {
		for _, skill := range list {
			c, ok := loop.ParseCommand(skill.Name, "", names...)
			if ok && kind.Adopts && c.Skill == kind.Name {
				return "/loop 10m /" + skill.Name + " --loop"
			}
		}
	}
	if plugged {
		return "/loop 10m /hooks:do --max-dollars 3 -- fix the flaky tests"
	}
	return "# no skill here can be governed; run `hooks uninstall && hooks init --plugin` first"
}
