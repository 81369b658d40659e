package usage

import (
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// maxAnswers bounds the dialogs that one Count reports; the last ones are kept.
const maxAnswers = 64

// Answer is the result of one AskUserQuestion dialog as the transcript has it: what PostToolUse would have told.
// Whether it is a person's decision is for the caller to judge.
type Answer struct {
	ToolUseID string
	Questions []string          // texts, in the dialog's order
	Answers   map[string]string // by question text, verbatim
	// Unanswered says of a question that its "answer" is none: skipped, replied_in_chat, dismissed.
	Unanswered map[string]string
	// Away says that the dialog resolved itself because nobody was there (afkTimeoutMs).
	Away bool
	At   time.Time // of the line; zero where it has none
}

// answer reads a user line that carries a dialog's answers.
func (r record) answer() (a Answer, ok bool) {
	given := r.result.Get("answers")
	if !r.result.IsObject() || !given.IsObject() {
		return a, false
	}
	a.Answers = map[string]string{}
	given.ForEach(func(q, v gjson.Result) bool {
		a.Answers[clone(q)] = clone(v)
		return true
	})
	for _, q := range r.result.Get("questions").Array() {
		a.Questions = append(a.Questions, clone(q.Get("question")))
	}
	r.result.Get("annotations").ForEach(func(q, note gjson.Result) bool {
		if why := note.Get("unanswered"); why.Exists() && why.Type != gjson.Null && why.Type != gjson.False {
			if a.Unanswered == nil {
				a.Unanswered = map[string]string{}
			}
			a.Unanswered[clone(q)] = clone(why)
		}
		return true
	})
	a.Away = r.result.Get("afkTimeoutMs").Exists()
	a.ToolUseID = clone(r.toolUse())
	a.At, _ = time.Parse(time.RFC3339Nano, r.at)
	return a, true
}

// toolUse is the id of the call whose result a user line is.
func (r record) toolUse() (id gjson.Result) {
	if content := r.message.Get("content"); content.IsArray() {
		content.ForEach(func(_, block gjson.Result) bool {
			id = block.Get("tool_use_id")
			return !id.Exists()
		})
	}
	return id
}

// clone is a value's text in memory of its own: the line it stands in is overwritten by the next one.
func clone(v gjson.Result) string { return strings.Clone(v.String()) }
