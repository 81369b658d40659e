package app

import (
	"path/filepath"
	"strings"

	"hooks/internal/config"
	"hooks/internal/guard"
)

// reconfigures returns the project's own CLAUDE.md or AGENTS.md where a call would write it and
// the SDD Configuration might change: prices, redaction, labels and logins are a person's to set.
// The result of a file tool can be looked at; that of a shell cannot. A worktree's copy is a file
// like any other.
func (h *handler) reconfigures(acts []guard.Act) string {
	if h.replayRepo != nil { // what the file held then is not known
		return ""
	}
	for _, a := range acts {
		dir, name := filepath.Split(h.paths.Real(a.Ref))
		if a.Kind != guard.WriteConfig || filepath.Clean(dir) != h.paths.Real(h.project) {
			continue
		}
		if _, text, known := h.leaves(filepath.Join(h.project, name)); known {
			if config.Edited(h.project, name, text).Same(h.config()) {
				continue
			}
			return name
		}
		command, _ := h.ev.ShellCommand()
		if !h.config().Same(config.Parse("")) ||
			strings.Contains(strings.ToLower(command), "sdd configuration") {
			return name
		}
	}
	return ""
}
