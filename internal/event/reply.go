package event

import (
	"strings"

	"github.com/tidwall/gjson"
)

// Reply is a hook's answer. Block, Deny, Ask, Send and AnswerDialog create replies. The zero value
// leaves the decision to the client. Encode converts a reply to a form that the event accepts.
type Reply struct {
	decision
	context string // text for the model
	Said    string // text for the person, before Encode changes it
	Ring    bool   // ring the client's terminal bell, if there is one
}

// decision is the part of a reply that replaces the client's own decision.
type decision struct {
	verdict verdict
	Reason  string // reason for a refusal, before Encode changes it
	Rule    string // name of the refusing rule, or ""; the client does not see it
	// Ends makes a refused call also end the turn or worker that made it (PreToolUse). The model
	// then gets no further request, and no Stop or SubagentStop follows.
	Ends   bool
	Hidden bool   // the person does not see the refused prompt
	input  *input // replaces the call's input
}

type verdict uint8

const (
	none verdict = iota
	block
	deny
	ask
	send
	answerDialog
)

// Block refuses the end of a turn (Stop, SubagentStop), so the model continues. It also refuses the
// start of a turn (UserPromptSubmit, UserPromptExpansion) and a change of settings (ConfigChange).
// If a turn continues, the model reads the reason; otherwise the person does.
func Block(reason string) Reply { return Reply{decision: decision{verdict: block, Reason: reason}} }

// Deny refuses a tool call (PreToolUse) and gives the model the reason. Like Block, it also refuses
// the start of a turn. Unlike Block, it never makes the model continue after a Stop.
func Deny(reason string) Reply { return Reply{decision: decision{verdict: deny, Reason: reason}} }

// Ask lets a dialog call through (PreToolUse of AskUserQuestion) but replaces the model's
// questions. It drops questions after the fourth, because the client shows no more than four.
// Without questions, it returns the zero Reply.
func Ask(questions ...Question) Reply {
	if len(questions) == 0 {
		return Reply{}
	}
	questions = questions[:min(len(questions), MaxQuestions)]
	return Reply{decision: decision{verdict: ask, input: &input{Questions: cleaned(questions)}}}
}

// Send lets a worker start (PreToolUse of Agent) but replaces the model's prompt. The worker runs
// in the foreground, in the project's own folder, as the given type of agent. If agent is "", the
// call's own type is used.
func Send(call gjson.Result, agent, prompt string) Reply {
	if agent == "" {
		agent = call.Get("subagent_type").String()
	}
	return Reply{decision: decision{verdict: send, input: &input{
		Description: call.Get("description").String(), Prompt: prompt,
		Type: agent, Background: new(bool),
	}}}
}

// AnswerDialog answers an open dialog with these questions (PermissionRequest of AskUserQuestion).
func AnswerDialog(questions []Question, answers map[string]string) Reply {
	return Reply{decision: decision{
		verdict: answerDialog, input: &input{Questions: cleaned(questions), Answers: answers},
	}}
}

// Context adds a line of text for the model. After a Stop without a Block, Encode shows the text to
// the person instead, because it would otherwise make the client continue the turn.
func (r Reply) Context(text string) Reply {
	r.context = join(r.context, text)
	return r
}

// Say adds a line of text for the person.
func (r Reply) Say(text string) Reply {
	r.Said = join(r.Said, text)
	return r
}

// And combines two replies to the same event. A refusal wins over any other decision; otherwise r's
// decision wins over o's.
func (r Reply) And(o Reply) Reply {
	if r.verdict == none || o.Blocks() && !r.Blocks() {
		r.decision = o.decision
	}
	r.Ring = r.Ring || o.Ring
	return r.Context(o.context).Say(o.Said)
}

// Blocks reports whether the reply is a refusal. Its effects must be saved before it is printed.
func (r Reply) Blocks() bool { return r.verdict == block || r.verdict == deny }

// Decides reports whether the reply contains a decision, such as a refusal, and not only text.
func (r Reply) Decides() bool { return r.verdict != none }

// Empty reports whether Encode returns nothing.
func (r Reply) Empty() bool {
	return r.verdict == none && r.context == "" && r.Said == "" && !r.Ring
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return strings.TrimRight(a, "\n") + "\n" + b
}
