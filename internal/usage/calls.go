package usage

import (
	"bytes"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// mostCalls bounds the calls whose results are awaited while a file is read; beyond it the older ones are forgotten.
const mostCalls = 4096

// Call is a finished tool call as the transcript has it: what PostToolUse or PostToolUseFailure would have told.
type Call struct {
	ID       string // tool_use_id
	Tool     string
	Cwd      string
	Input    gjson.Result
	Response gjson.Result
	Error    string    // what a command said that ended with an error, its exit code first
	At       time.Time // when it was made; zero where its line has no time
}

// awaited says, as cheaply as can be, whether a line is the result of a remembered call and has the address of a pull or
// merge request, or a sign that qmd could not be reached (R53).
func (c *counter) awaited(line []byte) bool {
	if kind := headType(line); len(c.called) == 0 || kind != "user" && kind != "" { // unknown where blanks stand between
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
	r.message.Get("content").ForEach(func(_, block gjson.Result) bool {
		if name := text(block.Get("name")); text(block.Get("type")) == "tool_use" && reaches(name) {
			if len(c.called) >= mostCalls {
				clear(c.called)
			}
			at, _ := time.Parse(time.RFC3339Nano, r.at)
			id := clone(block.Get("id"))
			c.called[id] = Call{ID: id, Tool: strings.Clone(name), Cwd: strings.Clone(r.cwd), Input: kept(block.Get("input")), At: at}
		}
		return true
	})
}

func reaches(tool string) bool {
	return tool == "Bash" || tool == "PowerShell" || tool == "Monitor" || strings.HasPrefix(tool, "mcp__")
}

// returned takes note of a call whose result has such a sign. Of those that failed only a command that ran is told: what
// a hook or a person held back was none.
func (c *counter) returned(r record) {
	if !c.tools || !r.result.Exists() {
		return
	}
	r.message.Get("content").ForEach(func(_, block gjson.Result) bool {
		call, known := c.called[block.Get("tool_use_id").String()]
		if !known {
			return true
		}
		if !block.Get("is_error").Bool() {
			call.Response = kept(r.result)
			c.done = append(c.done, call)
		} else if call.Error = plainText(block); strings.HasPrefix(call.Error, "Exit code ") {
			c.done = append(c.done, call)
		}
		return !known
	})
}

// kept is a value in memory of its own.
func kept(v gjson.Result) gjson.Result { return gjson.Parse(strings.Clone(v.Raw)) }
