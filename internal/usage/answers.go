package usage

import (
	"strings"

	"github.com/tidwall/gjson"
)

// maxAnswers bounds the dialogs that one Count reports; the last ones are kept.
const maxAnswers = 64

// Answer is the end of one AskUserQuestion dialog as the transcript has it: what PostToolUse would have told. Whether it
// is a person's decision is for the caller to judge.
type Answer struct {
	ToolUseID string
	Result    gjson.Result // toolUseResult, an object with answers
}

// answer reads a user line that carries a dialog's answers.
func (r record) answer() (a Answer, ok bool) {
	if !r.result.IsObject() || !r.result.Get("answers").IsObject() {
		return a, false
	}
	return Answer{clone(r.toolUse()), kept(r.result)}, true
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
