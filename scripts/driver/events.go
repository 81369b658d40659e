package driver

import (
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"

	"hooks/internal/play"
)

// Hook returns a client event. fields adds more members, as for play.Object.
func (w *World) Hook(word string, fields ...any) Event {
	s := play.Session{ID: w.Session, Prompt: w.Prompt, Project: w.Project(),
		Transcript: w.Transcript()}
	return Event{Args: []string{word}, Stdin: s.Event(word, fields...)}
}

// Command returns the loop's command with arguments.
func (w *World) Command(args string) string {
	return "/" + w.command() + " " + args
}

func (w *World) command() string {
	if w.Skill == "task" {
		return "sdd:go"
	}
	return "sdd:" + w.Skill
}

// Enter returns the event for the typed command, as in Enter("--loop --resume").
func (w *World) Enter(args string) Event {
	return w.Hook("user-prompt-expansion", "expansion_type", "slash_command",
		"command_name", w.command(), "command_args", args, "prompt", w.Command(args))
}

// Typed returns the event for a prompt that is not a command.
func (w *World) Typed(text string) Event {
	return w.Hook("user-prompt-submit", "prompt", text)
}

// Stop returns the event at the end of the turn, with additional fields.
func (w *World) Stop(fields ...any) Event { return w.Hook("stop", fields...) }

// SessionEnd returns the event at the end of the session.
func (w *World) SessionEnd(reason string) Event {
	return w.Hook("session-end", "reason", reason)
}

func (w *World) before(tool, id string, fields ...any) Event {
	fields = append([]any{"tool_name", tool, "tool_use_id", id}, fields...)
	return w.Hook("pre-tool-use", fields...)
}

func (w *World) after(tool, id string, fields ...any) Event {
	fields = append([]any{"tool_name", tool, "tool_use_id", id}, fields...)
	return w.Hook("post-tool-use", fields...)
}

// Agent returns the event before a worker is dispatched.
func (w *World) Agent(id string) Event {
	return w.before("Agent", id, "tool_input.prompt", task(id), "tool_input.description", "worker")
}

// task returns a worker's prompt, with a different issue for each call.
func task(id string) string {
	return fmt.Sprintf("implement #%d", 1000+crc32.ChecksumIEEE([]byte(id))%1e6)
}

// Launched returns the event after the dispatch id, which started a background worker.
func (w *World) Launched(id, agent string) Event {
	return w.after("Agent", id, "tool_input.prompt", task(id),
		"tool_response.status", "async_launched", "tool_response.agentId", agent)
}

// Worker returns the event when a worker ends.
func (w *World) Worker(agent string) Event {
	return w.Hook("subagent-stop", "agent_id", agent, "agent_type", "general-purpose")
}

// Bash returns the event before a shell call.
func (w *World) Bash(command string) Event {
	return w.before("Bash", w.Call(), "tool_input.command", command)
}

// Ran returns the event after a shell call with the output out. Like the real client, it writes the
// call to the transcript before the event.
func (w *World) Ran(command, out string) Event {
	id, at := w.Call(), time.Now().UTC().Format("2006-01-02T15:04:05.000Z")
	w.append(answer("timestamp", at, "requestId", "req_"+id, "message.id", "msg_"+id,
		"message.content.0.type", "tool_use", "message.content.0.id", id,
		"message.content.0.name", "Bash", "message.content.0.input.command", command))
	w.append(toolResult(id, out, "timestamp", at, "toolUseResult.stdout", out))
	return w.after("Bash", id, "tool_input.command", command, "tool_response.stdout", out)
}

// answer returns a transcript line with a message from the model.
func answer(fields ...any) string {
	return play.Object(append([]any{"type", "assistant", "message.role", "assistant",
		"message.model", "claude-opus-5-5", "message.usage.input_tokens", 0,
		"message.usage.output_tokens", 0, "message.usage.cache_read_input_tokens", 0,
		"message.usage.cache_creation_input_tokens", 0}, fields...)...)
}

// toolResult returns a transcript line with a tool's result.
func toolResult(id, text string, fields ...any) string {
	return play.Object(append([]any{"type", "user", "message.role", "user",
		"message.content.0.type", "tool_result", "message.content.0.tool_use_id", id,
		"message.content.0.content", text}, fields...)...)
}

// Call returns the id of a new tool call. Two events with the same id count as one call.
func (w *World) Call() string {
	w.calls++
	return fmt.Sprintf("toolu_%s_%s_%d", w.Session, w.Prompt, w.calls)
}

// Ask returns the event before a dialog with the model's own question.
func (w *World) Ask(id string) Event {
	return w.before("AskUserQuestion", id, "tool_input.questions",
		`[{"question":"May I?","header":"Model","options":[{"label":"yes"},{"label":"no"}]}]`)
}

// Questions returns the questions that the program put into the dialog.
func Questions(r Result) []string {
	var list []string
	for _, q := range gjson.Get(r.Out, "hookSpecificOutput.updatedInput.questions").Array() {
		list = append(list, q.Get("question").String())
	}
	return list
}

// Answered returns a person's answers to the dialog's questions, in order. Like the real client, it
// writes them to the transcript before the event.
func (w *World) Answered(id string, questions []string, words ...string) Event {
	given := "{}"
	for i, q := range questions {
		given, _ = sjson.Set(given, "questions.-1.question", q)
		given, _ = sjson.Set(given, "answers."+gjson.Escape(q), words[i])
	}
	e := w.after("AskUserQuestion", id, "tool_input", given, "tool_response", given)
	e.Answers = slices.Clone(words)
	w.Ledger.Answers = append(w.Ledger.Answers, words...)
	w.append(toolResult(id, "answered", "toolUseResult", given))
	return e
}

// Report returns an event that calls `hooks report` inside the session, with facts on stdin.
func (w *World) Report(facts string) Event {
	return Event{Args: []string{"report"}, Stdin: facts, Env: []string{"CLAUDECODE=1"}}
}

// Spend writes an assistant message with its usage to the transcript. The ledger counts the usage
// only if inside is set, which means that an iteration is open.
func (w *World) Spend(in, out int64, inside bool) { w.spend(w.Transcript(), in, out, inside) }

// WorkerSpends is like Spend, but writes to the worker's own transcript.
func (w *World) WorkerSpends(agent string, in, out int64, inside bool) {
	w.spend(w.WorkerTranscript(agent), in, out, inside)
}

func (w *World) spend(transcript string, in, out int64, inside bool) {
	if inside {
		w.Ledger.In, w.Ledger.Out = w.Ledger.In+in, w.Ledger.Out+out
	}
	w.Check(os.MkdirAll(filepath.Dir(transcript), 0o700))
	at := int64(0)
	if info, err := os.Stat(transcript); err == nil {
		at = info.Size()
	}
	name := strings.TrimSuffix(filepath.Base(transcript), ".jsonl")
	id := fmt.Sprintf("%s_%s_%d", w.Session, name, at)
	w.appendTo(transcript, answer("requestId", "req_"+id, "message.id", "msg_"+id,
		"timestamp", time.Now().UTC().Format("2006-01-02T15:04:05.000Z"),
		"message.content.0.type", "text", "message.content.0.text", "done",
		"message.usage.input_tokens", in, "message.usage.output_tokens", out))
}

// Prompted writes the person's prompt to the transcript, as the client does before the turn.
func (w *World) Prompted(text string) {
	w.append(play.Object("type", "user", "message.role", "user", "promptId", w.Prompt,
		"message.content", text))
}

func (w *World) append(line string) { w.appendTo(w.Transcript(), line) }

func (w *World) appendTo(transcript, line string) {
	f, err := os.OpenFile(transcript, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = f.WriteString(line + "\n")
		w.Check(f.Close())
	}
	w.Check(err)
}
