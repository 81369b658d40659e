package usage

import (
	"bytes"
	"fmt"
	"iter"
	"path"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"hooks/internal/loop"
	"hooks/internal/regular"
)

// MomentKind is what happened at a moment of a session.
type MomentKind uint8

// The kinds of moment.
const (
	Prompted    MomentKind = iota // a prompt was submitted
	Called                        // the agent called a tool
	Returned                      // a tool gave its result, or failed
	Fired                         // the client's schedule submits a prompt, which follows
	TurnEnded                     // the agent's turn came to its end
	Interrupted                   // a person ended the turn
	Absorbed                      // words or a notification reached the turn that runs
)

// Moment is one thing that happened in a session, as a line of a transcript has it. Its texts are parts of the line:
// they are good until the next moment.
type Moment struct {
	Kind   MomentKind
	At     time.Time // of the line, or of the last one before it that has a time; zero where there is none
	Agent  string    // the subagent's id, "" in the main thread
	Prompt string    // Prompted, Interrupted: the prompt's id
	Origin string    // Prompted: turnOrigin, "" where it is not said
	Text   string    // Prompted, Fired, Absorbed: what was submitted
	Cwd    string
	Branch string // checked-out branch, "" when detached or unknown
	// Of a tool call and of its result:
	ID       string
	Tool     string       // Called only
	Input    gjson.Result // Called only: an object
	Response gjson.Result // Returned: the client's own result, absent where it failed
	Error    string       // Returned: what a failed tool said
}

// Moments yields what happened in a session, the main transcript first, then each subagent's, each in the order of its
// lines; what cannot be read is left out. A file that cannot be opened is an error, and the next one follows. Memory
// does not follow the size of the files: at most 8 MiB of a line are held.
func Moments(transcript string) iter.Seq2[Moment, error] {
	return func(yield func(Moment, error) bool) {
		w := momentReader{yield: yield}
		w.file(transcript, "")
		for _, name := range agents(sessionDir(transcript)) {
			id := strings.TrimPrefix(strings.TrimSuffix(path.Base(name), ".jsonl"), "agent-")
			w.file(sessionDir(transcript)+"/"+name, id)
		}
	}
}

// momentReader goes through the files of a session until nobody listens any more.
type momentReader struct {
	yield func(Moment, error) bool
	lines lines
	agent string
	at    time.Time
	last  string // the prompt that runs
	done  bool
}

func (w *momentReader) file(path, agent string) {
	if w.done {
		return
	}
	w.agent, w.at = agent, time.Time{}
	f, _, err := regular.Open(path)
	if err != nil {
		w.done = !w.yield(Moment{}, fmt.Errorf("read transcript: %w", err))
		return
	}
	defer f.Close()
	for w.lines.reset(f, 0); !w.done; {
		line, ok := w.lines.next()
		if !ok {
			break
		}
		w.line(bytes.TrimSuffix(line, []byte("\r")))
	}
	if w.lines.err != nil && !w.done {
		w.done = !w.yield(Moment{}, fmt.Errorf("read transcript: %w", w.lines.err))
	}
}

func (w *momentReader) line(line []byte) {
	if len(line) < 2 || line[0] != '{' {
		return
	}
	switch headType(line) {
	case "user", "system", "":
	case "assistant":
		if !bytes.Contains(line, []byte(`"tool_use"`)) {
			return
		}
	case "queue-operation":
		if !bytes.Contains(line, []byte(`"absorbed_mid_turn"`)) {
			return
		}
	default:
		return
	}
	r, ok := read(line)
	if !ok {
		return
	}
	if at, err := time.Parse(time.RFC3339Nano, r.at); err == nil {
		w.at = at
	}
	m := Moment{At: w.at, Agent: w.agent, Cwd: r.cwd, Branch: r.branch}
	if r.branch == "HEAD" {
		m.Branch = ""
	}
	if w.agent == "" && r.sidechain { // an old client's copy of a subagent's line
		m.Agent = "sidechain"
	}
	switch r.kind {
	case "assistant":
		w.calls(m, r)
	case "user":
		w.user(m, r)
	case "system":
		w.system(m, r)
	case "queue-operation":
		if m.Kind, m.Text = Absorbed, text(gjson.GetBytes(line, "content")); m.Agent == "" {
			w.tell(m)
		}
	}
}

func (w *momentReader) tell(m Moment) { w.done = w.done || !w.yield(m, nil) }

func (w *momentReader) calls(m Moment, r record) {
	blocks(r.message, "tool_use", func(b gjson.Result) {
		m.Kind, m.ID, m.Tool, m.Input = Called, text(b.Get("id")), text(b.Get("name")), b.Get("input")
		if m.Tool != "" && m.Input.IsObject() {
			w.tell(m)
		}
	})
}

// blocks calls f with a message's content blocks of one type.
func blocks(message gjson.Result, kind string, f func(gjson.Result)) {
	content := message.Get("content")
	if !content.IsArray() {
		return
	}
	content.ForEach(func(_, b gjson.Result) bool {
		if text(b.Get("type")) == kind {
			f(b)
		}
		return true
	})
}

func (w *momentReader) user(m Moment, r record) {
	results := false
	blocks(r.message, "tool_result", func(b gjson.Result) {
		results = true
		m.Kind, m.ID, m.Response, m.Error = Returned, text(b.Get("tool_use_id")), r.result, ""
		if b.Get("is_error").Type == gjson.True {
			m.Response, m.Error = gjson.Result{}, plainText(b)
		}
		w.tell(m)
	})
	switch {
	case results || m.Agent != "":
	case r.interrupted():
		m.Kind, m.Prompt = Interrupted, r.prompt
		w.tell(m)
	case !r.meta:
		w.prompt(m, r)
	}
}

// plainText is the text of a content that is a string or a list of blocks.
func plainText(v gjson.Result) (all string) {
	texts(v, func(s string) { all += s })
	return all
}

// prompt tells of a submitted prompt once; an old client gives it no id, so its line's own stands for one.
func (w *momentReader) prompt(m Moment, r record) {
	m.Kind, m.Prompt, m.Origin, m.Text = Prompted, r.prompt, r.origin, plainText(r.message)
	if m.Prompt == "" {
		m.Prompt = r.uuid
	}
	if m.Prompt == w.last && m.Prompt != "" || strings.HasPrefix(m.Text, "<local-command-") {
		return
	}
	w.last = strings.Clone(m.Prompt)
	w.tell(m)
}

func (w *momentReader) system(m Moment, r record) {
	switch r.subtype {
	case "turn_duration":
		m.Kind = TurnEnded
	case "scheduled_task_fire":
		m.Kind, m.Text = Fired, r.fired
	default:
		return
	}
	if m.Agent == "" {
		w.tell(m)
	}
}

// Timeline counts a whole session as Count does and tells, in no order over several files, what each line added and
// when. The time is zero where no line up to there has one.
func Timeline(transcript string, t Table, told func(at time.Time, model string, more loop.Tokens)) (Result, error) {
	c := newCounter(t)
	c.told = func(at, model string, more loop.Tokens) {
		if more != (loop.Tokens{}) {
			when, _ := time.Parse(time.RFC3339Nano, at)
			told(when, model, more)
		}
	}
	_, err := c.all(sources(transcript, nil))
	return c.res, err
}
