package loop

import (
	"path"
	"slices"
	"strings"
)

// Cursor is how far a transcript has been counted, so that the next read starts there.
type Cursor struct {
	Path   string `json:"path"`
	Offset int64  `json:"offset"` // bytes counted, up to the end of a whole line
	Inode  uint64 `json:"inode,omitempty"`
	// Open holds the last requests seen with what was counted for each: later lines of the same
	// request may say more.
	Open []Counted `json:"open,omitempty"`
}

// Counted is what one request contributed so far.
type Counted struct {
	ID     string `json:"id"` // message id and request id, joined by a space
	Model  string `json:"model"`
	Tokens Tokens `json:"tokens"`
}

// subagentFolder begins the path of a cursor of a subagent's transcript. Such a path is relative to
// the main transcript's folder.
const subagentFolder = "subagents/"

// AgentOf returns the id of the subagent whose transcript has that path, "" for the main one.
func AgentOf(transcript string) string {
	if !strings.HasPrefix(transcript, subagentFolder) {
		return ""
	}
	return strings.TrimPrefix(strings.TrimSuffix(path.Base(transcript), ".jsonl"), "agent-")
}

// Overlay is cursors with newer ones in place of those of the same transcripts. The newer ones come
// first.
func Overlay(cursors, newer []Cursor) []Cursor {
	out := slices.Clone(newer)
	for _, c := range cursors {
		if !slices.ContainsFunc(newer, func(n Cursor) bool { return n.Path == c.Path }) {
			out = append(out, c)
		}
	}
	return out
}

// Uncounted are the agents, each once, whose transcripts have no cursor.
func Uncounted(cursors []Cursor, agents []string) []string {
	return slices.DeleteFunc(AppendNew(nil, agents...), func(id string) bool {
		return slices.ContainsFunc(cursors, func(c Cursor) bool { return AgentOf(c.Path) == id })
	})
}

// Advance is cursors after a count that moved some. Those of another session's transcripts are
// gone.
func Advance(cursors, moved []Cursor) []Cursor {
	session := func(list []Cursor) string {
		main := mainOf(list)
		return main[strings.LastIndexAny(main, `/\`)+1:]
	}
	if session(cursors) != session(moved) {
		return moved
	}
	workers := slices.DeleteFunc(slices.Clone(cursors), func(c Cursor) bool {
		return AgentOf(c.Path) == "" // its folder may have moved
	})
	return Overlay(workers, moved)
}

// Transcript is the run's main transcript, "" where none was counted yet.
func (b *Budget) Transcript() string { return mainOf(b.Cursors) }

func mainOf(cursors []Cursor) string {
	for _, c := range cursors {
		if AgentOf(c.Path) == "" {
			return c.Path
		}
	}
	return ""
}

// openAtEnd is how many requests of the main thread can still grow once its turn has ended. They
// follow one another; the entry after them has the newest time.
const openAtEnd = 2 + 1

// endWorkers takes out and returns the cursors of workers that ended: those that do not run, and
// those with nothing left open. The history keeps them for a worker that is sent on.
func (b *Budget) endWorkers(running []string) (ended []Cursor) {
	var kept []Cursor
	for _, c := range b.Cursors {
		switch agent := AgentOf(c.Path); {
		case agent == "":
			c.Open = c.Open[max(0, len(c.Open)-openAtEnd):]
			kept = append(kept, c)
		case c.Open != nil && slices.Contains(running, agent):
			kept = append(kept, c)
		default:
			c.Open = nil
			ended = append(ended, c)
		}
	}
	b.Cursors = kept
	return ended
}
