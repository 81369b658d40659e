package usage

import (
	"bytes"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// maxAnswers bounds the dialogs that one Count reports; the last ones are kept.
const maxAnswers = 64

// Answer is the end of one AskUserQuestion dialog as the transcript has it: the fact that
// PostToolUse would have brought. The caller judges whether it is a person's decision.
type Answer struct {
	ToolUseID string
	Result    gjson.Result // toolUseResult, an object with answers
}

// maxCalls bounds the calls whose results are awaited while a file is read; beyond it the older
// ones are forgotten.
const maxCalls = 4096

// Call is a finished tool call as the transcript has it: the fact that PostToolUse or
// PostToolUseFailure would have brought.
type Call struct {
	ID       string // tool_use_id
	Tool     string
	Cwd      string
	Input    gjson.Result
	Response gjson.Result
	Error    string    // the output of a command that failed, its exit code first
	At       time.Time // when it was made; zero if its line has no time
}

// awaited is a quick check whether a line is the result of a remembered call and has the address of
// a pull or merge request, or a sign that qmd could not be reached (R53).
func (c *counter) awaited(line []byte) bool {
	if kind := headType(line); len(c.called) == 0 || kind != "user" && kind != "" {
		return false
	}
	_, rest, found := bytes.Cut(line, []byte(`"tool_use_id":`))
	id, rest, ok := quoted(bytes.TrimLeft(rest, " "))
	if _, known := c.called[string(id)]; !found || !ok || !known {
		return false
	}
	for _, sign := range []string{"/pull", "/merge_requests/", "qmd-unreachable", "Exit code 78"} {
		if bytes.Contains(rest, []byte(sign)) {
			return true
		}
	}
	return false
}

// calls remembers what an assistant's line calls, among the tools that can reach a forge.
func (c *counter) calls(r record) {
	if !c.tools || !strings.Contains(r.message.Raw, `"tool_use"`) {
		return
	}
	for b := range blocks(r.message, "tool_use") {
		tool := text(b.Get("name"))
		switch {
		case strings.HasPrefix(tool, "mcp__"):
		case tool == "Bash" || tool == "PowerShell" || tool == "Monitor":
		default:
			continue
		}
		if len(c.called) >= maxCalls {
			clear(c.called)
		}
		at, _ := time.Parse(time.RFC3339Nano, r.at)
		id := strings.Clone(b.Get("id").String())
		c.called[id] = Call{
			ID: id, Tool: strings.Clone(tool), Cwd: strings.Clone(r.cwd),
			Input: kept(b.Get("input")), At: at,
		}
	}
}

// returned records a call whose result has such a sign. It takes a failed call only if the command
// ran, so not if a hook or a person held it back.
func (c *counter) returned(r record) {
	if !c.tools || !r.result.Exists() {
		return
	}
	for b := range blocks(r.message, "") {
		call, known := c.called[b.Get("tool_use_id").String()]
		if !known {
			continue
		}
		if !b.Get("is_error").Bool() {
			call.Response = kept(r.result)
			c.done = append(c.done, call)
		} else if call.Error = plainText(b); strings.HasPrefix(call.Error, "Exit code ") {
			c.done = append(c.done, call)
		}
		return
	}
}

// kept is a value in memory of its own: the line that holds it is overwritten by the next one.
func kept(v gjson.Result) gjson.Result { return gjson.Parse(strings.Clone(v.Raw)) }
