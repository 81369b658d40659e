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

// receive notes in a run of this session that the event reached the program. Whatever saves the run takes the note
// along.
func (v *visit) receive(b *loop.Budget) {
	if b != nil && b.Status == loop.Active && b.SessionID == v.ev.SessionID {
		v.news = v.stamp(b) || v.news
	}
}

func (v *visit) stamp(b *loop.Budget) (news bool) {
	word := event.WordOf(v.ev.Name)
	return word != "" && b.Receive(v.ev.SessionID, word, v.now, program) // a person's command is no event
}

// program is the running binary.
func program() loop.Program {
	p := proc.Self()
	p.Version = gjson.Get(plugin.Manifest, "version").String()
	return p
}

// receiptTime bounds the wait of a receipt, which is worth less than the answer.
const receiptTime = 200 * time.Millisecond

// keepReceipt saves what no save of this event took along: once a session and kind of event. What fails is left for the
// next event.
func (v *visit) keepReceipt() {
	if !v.news {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), receiptTime)
	defer cancel()
	unlock, err := v.files.Guard(ctx)
	if err != nil {
		return
	}
	defer unlock()
	for _, skill := range loop.Skills() {
		s, err := v.files.LoadSealed(v.ev.SessionID, skill) // saving an edit would seal it
		if err != nil || s.Budget == nil {
			continue
		}
		v.news = false
		if v.receive(s.Budget); v.news {
			_ = v.files.SaveBudget(s.BudgetPath, s.Budget)
		}
	}
}
