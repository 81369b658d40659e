package app

import (
	"errors"
	"slices"
	"strings"

	"hooks/internal/event"
	"hooks/internal/loop"
	"hooks/internal/store"
)

// slip keeps an error that changes no decision; it is printed on stderr.
func (h *handler) slip(err error) { h.slips = errors.Join(h.slips, err) }

// record notes a refusal in the open iteration and returns it. An error in the record changes no
// refusal.
func (h *handler) record(t *loopState, r event.Reply) event.Reply {
	if !r.Blocks() || !h.open(t) {
		return r
	}
	_, err := h.stepOne(t, loop.Refused{
		Turn: h.turn(), ID: h.ev.ToolUseID, Input: h.ev.Input.Raw,
		Denial: h.denialOf(t, h.ev.Tool, r.Rule(), h.whatCall()),
	})
	h.slip(err)
	return r
}

// denialOf is a refusal as it is recorded: without secrets.
func (h *handler) denialOf(t *loopState, tool, rule, what string) loop.Denial {
	return loop.Denial{Tool: tool, Rule: rule, What: h.config(t).Redact(loop.Secrets(what))}
}

// maxCall bounds what is looked at of a refused call's text, in bytes.
const maxCall = 32 << 10

// whatCall is a tool call in a line: its command, what it is about, or nothing.
func (h *handler) whatCall() string {
	text, shell := h.ev.ShellCommand()
	keys := []string{"file_path", "notebook_path", "description", "skill", "prompt", "url"}
	for _, key := range keys {
		if !shell && text == "" {
			text = h.ev.Text(key)
		}
	}
	if _, args := h.ev.Skill(); args != "" {
		text += " " + args
	}
	if len(text) > maxCall { // not in the middle of a word: half of a secret is not known as one
		text = text[:maxCall]
		text = text[:strings.LastIndexAny(text, " \n\t")+1]
	}
	return text
}

// recordEntry notes that a looping skill may not start, where an iteration of its session is open.
func (h *handler) recordEntry(r event.Reply) event.Reply {
	if h.ev.Name != event.PreToolUse || !r.Blocks() || !store.Exists(h.project) {
		return r
	}
	if h.files == nil && h.openState() != nil {
		return r
	}
	list, err := h.sessionRuns()
	if err != nil {
		return r
	}
	return h.recordAny(list, r.By(loop.EntryRule))
}

// recordAny notes a refusal that belongs to no run alone in the iteration of this prompt, else in
// the session's open one.
func (h *handler) recordAny(list []*loopState, r event.Reply) event.Reply {
	i := slices.IndexFunc(list, h.ownsPrompt)
	if i < 0 {
		i = slices.IndexFunc(list, h.open)
	}
	if i < 0 {
		return r
	}
	return h.record(list[i], r)
}
