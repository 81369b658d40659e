package app

import (
	"fmt"

	"hooks/internal/loop"
	"hooks/internal/store"
)

// appendLine writes a line that closes no iteration.
func (h *handler) appendLine(l *loop.Iteration) error {
	l.Redact(h.config().Redact)
	created, err := h.files.AppendHistory(l)
	if created {
		l.Notes = append(l.Notes, createdNote(l.Skill))
	}
	return err
}

// createdNote warns a person, once, that the history may hold secrets (R123, R126).
func createdNote(skill loop.Skill) string {
	return fmt.Sprintf("Created %s — this file may contain sensitive content (issue bodies, user "+
		"answers). "+
		"It is gitignored. Do not upload to external telemetry.", store.HistoryPath(skill))
}
