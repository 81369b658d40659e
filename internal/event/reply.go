package event

import (
	"strings"

	"github.com/tidwall/gjson"
)

// Reply is a hook's answer. It can only be built by Nothing, Block, Deny and Ask; the zero value is
// Nothing, the answer that changes nothing. Encode gives it the form of the firing event.
type Reply struct {
	verdict   verdict
	reason    string
	questions []Question
	task      *input
	answers   map[string]string
	context   string
	say       string
	ring      bool
	rule      string
	ends      bool
	hidden    bool
}

type verdict uint8

const (
	none verdict = iota
	block
	deny
	ask
	send
	given
)

// Nothing leaves the decision to the client.
func Nothing() Reply { return Reply{} }

// Block refuses to end the turn (Stop, SubagentStop: "keep working now", never "halt") or to begin
// it (UserPromptSubmit, UserPromptExpansion). At a Stop the model reads the reason, at a prompt the
// person does.
func Block(reason string) Reply { return Reply{verdict: block, reason: reason} }

// Deny refuses a tool call (PreToolUse). The model reads the reason.
func Deny(reason string) Reply { return Reply{verdict: deny, reason: reason} }

// Ask lets a dialog call go through (PreToolUse of AskUserQuestion) with exactly these questions in
// place of the model's. The client shows at most four, so later ones are left out. Without
// questions Ask returns Nothing.
func Ask(questions ...Question) Reply {
	if len(questions) == 0 {
		return Nothing()
	}
	return Reply{verdict: ask, questions: questions[:min(len(questions), MaxQuestions)]}
}

// Send lets a worker go (PreToolUse of Agent) with this prompt in place of the model's: in the
// foreground, in the project's own folder, as the given type of agent; "" is the call's own.
func Send(call gjson.Result, agent, prompt string) Reply {
	if agent == "" {
		agent = call.Get("subagent_type").String()
	}
	return Reply{verdict: send, task: &input{
		Description: call.Get("description").String(), Prompt: prompt,
		Type: agent, Background: new(bool),
	}}
}

// AnswerDialog answers an open dialog with exactly these questions (PermissionRequest of
// AskUserQuestion).
func AnswerDialog(questions []Question, answers map[string]string) Reply {
	return Reply{verdict: given, questions: questions, answers: answers}
}

// Context adds a text for the model, on a new line after an earlier one. At a Stop it goes with a
// Block only: alone it would make the client continue the turn.
func (r Reply) Context(text string) Reply {
	r.context = join(r.context, text)
	return r
}

// Say adds a text for the person, on a new line after an earlier one.
func (r Reply) Say(text string) Reply {
	r.say = join(r.say, text)
	return r
}

// Ring makes the client's terminal sound its bell; without a terminal nothing happens.
func (r Reply) Ring() Reply {
	r.ring = true
	return r
}

// Ends makes a refusal of a call end the turn, or the worker, whose call it is (PreToolUse): the
// model is asked nothing more, and no Stop or SubagentStop follows.
func (r Reply) Ends() Reply {
	r.ends = true
	return r
}

// Hide leaves the refused prompt itself out of what the person sees.
func (r Reply) Hide() Reply {
	r.hidden = true
	return r
}

// By names the rule that refuses, for the record; the client does not see it. The first name is
// kept.
func (r Reply) By(rule string) Reply {
	if r.rule == "" {
		r.rule = rule
	}
	return r
}

// Rule returns the name of the rule that refuses, or "" if no rule was named.
func (r Reply) Rule() string { return r.rule }

// And joins two replies of one event. A refusal wins over no refusal, the first refusal over the
// second.
func (r Reply) And(o Reply) Reply {
	if r.verdict == none {
		r.verdict, r.reason, r.questions, r.rule = o.verdict, o.reason, o.questions, o.rule
		r.task, r.ends, r.hidden, r.answers = o.task, o.ends, o.hidden, o.answers
	}
	r.ring = r.ring || o.ring
	return r.Context(o.context).Say(o.say)
}

// Blocks reports whether the reply refuses: something was counted or must be, before it is printed.
func (r Reply) Blocks() bool { return r.verdict == block || r.verdict == deny }

// Decides reports whether the reply refuses or asks; texts alone decide nothing.
func (r Reply) Decides() bool { return r.verdict != none }

// Reason is the text of a refusal, as given.
func (r Reply) Reason() string { return r.reason }

// PersonText returns the text that was added for the person, as given.
func (r Reply) PersonText() string { return r.say }

// Empty reports whether Encode returns nothing.
func (r Reply) Empty() bool {
	return r.verdict == none && r.context == "" && r.say == "" && !r.ring
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return strings.TrimRight(a, "\n") + "\n" + b
}
