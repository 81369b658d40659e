package event

import (
	"slices"
	"strings"

	"hooks/internal/codec"
	"hooks/internal/term"
)

// answer is the JSON encoding of a reply. If the client does not expect one of its fields or its
// event name, it drops the whole reply, including the decision.
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

// permit answers an open dialog.
type permit struct {
	Behavior string `json:"behavior"`
	Input    *input `json:"updatedInput"`
}

// input replaces the input of a dialog, or of a call that starts a worker.
type input struct {
	Questions   []Question        `json:"questions,omitempty"`
	Answers     map[string]string `json:"answers,omitempty"`
	Description string            `json:"description,omitempty"`
	Prompt      string            `json:"prompt,omitempty"`
	Type        string            `json:"subagent_type,omitempty"`
	Background  *bool             `json:"run_in_background,omitempty"`
}

// Encode returns the reply as one JSON object, or nil if it is empty. If the event does not accept
// some text for the model, Encode shows it to the person instead of losing it.
func (r Reply) Encode(name string) []byte {
	r = r.fit(name)
	if r.Empty() {
		return nil
	}
	out := answer{Message: cut(r.Said)}
	own := extra{Event: name, Context: cut(r.context)}
	switch {
	case r.Blocks() && name == PreToolUse:
		own.Decision, own.Reason = "deny", new(cut(r.Reason))
		if r.Ends {
			out.Continue, out.StopText = new(bool), cut(r.Reason)
		}
	case r.Blocks():
		out.Decision, out.Reason = "block", new(cut(r.Reason))
		own.Hide = r.Hidden && (name == UserPromptSubmit || name == UserPromptExpansion)
	case r.verdict == ask:
		own.Decision, own.Input = "ask", r.input
	case r.verdict == send:
		own.Decision, own.Input = "allow", r.input
	case r.verdict == answerDialog:
		own.Permit = &permit{"allow", r.input}
	}
	if own.Decision != "" || own.Context != "" || own.Hide || own.Permit != nil {
		out.Specific = &own
	}
	if r.Ring {
		out.Terminal = "\a"
	}
	text, err := codec.Encode(out)
	if err != nil { // strings always encode
		panic("encode reply: " + err.Error())
	}
	return text
}

// fit returns the reply as the event can express it. A reason or context that the event does not
// accept becomes text for the person. Any other part that it does not accept is dropped.
func (r Reply) fit(name string) Reply {
	stop := name == Stop || name == SubagentStop
	prompt := name == UserPromptSubmit || name == UserPromptExpansion
	accepted := map[verdict]bool{
		none:         true,
		block:        stop || prompt || name == PreToolUse || name == ConfigChange,
		deny:         prompt || name == PreToolUse,
		ask:          name == PreToolUse,
		send:         name == PreToolUse,
		answerDialog: name == PermissionRequest,
	}
	if !accepted[r.verdict] {
		r.Said = join(r.Reason, r.Said) // put first, because a long message is cut at the end
		r.decision = decision{}
	}
	reads := prompt || stop && r.verdict == block || slices.Contains(
		[]string{PreToolUse, PostToolUse, PostToolUseFailure, SessionStart}, name)
	if !reads {
		r = r.Say(r.context)
		r.context = ""
	}
	return r
}

func cleaned(questions []Question) (list []Question) {
	for _, q := range questions {
		q.Question, q.Header = term.Text(q.Question), term.Text(q.Header)
		q.Options = slices.Clone(q.Options)
		for i := range q.Options {
			o := &q.Options[i]
			o.Label, o.Description = term.Text(o.Label), term.Text(o.Description)
		}
		list = append(list, q)
	}
	return list
}

// The client replaces text longer than 10,000 UTF-16 units with a file name. No byte takes more
// than one unit.
const (
	maxText = 9900
	cutMark = "\n… (cut)"
)

// cut cleans text, shortens it so that the client passes it on, and marks the cut. It prefers to
// cut at the end of a line.
func cut(text string) string {
	text = term.Text(text)
	if len(text) <= maxText {
		return text
	}
	text = strings.ToValidUTF8(text[:maxText-len(cutMark)], "")
	if line := strings.LastIndexByte(text, '\n'); line > len(text)/2 {
		text = text[:line]
	}
	return strings.TrimRight(text, "\n") + cutMark
}
