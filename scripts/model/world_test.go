package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
	"pgregory.net/rapid"

	"hooks/internal/app"
	"hooks/internal/event"
	"hooks/internal/loop"
)

// between draws a number with the same chance for each; the library's own draws prefer small ones.
func between(t *rapid.T, label string, least, most int) int {
	return least + rapid.Custom(func(t *rapid.T) int {
		n := 0
		for range 10 {
			n *= 2
			if rapid.Bool().Draw(t, "bit") {
				n++
			}
		}
		return n % (most - least + 1)
	}).Draw(t, label)
}

// one draws an element, each with the same chance.
func one[T any](t *rapid.T, label string,
	list []T) T {
	return list[between(t, label, 0, len(list)-1)]
}

// client is a process that may own a loop: a real one, so that its death is real too.
type client struct {
	cmd   *exec.Cmd
	alive bool
}

func (c *client) pid() int { return c.cmd.Process.Pid }

// clients are reused over histories as long as they live.
type clients struct {
	t    *testing.T
	free []*client
}

func (p *clients) get() *client {
	if n := len(p.free); n > 0 {
		c := p.free[n-1]
		p.free = p.free[:n-1]
		return c
	}
	cmd := exec.Command("sleep", "3600")
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return &client{cmd, true}
}

func (c *client) die() {
	_ = c.cmd.Process.Kill()
	_, _ = c.cmd.Process.Wait()
	c.alive = false
}

// session is one conversation of a client, with its transcript.
type session struct {
	id       string
	client   *client
	prompt   string
	turn     bool
	origin   string   // who started the turn, as the transcript says
	spends   []int    // cents, in order
	marks    []string // prompts that a person's Esc ended
	lastSign time.Time
	// began is the number of spends in the transcript before the prompt's own line; -1 before that
	// line is written.
	began, beganMarks int
}

// untold is a dialog whose answers are in the transcript alone.
type untold struct {
	shown []gate
	texts []string
	own   bool // they are of that loop
}

// program is how the program is reached: in this process or as the real binary.
type program interface {
	event(w *world, word, payload string) string
	report(w *world, session, facts string) error
	gateAnswer(w *world, name, text string) error
	loopStop(w *world) error
	reset(w *world) error
}

// model plays a history on the plain model and on the program alike.
type model struct {
	sides    []*side
	sessions map[string]*session
	now      time.Time
	attended bool
}

type world struct {
	*rapid.T
	*model
	prog    program
	dir     string
	clients *clients
	live    []*session
	prompts int
	dialogs int
	log     []string
}

// trackedProject names a tracker that tells of a PR while there is a file of its number.
const trackedProject = "### SDD Configuration\n\n#### Tracker\n\n" +
	"- **Type**: command\n- **Command**: cat\n"

func newWorld(t *rapid.T, p *clients, prog program, dir string) *world {
	w := &world{T: t, prog: prog, dir: dir, clients: p, model: &model{
		sides: []*side{{skill: "work"}, {skill: "review"}}, sessions: map[string]*session{},
		attended: true,
		now:      time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC),
	}}
	for _, s := range w.sides {
		s.file = one(t, "budget file", []string{"", "", "budget-of-" + s.skill + ".json",
			filepath.Join(dir, s.skill+".json")})
	}
	for name, text := range map[string]string{"CLAUDE.md": trackedProject, "pr": ""} {
		if err := os.WriteFile(filepath.Join(dir, "p", name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		w.live = append(w.live, w.newSession(p.get()))
	}
	return w
}

func (w *world) newSession(c *client) *session {
	s := &session{id: fmt.Sprintf("s%d", len(w.sessions)+1), client: c}
	w.sessions[s.id] = s
	return s
}

// done gives the living clients back.
func (w *world) done() {
	for _, s := range w.live {
		if s.client.alive {
			w.clients.free = append(w.clients.free, s.client)
		}
	}
	_ = os.RemoveAll(w.dir)
}

func (w *world) newPrompt(s *session) {
	w.prompts++
	s.prompt, s.turn, s.began = fmt.Sprintf("p%d", w.prompts), true, -1
}

func (w *world) transcript(s *session) string { return filepath.Join(w.dir, s.id+".jsonl") }

// writes appends a line to a session's transcript, with its time.
func (w *world) writes(s *session, line string) {
	line, _ = sjson.Set(line, "timestamp", w.now.Format("2006-01-02T15:04:05.000Z"))
	f, err := os.OpenFile(w.transcript(s), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = fmt.Fprintln(f, line)
		_ = f.Close()
	}
	if err != nil {
		w.Fatal(err)
	}
	s.lastSign = w.now
}

func (w *world) userLine(s *session, origin string) {
	s.began, s.beganMarks, s.origin = len(s.spends), len(s.marks), origin
	w.writes(s, fmt.Sprintf(`{"type":"user","promptId":%q,"turnOrigin":%q,`+
		`"message":{"role":"user","content":"x"}}`, s.prompt, origin))
}

// project is where the loop's files lie.
func (w *world) project() string { return filepath.Join(w.dir, "p") }

func (w *world) payload(s *session, name string, pairs ...string) string {
	p := fmt.Sprintf(`{"session_id":%q,"prompt_id":%q,"cwd":%q,"transcript_path":%q,`+
		`"hook_event_name":%q}`, s.id, s.prompt, w.project(), w.transcript(s), name)
	for i := 0; i < len(pairs); i += 2 {
		if gjson.Valid(pairs[i+1]) {
			p, _ = sjson.SetRaw(p, pairs[i], pairs[i+1])
		} else {
			p, _ = sjson.Set(p, pairs[i], pairs[i+1])
		}
	}
	return p
}

// send plays an event and holds the program's reply against the model's.
func (w *world) send(s *session, word, payload string, want reply) string {
	_ = os.Setenv("CLAUDE_PID", fmt.Sprint(s.client.pid()))
	if word == "post-tool-use" {
		w.hears(s)
	}
	got := w.prog.event(w, word, payload)
	w.note("%s %s → %s", word, gjson.Get(payload, "[session_id,prompt_id,command_args,"+
		"tool_input,prompt,background_tasks.#.id,session_crons.#.prompt].@ugly").Raw,
		got[:min(len(got), 300)])
	if kind := kindOf(got); kind != want.kind {
		w.Fatalf("reply is %q, the model says %q %q\n%s\n%s", kind, want.kind, want.has, got,
			w.story())
	}
	for _, text := range want.has {
		if !strings.Contains(got, strings.ReplaceAll(text, `"`, `\"`)) {
			w.Fatalf("reply lacks %q\n%s\n%s", text, got, w.story())
		}
	}
	return got
}

func kindOf(reply string) string {
	r := gjson.Parse(reply)
	switch {
	case reply == "":
		return ""
	case r.Get("decision").Str == "block",
		r.Get("hookSpecificOutput.permissionDecision").Str == "deny":
		return "block"
	case r.Get("hookSpecificOutput.permissionDecision").Str == "ask":
		return "ask"
	}
	return ""
}

func (w *world) note(format string, args ...any) {
	w.log = append(w.log,
		fmt.Sprintf(format, args...))
}

func (w *world) story() string { return strings.Join(w.log, "\n") }

// inside is the program in this process, with a clock of the model's.
type inside struct{ runs int }

func (p *inside) app(w *world, session string) *app.App {
	a := app.New(func(name string) string {
		switch name {
		case "CLAUDE_PROJECT_DIR":
			return w.project()
		case "CLAUDE_CODE_SESSION_ID":
			return session
		case "HOOKS_TRACKER_COMMAND":
			return "cat"
		case "CLAUDE_CODE_SESSION_ATTENDED":
			if !w.attended {
				return "0"
			}
		}
		return ""
	})
	a.Now, a.Wait = func() time.Time { return w.now }, 1
	a.RunID = func() string { p.runs++; return fmt.Sprintf("run-%d", p.runs) }
	return a
}

func (p *inside) event(w *world, word, payload string) string {
	a := p.app(w, "").Handle(word, strings.NewReader(payload))
	if a.Err != nil {
		w.Fatalf("%s: %v\n%s", word, a.Err, w.story())
	}
	reply := a.Reply.Encode(event.NameOf(word))
	if a.After != nil {
		if err := a.After(); err != nil {
			w.Fatal(err)
		}
	}
	return string(reply)
}

func (p *inside) report(w *world, session, facts string) error {
	said, err := p.app(w, session).Report(strings.NewReader(facts))
	w.note("report %s %s → %s %v", session, facts, said, err)
	return err
}

func (p *inside) gateAnswer(w *world, name, text string) error {
	_, err := p.app(w, "").AnswerGate(name, []string{text})
	return err
}

var both = []loop.Skill{"work", "review"}

func (p *inside) loopStop(w *world) error {
	_, err := p.app(w, "").StopLoops(both)
	return ignoreAbsent(err)
}

func (p *inside) reset(w *world) error {
	_, err := p.app(w, "").Reset(both)
	return ignoreAbsent(err)
}

func ignoreAbsent(err error) error {
	if err != nil && strings.HasPrefix(err.Error(), "no loop in") {
		return nil
	}
	return err
}

// outside is the real binary, with the real clock. Like inside it has no home and so no records of
// its sessions: the stories and the real client play the gate that outlives a run (loop.Quiet).
type outside struct{ path string }

func (p outside) run(w *world, session, stdin string, args ...string) (string, error) {
	cmd := exec.Command(p.path, args...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "CLAUDE_PROJECT_DIR=" +
		w.project(), "CLAUDE_CODE_SESSION_ID=" + session,
		"CLAUDE_PID=" + os.Getenv("CLAUDE_PID"), "HOOKS_TRACKER_COMMAND=cat"}
	if !w.attended {
		cmd.Env = append(cmd.Env, "CLAUDE_CODE_SESSION_ATTENDED=0")
	}
	cmd.Dir, cmd.Stdin = w.project(), strings.NewReader(stdin)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if code := cmd.ProcessState.ExitCode(); code > 1 {
		w.Fatalf("%v exits with %d: %s", args, code, errs.String())
	}
	if err != nil {
		err = fmt.Errorf("%s", strings.TrimPrefix(errs.String(), "error: "))
	}
	return strings.TrimSpace(string(out)), err
}

func (p outside) event(w *world, word, payload string) string {
	out, err := p.run(w, "", payload, word)
	if err != nil {
		w.Fatalf("%s: %v\n%s", word, err, w.story())
	}
	return out
}

func (p outside) report(w *world, session, facts string) error {
	_, err := p.run(w, session, facts, "report")
	return err
}

func (p outside) gateAnswer(w *world, name, text string) error {
	_, err := p.run(w, "", "", "gate", "answer", name, text)
	return err
}

func (p outside) loopStop(w *world) error {
	_, err := p.run(w, "", "", "loop", "stop")
	return ignoreAbsent(err)
}

func (p outside) reset(w *world) error {
	_, err := p.run(w, "", "", "loop", "reset")
	return ignoreAbsent(err)
}

func jsonOf(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}
