package event

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"

	"hooks/internal/guard/effect"

	"hooks/internal/hint"
)

const plainStop = `{"session_id":"s","hook_event_name":"Stop"}`

// A pipe whose other end stays open must not hold the hook: the value is complete.
func TestReadOneValueOfAHangingPipe(t *testing.T) {
	for _, after := range []string{"", "\n", plainStop, "rubbish"} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		defer w.Close()
		if _, err := io.WriteString(w, plainStop+after); err != nil {
			t.Fatal(err)
		}
		e, err := Read("stop", r)
		if err != nil || e.SessionID != "s" {
			t.Errorf("with %q behind: %v, %v", after, e.SessionID, err)
		}
	}
}

// Text that can be no object is refused before the pipe's other end closes.
func TestReadRefusesRubbishOfAHangingPipe(t *testing.T) {
	for _, in := range []string{"rubbish", "[]", "}", `{"a":1]`,
		strings.Repeat("[", maxNesting+1)} {
		r, w := io.Pipe()
		go func() { _, _ = io.WriteString(w, in) }()
		if _, err := Read("stop", r); err == nil || hint.Of(err) == "" {
			t.Errorf("%.10s: %v", in, err)
		}
		r.Close()
	}
}

// The answer must not depend on how the bytes arrive.
func TestReadByteByByte(t *testing.T) {
	for _, file := range payloads(t) {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		word := wordOf(gjson.GetBytes(raw, "hook_event_name").String())
		if word == "" {
			continue
		}
		whole, err1 := Read(word, bytes.NewReader(raw))
		slow, err2 := Read(word, iotest.OneByteReader(bytes.NewReader(raw)))
		if err1 != nil || err2 != nil {
			t.Fatal(file, err1, err2)
		}
		if diff := cmp.Diff(dump(whole), dump(slow)); diff != "" {
			t.Errorf("%s: %s", file, diff)
		}
	}
}

func TestReadTolerates(t *testing.T) {
	for name, in := range map[string]string{
		"byte order mark":      "\xef\xbb\xbf" + plainStop,
		"mark and white space": "\xef\xbb\xbf \r\n\t" + plainStop + "\n\n",
		"white space":          " \n" + plainStop,
		"unknown fields":       `{"session_id":"s","hook_event_name":"Stop","new":{"a":[1]}}`,
		"nulls":                `{"session_id":"s","hook_event_name":"Stop","cwd":null,"background_tasks":null,"stop_hook_active":null}`,
		"braces in strings":    `{"session_id":"s","hook_event_name":"Stop","last_assistant_message":"}\"}{\\"}`,
		"informing field":      `{"session_id":"s","hook_event_name":"Stop","last_assistant_message":7,"permission_mode":["x"]}`,
		"same key elsewhere":   `{"session_id":"s","hook_event_name":"Stop","a":{"k":1},"b":{"k":1},"c":[{"k":1},{"k":1}]}`,
		"escaped but distinct": `{"session_id":"s","hook_event_name":"Stop","\u0061":1,"\u0062":2}`,
	} {
		if e, err := Read("stop", strings.NewReader(in)); err != nil || e.SessionID != "s" {
			t.Errorf("%s: %+v, %v", name, e, err)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	pre := func(tool, input string) string {
		return `{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"` + tool +
			`","tool_input":` + input + `}`
	}
	for _, c := range []struct{ name, word, in, want string }{
		{"unknown word", "halt", plainStop, `"halt" is not a hook word`},
		{"empty", "stop", "", "stdin is empty"},
		{"blank", "stop", " \n", "stdin is empty"},
		{"rubbish", "stop", "rubbish", "stdin is not valid JSON: invalid character 'r'"},
		{"array", "stop", "[]", "stdin is not a JSON object: []"},
		{"half a mark", "stop", "\xef{}", "stdin is not valid JSON"},
		{"mark after space", "stop", " \xef\xbb\xbf{}", "stdin is not valid JSON"},
		{"truncated", "stop", `{"session_id":"s"`,
			"stdin ends in the middle of a JSON object"},
		{"too deep", "stop", `{"a":` + strings.Repeat("[", maxNesting) +
			strings.Repeat("]", maxNesting) + "}", "nested too deeply"},
		{"brackets crossed", "stop", `{"a":1]`, "stdin is not valid JSON"},
		{"not JSON", "stop", `{bad}`, "stdin is not valid JSON: invalid character 'b'"},
		{"other event", "pre-tool-use", plainStop,
			`field hook_event_name is "Stop", not "PreToolUse"`},
		{"no event", "stop", `{"session_id":"s"}`, "field hook_event_name is missing"},
		{"no session", "stop", `{"hook_event_name":"Stop"}`,
			"field session_id is missing or empty"},
		{"empty session", "stop", `{"hook_event_name":"Stop","session_id":""}`,
			"field session_id is missing or empty"},
		{"session is a number", "stop", `{"hook_event_name":"Stop","session_id":5}`,
			"field session_id has the wrong type: 5"},
		{"flag is a string", "stop",
			`{"hook_event_name":"Stop","session_id":"s","stop_hook_active":"true"}`,
			`field stop_hook_active has the wrong type: "true"`},
		{"flag is a number", "stop",
			`{"hook_event_name":"Stop","session_id":"s","stop_hook_active":1}`,
			"field stop_hook_active has the wrong type: 1"},
		{"tasks are an object", "stop",
			`{"hook_event_name":"Stop","session_id":"s","background_tasks":{}}`,
			"field background_tasks has the wrong type: {}"},
		{"a task is a string", "stop",
			`{"hook_event_name":"Stop","session_id":"s","background_tasks":["x"]}`,
			`field background_tasks.0 has the wrong type: "x"`},
		{"a task's status", "stop",
			`{"hook_event_name":"Stop","session_id":"s","background_tasks":[{"status":1}]}`,
			"field background_tasks.0.status has the wrong type: 1"},
		{"a cron's prompt", "stop",
			`{"hook_event_name":"Stop","session_id":"s","session_crons":[{},{"prompt":[]}]}`,
			"field session_crons.1.prompt has the wrong type: []"},
		{"no tool", "pre-tool-use", `{"session_id":"s","hook_event_name":"PreToolUse"}`,
			"field tool_name is missing"},
		{"input is a string", "pre-tool-use", pre("Bash", `"ls"`),
			`field tool_input has the wrong type: "ls"`},
		{"command is a list", "pre-tool-use", pre("Bash", `{"command":["ls"]}`),
			`field tool_input.command has the wrong type: ["ls"]`},
		{"skill is a number", "pre-tool-use", pre("Skill", `{"skill":1}`),
			"field tool_input.skill has the wrong type: 1"},
		{"args is a number", "pre-tool-use", pre("Skill", `{"skill":"a","args":2}`),
			"field tool_input.args has the wrong type: 2"},
		{"wakeup prompt", "pre-tool-use", pre("ScheduleWakeup", `{"prompt":true}`),
			"field tool_input.prompt has the wrong type: true"},
		{"path is an object", "pre-tool-use", pre("Write", `{"file_path":{}}`),
			"field tool_input.file_path has the wrong type: {}"},
		{"same key twice", "stop", `{"session_id":"s","hook_event_name":"Stop","session_id":"t"}`,
			`key "session_id" appears twice`},
		{"same key escaped", "pre-tool-use", pre("Bash", `{"command":"ls","\u0063ommand":"rm"}`),
			`key "command" appears twice`},
		{"same key deep", "pre-tool-use", pre("x", `{"a":[[{"b":{"c":1,"d":[],"c":2}}]]}`),
			`key "c" appears twice`},
		{"same empty key", "pre-tool-use", pre("x", `{"":1,"":2}`), `key "" appears twice`},
	} {
		e, err := Read(c.word, strings.NewReader(c.in))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
			continue
		}
		if hint.Of(err) == "" {
			t.Errorf("%s: %v has no hint", c.name, err)
		}
		if diff := cmp.Diff(dump(Event{}), dump(e)); diff != "" {
			t.Errorf("%s: refused, yet decoded: %s", c.name, diff)
		}
	}
}

// An MCP tool may call its members what it likes.
func TestReadLeavesOtherToolsAlone(t *testing.T) {
	in := `{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"mcp__x__y","tool_input":{"command":["a"],"args":{"b":1}}}`
	e, err := Read("pre-tool-use", strings.NewReader(in))
	if err != nil {
		t.Fatal(err)
	}
	fields, whole := e.Fields()
	want := []effect.Field{{Path: "command.0", Value: "a"}, {Path: "args.b", Value: "1"}}
	if diff := cmp.Diff(want, fields); diff != "" || !whole {
		t.Error(whole, diff)
	}
}

func TestReadBounds(t *testing.T) {
	payload := func(size int) string {
		head := `{"session_id":"s","hook_event_name":"Stop","last_assistant_message":"`
		return head + strings.Repeat("x", size-len(head)-2) + `"}`
	}
	if _, err := Read("stop", strings.NewReader(payload(4<<20))); err != nil {
		t.Errorf("4 MiB: %v", err)
	}
	for _, size := range []int{4<<20 + 1, 5 << 20} {
		_, err := Read("stop", strings.NewReader(payload(size)))
		if err == nil || !strings.Contains(err.Error(), "over 4194304 bytes") {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
}

// The writer neither finishes nor closes: the reader's deadline ends it.
func TestReadDeadline(t *testing.T) {
	for _, in := range []string{"", " ", `{"session_id":"s",`} {
		r := io.MultiReader(strings.NewReader(in), iotest.ErrReader(os.ErrDeadlineExceeded))
		_, err := Read("stop", r)
		if err == nil ||
			!strings.Contains(err.Error(), "no complete JSON object on stdin after 5s") {
			t.Errorf("%q: %v", in, err)
		}
	}
}

func TestReadErrorOfTheReader(t *testing.T) {
	_, err := Read("stop", iotest.ErrReader(os.ErrPermission))
	if !errors.Is(err, os.ErrPermission) {
		t.Error(err)
	}
	if _, err = Read("stop", idle{}); !errors.Is(err, io.ErrNoProgress) {
		t.Error(err)
	}
}

type idle struct{}

func (idle) Read([]byte) (int, error) { return 0, nil }

// FuzzRead checks what Read accepts against the standard library, which takes the last of two equal
// keys where the reader used here takes the first.
func FuzzRead(f *testing.F) {
	files, _ := os.ReadDir("testdata/payloads")
	for _, file := range files {
		raw, err := os.ReadFile("testdata/payloads/" + file.Name())
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	f.Add([]byte("\xef\xbb\xbf" + plainStop + plainStop))
	f.Add([]byte(`{"session_id":"s","hook_event_name":"Stop","\ud800":1,"\ud800":2}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, w := range Words {
			e, err := Read(w.Word, bytes.NewReader(raw))
			if err != nil || !utf8.Valid(raw) {
				continue
			}
			compare(t, e, raw)
		}
	})
}

func compare(t *testing.T, e Event, raw []byte) {
	t.Helper()
	var std map[string]any
	if err := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(raw,
		[]byte("\xef\xbb\xbf")))).Decode(&std); err != nil {
		t.Fatalf("accepted, but not by the standard library: %v", err)
	}
	input, _ := std["tool_input"].(map[string]any)
	command, _ := e.ShellCommand()
	for key, got := range map[string]string{"session_id": e.SessionID, "hook_event_name": e.Name,
		"tool_name": e.Tool, "cwd": e.Cwd} {
		if want, _ := std[key].(string); want != got {
			t.Errorf("%s: %q, the standard library reads %q", key, got, want)
		}
	}
	if want, _ := input["command"].(string); command != "" && command != want {
		t.Errorf("command %q, the standard library reads %q", command, want)
	}
	e.Answers()
	e.Fields()
	e.Skill()
}
