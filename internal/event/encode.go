package event

import (
	"slices"
	"strings"
	"unicode/utf16"

	"hooks/internal/codec"
	"hooks/internal/term"
)

// answer is the JSON encoding of a reply. The client drops a whole reply, its decision included, if
// it does not expect one of its fields or its event name.
type answer struct {
	Continue *bool   `json:"continue,omitempty"`
	StopText string  `json:"stopReason,omitempty"`
	Decision string  `json:"decision,omitempty"`
	Reason   *string `json:"reason,omitempty"`
	Specific *extra  `json:"hookSpecificOutput,omitempty"`
	Message  string  `json:"systemMessage,omitempty"`
	Terminal string  `json:"terminalSequence,omitempty"`
}

// extra holds the fields that only some events accept.
type extra struct {
	Event    string  `json:"hookEventName"`
	Decision string  `json:"permissionDecision,omitempty"`
	Reason   *string `json:"permissionDecisionReason,omitempty"`
	Input    *input  `json:"updatedInput,omitempty"`
	Context  string  `json:"additionalContext,omitempty"`
	Hide     bool    `json:"suppressOriginalPrompt,omitempty"`
	Permit   *permit `json:"decision,omitempty"`
}

// permit is the answer to an open dialog.
type permit struct {
	Behavior string   `json:"behavior"`
	Input    answered `json:"updatedInput"`
}

type answered struct {
	Questions []Question        `json:"questions"`
	Answers   map[string]string `json:"answers"`
}

// input replaces the input of a dialog, or of a call that starts a worker.
type input struct {
	Questions   []Question `json:"questions,omitempty"`
	Description string     `json:"description,omitempty"`
	Prompt      string     `json:"prompt,omitempty"`
	Type        string     `json:"subagent_type,omitempty"`
	Background  *bool      `json:"run_in_background,omitempty"`
}

// Encode returns the reply as one JSON object, or nil if it is empty. A part that the event cannot
// express is shown to the person instead of being lost.
func (r Reply) Encode(name string) []byte {
	r = r.fit(name)
	if r.Empty() {
		return nil
	}
	out := answer{Message: cut(r.say)}
	own := extra{Event: name, Context: cut(r.context)}
	switch r.verdict {
	case block:
		out.Decision, out.Reason = "block", new(cut(r.reason))
		own.Hide = r.hidden && (name == UserPromptSubmit || name == UserPromptExpansion)
	case deny:
		own.Decision, own.Reason = "deny", new(cut(r.reason))
		if r.ends {
			out.Continue, out.StopText = new(bool), cut(r.reason)
		}
	case ask:
		own.Decision, own.Input = "ask", &input{Questions: cleaned(r.questions)}
	case send:
		own.Decision, own.Input = "allow", r.task
	case given:
		own.Permit = &permit{"allow", answered{cleaned(r.questions), r.answers}}
	}
	if own.Decision != "" || own.Context != "" || own.Hide || own.Permit != nil {
		out.Specific = &own
	}
	if r.ring {
		out.Terminal = "\a"
	}
	text, err := codec.Encode(out)
	if err != nil { // strings always encode
		panic("encode reply: " + err.Error())
	}
	return text
}

// fit returns the reply in a form that the event can express.
func (r Reply) fit(name string) Reply {
	if name != PermissionRequest {
		r = r.drop(given)
	}
	switch name {
	case PermissionRequest:
		r = r.drop(block, deny, ask, send).show()
	case PreToolUse:
		if r.verdict == block { // the only refusal of this event
			r.verdict = deny
		}
	case UserPromptSubmit, UserPromptExpansion:
		if r.verdict == deny {
			r.verdict = block
		}
		r = r.drop(ask, send)
	case Stop, SubagentStop:
		r = r.drop(deny, ask, send)
		if r.verdict == none {
			r = r.show()
		}
	case ConfigChange:
		r = r.drop(deny, ask, send).show()
	case PostToolUse, PostToolUseFailure, SessionStart:
		r = r.drop(block, deny, ask, send)
	default:
		r = r.drop(block, deny, ask, send).show()
	}
	return r
}

// drop removes a verdict in list and moves its reason to the person's text.
func (r Reply) drop(list ...verdict) Reply {
	if slices.Contains(list, r.verdict) {
		r.say = join(r.reason, r.say) // first, because a long message is cut at its end
		r.verdict, r.reason, r.questions = none, "", nil
	}
	return r
}

// show moves the model's text to the person's text.
func (r Reply) show() Reply {
	r = r.Say(r.context)
	r.context = ""
	return r
}

func cleaned(questions []Question) (list []Question) {
	for _, q := range questions {
		q.Question, q.Header = clean(q.Question), clean(q.Header)
		options := make([]Option, len(q.Options))
		for i, o := range q.Options {
			options[i] = Option{clean(o.Label), clean(o.Description)}
		}
		q.Options = options
		list = append(list, q)
	}
	return list
}

// The client replaces a text of more than 10,000 UTF-16 units by a file name.
const (
	maxUnits = 9900
	cutMark  = "\n… (cut)"
)

// cut shortens a text to the length that the client passes on and marks the cut. It prefers to cut
// at the end of a line.
func cut(text string) string {
	text = clean(text)
	if len(text) <= maxUnits {
		return text
	}
	units, last, line := 0, 0, 0
	for i, c := range text {
		if units += utf16.RuneLen(c); units > maxUnits {
			if line > last/2 {
				last = line
			}
			return strings.TrimRight(text[:last], "\n") + cutMark
		}
		if units <= maxUnits-len(cutMark) {
			last = i + len(string(c))
			if c == '\n' {
				line = last
			}
		}
	}
	return text
}

// clean removes characters that a terminal would interpret.
func clean(text string) string { return term.Text(text) }
