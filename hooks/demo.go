package main

import (
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"hooks/internal/event"
	"hooks/internal/page"
	"hooks/internal/play"
	"hooks/internal/safefile"
	"hooks/internal/tracker"
)

type demoCmd struct {
	Keep bool `help:"Keep the temporary project and print where it is."`
}

// Run plays one loop from its first tick to the final report. Every reply shown after an arrow is
// the program's real answer.
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
	d := &demo{program: program, out: p.out, screen: p.screen(),
		Session: play.Session{ID: "session-one", Project: dir,
			Transcript: filepath.Join(dir, "session.jsonl")}}
	err = errors.Join(d.remote(201), os.MkdirAll(filepath.Dir(d.envFile()), 0o700))
	for line := range strings.Lines(demoScript) {
		if err != nil {
			return err
		}
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		err = d.play(word, rest)
	}
	return err
}

// demoScript holds the demo's steps, one per line.
//
//go:embed demo.txt
var demoScript string

func (d *demo) play(word, rest string) (err error) {
	switch word {
	case "title":
		fmt.Fprintln(d.out)
		d.show(page.Strong, "── "+rest, "")
	case "begin":
		_, err = d.send("session-start", "source", "startup")
	case "enter":
		return d.enter(rest)
	case "beside": // in a second session
		second := *d
		second.ID, second.pid = "session-two", strconv.Itoa(os.Getppid())
		return second.enter(rest)
	case "report":
		out, err := d.Run([]string{d.program, "report"}, d.environ(), rest)
		d.show(page.Faint, "→ hooks report:", out)
		return err
	case "call":
		words := strings.SplitN(rest, " ", 3)
		_, err = d.on("pre-tool-use", "tool_name", words[0], "tool_use_id", words[1],
			"tool_input", words[2])
	case "answer":
		return d.answer(rest)
	case "spends":
		return d.spend(rest)
	case "stop":
		cron := `[{"id":"fd7ee8c9","schedule":"*/1 * * * *","recurring":true,` +
			`"prompt":"/sdd:work ` + demoArgs + `"}]`
		_, err = d.on("stop", "stop_hook_active", false, "last_assistant_message", "done",
			"background_tasks", "[]", "session_crons", cron)
	}
	return err
}

// demo plays the script.
type demo struct {
	play.Session
	program string // path of this program
	pid     string // pid of another client, "" for this process
	spent   int
	out     io.Writer
	screen  page.Screen
}

// remote makes the project a git repository whose remote is a bare repository inside the project.
// The remote has the head of one PR.
func (d *demo) remote(pr int) error {
	const bare = ".remote.git"
	env := append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_DATE=2026-11-20T12:00:00Z", "GIT_COMMITTER_DATE=2026-11-20T12:00:00Z")
	for _, args := range [][]string{
		{"init", "-q", "-b", "feature/143"}, {"init", "-q", "--bare", bare},
		{"remote", "add", "origin", bare},
		{"-c", "user.name=demo", "-c", "user.email=demo@example.com",
			"commit", "-q", "--allow-empty", "-m", "Sort"},
		{"push", "-q", "origin", "HEAD:" + tracker.PullRef("github", pr)},
	} {
		if _, err := d.Run(append([]string{"git"}, args...), env, ""); err != nil {
			return fmt.Errorf("git %s: %w", args[0], err)
		}
	}
	return nil
}

const demoArgs = "--loop --max-iterations 6 --max-dollars 1"

func (d *demo) enter(prompt string) error {
	d.Prompt = prompt
	_, err := d.on("user-prompt-expansion", "expansion_type", "slash_command",
		"command_name", "sdd:work", "command_args", demoArgs, "command_source", "plugin",
		"prompt", "/sdd:work "+demoArgs)
	return err
}

// answer plays a dialog. The program replaces the model's question with its own, and the person
// picks an answer.
func (d *demo) answer(pick string) error {
	ask := []any{"tool_name", "AskUserQuestion", "tool_use_id", "ask-" + d.Prompt + pick,
		"tool_input.questions", `[{"question":"Shall I carry on?","header":"Next",` +
			`"multiSelect":false,"options":[{"label":"Yes"},{"label":"No"}]}]`}
	shown, err := d.on("pre-tool-use", ask...)
	if err != nil {
		return err
	}
	questions := shown.Get("hookSpecificOutput.updatedInput.questions")
	ask = append(ask, "tool_input.questions", questions.Raw,
		"tool_response.questions", questions.Raw)
	for _, q := range questions.Array() {
		ask = append(ask, "tool_response.answers",
			fmt.Sprintf("{%s:%q}", q.Get("question").Raw, pick))
	}
	_, err = d.on("post-tool-use", ask...)
	return err
}

// on sends one event and prints the reply as the model and the person see it.
func (d *demo) on(word string, fields ...any) (gjson.Result, error) {
	r, err := d.send(word, fields...)
	shown, refused := false, "the turn does not start; the person reads"
	if word == "stop" {
		refused = "the turn is held open; the model reads"
	}
	for _, part := range []struct {
		tone, who, path string
	}{
		{page.Bad, "refused; the model reads why",
			"hookSpecificOutput.permissionDecisionReason"},
		{page.Bad, refused, "reason"},
		{page.Faint, "the model reads", "hookSpecificOutput.additionalContext"},
		{page.Faint, "the person reads", "systemMessage"},
	} {
		if v := r.Get(part.path); v.Exists() {
			d.show(part.tone, "→ "+part.who+":", v.String())
			shown = true
		}
	}
	for _, q := range r.Get("hookSpecificOutput.updatedInput.questions").Array() {
		d.show(page.Warn, "→ the person is asked:", q.Get("question").String())
		for _, o := range q.Get("options").Array() {
			d.show(page.Warn, "",
				"  "+o.Get("label").String()+": "+o.Get("description").String())
		}
		shown = true
	}
	if !shown && err == nil {
		d.show(page.Faint, "→ "+event.NameOf(word)+":", "no reply, so the call passes")
	}
	return r, err
}

func (d *demo) send(word string, fields ...any) (gjson.Result, error) {
	return d.Send([]string{d.program, word}, d.environ(), d.Event(word, fields...))
}

func (d *demo) show(tone, head, text string) {
	said := passage{tone, head, strings.TrimRight(text, "\n")}
	fmt.Fprintln(d.out, page.Draw(d.screen, said))
}

// environ returns the environment that the client gives a hook.
func (d *demo) environ() []string {
	return d.Environ(append(os.Environ(), "CLAUDE_CONFIG_DIR="+filepath.Join(d.Project, ".client"),
		"CLAUDE_ENV_FILE="+d.envFile()), d.pid)
}

// envFile returns the script that the client evaluates before the session's Bash commands.
func (d *demo) envFile() string {
	return filepath.Join(d.Project, ".client", "session-env", d.ID, "sessionstart-hook-1.sh")
}

// spend appends a model response, with its usage, to the transcript, as the client does.
func (d *demo) spend(tokens string) error {
	output, _ := strconv.Atoi(tokens)
	d.spent++
	return safefile.Append(d.Transcript, play.Object("type", "assistant",
		"requestId", fmt.Sprintf("req_%d", d.spent), "message.id", fmt.Sprintf("msg_%d", d.spent),
		"message.role", "assistant", "message.model", "claude-opus-5-5",
		"message.content", `[{"type":"text","text":"done"}]`,
		"message.usage.input_tokens", 1000, "message.usage.output_tokens", output)+"\n")
}

// passage is a scene title or a reply. If head is empty, it continues the previous reply.
type passage struct{ tone, head, text string }

func (s passage) Draw(p *page.Text) {
	if s.head != "" {
		p.Line(s.tone, "%s", s.head)
	}
	const margin = "   "
	for _, l := range strings.Split(s.text, "\n") {
		text := strings.TrimLeft(l, " ")
		lead := margin + l[:len(l)-len(text)]
		p.Put(lead, len(lead)+2, page.Plain, text)
	}
}
