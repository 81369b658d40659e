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
func (v *visit) slip(err error) { v.slips = errors.Join(v.slips, err) }

// record notes a refusal in the open iteration and returns it. An error in the record changes no
// refusal.
func (v *visit) record(t *thread, r event.Reply) event.Reply {
	if !r.Blocks() || !v.open(t) {
		return r
	}
	_, err := v.stepOne(t, loop.Refused{
		Turn: v.turn(), ID: v.ev.ToolUseID, Input: v.ev.Input.Raw,
		Denial: v.denialOf(v.ev.Tool, r.Rule(), v.whatCall()),
	})
	v.slip(err)
	return r
}

// denialOf is a refusal as it is recorded: without secrets.
func (v *visit) denialOf(tool, rule, what string) loop.Denial {
	return loop.Denial{Tool: tool, Rule: rule, What: v.config().Redact(loop.Secrets(what))}
}

// mostCall bounds what is looked at of a refused call's text, in bytes.
const mostCall = 32 << 10

// whatCall is a tool call in a line: its command, what it is about, or nothing.
func (v *visit) whatCall() string {
	text, shell := v.ev.ShellCommand()
	keys := []string{"file_path", "notebook_path", "description", "skill", "prompt", "url"}
	for _, key := range keys {
		if !shell && text == "" {
			text = v.ev.Text(key)
		}
	}
	if _, args := v.ev.Skill(); args != "" {
		text += " " + args
	}
	if len(text) > mostCall { // not in the middle of a word: half of a secret is not known as one
		text = text[:mostCall]
		text = text[:strings.LastIndexAny(text, " \n\t")+1]
	}
	return text
}

// recordEntry notes that a looping skill may not start, where an iteration of its session is open.
func (v *visit) recordEntry(r event.Reply) event.Reply {
	if v.ev.Name != event.PreToolUse || !r.Blocks() || !store.Exists(v.project) {
		return r
	}
	if v.files == nil && v.openState() != nil {
		return r
	}
	list, err := v.mine()
	if err != nil {
		return r
	}
	return v.recordAny(list, r.By(loop.EntryRule))
}

// recordAny notes a refusal that belongs to no run alone in the iteration of this prompt, else in
// the session's open one.
func (v *visit) recordAny(list []*thread, r event.Reply) event.Reply {
	i := slices.IndexFunc(list, v.ours)
	if i < 0 {
		i = slices.IndexFunc(list, v.open)
	}
	if i < 0 {
		return r
	}
	return v.record(list[i], r)
}
