package usage

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hooks/internal/loop"
)

const gate = "testdata/scheduled-with-gate.jsonl"

func TestPromptStartOnRecordings(t *testing.T) {
	tests := []struct {
		file, prompt string
		line         int // before which the prompt begins
		loop, found  bool
	}{
		{gate, "adeb0a9e-524f-486a-9bde-ae14b59dcf39", 0, true, true},
		{gate, "9695e1ab", 0, false, false}, // only a part of an id
		{"testdata/session.jsonl", "aa45324a-b8b9-4a85-8041-6a6feb4f7826", 0, true, true},
		{"testdata/interrupted.jsonl", "dc9a94c9-36e8-46c2-997d-8f8d617cb01d", 0, false, true},
		{"testdata/interrupted.jsonl", "a9c12685-e5b0-470b-be8b-73df07523090", 4, false, true},
		{"testdata/interrupted.jsonl", "", 0, false, false},
		{"testdata/none.jsonl", "x", 0, false, false},
	}
	for _, tt := range tests {
		start, found := PromptStart(tt.file, tt.prompt)
		offset, underLoop := start.Offset, start.UnderLoop
		if underLoop != tt.loop || found != tt.found || offset != startOf(t, tt.file, tt.line) {
			t.Errorf("%s %s: offset %d, loop %v, found %v", tt.file, tt.prompt, offset, underLoop,
				found)
		}
	}
}

// startOf is the offset of a line, from 0.
func startOf(t *testing.T, file string, line int) (n int64) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil && line > 0 {
		t.Fatal(err)
	}
	for _, l := range strings.SplitAfter(string(b), "\n")[:line] {
		n += int64(len(l))
	}
	return n
}

func TestPromptStartSearchesTheEndOnly(t *testing.T) {
	tr := newTree(t)
	user := `{"isSidechain":false,"promptId":"P","type":"user","message":{"content":[{"type":"text","text":"<command-name>/loop</command-name>"}]}}`
	tr.add(tr.main,
		user, // far before
		`{"type":"attachment","x":"`+strings.Repeat("y", promptTail)+`"}`,
		`{"type":"api-request","body":`+user+`}`,
		`{"body":`+user+`,"type":"api-request"}`,
		strings.Replace(user, "false", "true", 1),
		strings.Replace(user, `"user"`, `"assistant"`, 1),
		user, user)
	start, found := PromptStart(tr.main, "P")
	offset, underLoop := start.Offset, start.UnderLoop
	if !found || !underLoop || offset != startOf(t, tr.main, 6) {
		t.Errorf("offset %d, loop %v, found %v", offset, underLoop, found)
	}
}

func TestSenderIsASchedule(t *testing.T) {
	b, err := os.ReadFile(gate)
	if err != nil {
		t.Fatal(err)
	}
	const prompt = "/sdd:work --loop --max-iterations 5"
	lines := strings.SplitAfter(string(b), "\n")
	for _, tt := range []struct {
		upTo   int
		add    string
		prompt string
		want   bool
	}{
		{13, "", prompt, false},
		{14, "", prompt, true},
		{14, "", "/sdd:review --loop", false},
		{14, `{"type":"attachment","attachment":{"type":"date"}}` + "\n" +
			`{"type":"queue-operation"}` + "\n", prompt, true},
		{14, `{"type":"queue-operation","operation":"enqueue","content":"` + prompt + `"}` + "\n" +
			`{"type":"queue-operation","operation":"dequeue"}` + "\n", prompt, true},
		{14, strings.Replace(lines[13], prompt, "/other", 1), prompt, true},
		{14, `{"type":"user","mess`, prompt, true},
		{14, "\n{rubbish \"user\"\n", prompt, true},
		{15, "", prompt, false},
		{19, "", prompt, false},
		{20, "", prompt, true},
	} {
		path := filepath.Join(t.TempDir(), "t.jsonl")
		if err := os.WriteFile(path, []byte(strings.Join(lines[:tt.upTo], "")+tt.add),
			0o600); err != nil {
			t.Fatal(err)
		}
		if got := Sender(path, tt.prompt) == loop.SenderSchedule; got != tt.want {
			t.Errorf("up to line %d, %q, prompt %q: %v", tt.upTo, tt.add, tt.prompt, got)
		}
	}
	if Sender("testdata/none.jsonl", prompt) != loop.SenderPerson {
		t.Error("fired without a transcript")
	}
}

// TestTyped: what a schedule or the client itself submits is no person's prompt.
func TestTyped(t *testing.T) {
	const typed = `"<command-name>/loop</command-name>` +
		`<command-args>1m /hooks:do -- x</command-args>"`
	line := func(origin, content string) string {
		return `{"type":"user"` + origin + `,"message":{"role":"user","content":` + content + `}}`
	}
	const human, scheduled = `,"turnOrigin":"human"`, `,"turnOrigin":"scheduled"`
	prompt := line(human, `"x"`)
	fire := `{"type":"system","subtype":"scheduled_task_fire","prompt":"/loop  1m /hooks:do -- x "}`
	for name, tt := range map[string]struct {
		lines []string
		want  bool
	}{
		"a person":             {[]string{line(human, typed)}, true},
		"a schedule":           {[]string{prompt, fire, line(scheduled, typed)}, false},
		"a note of the client": {[]string{prompt, line("", typed)}, false},
		"no person":            {[]string{prompt}, false},
	} {
		tr := newTree(t)
		tr.add(tr.main, strings.Join(tt.lines, "\n"))
		is := func(prompt string) bool { return prompt == "/loop 1m /hooks:do -- x" }
		if got := Typed(tr.main, is); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestWaitFlushedFindsTheLastMessage(t *testing.T) {
	if !WaitFlushed(gate, "tick four") ||
		!WaitFlushed(gate, " tick four\n") {
		t.Error("the last message is there")
	}
	if !WaitFlushed("testdata/none.jsonl", "") {
		t.Error("nothing to wait for")
	}
	tr := newTree(t)
	tr.add(tr.main,
		`{"type":"assistant","message":{"content":[{"type":"text","text":"type first"}]}}`,
		`{"type":"summary"}`)
	if !WaitFlushed(tr.main, "type first") {
		t.Error("the order of a line's fields is the client's affair")
	}
	// "tick three" is before the last prompt
	for _, text := range []string{"tick three", "another"} {
		if ends(readTail(gate, -1, lastTail), text) {
			t.Errorf("%q is not the last message", text)
		}
	}
}

func TestWaitFlushedWaitsForTheWriter(t *testing.T) {
	for name, early := range map[string]bool{"file not there yet": false,
		"same words in the turn before": true} {
		t.Run(name, func(t *testing.T) {
			// a writer whom a busy machine keeps off longer than the client ever took is late
			for range 20 {
				if flushedWhileWaiting(t, early) {
					return
				}
			}
			t.Error("the message was written in time")
		})
	}
}

// flushedWhileWaiting says whether a message is found that is written once the wait has begun.
func flushedWhileWaiting(t *testing.T, early bool) bool {
	tr := newTree(t)
	if early {
		tr.add(tr.main, said1{id: "a", text: "done"},
			`{"type":"user","message":{"content":"next"}}`)
	}
	line := said1{id: "b", text: "done"}.String()
	flushed := make(chan bool)
	go func() { flushed <- WaitFlushed(tr.main, "spawning\n\ndone") }()
	time.Sleep(20 * time.Millisecond)
	f, _ := os.OpenFile(tr.main, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	f.WriteString(line[:100])
	time.Sleep(10 * time.Millisecond)
	f.WriteString(line[100:] + "\n")
	f.Close()
	return <-flushed
}
