package usage

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"hooks/internal/loop"
)

// Bounds of the search for subagents' transcripts.
const (
	maxDepth = 8
	maxFiles = 20_000
)

// settled is how long a subagent's transcript must rest until its last requests need not be
// remembered, because no request takes that long from one line to the next.
const settled = 15 * time.Minute

// source is one transcript to count.
type source struct {
	path   string // to open
	name   string // in the cursor: of a subagent's below the session's directory
	main   bool
	cursor loop.Cursor
	known  bool  // there is a cursor
	end    int64 // what is behind this offset is not read; 0 is no bound
}

// sessionDir is where a session keeps its subagents' transcripts.
func sessionDir(transcript string) string { return strings.TrimSuffix(transcript, ".jsonl") }

// sources lists the subagents' transcripts, then the main one, each with its cursor. It ignores
// cursors of another session's transcript. Subagents come first so that an old client's copies of
// their lines in the main transcript are recognised.
func sources(transcript string, cursors []loop.Cursor) (out []source) {
	main := source{path: transcript, name: transcript, main: true}
	main.cursor, main.known = mainCursor(transcript, cursors)
	byName := map[string]loop.Cursor{}
	if main.known {
		for _, c := range cursors {
			byName[c.Path] = c
		}
	}
	for _, name := range agents(sessionDir(transcript)) {
		s := source{path: agentPath(transcript, name), name: name}
		s.cursor, s.known = byName[name]
		out = append(out, s)
	}
	return append(out, main)
}

// agentPath is where a subagent's transcript is, by its name in the cursor.
func agentPath(transcript, name string) string {
	return filepath.Join(sessionDir(transcript), filepath.FromSlash(name))
}

// AgentTranscript is where the client keeps the transcript of a session's subagent, by its id.
func AgentTranscript(transcript, id string) string {
	return agentPath(transcript, "subagents/agent-"+filepath.Base(id)+".jsonl")
}

// mainCursor finds the main transcript's cursor. It compares only the file name, which is the
// session id, so that a directory that moved does no harm.
func mainCursor(transcript string, cursors []loop.Cursor) (loop.Cursor, bool) {
	for _, c := range cursors {
		if isMain(c) && filepath.Base(c.Path) == filepath.Base(transcript) {
			return c, true
		}
	}
	return loop.Cursor{}, false
}

func isMain(c loop.Cursor) bool {
	return strings.HasSuffix(c.Path, ".jsonl") && !strings.HasPrefix(c.Path, "subagents/")
}

// agents lists the subagents' transcripts below a session's directory, with forward slashes,
// sorted. It follows no symbolic links.
func agents(dir string) (names []string) {
	root := filepath.Join(dir, "subagents")
	filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || len(names) == maxFiles {
			return fs.SkipDir
		}
		rel, _ := filepath.Rel(dir, path)
		rel = filepath.ToSlash(rel)
		if d.IsDir() && strings.Count(rel, "/") >= maxDepth {
			return fs.SkipDir
		}
		named := strings.HasPrefix(d.Name(), "agent-") && strings.HasSuffix(rel, ".jsonl")
		if named && d.Type().IsRegular() {
			names = append(names, rel)
		}
		return nil
	})
	return names
}

// Baseline is the cursors of a run that begins now: nothing in the subagents' transcripts counts,
// and of the main one nothing before offset from, which PromptStart finds. A negative from is its
// present end. The first cursor is the main transcript's.
func Baseline(transcript string, from int64) []loop.Cursor {
	out := []loop.Cursor{before(transcript, transcript, from)}
	for _, name := range agents(sessionDir(transcript)) {
		out = append(out, before(agentPath(transcript, name), name, -1))
	}
	return out
}

// before is a cursor behind the last whole line of a file that begins before offset end, at 0 if
// there is none; a negative end is that of the file. All of a file that cannot be read at this
// moment is taken as old: what was spent before a run is never charged to it. The cursor has the
// newest time before it: what is newer counts in a file that is cut off or replaced.
func before(path, name string, end int64) loop.Cursor {
	c := loop.Cursor{Path: name}
	fi, err := os.Stat(path)
	if err != nil {
		c.Offset = max(end, 0)
		return c
	}
	c.Inode = inode(fi)
	for size := int64(64 << 10); ; size *= 8 {
		t := readTail(path, size)
		c.Offset = t.start + int64(len(t.data))
		if t.err != nil {
			c.Offset = fi.Size()
		}
		if end >= 0 {
			c.Offset = min(c.Offset, end)
		}
		if t.err != nil {
			return c
		}
		if c.Offset > t.start || size > fi.Size() {
			t.data = t.data[:max(c.Offset-t.start, 0)]
			c.Open = pack(nil, t.newest())
			return c
		}
	}
}
