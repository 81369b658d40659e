package app

import (
	"fmt"

	"hooks/internal/loop"
	"hooks/internal/store"
)

// createdNote warns a person, once, that the history may hold secrets (R123, R126).
func createdNote(skill loop.Skill) string {
	return fmt.Sprintf("Created %s — this file may contain sensitive content (issue bodies, user "+
		"answers). "+
		"It is gitignored. Do not upload to external telemetry.", store.HistoryPath(skill))
}
