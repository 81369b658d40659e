// Package kind lists all loop kinds. Importing it registers them.
package kind

import (
	"hooks/internal/kind/audit"
	"hooks/internal/kind/backlog"
	"hooks/internal/kind/prompt"
	"hooks/internal/kind/tasks"
	"hooks/internal/loop"
)

// All lists the kinds in the order they are checked and displayed (R1).
var All = loop.Register(backlog.WorkKind, backlog.ReviewKind, tasks.Kind, audit.Kind,
	prompt.Kind)

// Skills returns the names of all kinds.
func Skills() []loop.Skill {
	list := make([]loop.Skill, len(All))
	for i, k := range All {
		list[i] = k.Name
	}
	return list
}
