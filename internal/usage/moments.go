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

// MomentKind is the kind of event that a Moment describes.
type MomentKind uint8

// The kinds of moments.
const (
	Prompted    MomentKind = iota // a prompt was submitted
	Called                        // the agent called a tool
	Returned                      // a tool returned its result, or failed
	Fired                         // the client's schedule submits the next prompt
	TurnEnded                     // the agent's turn ended
	Interrupted                   // a person interrupted the turn
	Absorbed                      // a message or notification reached the running turn
)

// Moment is one event in a session, read from a line of a transcript. Its strings share the line's
// memory and are valid until the next moment.
type Moment struct {
	Kind MomentKind
	// the line's time; if the line has none, Moments uses the time of the previous moment
	At     time.Time
	Agent  string // the subagent's id, "" in the main thread
	Prompt string // Prompted, Interrupted: the prompt's id
	Origin string // Prompted: turnOrigin, "" if the line has none
	Text   string // Prompted, Fired, Absorbed: the submitted text
	Cwd    string
	Branch string // checked-out branch, "" when detached or unknown
	// Fields of a tool call and its result.
	ID       string
	Tool     string       // Called only
	Input    gjson.Result // Called only: the input, an object
	Response gjson.Result // Returned: the client's own result, absent after a failure
	Error    string       // Returned: the error message of a failed tool
}

// Clone returns a copy of a moment that does not share memory with its line.
func (m Moment) Clone() Moment {
	for _, s := range []*string{&m.Agent, &m.Prompt, &m.Origin, &m.Text, &m.Cwd, &m.Branch, &m.ID,
		&m.Tool, &m.Error} {
		*s = strings.Clone(*s)
	}
	for _, r := range []*gjson.Result{&m.Input, &m.Response} {
		*r = gjson.Parse(strings.Clone(r.Raw))
	}
	return m
}

// moments yields the events that a record reports.
func (r record) moments(yield func(Moment) bool) {
	m := Moment{Cwd: r.text("cwd"), Branch: r.text("gitBranch")}
	m.At, _ = time.Parse(time.RFC3339Nano, r.at())
	if m.Branch == "HEAD" {
		m.Branch = ""
	}
	switch kind, subtype := r.text("type"), r.text("subtype"); {
	case kind == "assistant":
		m.Kind = Called
		for b := range blocks(r["message"], "tool_use") {
			m.ID, m.Tool, m.Input = text(b.Get("id")), text(b.Get("name")), b.Get("input")
			if m.Tool != "" && m.Input.IsObject() && !yield(m) {
				return
			}
		}
	case kind == "user":
		r.userMoments(m, yield)
	case subtype == "turn_duration":
		m.Kind = TurnEnded
		yield(m)
	case subtype == "scheduled_task_fire":
		m.Kind, m.Text = Fired, r.text("prompt")
		yield(m)
	case kind == "queue-operation":
		m.Kind, m.Text = Absorbed, r.text("content")
		yield(m)
	}
}

// userMoments yields the events of a user line. Old clients do not give prompts an id, so
// userMoments uses the line's id instead.
func (r record) userMoments(m Moment, yield func(Moment) bool) {
	m.Kind = Returned
	results := false
	for b := range blocks(r["message"], "tool_result") {
		results = true
		m.ID, m.Response, m.Error = text(b.Get("tool_use_id")), r["toolUseResult"], ""
		if b.Get("is_error").Type == gjson.True {
			m.Response, m.Error = gjson.Result{}, plainText(b)
		}
		if !yield(m) {
			return
		}
	}
	m.ID, m.Response, m.Error = "", gjson.Result{}, ""
	switch {
	case r.interrupted():
		m.Kind, m.Prompt = Interrupted, r.text("promptId")
		yield(m)
	case !results && !r.unsent():
		m.Kind, m.Prompt = Prompted, cmp.Or(r.text("promptId"), r.text("uuid"))
		m.Origin, m.Text = r.text("turnOrigin"), plainText(r["message"])
		yield(m)
	}
}

// Moments yields a session's events in line order: first those of the main transcript, then the
// calls and results of each subagent. It yields a prompt with several lines only once, and skips
// unreadable lines. For a file that cannot be read, it yields an error and continues with the next
// file. Memory is bounded by the longest line, at most 8 MiB.
func Moments(transcript string) iter.Seq2[Moment, error] {
	return func(yield func(Moment, error) bool) {
		more := momentsOf(transcript, "", yield)
		for _, name := range agents(transcript) {
			if more {
				more = momentsOf(AgentPath(transcript, name), loop.AgentOf(name), yield)
			}
		}
	}
}

func momentsOf(path, agent string, yield func(Moment, error) bool) (more bool) {
	var at time.Time
	prompt := "" // id of the current prompt
	more = true
	r := record{}
	err := linesOf(path, 0, func(line []byte, _ int64) bool {
		if !tells(line) {
			return true
		}
		if !r.read(bytes.TrimSuffix(line, []byte("\r"))) || r.is("isSidechain") && agent == "" {
			return true
		}
		for m := range r.moments {
			if m.At.IsZero() {
				m.At = at
			}
			m.Agent, at = agent, m.At
			inThread := agent == "" || m.Kind == Called || m.Kind == Returned
			repeated := m.Kind == Prompted && (m.Prompt != "" && m.Prompt == prompt ||
				strings.HasPrefix(m.Text, "<local-command-"))
			if !inThread || repeated {
				continue
			}
			if m.Kind == Prompted {
				prompt = strings.Clone(m.Prompt)
			}
			if more = yield(m, nil); !more {
				break
			}
		}
		return more
	})
	if err != nil && more {
		more = yield(Moment{}, fmt.Errorf("read transcript: %w", err))
	}
	return more
}

// tells reports whether a line may contain an event. It does not parse the line.
func tells(line []byte) bool {
	switch kindOf(line) {
	case "user", "system":
		return true
	case "assistant":
		return bytes.Contains(line, []byte(`"tool_use"`))
	case "queue-operation":
		return bytes.Contains(line, []byte(`"absorbed_mid_turn"`))
	}
	return false
}

// Timeline counts a whole session like Count and calls added with the usage that each line adds and
// the line's time. The calls are not sorted across files. The time is zero if neither the line nor
// any line before it has one. See Result for the notes.
func Timeline(transcript string, t Table,
	added func(at time.Time, model string, more loop.Tokens)) (notes []string, err error) {
	at := func(at, model string, more loop.Tokens) {
		if more != (loop.Tokens{}) {
			when, _ := time.Parse(time.RFC3339Nano, at)
			added(when, model, more)
		}
	}
	c, err := count(transcript, nil, agents(transcript), t, at)
	return c.res.Notes, err
}
