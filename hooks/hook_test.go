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

// A bug of the program fails a call with 1 while a loop of its session is on, so that the client
// holds it back, and with 0 otherwise; never with 2.
func TestABugFailsOnlyWhileALoopIsOn(t *testing.T) {
	state := t.TempDir()
	env := func(name string) string {
		switch name {
		case "HOOKS_LOG": // asked for once the event is answered
			panic("broken")
		case "HOOKS_STATE_HOME":
			return state
		case "CLAUDE_CODE_SESSION_ID":
			return "s1"
		}
		return ""
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
		in := strings.NewReader(`{"session_id":"s2","hook_event_name":"SessionEnd"}`)
		code, isHook := hook(&app.App{Env: env}, "session-end", in, io.Discard, &errs)
		if !isHook || code != want || !strings.Contains(errs.String(), "internal error: broken") {
			t.Errorf("it exits with %d, want %d: %s", code, want, errs.String())
		}
	}
}
