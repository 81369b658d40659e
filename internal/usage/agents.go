package usage

import (
	"bytes"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"hooks/internal/loop"
	"hooks/internal/regular"
)

// Stretch is the part of a session in which a run spent.
type Stretch struct {
	Transcript string
	// Prompt is the prompt id that the stretch begins with; Since is the time where the transcript has no such prompt,
	// and for subagents' transcripts.
	Prompt string
	Since  time.Time
	// UpTo are the cursors where the stretch ended; nil while it goes on.
	UpTo []loop.Cursor
}

// Agent is what one thread of a session spent: the main one, whose ID is empty, or a subagent.
type Agent struct {
	ID, Type, Task string // Type and Task as the client's own note beside the transcript has them
	ByModel        map[string]loop.Tokens
}

// ByAgent tells a stretch's usage apart by who spent it, those who spent nothing left out. It counts as Count does. An
// error names what could not be read; the rest is told.
func ByAgent(s Stretch, t Table) ([]Agent, error) {
	c := newCounter(t)
	c.since = s.Since
	list := s.sources()
	c.apart = make([]map[string]loop.Tokens, len(list))
	_, err := c.all(list)
	var out []Agent
	for i, from := range list {
		if len(c.apart[i]) == 0 {
			continue
		}
		a := Agent{ByModel: c.apart[i]}
		if !from.main {
			a.describe(from)
		}
		out = append(out, a)
	}
	slices.Reverse(out) // the main thread first
	return out, err
}

// sources are the transcripts of the stretch with the bounds between which they are read.
func (s Stretch) sources() (out []source) {
	ends := map[string]int64{}
	for _, c := range s.UpTo {
		ends[c.Path] = c.Offset
	}
	main, _ := mainCursor(s.Transcript, s.UpTo)
	for _, from := range sources(s.Transcript, nil) {
		if from.main {
			from.cursor.Offset, from.known = promptOffset(s.Transcript, s.Prompt)
			from.end = main.Offset
		} else if from.end = ends[from.name]; from.end == 0 && s.UpTo != nil {
			continue // it began later
		}
		out = append(out, from)
	}
	return out
}

// promptOffset finds the first user line with a prompt's id, wherever in the transcript it stands.
func promptOffset(transcript, id string) (offset int64, ok bool) {
	f, _, err := regular.Open(transcript)
	if err != nil || id == "" {
		return 0, false
	}
	defer f.Close()
	var l lines
	for l.reset(f, 0); ; {
		at := l.offset
		line, more := l.next()
		if !more {
			return 0, false
		}
		if bytes.Contains(line, []byte(id)) && !other(line) {
			if r, ok := read(line); ok && r.kind == "user" && !r.sidechain && r.prompt == id {
				return at, true
			}
		}
	}
}

// maxNote bounds what is read of the client's note about a subagent.
const maxNote = 64 << 10

// describe fills in who a subagent is.
func (a *Agent) describe(from source) {
	a.ID = strings.TrimPrefix(strings.TrimSuffix(path.Base(from.name), ".jsonl"), "agent-")
	note := strings.TrimSuffix(from.path, ".jsonl") + ".meta.json"
	b, ok := regular.Read(note, maxNote)
	if !ok || !gjson.Valid(b) {
		return
	}
	a.Type, a.Task = gjson.Get(b, "agentType").String(), gjson.Get(b, "description").String()
}
