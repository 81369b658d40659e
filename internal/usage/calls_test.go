package usage

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func callLine(id, tool, command string) string {
	return fmt.Sprintf(
		`{"type":"assistant","timestamp":"2026-11-20T12:00:00.000Z","cwd":"/p","message":{"id":"m%s","model":"claude-opus-5-5","content":`+
			`[{"type":"tool_use","id":%q,"name":%q,"input":{"command":%q}}],"usage":{"input_tokens":0,"output_tokens":0}}}`, id, id, tool, command)
}

func resultLine(id, flags, out string) string {
	return fmt.Sprintf(
		`{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":%q,"content":"x"%s}]},"toolUseResult":{"stdout":%q}}`, id, flags, out)
}

// TestCalls: only a call of a tool that reaches a forge is told, with an address in its result, or
// a command that failed for qmd.
func TestCalls(t *testing.T) {
	const pr, mr = "https://github.com/o/r/pull/7", "https://gitlab.com/o/r/-/merge_requests/8"
	tr := newTree(t)
	lines := func(path string, list ...string) {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(strings.Join(list, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	lines(tr.main,
		callLine("a", "Bash", "gh pr create"), resultLine("a", "", pr),
		callLine("b", "Bash", "make"), resultLine("b", "", "done"),
		callLine("c", "Read", "x"), resultLine("c", "", pr),
		callLine("d", "Bash", "gh pr create"), resultLine("d", `,"is_error":true`, pr),
		callLine("e", "mcp__gitlab__create_note", "x"), callLine("f", "Bash", "glab mr note"),
		resultLine("f", "", mr), resultLine("e", "", mr),
		resultLine("unknown", "", pr), callLine("g", "Bash", "gh pr create"),
		callLine("i", "Bash", "qmd query"),
		`{"type": "user", "message": {"role": "user", "content": [{"type": "tool_result", "content": "Exit code 78\nno", "is_error": true, "tool_use_id": "i"}]}, "toolUseResult": "Error: Exit code 78\nno"}`,
		callLine("j", "Bash", "qmd query"),
		resultLine("j", `,"is_error":true`, "hook error: qmd-unreachable"),
	)
	lines(tr.agent("agent-1"), callLine("h", "Bash", "gh pr create"), resultLine("h", "", pr),
		resultLine("a", "", pr))
	r, err := Count(tr.main, nil, NewTable(nil))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range r.Calls {
		got = append(got,
			strings.Join([]string{c.ID, c.Tool, c.Cwd, c.Input.Get("command").Str,
				c.Response.Get("stdout").Str + c.Error, c.At.Format("15:04")}, " "))
	}
	want := []string{
		"h Bash /p gh pr create " + pr + " 12:00", "a Bash /p gh pr create " + pr + " 12:00",
		"f Bash /p glab mr note " + mr + " 12:00", "e mcp__gitlab__create_note /p x " + mr +
			" 12:00",
		"i Bash /p qmd query Exit code 78\nno 12:00",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
