package event

import (
	"strconv"
	"strings"

	"github.com/tidwall/sjson"

	"hooks/internal/printable"
)

// Encode is the one JSON object for the client, or nil for nothing. A part that the event has no form for is told to
// the person instead, so that it is never lost and never makes the whole reply invalid: the client drops a reply
// with a field or an event name it does not expect, decision and all.
func (r Reply) Encode(name string) []byte {
	r = r.fit(name)
	if r.Empty() {
		return nil
	}
	out := []byte("{}")
	switch {
	case r.verdict == block:
		out = set(out, "decision", "block")
		out = set(out, "reason", cut(r.reason))
	case r.verdict == deny:
		out = set(out, "hookSpecificOutput.hookEventName", name)
		out = set(out, "hookSpecificOutput.permissionDecision", "deny")
		out = set(out, "hookSpecificOutput.permissionDecisionReason", cut(r.reason))
	case r.verdict == ask:
		out = set(out, "hookSpecificOutput.hookEventName", name)
		out = set(out, "hookSpecificOutput.permissionDecision", "ask")
		out = setQuestions(out, r.questions)
	}
	if r.context != "" {
		out = set(out, "hookSpecificOutput.hookEventName", name)
		out = set(out, "hookSpecificOutput.additionalContext", cut(r.context))
	}
	if r.say != "" {
		out = set(out, "systemMessage", cut(r.say))
	}
	if r.ring {
		out = set(out, "terminalSequence", "\a")
	}
	return out
}

// fit turns the reply into one that the event can express.
func (r Reply) fit(name string) Reply {
	switch name {
	case PreToolUse:
		if r.verdict == block { // the event's only refusal
			r.verdict = deny
		}
	case UserPromptSubmit, UserPromptExpansion:
		if r.verdict == deny {
			r.verdict = block
		}
		r = r.drop(ask)
	case Stop, SubagentStop:
		r = r.drop(deny).drop(ask)
		if r.verdict == none {
			r = r.tell()
		}
	case PostToolUse, PostToolUseFailure, SessionStart:
		r = r.drop(block).drop(deny).drop(ask)
	default:
		r = r.drop(block).drop(deny).drop(ask).tell()
	}
	return r
}

// drop takes a verdict away and tells its reason to the person.
func (r Reply) drop(v verdict) Reply {
	if r.verdict == v {
		r.say = join(r.reason, r.say) // in front: a long message is cut at its end
		r.verdict, r.reason, r.questions = none, "", nil
	}
	return r
}

// tell gives the model's text to the person.
func (r Reply) tell() Reply {
	r = r.Say(r.context)
	r.context = ""
	return r
}

func setQuestions(out []byte, questions []Question) []byte {
	const input = "hookSpecificOutput.updatedInput.questions."
	for i, q := range questions {
		at := input + strconv.Itoa(i)
		out = set(out, at+".question", clean(q.Question))
		out = set(out, at+".header", clean(q.Header))
		out = set(out, at+".multiSelect", q.Multiple)
		out = set(out, at+".options", []string{})
		for j, o := range q.Options {
			out = set(out, at+".options."+strconv.Itoa(j)+".label", clean(o.Label))
			out = set(out, at+".options."+strconv.Itoa(j)+".description", clean(o.Description))
		}
	}
	return out
}

// set writes at a path made of our own names only, into an object that we began: the two conditions under which the
// library cannot fail.
func set(out []byte, path string, value any) []byte {
	next, err := sjson.SetBytes(out, path, value)
	if err != nil {
		panic("encode reply: " + path + ": " + err.Error())
	}
	return next
}

// The client replaces a text of more than 10,000 characters by a file name. It counts UTF-16 units.
const (
	mostUnits = 9900
	cutMark   = "\n… (cut)"
)

// cut shortens a text to what the client passes on, at a line's end where one is near, and says so.
func cut(text string) string {
	text = clean(text)
	units, last, line := 0, 0, 0
	for i, c := range text {
		if units += unitsOf(c); units > mostUnits {
			if line > last/2 {
				last = line
			}
			return strings.TrimRight(text[:last], "\n") + cutMark
		}
		if units <= mostUnits-len(cutMark) {
			last = i + len(string(c))
			if c == '\n' {
				line = last
			}
		}
	}
	return text
}

func unitsOf(c rune) int {
	if c > 0xFFFF {
		return 2
	}
	return 1
}

// clean is the output edge: whatever a reply quotes, a terminal that shows it has nothing to act on.
func clean(text string) string { return printable.Text(text) }
