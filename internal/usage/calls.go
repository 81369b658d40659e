package usage

import (
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// Answer is the end of one AskUserQuestion dialog from the transcript: the fact that PostToolUse
// would have reported. The caller decides whether it is a person's decision.
type Answer struct {
	ToolUseID string
	Result    gjson.Result // toolUseResult, an object with answers
}

// maxCalls bounds the calls whose results are awaited while a file is read. Once it is reached, all
// of them are forgotten.
const maxCalls = 4096

// Call is a finished tool call from the transcript: the fact that PostToolUse or PostToolUseFailure
// would have reported.
type Call struct {
	ID       string // tool_use_id
	Tool     string
	Cwd      string
	Input    gjson.Result
	Response gjson.Result
	Error    string    // the output of a command that failed, its exit code first
	At       time.Time // of the call; zero if its line has no time
}

// signs mark the results that may belong to a call: the address of a pull or merge request, or a
// sign that qmd was unreachable (R53).
var signs = [...]string{"/pull", "/merge_requests/", "qmd-unreachable", "Exit code 78"}

// mayReturn reports whether a user's line may hold the result of a remembered call, without parsing
// it.
func (c *counter) mayReturn(line string) bool {
	return len(c.called) > 0 && slices.ContainsFunc(signs[:], func(sign string) bool {
		return strings.Contains(line, sign)
	})
}

// calls remembers the calls in an assistant's line to tools that can reach a forge.
func (c *counter) calls(r record) {
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

// returned records the call whose result the line holds. It records a failed call only if the
// command ran, not if a hook or a person refused it.
func (c *counter) returned(r record) {
	if !r.result.Exists() {
		return
	}
	for b := range blocks(r.message, "") {
		call, known := c.called[b.Get("tool_use_id").String()]
		if !known {
			continue
		}
		if !b.Get("is_error").Bool() {
			call.Response = kept(r.result)
			c.res.Calls = append(c.res.Calls, call)
		} else if call.Error = plainText(b); strings.HasPrefix(call.Error, "Exit code ") {
			c.res.Calls = append(c.res.Calls, call)
		}
		return
	}
}

// kept returns a copy of v that does not share memory with the line, which is overwritten by the
// next one.
func kept(v gjson.Result) gjson.Result { return gjson.Parse(strings.Clone(v.Raw)) }
