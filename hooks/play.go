package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
)

// player plays the client in a demo: it builds the events of one session and starts the program for
// each, as the client does.
type player struct {
	program    string // this program
	project    string
	transcript string
	session    string
	prompt     string
	pid        string // of another client; "" for the one that is played: this process itself
	spent      int
}

// fields are what an event carries beyond the common ones, as paths and values in turn; a value is
// text, or JSON after a leading "=".
type fields []string

func (p *player) payload(event string, f fields) string {
	out := "{}"
	for _, kv := range [][2]string{
		{"session_id", p.session}, {"transcript_path", p.transcript}, {"cwd", p.project},
		{"prompt_id", p.prompt}, {"permission_mode", "acceptEdits"}, {"hook_event_name", event},
	} {
		out, _ = sjson.Set(out, kv[0], kv[1])
	}
	for i := 0; i+1 < len(f); i += 2 {
		if raw, isJSON := strings.CutPrefix(f[i+1], "="); isJSON {
			out, _ = sjson.SetRaw(out, f[i], raw)
		} else {
			out, _ = sjson.Set(out, f[i], f[i+1])
		}
	}
	return out
}

// send starts the program for one event and returns its reply.
func (p *player) send(word, event string, f fields) (gjson.Result, error) {
	out, err := p.run(strings.NewReader(p.payload(event, f)), word)
	return gjson.ParseBytes(bytes.TrimSpace(out)), err
}

func (p *player) run(stdin *strings.Reader, args ...string) ([]byte, error) {
	cmd := exec.Command(p.program, args...)
	cmd.Stdin, cmd.Dir = stdin, p.project
	cmd.Env = append(os.Environ(), "CLAUDE_PROJECT_DIR="+p.project,
		"CLAUDE_CODE_SESSION_ID="+p.session,
		"CLAUDE_PID="+p.pid, "CLAUDE_CODE_SESSION_ATTENDED=1", "PWD="+p.project,
		"CLAUDE_CONFIG_DIR="+p.config(), "CLAUDE_ENV_FILE="+p.envFile(),
		"HOOKS_STATE_HOME="+filepath.Join(p.project, ".state"))
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err == nil && errs.Len() > 0 {
		err = fmt.Errorf("%s", bytes.TrimSpace(errs.Bytes()))
	}
	return out, err
}

// config is the client's folder, and envFile the text that it evaluates before the session's Bash
// commands.
func (p *player) config() string { return filepath.Join(p.project, ".client") }

func (p *player) envFile() string {
	return filepath.Join(p.config(), "session-env", p.session, "sessionstart-hook-1.sh")
}

// start begins the session.
func (p *player) start() error {
	if err := os.MkdirAll(filepath.Dir(p.envFile()), 0o700); err != nil {
		return err
	}
	_, err := p.send("session-start", "SessionStart", fields{"source", "startup"})
	return err
}

// spend writes an answer of the model with its usage to the transcript, as the client does.
func (p *player) spend(output int) error {
	p.spent++
	f, err := os.OpenFile(p.transcript, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = fmt.Fprintf(f, `{"type":"assistant","requestId":"req_%d","message":{"id":"msg_%[1]d",`+
		`"role":"assistant","model":"claude-opus-5-5","content":[{"type":"text","text":"done"}],`+
		`"usage":{"input_tokens":1000,"output_tokens":%d}}}`+"\n", p.spent, output)
	return err
}
