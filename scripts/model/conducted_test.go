package model

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
	"pgregory.net/rapid"
)

// conducted is a world with one session, which conducts a task or an audit loop in a repository.
type conducted struct {
	*world
	ses             *session
	word            string // of the loop's command
	calls, files    int
	dirty, wasDirty bool // files are not committed, and were not as the iteration began
	red             bool
	stopped         bool   // a Stop of this turn was held
	sender          string // the call that sent the worker
}

func conduct(t *rapid.T, prog program, dir string, pool *clients, word string) *conducted {
	w := &world{T: t, prog: prog, dir: dir, clients: pool,
		model: &model{sessions: map[string]*session{}, attended: true, now: time.Now().UTC()}}
	c := &conducted{world: w, ses: w.newSession(pool.get()), word: word}
	w.live = []*session{c.ses}
	return c
}

func (w *conducted) put(name, text string) {
	if err := os.WriteFile(filepath.Join(w.project(), name), []byte(text), 0o600); err != nil {
		w.Fatal(err)
	}
}

func (w *conducted) git(args ...string) string {
	cmd := exec.Command("git", append([]string{"-C", w.project(), "-c", "user.name=a", "-c",
		"user.email=a@b", "-c", "gc.auto=0"}, args...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.Fatalf("git %v: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (w *conducted) commit() {
	w.git("add", "-A")
	w.git("commit", "-q", "-m", "work")
	w.dirty = false
}

func (w *conducted) head() string { return w.git("rev-parse", "HEAD") }

// works is something that a worker does.
func (w *conducted) works(work string) {
	w.files++
	name := fmt.Sprintf("f%d", w.files)
	switch work {
	case "commit":
		w.put(name, "x")
		w.commit()
	case "dirty":
		w.put(name, "x")
		w.dirty = true
	case "red", "green":
		w.put(name, "x")
		w.put("red", "x")
		if w.red = work == "red"; !w.red {
			_ = os.Remove(filepath.Join(w.project(), "red"))
		}
		w.commit()
	}
}

func (w *conducted) says(word, name string, pairs ...string) string {
	_ = os.Setenv("CLAUDE_PID", fmt.Sprint(w.ses.client.pid()))
	w.calls++
	got := w.prog.event(w.world, word, w.payload(w.ses, name, append(
		[]string{"tool_use_id", fmt.Sprintf("call%d", w.calls)}, pairs...)...))
	w.note("%s %v → %.300s", word, pairs, got)
	return got
}

// worker is the call that sends the worker, and the prompt that the program puts into it.
func (w *conducted) worker() string {
	got := w.says("pre-tool-use", "PreToolUse", "tool_name", "Agent", "tool_input.prompt", "go",
		"tool_input.description", "x")
	w.sender = fmt.Sprintf("call%d", w.calls)
	return gjson.Get(got, "hookSpecificOutput.updatedInput.prompt").Str
}

// workerEnds is the end of the worker. Its transcript has the text that it began with, and the
// client's note the call that sent it.
func (w *conducted) workerEnds(began, message string) string {
	path := filepath.Join(w.dir, "worker.jsonl")
	line := fmt.Sprintf(`{"type":"user","message":{"content":%q}}`, began) + "\n"
	note := fmt.Sprintf(`{"toolUseId":%q}`, w.sender)
	if err := errors.Join(os.WriteFile(path, []byte(line), 0o600), os.WriteFile(
		filepath.Join(w.dir, "worker.meta.json"), []byte(note), 0o600)); err != nil {
		w.Fatal(err)
	}
	return w.says("subagent-stop", "SubagentStop", "agent_id", "w1",
		"agent_type", "general-purpose", "agent_transcript_path", path,
		"last_assistant_message", jsonOf(message))
}

// stop is a Stop of the turn.
func (w *conducted) stop() string {
	got := w.says("stop", "Stop", "stop_hook_active", fmt.Sprint(w.stopped))
	w.stopped = w.stopped || kindOf(got) == "block"
	return got
}

// command is typed by a person.
func (w *conducted) command(args string) string {
	w.newPrompt(w.ses)
	w.userLine(w.ses, "human")
	w.stopped = false
	return w.says("user-prompt-expansion", "UserPromptExpansion", "command_name", "sdd:"+w.word,
		"command_args", args, "prompt", "/sdd:"+w.word+" "+args)
}

// dialog plays a person who answers the questions that wait.
func (w *conducted) dialog(answer func(question string) string) {
	id := fmt.Sprintf("ask%d", w.calls)
	asked := w.says("pre-tool-use", "PreToolUse", "tool_name", "AskUserQuestion",
		"tool_input.questions.0.question", "May I?", "tool_use_id", id)
	list := questionsIn(asked)
	if len(list) == 0 {
		w.Fatalf("no question is shown\n%s", w.story())
	}
	response := "{}"
	for _, q := range list {
		response, _ = sjson.Set(response, "questions.-1.question", q)
		response, _ = sjson.Set(response, "answers."+gjson.Escape(q), answer(q))
	}
	w.says("post-tool-use", "PostToolUse", "tool_name", "AskUserQuestion", "tool_input", response,
		"tool_response", response, "tool_use_id", id)
}

// dies is the death of the client. Another session follows.
func (w *conducted) dies() {
	w.ses.client.die()
	w.ses = w.newSession(w.clients.get())
	w.live = append(w.live, w.ses)
}

func (w *conducted) state(name string) string {
	text, _ := os.ReadFile(filepath.Join(w.project(), ".sdd", "loop", name))
	return string(text)
}
