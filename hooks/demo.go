package main

import (
	"bytes"
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

// Run plays one loop from its first tick to the final report. Every line after an arrow is what the
// program itself answered to a real event.
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
	for _, scene := range []func(){d.begins, d.contended, d.gated, d.nearsBudget} {
		if scene(); d.err != nil {
			return d.err
		}
	}
	return nil
}

// demo plays the scenes; the first error ends it.
type demo struct {
	player
	out    io.Writer
	screen report.Screen
	err    error
}

// remote makes the project a repository whose remote, a folder in it, has the head of a PR.
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

func (d *demo) begins() {
	d.title("A person types /sdd:work " + demoArgs)
	d.enter("prompt-1")
	d.title("The skill reports its facts and plan")
	d.report(backlog("143,145") + `,"plan":[143,145]}`)
	d.title("The skill sends off a worker, and the turn ends")
	d.on("pre-tool-use", "PreToolUse", fields{"tool_name", "Agent", "tool_use_id", "t1",
		"tool_input.prompt", "Implement issue #143", "tool_input.description", "#143"})
	d.report(`{"prs":[{"number":201,"state":"open","branch":"feature/143",` +
		`"head_sha":"abc1234","new":true}],"outcome":"ok"}`)
	d.spends(20_000)
	d.stop()
}

func (d *demo) contended() {
	d.title("The next tick begins, and a second session starts the same loop beside it")
	d.enter("prompt-2")
	first := d.player
	d.session, d.pid = "session-two", strconv.Itoa(os.Getppid())
	d.enter("prompt-other")
	d.player = first
}

func (d *demo) gated() {
	d.title("Back in the first session: an urgent issue landed, and a person commented on the PR")
	d.report(backlog("145,99") + `,"prs":[{"number":201,"human_feedback":true}]}`)
	d.title("The model sends off a worker before the question is answered")
	d.on("pre-tool-use", "PreToolUse", fields{"tool_name", "Agent", "tool_use_id", "t2",
		"tool_input.prompt", "Implement issue #99", "tool_input.description", "#99"})
	d.title("The model asks in its own words; the dialog shows the exact question, " +
		"and the person picks re-propose")
	d.answer("re-propose")
	d.title("The model tries to merge the PR")
	d.on("pre-tool-use", "PreToolUse", fields{"tool_name", "Bash", "tool_use_id", "t3",
		"tool_input.command", "gh pr merge 201 --squash"})
	d.title("The person says hold")
	d.answer("hold")
	d.on("pre-tool-use", "PreToolUse", fields{"tool_name", "Bash", "tool_use_id", "t4",
		"tool_input.command", "gh pr merge 201 --squash"})
	d.report(`{"plan":[99],"outcome":"ok"}`)
	d.spends(21_000)
	d.stop()
}

func (d *demo) nearsBudget() {
	d.title("Third tick: $0.83 of $1 is spent")
	d.enter("prompt-3")
	d.title("The person picks continue")
	d.answer("continue")
	d.report(backlog("145") + `,"plan":[145],"outcome":"ok"}`)
	d.spends(15_000)
	d.stop()
	d.title("The schedule fires once more")
	d.enter("prompt-4")
}

// backlog is the beginning of a report.
func backlog(unblocked string) string {
	return fmt.Sprintf(`{"backlog":{"unblocked":[%s],"blocked":[150],"in_progress":[]}`, unblocked)
}

func (d *demo) enter(prompt string) {
	d.prompt = prompt
	d.on("user-prompt-expansion", "UserPromptExpansion", fields{
		"expansion_type", "slash_command", "command_name", "sdd:work", "command_args", demoArgs,
		"command_source", "plugin",
		"prompt", "/sdd:work " + demoArgs,
	})
}

func (d *demo) stop() {
	cron := `=[{"id":"fd7ee8c9","schedule":"*/1 * * * *","recurring":true,` +
		`"prompt":"/sdd:work ` + demoArgs + `"}]`
	d.on("stop", "Stop", fields{"stop_hook_active", "=false", "last_assistant_message", "done",
		"background_tasks", "=[]", "session_crons", cron})
}

// answer plays the dialog: the model's question goes in, the program's comes out, the person picks.
func (d *demo) answer(pick string) {
	own := `=[{"question":"Shall I carry on?","header":"Next","multiSelect":false,` +
		`"options":[{"label":"Yes"},{"label":"No"}]}]`
	id := "ask-" + d.prompt + pick
	shown := d.on("pre-tool-use", "PreToolUse",
		fields{"tool_name", "AskUserQuestion", "tool_use_id", id, "tool_input.questions", own})
	questions := shown.Get("hookSpecificOutput.updatedInput.questions")
	f := fields{"tool_name", "AskUserQuestion", "tool_use_id", id, "tool_input.questions",
		"=" + questions.Raw, "tool_response.questions", "=" + questions.Raw}
	for _, q := range questions.Array() {
		f = append(f, "tool_response.answers", fmt.Sprintf("={%s:%q}", q.Get("question").Raw, pick))
	}
	d.on("post-tool-use", "PostToolUse", f)
}

func (d *demo) report(facts string) {
	if d.err != nil {
		return
	}
	out, err := d.run(strings.NewReader(facts), "report")
	d.err = err
	d.show(report.ToneQuiet, "hooks report", string(out))
}

func (d *demo) spends(tokens int) {
	if d.err == nil {
		d.err = d.spend(tokens)
	}
}

// on sends one event and prints what each side sees of the reply.
func (d *demo) on(word, event string, f fields) gjson.Result {
	if d.err != nil {
		return gjson.Result{}
	}
	r, err := d.send(word, event, f)
	d.err = err
	shown := false
	for _, part := range []struct {
		tone      report.Tone
		who, path string
	}{
		{report.ToneRefused, "refused; the model reads why",
			"hookSpecificOutput.permissionDecisionReason"},
		{report.ToneRefused, reader(event), "reason"},
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
	if !shown && d.err == nil {
		d.show(report.ToneQuiet, event, "no reply: the call passes")
	}
	return r
}

// reader names the reader of a block's reason.
func reader(event string) string {
	if event == "Stop" {
		return "the turn is held open; the model reads"
	}
	return "the turn does not start; the person reads"
}

func (d *demo) title(s string) {
	if d.err == nil {
		fmt.Fprintf(d.out, "\n%s\n", report.Scene(d.screen, s))
	}
}

func (d *demo) show(tone report.Tone, who, text string) {
	fmt.Fprintln(d.out, report.Heard(d.screen, tone, who, strings.TrimRight(text, "\n")))
}

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
