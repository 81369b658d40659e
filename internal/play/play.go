// Package play simulates a session of the client. It creates the events that the client would send,
// starts a program with each and returns its reply. The demo, the doctor's self-test and the
// scripts that drive the program use it.
package play

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"

	"hooks/internal/child"
	"hooks/internal/event"
)

// Session is a simulated client session.
type Session struct {
	ID, Prompt string
	Project    string
	Transcript string
}

// Object returns a JSON object. fields alternates paths and values. A string that begins with a
// brace or a bracket is inserted as JSON.
func Object(fields ...any) string {
	text := "{}"
	for i := 0; i+1 < len(fields); i += 2 {
		path := fields[i].(string)
		if raw, ok := fields[i+1].(string); ok && raw != "" && strings.Contains("[{", raw[:1]) {
			text, _ = sjson.SetRaw(text, path, raw)
		} else {
			text, _ = sjson.Set(text, path, fields[i+1])
		}
	}
	return text
}

// Event returns the JSON input for a hook word. fields adds more members, as for Object.
func (s *Session) Event(word string, fields ...any) string {
	return Object(append([]any{
		"session_id", s.ID, "transcript_path", s.Transcript, "cwd", s.Project,
		"prompt_id", s.Prompt, "permission_mode", "acceptEdits",
		"hook_event_name", event.NameOf(word),
	}, fields...)...)
}

// Environ returns env with the variables that the client sets for a hook, and one that keeps the
// program's record inside the project. pid is the client's process id, or "" for this process.
func (s *Session) Environ(env []string, pid string) []string {
	return append(env, "CLAUDE_PROJECT_DIR="+s.Project, "CLAUDE_CODE_SESSION_ID="+s.ID,
		"CLAUDE_PID="+pid, "CLAUDE_CODE_SESSION_ATTENDED=1", "CLAUDECODE=1",
		"PWD="+s.Project, "HOOKS_STATE_HOME="+filepath.Join(s.Project, ".state"))
}

// wait is the time limit for one run of the program, even on a busy machine.
const wait = 5 * time.Second

// Run starts a program in the project and returns its output. Writing to stderr is an error, and an
// error includes the first line of stderr.
func (s *Session) Run(args, env []string, in string) (string, error) {
	r, err := child.Run(context.Background(), child.Command{Args: args, Env: env, Dir: s.Project,
		In: in, Wait: wait, Most: 1 << 20})
	if line := child.Line(r.Says); err == nil && line != "" {
		err = errors.New(line)
	}
	return strings.TrimSpace(string(r.Out)), err
}

// Send starts a program with an event and returns its reply, which must be a JSON object or empty.
func (s *Session) Send(args, env []string, event string) (reply gjson.Result, err error) {
	out, err := s.Run(args, env, event)
	if err == nil && out != "" && (!gjson.Valid(out) || out[0] != '{') {
		err = fmt.Errorf("the program printed %.100q, which is not a JSON object", out)
	}
	return gjson.Parse(out), err
}
