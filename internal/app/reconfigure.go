package app

import (
	"path/filepath"
	"strings"

	"hooks/internal/config"
	"hooks/internal/guard"
)

// reconfigures names the project's own CLAUDE.md or AGENTS.md where a call would write it and the SDD Configuration would
// not surely stay what it is: prices, redaction, labels and logins are a person's to set. A file tool is held against what
// it leaves; what a shell leaves is not known. A worktree's copy is a file like any other.
func (v *visit) reconfigures(acts []guard.Act) string {
	if v.past != nil { // what the file held then is not known
		return ""
	}
	for _, a := range acts {
		dir, name := filepath.Split(v.paths.Real(a.Ref))
		if a.Kind != guard.WriteConfig || filepath.Clean(dir) != v.paths.Real(v.project) {
			continue
		}
		if _, text, known := v.leaves(filepath.Join(v.project, name)); known {
			if config.Edited(v.project, name, text).Same(v.config()) {
				continue
			}
			return name
		}
		command, _ := v.ev.ShellCommand()
		if !v.config().Same(config.Parse("")) || strings.Contains(strings.ToLower(command), "sdd configuration") {
			return name
		}
	}
	return ""
}
