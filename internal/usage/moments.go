package usage

import (
	"bytes"
	"cmp"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"hooks/internal/loop"
)

// MomentKind is the kind of event at a moment of a session.
type MomentKind uint8

// The kinds of moment.
const (
	Prompted    MomentKind = iota // a prompt was submitted
	Called                        // the agent called a tool
	Returned                      // a tool returned its result, or failed
	Fired                         // the client's schedule submits the prompt that follows
	TurnEnded                     // the agent's turn ended
	Interrupted                   // a person interrupted the turn
	Absorbed                      // a message or notification reached the running turn
)

// Moment is one event in a session, read from a line of a transcript. Its strings share the line's
// memory and are valid until the next moment.
type Moment struct {
	Kind   MomentKind
	At     time.Time // of the line or the last earlier one with a time; zero if there is none
	Agent  string    // the subagent's id, "" in the main thread
	Prompt string    // Prompted, Interrupted: the prompt's id
	Origin string    // Prompted: turnOrigin, "" if the line has none
	Text   string    // Prompted, Fired, Absorbed: what was submitted
	Cwd    string
	Branch string // checked-out branch, "" when detached or unknown
	// Of a tool call and of its result:
	ID       string
	Tool     string       // Called only
	Input    gjson.Result // Called only: an object
	Response gjson.Result // Returned: the client's own result, absent after a failure
	Error    string       // Returned: the message of a failed tool
}

// Moments yields the events of a session, the main transcript first, then each subagent's, in the
// order of their lines. It skips unreadable lines. A file that cannot be opened yields an error,
// and the next file follows. Memory is bounded by the longest line, at most 8 MiB.
func Moments(transcript string) iter.Seq2[Moment, error] {
	return func(yield func(Moment, error) bool) {
		w := momentReader{yield: yield}
		w.file(transcript, "")
		for _, name := range agents(transcript) {
			w.file(agentPath(transcript, name), loop.AgentOf(name))
		}
	}
}

// momentReader reads the files of a session until the caller stops.
type momentReader struct {
	yield func(Moment, error) bool
	lines lines
	agent string
	at    time.Time
	last  string // the running prompt
	done  bool
}

func (w *momentReader) file(path, agent string) {
	if w.done {
		return
	}
	w.agent, w.at = agent, time.Time{}
	err := w.lines.file(path, 0, func(line []byte, _ int64) bool {
		w.line(bytes.TrimSuffix(line, []byte("\r")))
		return !w.done
	})
	if err != nil && !w.done {
		w.done = !w.yield(Moment{}, fmt.Errorf("read transcript: %w", err))
	}
}

func (w *momentReader) line(line []byte) {
	mark := "" // required in a line of this kind
	switch kindOf(line) {
	case "user", "system":
	case "assistant":
		mark = `"tool_use"`
	case "queue-operation":
		mark = `"absorbed_mid_turn"`
	default:
		return
	}
	if !bytes.Contains(line, []byte(mark)) {
		return
	}
	r, ok := read(line)
	if !ok || r.sidechain && w.agent == "" {
		return
	}
	if at, err := time.Parse(time.RFC3339Nano, r.at); err == nil {
		w.at = at
	}
	m := Moment{At: w.at, Agent: w.agent, Cwd: r.cwd, Branch: r.branch}
	if r.branch == "HEAD" {
		m.Branch = ""
	}
	switch r.kind {
	case "system":
		switch r.subtype {
		case "turn_duration":
			w.sendText(m, TurnEnded, "")
		case "scheduled_task_fire":
			w.sendText(m, Fired, r.fired)
		}
	case "assistant":
		w.calls(m, r)
	case "user":
		w.user(m, r)
	case "queue-operation":
		w.sendText(m, Absorbed, text(gjson.GetBytes(line, "content")))
	}
}

// sendText yields a moment of the main thread that has only a text.
func (w *momentReader) sendText(m Moment, kind MomentKind, text string) {
	if m.Kind, m.Text = kind, text; m.Agent == "" {
		w.send(m)
	}
}

func (w *momentReader) send(m Moment) { w.done = w.done || !w.yield(m, nil) }

func (w *momentReader) calls(m Moment, r record) {
	for b := range blocks(r.message, "tool_use") {
		m.Kind, m.ID, m.Tool = Called, text(b.Get("id")), text(b.Get("name"))
		if m.Input = b.Get("input"); m.Tool != "" && m.Input.IsObject() {
			w.send(m)
		}
	}
}

func (w *momentReader) user(m Moment, r record) {
	results := false
	for b := range blocks(r.message, "tool_result") {
		results = true
		m.Kind, m.ID, m.Response, m.Error = Returned, text(b.Get("tool_use_id")), r.result, ""
		if b.Get("is_error").Type == gjson.True {
			m.Response, m.Error = gjson.Result{}, plainText(b)
		}
		w.send(m)
	}
	switch {
	case results || m.Agent != "":
	case r.interrupted():
		m.Kind, m.Prompt = Interrupted, r.prompt
		w.send(m)
	case !r.meta:
		w.prompt(m, r)
	}
}

// prompt yields each submitted prompt once. An old client gives it no id, so the id of its line is
// used.
func (w *momentReader) prompt(m Moment, r record) {
	m.Kind, m.Prompt, m.Origin, m.Text = Prompted, r.prompt, r.origin, plainText(r.message)
	m.Prompt = cmp.Or(m.Prompt, r.uuid)
	if m.Prompt == w.last && m.Prompt != "" || strings.HasPrefix(m.Text, "<local-command-") {
		return
	}
	w.last = strings.Clone(m.Prompt)
	w.send(m)
}

// Timeline counts a whole session as Count does and calls added with the usage that each line adds
// and its time. The calls are not sorted across files. The time is zero if neither the line nor one
// before it has a time. Notes are as in Result.
func Timeline(transcript string, t Table,
	added func(at time.Time, model string, more loop.Tokens)) (notes []string, err error) {
	c := newCounter(t)
	c.added = func(at, model string, more loop.Tokens) {
		if more != (loop.Tokens{}) {
			when, _ := time.Parse(time.RFC3339Nano, at)
			added(when, model, more)
		}
	}
	err = c.count(transcript, nil, agents(transcript))
	return c.res.Notes, err
}
