package drive

import (
	"fmt"
	"hash/crc32"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
)

// hook is an event of the client with fields in pairs of path and value; a value that begins with a brace or a bracket
// is JSON.
func (w *World) hook(word, name string, fields ...any) Event {
	p := "{}"
	set := append([]any{
		"session_id", w.Session, "prompt_id", w.Prompt, "cwd", w.Project(), "transcript_path", w.Transcript(),
		"permission_mode", "acceptEdits", "hook_event_name", name,
	}, fields...)
	for i := 0; i < len(set); i += 2 {
		path := set[i].(string)
		if raw, ok := set[i+1].(string); ok && raw != "" && strings.ContainsRune("[{", rune(raw[0])) {
			p, _ = sjson.SetRaw(p, path, raw)
		} else {
			p, _ = sjson.Set(p, path, set[i+1])
		}
	}
	return Event{Args: []string{word}, Stdin: p}
}

// Enter is the typed command, as in Enter("--loop --resume").
func (w *World) Enter(args string) Event {
	return w.hook("user-prompt-expansion", "UserPromptExpansion", "command_name", "sdd:work", "command_args", args, "prompt", "/sdd:work "+args)
}

// Typed is a prompt in words.
func (w *World) Typed(text string) Event {
	return w.hook("user-prompt-submit", "UserPromptSubmit", "prompt", text)
}

// Stop is the end of the turn, with further fields.
func (w *World) Stop(fields ...any) Event { return w.hook("stop", "Stop", fields...) }

// SessionEnd is the end of the session.
func (w *World) SessionEnd(reason string) Event {
	return w.hook("session-end", "SessionEnd", "reason", reason)
}

// Agent is the dispatch of a worker, before it runs.
func (w *World) Agent(id string) Event {
	return w.hook("pre-tool-use", "PreToolUse", "tool_name", "Agent", "tool_use_id", id,
		"tool_input.prompt", task(id), "tool_input.description", "worker")
}

// task names an issue of its own for each call.
func task(id string) string {
	return fmt.Sprintf("implement #%d", 1000+crc32.ChecksumIEEE([]byte(id))%1e6)
}

// Launched is the same dispatch afterwards, in the background.
func (w *World) Launched(id, agent string) Event {
	return w.hook("post-tool-use", "PostToolUse", "tool_name", "Agent", "tool_use_id", id,
		"tool_input.prompt", task(id),
		"tool_response.status", "async_launched", "tool_response.agentId", agent)
}

// Worker is the end of a worker.
func (w *World) Worker(agent string) Event {
	return w.hook("subagent-stop", "SubagentStop", "agent_id", agent, "agent_type", "general-purpose")
}

// Bash is a shell call before it runs, Ran one that has.
func (w *World) Bash(command string) Event {
	return w.hook("pre-tool-use", "PreToolUse", "tool_name", "Bash", "tool_use_id", w.shellCall(), "tool_input.command", command)
}

// Ran is a shell call that has run and printed out. The transcript tells of it before the event, as with the real client.
func (w *World) Ran(command, out string) (Event, error) {
	id, at := w.shellCall(), time.Now().UTC().Format("2006-01-02T15:04:05.000Z")
	call := fmt.Sprintf(`{"type":"assistant","timestamp":%q,"requestId":"req_%s","message":{"id":"msg_%s","role":"assistant","model":"claude-opus-5-5",`+
		`"content":[{"type":"tool_use","id":%q,"name":"Bash","input":{"command":%q}}],"usage":{"input_tokens":0,"output_tokens":0}}}`, at, id, id, id, command)
	result := fmt.Sprintf(`{"type":"user","timestamp":%q,"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":%q,"content":%q}]},`+
		`"toolUseResult":{"stdout":%q}}`, at, id, out, out)
	return w.hook("post-tool-use", "PostToolUse", "tool_name", "Bash", "tool_use_id", id, "tool_input.command", command,
		"tool_response.stdout", out), w.append(call + "\n" + result)
}

// shellCall is a new id: the program takes a call that it is told of twice for one.
func (w *World) shellCall() string {
	w.shell++
	return fmt.Sprintf("toolu_bash_%d", w.shell)
}

// Ask is a dialog that the model opens in its own words.
func (w *World) Ask(id string) Event {
	return w.hook("pre-tool-use", "PreToolUse", "tool_name", "AskUserQuestion", "tool_use_id", id,
		"tool_input.questions", `[{"question":"May I go on?","header":"Model","options":[{"label":"yes"},{"label":"no"}]}]`)
}

// Questions are those that the program put into the dialog.
func Questions(r Result) []string {
	var list []string
	for _, q := range gjson.Get(r.Out, "hookSpecificOutput.updatedInput.questions").Array() {
		list = append(list, q.Get("question").String())
	}
	return list
}

// Answered is a person's answers to the dialog's questions, in order. What the client writes to the transcript is there
// before the event, as with the real one.
func (w *World) Answered(id string, questions []string, words ...string) (Event, error) {
	response := "{}"
	for i, q := range questions {
		response, _ = sjson.Set(response, "questions.-1.question", q)
		response, _ = sjson.Set(response, "answers."+escape(q), words[i])
	}
	line := fmt.Sprintf(`{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":%q,"content":"answered"}]},"toolUseResult":%s}`,
		id, response)
	e := w.hook("post-tool-use", "PostToolUse", "tool_name", "AskUserQuestion", "tool_use_id", id, "tool_input", response, "tool_response", response)
	e.Answers = slices.Clone(words)
	w.Ledger.Answers = append(w.Ledger.Answers, words...)
	return e, w.append(line)
}

func escape(key string) string {
	return strings.NewReplacer(`\`, `\\`, ".", `\.`, "*", `\*`, "?", `\?`, "|", `\|`, "#", `\#`, "@", `\@`).Replace(key)
}

// Report is `hooks report` from inside the session.
func (w *World) Report(json string) Event {
	return Event{Args: []string{"report"}, Stdin: json, Env: []string{"CLAUDECODE=1"}}
}

// Person is a command that somebody types in a terminal of their own.
func (w *World) Person(args ...string) Event { return Event{Args: args} }

// Spend writes an assistant message with its usage to the transcript; only what is spent inside an iteration is the
// loop's.
func (w *World) Spend(in, out int64, inside bool) error {
	if inside {
		w.Ledger.In, w.Ledger.Out = w.Ledger.In+in, w.Ledger.Out+out
	}
	size, _ := os.ReadFile(w.Transcript())
	id := fmt.Sprintf("%s_%d", w.Session, len(size))
	return w.append(fmt.Sprintf(`{"type":"assistant","requestId":"req_%s","message":{"id":"msg_%s","role":"assistant","model":"claude-opus-5-5",`+
		`"content":[{"type":"text","text":"done"}],"usage":{"input_tokens":%d,"output_tokens":%d,"cache_read_input_tokens":0,"cache_creation_input_tokens":0}}}`,
		id, id, in, out))
}

// Prompted writes the person's prompt to the transcript, as the client does before it runs the turn.
func (w *World) Prompted(text string) error {
	line, err := sjson.Set(`{"type":"user","message":{"role":"user"}}`, "promptId", w.Prompt)
	if err == nil {
		line, err = sjson.Set(line, "message.content", text)
	}
	if err != nil {
		return err
	}
	return w.append(line)
}

func (w *World) append(line string) error {
	f, err := os.OpenFile(w.Transcript(), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("write transcript: %w", err)
	}
	_, err = f.WriteString(line + "\n")
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}
