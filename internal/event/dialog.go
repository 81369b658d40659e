package event

import (
	"cmp"

	"github.com/tidwall/gjson"
)

// MaxQuestions is the maximum number of questions that the client shows in one dialog.
const MaxQuestions = 4

// Question is one question of the client's dialog.
type Question struct {
	Question string   `json:"question"`
	Header   string   `json:"header"` // the client shows at most 12 characters
	Multiple bool     `json:"multiSelect"`
	Options  []Option `json:"options"`
}

// Option is one choice of a question. The dialog always adds a free-text choice.
type Option struct {
	Label       string `json:"label"`
	Description string `json:"description"`
}

// Answers holds the result of a dialog. The answers are a person's only if the call was not Forged,
// AFK is false and the answer is not Unanswered.
type Answers struct {
	List []Answer // in the order of the client's object
	// AFK reports that the dialog timed out because the person was away (afkTimeoutMs).
	AFK bool
	// Forged reports that the call had answers in its input. It is set on PreToolUse only, because
	// afterwards the client itself writes the person's answers into the input.
	Forged bool
}

// Answer is one answer, keyed by the question's exact text.
type Answer struct {
	Question string
	Text     string // a label, labels joined by ", ", or free text; verbatim
	// Unanswered is the reason why the question was not answered: skipped, replied_in_chat or
	// dismissed. It is "" for an answered question.
	Unanswered string
}

// Answers returns the result of a dialog (PostToolUse), or whether the call is forged (PreToolUse).
func (e Event) Answers() Answers {
	if e.Tool != toolDialog {
		return Answers{}
	}
	if e.Name == PreToolUse {
		return Answers{Forged: present(field(e.Input, "answers"))}
	}
	return ParseAnswers(e.Response)
}

// ParseAnswers reads a dialog's result object: tool_response of the event or, if the event was
// missed, toolUseResult of a transcript line. If the object or one of its marks has another shape,
// the result has no answers.
func ParseAnswers(response gjson.Result) Answers {
	a := Answers{AFK: present(field(response, "afkTimeoutMs"))}
	notes := field(response, "annotations")
	answers := field(response, "answers")
	if !answers.IsObject() || present(notes) && !notes.IsObject() {
		return a
	}
	answers.ForEach(func(q, text gjson.Result) bool {
		if text.Type == gjson.String {
			asked := q.String()
			a.List = append(a.List, Answer{asked, text.Str, unanswered(field(notes, asked))})
		}
		return true
	})
	return a
}

// unanswered returns the mark of an unanswered question, or "". A mark of an unknown type also
// counts as unanswered.
func unanswered(note gjson.Result) string {
	v := field(note, "unanswered")
	if !present(v) || v.Type == gjson.False {
		return ""
	}
	return cmp.Or(textOr(v), "unanswered")
}

func present(v gjson.Result) bool { return v.Type != gjson.Null }
