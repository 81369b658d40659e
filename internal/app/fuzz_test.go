package app

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"hooks/internal/event"
	"hooks/internal/inspect"
	"hooks/internal/kind"
	"hooks/internal/store"
)

// stage is a project with an open iteration at which a question waits, and its files to begin from
// again.
type stage struct {
	project, transcript string
	files               map[string][]byte
}

func (s *stage) app() *App {
	a := New(func(name string) string {
		switch name {
		case "CLAUDE_PROJECT_DIR":
			return s.project
		case "CLAUDE_CODE_SESSION_ID":
			return "s1"
		}
		return ""
	})
	a.Now = func() time.Time { return time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC) }
	a.RunID, a.Wait = func() string { return "run-1" }, 1
	return a
}

// base is what every event of the stage carries.
func (s *stage) base(name, more string) string {
	return `{"session_id":"s1","prompt_id":"p1","cwd":` + jsonText(s.project) +
		`,"transcript_path":` + jsonText(s.transcript) +
		`,"hook_event_name":"` + name + `"` + more + `}`
}

func jsonText(s string) string { return `"` + strings.ReplaceAll(s, `\`, `\\`) + `"` }

func newStage(f *testing.F) *stage {
	dir := f.TempDir()
	s := &stage{project: filepath.Join(dir, "p"), transcript: filepath.Join(dir, "s1.jsonl"),
		files: map[string][]byte{}}
	if err := os.Mkdir(s.project, 0o755); err != nil {
		f.Fatal(err)
	}
	f.Setenv("CLAUDE_PID", "")
	open := s.base("UserPromptExpansion",
		`,"command_name":"sdd:work","command_args":"--loop","prompt":"/sdd:work --loop"`)
	if a := s.app().Handle("user-prompt-expansion", strings.NewReader(open)); a.Err != nil ||
		a.Reply.Blocks() {
		f.Fatal(a.Err, a.Reply.Reason)
	}
	facts := `{"plan":[149],"issues":[{"number":149,"criteria":"tbd"}],"failures":[{"kind":"issue","number":44,"cause":"x"}]}`
	if _, err := s.app().Report(strings.NewReader(facts)); err != nil {
		f.Fatal(err)
	}
	entries, err := os.ReadDir(filepath.Join(s.project, store.Dir))
	if err != nil {
		f.Fatal(err)
	}
	for _, e := range entries {
		if e.Type().IsRegular() {
			s.files[e.Name()], _ = os.ReadFile(filepath.Join(s.project, store.Dir, e.Name()))
		}
	}
	return s
}

// reset puts the files back, with one of them changed.
func (s *stage) reset(t *testing.T, name string, body []byte) {
	t.Helper()
	dir := filepath.Join(s.project, store.Dir)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for file, text := range s.files {
		if err := os.WriteFile(filepath.Join(dir, file), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if name != "" {
		if err := os.WriteFile(filepath.Join(dir, name), body, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// play sends one event and holds the answer against the rules of every answer.
func (s *stage) play(t *testing.T, word string, payload []byte) Answer {
	t.Helper()
	a := s.app().Handle(word, bytes.NewReader(payload))
	if a.Err != nil && strings.Contains(a.Err.Error(), "internal error") {
		t.Fatalf("%s: %v\n%s", word, a.Err, payload)
	}
	reply := a.Reply.Encode(event.NameOf(word))
	if len(reply) > 0 &&
		(!gjson.ValidBytes(reply) || reply[0] != '{' || bytes.ContainsRune(reply, '\n')) {
		t.Fatalf("%s: the reply is no JSON object of one line: %q", word, reply)
	}
	if len(reply) > 256<<10 {
		t.Fatalf("%s: the reply has %d bytes", word, len(reply))
	}
	if a.After != nil {
		_ = a.After()
	}
	return a
}

// FuzzHandle: any event, in the middle of an iteration at which a question waits, gets an answer
// that the client can read, and leaves files that can be read.
func FuzzHandle(f *testing.F) {
	s := newStage(f)
	paths, _ := filepath.Glob("../event/testdata/payloads/*.json")
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		name := gjson.GetBytes(raw, "hook_event_name").Str
		for i, w := range event.Words {
			if w.Name == name {
				f.Add(uint8(i), raw)
				f.Add(uint8(i),
					bytes.Replace(raw, []byte(gjson.GetBytes(raw, "session_id").Str), []byte("s1"),
						1))
			}
		}
	}
	f.Add(uint8(0),
		[]byte(s.base("Stop",
			`,"session_crons":[{"prompt":"/loop /sdd:work --loop"}],"background_tasks":[{"status":"running","type":"subagent"}]`)))
	f.Add(uint8(2),
		[]byte(s.base("PostToolUse",
			`,"tool_name":"AskUserQuestion","tool_input":{},"tool_response":{"answers":{"a":"b"}}`)))
	f.Fuzz(func(t *testing.T, which uint8, payload []byte) {
		s.reset(t, "", nil)
		s.play(t, event.Words[int(which)%len(event.Words)].Word, payload)
		files, err := store.Open(s.project)
		if err != nil {
			t.Fatal(err)
		}
		for _, skill := range kind.Skills() {
			if _, err := files.Load(skill); err != nil {
				t.Errorf("%s: %v", skill, err)
			}
		}
	})
}

// FuzzState: whatever is in one of the state's files, every event is answered, a merge stays
// shut, and no dispatch passes the question that waits.
func FuzzState(f *testing.F) {
	s := newStage(f)
	names := []string{"work.budget.json", "work.tick.json", "work.lock", "work.claim.json",
		"work.history.jsonl", "review.budget.json", "review.tick.json"}
	for i, name := range names {
		if text, ok := s.files[name]; ok {
			f.Add(uint8(i), text)
			f.Add(uint8(i), text[:len(text)/2])
		}
		f.Add(uint8(i), []byte(`{"version":99}`))
		f.Add(uint8(i), []byte("\x00"))
	}
	calls := map[string]string{
		"pre-tool-use": s.base("PreToolUse",
			`,"tool_name":"Bash","tool_use_id":"t","tool_input":{"command":"gh pr merge 142"}`),
		"stop": s.base("Stop", ""),
		"user-prompt-expansion": s.base("UserPromptExpansion",
			`,"command_name":"sdd:work","command_args":"--loop --resume","prompt":"/sdd:work --loop"`),
		"session-end": s.base("SessionEnd", `,"reason":"other"`),
	}
	f.Fuzz(func(t *testing.T, which uint8, body []byte) {
		name := names[int(which)%len(names)]
		for word, payload := range calls {
			s.reset(t, name, body)
			a := s.play(t, word, []byte(payload))
			if gone := name == "work.budget.json" ||
				name == "work.tick.json"; word == "pre-tool-use" && !gone && !a.Reply.Blocks() {
				t.Errorf("a merge passes with %s = %q", name, body)
			}
		}
		d := &inspect.Inspector{Env: s.app().Env, Now: s.app().Present}
		_, _ = d.Stands(kind.Skills())
		_, _ = d.Waiting(kind.Skills())
	})
}

// FuzzReport: a report is taken or refused; refused, it changes nothing.
func FuzzReport(f *testing.F) {
	s := newStage(f)
	f.Add(
		[]byte(
			`{"skill":"work","backlog":{"unblocked":[143],"blocked":[150],"in_progress":[50]},"edges":[[50,51]],"plan":[143],"outcome":"ok","note":"n"}`))
	f.Add(
		[]byte(
			`{"prs":[{"number":142,"state":"do-not-merge","labels":["x"],"human_feedback":true,"new":true}],"comments_pushed":4,"qmd":{"unreachable":true,"error":"e"}}`))
	f.Add([]byte(`{"failures":[{"kind":"pr","number":1,"cause":"` + "\x1b[2J" +
		`"}],"worktrees":[{"path":"a","branch":"b","head_sha":"c"}]} x`))
	tick := filepath.Join(s.project, store.Dir, "work.tick.json")
	f.Fuzz(func(t *testing.T, raw []byte) {
		s.reset(t, "", nil)
		said, err := s.app().Report(bytes.NewReader(raw))
		now, _ := os.ReadFile(tick)
		switch {
		case err != nil && !bytes.Equal(now, s.files["work.tick.json"]):
			t.Errorf("refused with %v, and changed", err)
		case err == nil && (said == "" || !gjson.ParseBytes(now).Get("reported").Bool()):
			t.Errorf("taken, but %q is said and %s kept", said, now)
		}
	})
}
