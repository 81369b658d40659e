package app

import (
	"context"
	"time"

	"github.com/tidwall/gjson"

	plugin "hooks"
	"hooks/internal/event"
	"hooks/internal/loop"
	"hooks/internal/proc"
)

// receive records in a run of this session that the event reached the program. Whatever saves the
// run saves the record too.
func (h *handler) receive(b *loop.Budget) {
	if b != nil && b.Status == loop.Active && b.SessionID == h.ev.SessionID {
		h.news = h.stamp(b) || h.news
	}
}

func (h *handler) stamp(b *loop.Budget) (news bool) {
	word := event.WordOf(h.ev.Name)
	// a person's command is no event
	return word != "" && b.Receive(h.ev.SessionID, word, h.now, program)
}

// program is the running binary.
func program() loop.Program {
	p := proc.Self()
	p.Version = gjson.Get(plugin.Manifest, "version").String()
	return p
}

// receiptTime bounds the wait for a receipt, which must not delay the answer.
const receiptTime = 200 * time.Millisecond

// keepReceipt saves the record that no save of this event included: once a session and kind of
// event. A failure is left to the next event.
func (h *handler) keepReceipt() {
	if !h.news {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), receiptTime)
	defer cancel()
	tx, err := h.files.Begin(ctx)
	if err != nil {
		return
	}
	defer tx.End()
	for _, skill := range loop.Skills() {
		s, err := h.files.LoadSealed(h.ev.SessionID, skill) // saving an edit would seal it
		if err != nil || s.Budget == nil {
			continue
		}
		h.news = false
		if h.receive(s.Budget); h.news {
			_, _ = tx.Commit(&s, loop.Save{Run: s.Budget})
		}
	}
}
