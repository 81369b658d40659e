package usage

import (
	"bytes"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// mostCalls bounds the calls whose results are awaited while a file is read; beyond it the older ones are forgotten.
const mostCalls = 4096

// Call is a finished tool call as the transcript has it: what PostToolUse would have told.
type Call struct {
	ID       string // tool_use_id
	Tool     string
	Cwd      string
	Input    gjson.Result
	Response gjson.Result
	At       time.Time // when it was made; zero where its line has no time
}

// awaited says, as cheaply as can be, whether a line is the result of a remembered call and has the address of a pull or
// merge request.
func (c *counter) awaited(line []byte) bool {
	if len(c.called) == 0 || headType(line) != "user" {
		return false
	}
	_, rest, found := bytes.Cut(line, []byte(`"tool_use_id":`))
	id, rest, ok := quoted(rest)
	if _, known := c.called[string(id)]; !found || !ok || !known {
		return false
	}
	return bytes.Contains(rest, []byte("/pull")) || bytes.Contains(rest, []byte("/merge_requests/"))
}

// calls remembers what an assistant's line calls, among the tools that can reach a forge.
func (c *counter) calls(r record) {
	if !c.opt.Calls || !strings.Contains(r.message.Raw, `"tool_use"`) {
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

// returned takes note of a call whose result names a pull or merge request. A failed call is none.
func (c *counter) returned(r record) {
	if !c.opt.Calls || !r.result.Exists() {
		return
	}
	r.message.Get("content").ForEach(func(_, block gjson.Result) bool {
		call, known := c.called[block.Get("tool_use_id").String()]
		if known && !block.Get("is_error").Bool() {
			call.Response = kept(r.result)
			c.res.Calls = append(c.res.Calls, call)
		}
		return !known
	})
}

// kept is a value in memory of its own.
func kept(v gjson.Result) gjson.Result { return gjson.Parse(strings.Clone(v.Raw)) }
