package usage

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"hooks/internal/loop"
	"hooks/internal/safefile"
)

// Stretch is the part of a session in which a run spent.
type Stretch struct {
	Transcript string
	// Prompt is the prompt id that the stretch begins with. Since is the time for subagents'
	// transcripts, and if the transcript has no such prompt.
	Prompt string
	Since  time.Time
	// UpTo holds the cursors at the end of the stretch. It is nil while the stretch runs.
	UpTo []loop.Cursor
}

// Agent holds the usage of one thread of a session: the main one, whose ID is empty, or a subagent.
type Agent struct {
	ID, Type, Task string // Type and Task are from the client's own note beside the transcript
	ByModel        map[string]loop.Tokens
}

// ByAgent is a stretch's usage by who spent it, without those who spent nothing. It counts as Count
// does. An error names what could not be read; the rest is returned.
func ByAgent(s Stretch, t Table) ([]Agent, error) {
	c := newCounter(t)
	c.since = s.Since
	_, err := c.all(s.sources())
	var out []Agent
	for i, from := range slices.Backward(c.list) { // the main thread first
		if len(c.apart[i]) == 0 {
			continue
		}
		a := Agent{ByModel: c.apart[i]}
		if !from.main {
			a.describe(from)
		}
		out = append(out, a)
	}
	return out, err
}

// sources are the transcripts of the stretch with the bounds between which they are read.
func (s Stretch) sources() (out []source) {
	ends := map[string]int64{}
	for _, c := range s.UpTo {
		ends[c.Path] = c.Offset
	}
	main, _ := mainCursor(s.Transcript, s.UpTo)
	for _, from := range sources(s.Transcript, nil, agents(s.Transcript)) {
		if from.main {
			_, from.cursor.Offset, from.known = promptLine(s.Transcript, 0, s.Prompt)
			from.end = main.Offset
		} else if from.end = ends[from.name]; from.end == 0 && s.UpTo != nil {
			continue // it began later
		}
		out = append(out, from)
	}
	return out
}

// promptLine finds the first top-level user line with a prompt's id, from an offset on.
func promptLine(transcript string, from int64, id string) (r record, at int64, found bool) {
	if id == "" {
		return r, 0, false
	}
	var l lines
	l.file(transcript, from, func(line []byte, offset int64) bool {
		if !bytes.Contains(line, []byte(id)) || other(line) {
			return true
		}
		var ok bool
		r, ok = read(line)
		found = ok && r.kind == "user" && !r.sidechain && r.prompt == id
		at = offset
		return !found
	})
	if !found {
		return record{}, 0, false
	}
	return r, at, true
}

// maxNote bounds what is read of the client's note about a subagent.
const maxNote = 64 << 10

// describe fills in who a subagent is.
func (a *Agent) describe(from source) {
	note, _ := readNote(from.path)
	a.ID = loop.AgentOf(from.name)
	a.Type, a.Task = note.Get("agentType").String(), note.Get("description").String()
}

// SentBy returns the tool_use_id of the call that sent the subagent with that transcript, or "" for
// a skill that runs in a fork. known is false if the client's note on the subagent cannot be read.
func SentBy(transcript string) (call string, known bool) {
	note, known := readNote(transcript)
	return note.Get("toolUseId").String(), known
}

// readNote reads the client's note on the subagent with that transcript.
func readNote(transcript string) (note gjson.Result, ok bool) {
	text, ok := safefile.Read(strings.TrimSuffix(transcript, ".jsonl")+".meta.json", maxNote)
	if note = gjson.Parse(text); !ok || !gjson.Valid(text) || !note.IsObject() {
		return gjson.Result{}, false
	}
	return note, true
}
