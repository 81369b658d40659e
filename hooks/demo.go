package main

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"

	"hooks/internal/report"
	"hooks/internal/tracker"
)

type demoCmd struct {
	Keep bool `help:"Keep the temporary project and print where it is."`
}

// Run plays one loop from its first tick to the final report. Every line after an arrow is the
// program's own answer to a real event.
func (c demoCmd) Run(p caller) error {
	dir, err := os.MkdirTemp("", "hooks-demo-")
	if err != nil {
		return err
	}
	if c.Keep {
		defer fmt.Fprintln(p.out, "kept in", dir)
	} else {
		defer os.RemoveAll(dir)
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	d := &demo{out: p.out, screen: p.screen(), player: player{
		program:    program,
		project:    dir,
		transcript: filepath.Join(dir, "session.jsonl"),
		session:    "session-one",
	}}
	if err := errors.Join(d.remote(201), d.start()); err != nil {
		return err
	}
	for line := range strings.Lines(demoScript) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		if err := d.play(word, rest); err != nil {
			return err
		}
	}
	return nil
}

// demoScript holds the steps of the demo, one per line.
//
//go:embed demo.txt
var demoScript string

func (d *demo) play(word, rest string) error {
	id, what, _ := strings.Cut(rest, " ")
	switch word {
	case "title":
		fmt.Fprintf(d.out, "\n%s\n", report.Scene(d.screen, rest))
	case "enter":
		return d.enter(rest)
	case "beside": // in a second session
		first := d.player
		d.session, d.pid = "session-two", strconv.Itoa(os.Getppid())
		err := d.enter(rest)
		d.player = first
		return err
	case "report":
		out, err := d.run(strings.NewReader(rest), "report")
		d.show(report.ToneQuiet, "hooks report", string(out))
		return err
	case "worker":
		return d.call("Agent", id, "tool_input.prompt", "Implement issue "+what,
			"tool_input.description", what)
	case "merge":
		return d.call("Bash", id, "tool_input.command", "gh pr merge 201 --squash")
	case "answer":
		return d.answer(rest)
	case "spends":
		tokens, _ := strconv.Atoi(rest)
		return d.spend(tokens)
	case "stop":
		cron := `=[{"id":"fd7ee8c9","schedule":"*/1 * * * *","recurring":true,` +
			`"prompt":"/sdd:work ` + demoArgs + `"}]`
		_, err := d.on("stop", "Stop", fields{"stop_hook_active", "=false",
			"last_assistant_message", "done", "background_tasks", "=[]", "session_crons", cron})
		return err
	}
	return nil
}

// demo plays the script.
type demo struct {
	player
	out    io.Writer
	screen report.Screen
}

// remote makes the project a repository. Its remote is a folder in the project and has the head of
// a PR.
func (d *demo) remote(pr int) error {
	const bare = ".remote.git"
	for _, args := range [][]string{
		{"init", "-q", "-b", "feature/143"}, {"init", "-q", "--bare", bare},
		{"remote", "add", "origin", bare},
		{"-c", "user.name=demo", "-c", "user.email=demo@example.com",
			"commit", "-q", "--allow-empty", "-m", "Sort"},
		{"push", "-q", "origin", "HEAD:" + tracker.PullRef("github", pr)},
	} {
		git := exec.Command("git", args...)
		git.Dir = d.project
		git.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
			"GIT_AUTHOR_DATE=2026-11-20T12:00:00Z", "GIT_COMMITTER_DATE=2026-11-20T12:00:00Z")
		if out, err := git.CombinedOutput(); err != nil {
			return fmt.Errorf("git %s: %w: %s", args[0], err, out)
		}
	}
	return nil
}

const demoArgs = "--loop --max-iterations 6 --max-dollars 1"

func (d *demo) enter(prompt string) error {
	d.prompt = prompt
	_, err := d.on("user-prompt-expansion", "UserPromptExpansion", fields{
		"expansion_type", "slash_command", "command_name", "sdd:work", "command_args", demoArgs,
		"command_source", "plugin", "prompt", "/sdd:work " + demoArgs})
	return err
}

func (d *demo) call(tool, id string, input ...string) error {
	f := append(fields{"tool_name", tool, "tool_use_id", id}, input...)
	_, err := d.on("pre-tool-use", "PreToolUse", f)
	return err
}

// answer plays a dialog in which the program replaces the model's question by its own, and the
// person picks an answer.
func (d *demo) answer(pick string) error {
	own := `=[{"question":"Shall I carry on?","header":"Next","multiSelect":false,` +
		`"options":[{"label":"Yes"},{"label":"No"}]}]`
	id := "ask-" + d.prompt + pick
	shown, err := d.on("pre-tool-use", "PreToolUse",
		fields{"tool_name", "AskUserQuestion", "tool_use_id", id, "tool_input.questions", own})
	if err != nil {
		return err
	}
	questions := shown.Get("hookSpecificOutput.updatedInput.questions")
	f := fields{"tool_name", "AskUserQuestion", "tool_use_id", id, "tool_input.questions",
		"=" + questions.Raw, "tool_response.questions", "=" + questions.Raw}
	for _, q := range questions.Array() {
		f = append(f, "tool_response.answers", fmt.Sprintf("={%s:%q}", q.Get("question").Raw, pick))
	}
	_, err = d.on("post-tool-use", "PostToolUse", f)
	return err
}

// on sends one event and prints the reply as the model and the person see it.
func (d *demo) on(word, event string, f fields) (gjson.Result, error) {
	r, err := d.send(word, event, f)
	shown, refused := false, "the turn does not start; the person reads"
	if event == "Stop" {
		refused = "the turn is held open; the model reads"
	}
	for _, part := range []struct {
		tone      report.Tone
		who, path string
	}{
		{report.ToneRefused, "refused; the model reads why",
			"hookSpecificOutput.permissionDecisionReason"},
		{report.ToneRefused, refused, "reason"},
		{report.ToneQuiet, "the model reads", "hookSpecificOutput.additionalContext"},
		{report.ToneQuiet, "the person reads", "systemMessage"},
	} {
		if v := r.Get(part.path); v.Exists() {
			d.show(part.tone, part.who, v.String())
			shown = true
		}
	}
	for _, q := range r.Get("hookSpecificOutput.updatedInput.questions").Array() {
		d.show(report.ToneAsked, "the person is asked", q.Get("question").String())
		for _, o := range q.Get("options").Array() {
			d.show(report.ToneAsked, "",
				"  "+o.Get("label").String()+": "+o.Get("description").String())
		}
		shown = true
	}
	if !shown && err == nil {
		d.show(report.ToneQuiet, event, "no reply: the call passes")
	}
	return r, err
}

func (d *demo) show(tone report.Tone, who, text string) {
	fmt.Fprintln(d.out, report.Heard(d.screen, tone, who, strings.TrimRight(text, "\n")))
}

// player plays the client in a demo. It builds the events of one session and starts the program for
// each.
type player struct {
	program    string // this program
	project    string
	transcript string
	session    string
	prompt     string
	pid        string // of another client; "" for this process
	spent      int
}

// fields holds the fields of an event besides the common ones, as alternating paths and values. A
// value is text, or JSON after a leading "=".
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
		"CLAUDE_CODE_SESSION_ID="+p.session, "CLAUDE_PID="+p.pid, "CLAUDE_CODE_SESSION_ATTENDED=1",
		"PWD="+p.project, "CLAUDE_CONFIG_DIR="+p.config(), "CLAUDE_ENV_FILE="+p.envFile(),
		"HOOKS_STATE_HOME="+filepath.Join(p.project, ".state"))
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err == nil && errs.Len() > 0 {
		err = fmt.Errorf("%s", bytes.TrimSpace(errs.Bytes()))
	}
	return out, err
}

// config returns the client's folder.
func (p *player) config() string { return filepath.Join(p.project, ".client") }

// envFile returns the script that the client evaluates before the session's Bash commands.
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

// spend appends an answer of the model with its usage to the transcript, as the client does.
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
