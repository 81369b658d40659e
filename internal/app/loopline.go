package app

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"hooks/internal/event"
	"hooks/internal/hint"
	"hooks/internal/install"
	"hooks/internal/kind"
	"hooks/internal/loop"
)

// loopLine checks the arguments of /loop before anything is scheduled. It returns an error if they
// would not begin the loop that the person intends, and a note if that is uncertain. It ignores
// lines whose skill cannot be governed.
func (h *handler) loopLine() (note string, err error) {
	line := ""
	switch h.ev.Name {
	case event.UserPromptExpansion:
		if h.ev.Command == "loop" {
			line = h.ev.Args
		}
	case event.UserPromptSubmit: // for a client without expansion
		line, _ = strings.CutPrefix(strings.TrimSpace(h.ev.Prompt), "/loop ")
		if line == strings.TrimSpace(h.ev.Prompt) {
			line = ""
		}
	case event.PreToolUse:
		if skill, args := h.ev.Skill(); skill == "loop" {
			line = args
		}
	}
	name, args, ok := loop.Behind(line)
	if !ok {
		return "", nil
	}
	cmd, governed := h.command(name, args)
	if governed {
		if _, _, err := cmd.ParseFlags(); err != nil {
			return "", err
		}
	}
	begins := loop.OptsIn(args) ||
		governed && !cmd.OptsIn() && loop.KindOf(cmd.Skill).Commands != nil
	// Otherwise this is a wake-up of a loop that has begun.
	if !begins || h.seal.record.Runs() {
		return "", nil
	}
	note, err = h.missingSkill(name, governed)
	if h.ev.Name != event.UserPromptExpansion {
		note = ""
	}
	return note, err
}

// missingSkill returns an error if the skill's plugin is known to lack it, and a note if the skill
// is not found.
func (h *handler) missingSkill(name string, governed bool) (note string, err error) {
	program, _ := os.Executable()
	s := install.ReadSettings(h.project, "", program, h.Env)
	all := s.Skills()
	space, read := loop.Namespace(name), false
	if space != "" {
		root := ""
		if space == "hooks" { // may come from --plugin-dir, which no settings name
			root = h.Env("CLAUDE_PLUGIN_ROOT")
		}
		var list []install.Skill
		if list, read = s.PluginSkills(space, root); read {
			all = append(list, all...)
		}
	}
	var own, known []string
	for _, skill := range all {
		known = append(known, skill.Name)
		if loop.Namespace(skill.Name) == space {
			own = append(own, skill.Name)
		}
	}
	near := loop.Nearest(name, own)
	switch {
	case slices.Contains(known, name):
		return "", nil
	case read && near != "":
		return "", hint.New("type /"+near, "the plugin %s has no skill /%s, did you mean /%s",
			space, name, near)
	case read:
		slices.Sort(own)
		return "", hint.New("it has /"+strings.Join(slices.Compact(own), ", /"),
			"the plugin %s has no skill /%s", space, name)
	case len(s.Ours()) == 0: // some plugins are not in any settings file, such as this one
		return "", nil
	case governed:
		return fmt.Sprintf("hooks: the skill /%s is not found in the settings or the plugins "+
			"here; if the client does not know it, `hooks init` names one that works", name), nil
	}
	for _, kind := range kind.Skills() {
		bare := strings.TrimPrefix(name, space+":")
		if loop.Nearest(bare, []string{string(kind)}) != "" {
			return fmt.Sprintf("hooks: /%s is not governed; did you mean /%s", name,
				strings.TrimSuffix(name, bare)+string(kind)), nil
		}
	}
	return "", nil
}
