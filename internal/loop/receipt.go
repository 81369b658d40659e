package loop

import (
	"slices"
	"time"
)

// Program identifies a binary: its build id changes with its content.
type Program struct {
	Path    string `json:"path"`
	Size    int64  `json:"size"` // bytes
	Build   string `json:"build,omitempty"`
	Version string `json:"version"`
}

// Receipt proves that the hooks fired in a session: the program that answered, and the events
// that reached it.
type Receipt struct {
	SessionID string    `json:"session_id"`
	Program   Program   `json:"program"`
	Since     time.Time `json:"since"`
	Last      time.Time `json:"last"` // of the last event that was saved with anything else
	// hook words, each once, in the order in which they first came
	Events []string `json:"events"`
}

// maxReceipts bounds the sessions that a run keeps receipts of.
const maxReceipts = 8

// Receive records that an event reached the program in a session. It reports whether it was
// new, which is to be saved; look identifies the program and is called once a session.
func (b *Budget) Receive(session, word string, now time.Time, look func() Program) (news bool) {
	i := slices.IndexFunc(b.Receipts, func(r Receipt) bool { return r.SessionID == session })
	if i < 0 {
		b.Receipts = append(slices.Clone(b.Receipts),
			Receipt{SessionID: session, Program: look(), Since: now, Events: []string{}})
		b.Receipts = b.Receipts[max(0, len(b.Receipts)-maxReceipts):]
		i = len(b.Receipts) - 1
	}
	r := &b.Receipts[i]
	r.Last = now
	if slices.Contains(r.Events, word) {
		return false
	}
	r.Events = append(r.Events, word)
	return true
}

// Heard reports whether such an event reached the program in a session.
func (b *Budget) Heard(session, word string) bool {
	return slices.ContainsFunc(b.Receipts, func(r Receipt) bool {
		return r.SessionID == session && slices.Contains(r.Events, word)
	})
}
