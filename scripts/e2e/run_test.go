//go:build e2e && linux

package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"strings"
	"time"
)

// command is the client with the environment it gets and nothing else.
func (w *World) command(ctx context.Context, args ...string) *exec.Cmd {
	for _, p := range w.Plugins {
		args = append(args, "--plugin-dir", p)
	}
	cmd := exec.CommandContext(ctx, clientProgram, args...)
	cmd.Dir = w.Project
	cmd.Env = []string{
		"HOME=" + w.Home, "PATH=" + w.Bin + ":" + os.Getenv("PATH"), "TERM=xterm",
		"ANTHROPIC_BASE_URL=" + w.Model.URL, "ANTHROPIC_API_KEY=dummy",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1",
	}
	cmd.Env = append(cmd.Env, w.Env...)
	return cmd
}

// tools are what the client may use without asking, so that no dialog but the program's own comes
// up.
const tools = "Bash,Agent,Skill,CronCreate,CronDelete,ScheduleWakeup"

// Interactive starts the client on a terminal and waits until it takes input.
func (w *World) Interactive(args ...string) *Terminal {
	w.t.Helper()
	args = append([]string{"--permission-mode", "acceptEdits", "--allowedTools", tools}, args...)
	term := startTerminal(w.t, w.command(context.Background(), args...))
	term.WaitScreen("accept edits on", 60*time.Second)
	return term
}

// Result is what a headless run ends with.
type Result struct {
	Result   string  `json:"result"`
	TotalUSD float64 `json:"total_cost_usd"`
	// Said are the texts shown to the person on the way, as in "Stop says: …".
	Said []string `json:"-"`
}

// Headless runs the client with one prompt and without a terminal.
func (w *World) Headless(prompt string, args ...string) (r Result) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	args = append([]string{"-p", prompt, "--output-format", "stream-json", "--verbose",
		"--allowedTools", tools}, args...)
	cmd := w.command(ctx, args...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		w.t.Fatalf("run client: %v", err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		var event struct{ Type, Subtype, Content string }
		if err := json.Unmarshal([]byte(line), &event); err != nil {
			w.t.Fatalf("read event %q: %v\nstderr: %s", line, err, stderr.String())
		}
		switch {
		case event.Type == "system" && event.Subtype == "informational":
			r.Said = append(r.Said, event.Content)
		case event.Type == "result":
			_ = json.Unmarshal([]byte(line), &r)
		}
	}
	return r
}

// hooks runs the program as a person does in a terminal of their own.
func (w *World) hooks(args ...string) string {
	w.t.Helper()
	out, err := w.tryHooks(args...)
	if err != nil {
		w.t.Errorf("hooks %v: %v\n%s", args, err, out)
	}
	return out
}

// tryHooks is hooks where the program may find something wrong.
func (w *World) tryHooks(args ...string) (string, error) {
	cmd := exec.Command(hooksProgram, args...)
	cmd.Dir = w.Project
	path := w.Bin + ":" + os.Getenv("PATH")
	cmd.Env = append([]string{"HOME=" + w.Home, "PATH=" + path}, w.Env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}
