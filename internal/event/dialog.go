package event

import (
	"github.com/tidwall/gjson"

	"hooks/internal/loop"
)

// MaxQuestions is the maximum number of questions that the client shows in one dialog.
const MaxQuestions = 4

// Question is a question in the client's dialog. The dialog always adds a free-text option.
type Question struct {
	Question string        `json:"question"`
	Header   string        `json:"header"` // the client shows at most 12 characters
	Multiple bool          `json:"multiSelect"`
	Options  []loop.Option `json:"options"`
}

// Forged reports whether a dialog call already contains answers (PreToolUse). Only the client may
// add them, after a person has answered.
func (e Event) Forged() bool {
	return e.Tool == toolDialog && e.Name == PreToolUse && present(field(e.Input, "answers"))
}

// Answers returns the answers from a dialog's result (PostToolUse). They come from a person only if
// the call was not Forged.
func (e Event) Answers() loop.Answers {
	if e.Tool != toolDialog || e.Name == PreToolUse {
		return loop.Answers{}
	}
	a := ParseAnswers(e.ToolUseID, e.Response)
	a.Input = e.Input.Raw
	return a
}

// ParseAnswers reads the result object of the dialog with that id. It is the event's tool_response
// or, if the event was missed, the toolUseResult in a transcript line. Questions that the person
// skipped, dismissed or replied to in chat are left out. If the answers or the annotations are not
// an object, there are no answers.
func ParseAnswers(id string, response gjson.Result) loop.Answers {
	a := loop.Answers{ID: id, AFK: present(field(response, "afkTimeoutMs"))}
	notes := field(response, "annotations")
	answers := field(response, "answers")
	if !answers.IsObject() || present(notes) && !notes.IsObject() {
		return a
	}
	answers.ForEach(func(q, text gjson.Result) bool {
		asked := q.String()
		// a mark of an unknown type also counts as unanswered
		mark := field(field(notes, asked), "unanswered")
		answered := !present(mark) || mark.Type == gjson.False
		if text.Type == gjson.String && answered {
			a.List = append(a.List, loop.DialogAnswer{Question: asked, Text: text.Str})
		}
		return true
	})
	return a
}

func present(v gjson.Result) bool { return v.Type != gjson.Null }
