package app

import (
	"os"

	"hooks/internal/event"
	"hooks/internal/hint"
	"hooks/internal/install"
	"hooks/internal/seal"
)

// settingsChanged blocks a change of the client's settings that would remove these hooks while a
// loop is on. The client does not show the reason, so the first reason is stored for the next
// visible reply.
func (h *handler) settingsChanged() event.Reply {
	if !h.seal.on {
		return event.Nothing()
	}
	program, _ := os.Executable()
	s := install.ReadSettings(h.project, "", program, h.Env)
	lost := s.Unhooks(program, h.Env("CLAUDE_PLUGIN_ROOT"), h.Env)
	if lost == "" {
		return event.Nothing()
	}
	if h.openState() == nil { // otherwise it is blocked but not reported
		h.inRecord(func(r *seal.Record) bool {
			first := r.Rewired == ""
			if first {
				r.Rewired = lost
			}
			return first
		})
	}
	return event.Block(rewired(lost))
}

func rewired(lost string) string {
	return hint.Text(hint.New("undo it, or end the loop first: `hooks loop stop`",
		"%s; this session keeps its hooks while a loop is on", lost))
}

// sayRewired adds the blocked change of settings to a reply that a person sees, once in a session.
func (h *handler) sayRewired(reply event.Reply) event.Reply {
	lost := h.seal.record.Rewired
	if h.inRecord(func(r *seal.Record) bool {
		first := !r.Told
		r.Told = true
		return first
	}) {
		reply = reply.Say(rewired(lost))
	}
	return reply
}

// inRecord changes the session's sealed record under the state lock. It reports whether the record
// was changed and saved.
func (h *handler) inRecord(change func(*seal.Record) bool) (saved bool) {
	err := h.withStateLock(func() error {
		r, err := h.seal.Find(h.ev.SessionID)
		if err != nil || r == nil || !change(r) {
			return err
		}
		saved = true
		return h.seal.Save(r)
	})
	return saved && err == nil
}
