package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hooks/internal/app"
	"hooks/internal/seal"
)

// A call that gets no answer, because of a bug or because no one reads it, fails with 1 while a
// loop of its session is on, so that the client holds it back, and with 0 otherwise; never with 2.
func TestACallWithoutAnAnswerFailsOnlyWhileALoopIsOn(t *testing.T) {
	for _, one := range []struct {
		name, word, in, log string
		says                [2]string // without a loop, and with one
	}{
		{"a bug", "session-end", `{"session_id":"s2","hook_event_name":"SessionEnd"}`, "panic",
			[2]string{"internal error: broken", "internal error: broken"}},
		{"no reader", "pre-tool-use", `{"session_id":`, "", // without a loop nothing is written
			[2]string{"stdin ends in the middle", "write reply: io: read/write on closed pipe"}},
	} {
		t.Run(one.name, func(t *testing.T) {
			withoutAnAnswer(t, one.word, one.in, one.log, one.says)
		})
	}
}

func withoutAnAnswer(t *testing.T, word, in, log string, says [2]string) {
	state := t.TempDir()
	env := func(name string) string {
		switch name {
		case "HOOKS_LOG": // asked for once the event is answered
			if log == "panic" {
				panic("broken")
			}
		case "HOOKS_STATE_HOME":
			return state
		case "CLAUDE_CODE_SESSION_ID":
			return "s1"
		}
		return ""
	}
	unread, out := io.Pipe()
	if err := unread.Close(); err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{0, 1} {
		if want == 1 {
			path := seal.SwitchPath(state, "s1")
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte("{}"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		var errs strings.Builder
		code, isHook := hook(app.New(env), word, strings.NewReader(in), out, &errs)
		if !isHook || code != want || !strings.Contains(errs.String(), says[want]) {
			t.Errorf("it exits with %d, want %d: %s", code, want, errs.String())
		}
	}
}
