package usage

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"hooks/internal/loop"
	"hooks/internal/safefile"
)

// Bounds of the search for subagents' transcripts.
const (
	maxDepth = 8
	maxFiles = 20_000
)

// settled is the time without growth after which a subagent's last requests need not be remembered,
// because no request takes that long from one line to the next.
const settled = 15 * time.Minute

// source is one transcript to count.
type source struct {
	path   string // to open
	name   string // in the cursor; a subagent's is relative to the session's directory
	main   bool
	cursor loop.Cursor
	known  bool  // a cursor exists
	end    int64 // offset at which to stop reading; 0 means no limit
}

// sessionDir returns the directory in which a session keeps its subagents' transcripts.
func sessionDir(transcript string) string { return strings.TrimSuffix(transcript, ".jsonl") }

// sources lists the named subagents' transcripts, then the main one, each with its cursor. It
// ignores cursors of another session's transcript. Subagents come first, so that copies of their
// lines in an old client's main transcript are recognized.
func sources(transcript string, cursors []loop.Cursor, names []string) (out []source) {
	main := source{path: transcript, name: transcript, main: true}
	main.cursor, main.known = mainCursor(transcript, cursors)
	byName := map[string]loop.Cursor{}
	if main.known {
		for _, c := range cursors {
			byName[c.Path] = c
		}
	}
	for _, name := range names {
		s := source{path: agentPath(transcript, name), name: name}
		s.cursor, s.known = byName[name]
		out = append(out, s)
	}
	return append(out, main)
}

// Fresh returns the names of the transcripts without a cursor that belong to a running worker or to
// caller, the subagent that made the call ("" in the main thread). It searches for the caller's if
// necessary, because that of a workflow is deeper.
func Fresh(transcript string, cursors []loop.Cursor, workers []string, caller string) []string {
	var names []string
	for _, id := range loop.Uncounted(cursors, append(slices.Clip(workers), caller)) {
		name := agentName(id)
		_, err := os.Lstat(agentPath(transcript, name))
		if err != nil && id == caller {
			for _, name = range agents(transcript) {
				if loop.AgentOf(name) == id {
					err = nil
					break
				}
			}
		}
		if err == nil {
			names = append(names, name)
		}
	}
	return names
}

// growing returns the names of the fresh transcripts and of all that have a cursor. It does not
// look for others, because a long run leaves many that have ended. The count at the end of the
// iteration finds all.
func growing(cursors []loop.Cursor, fresh []string) (names []string) {
	for _, c := range cursors {
		if loop.AgentOf(c.Path) != "" {
			names = append(names, c.Path)
		}
	}
	return loop.AppendNew(names, fresh...)
}

// agentName returns the name of a subagent's transcript for its id.
func agentName(id string) string { return "subagents/agent-" + filepath.Base(id) + ".jsonl" }

// agentPath returns the path of a subagent's transcript, given its name in the cursor.
func agentPath(transcript, name string) string {
	return filepath.Join(sessionDir(transcript), filepath.FromSlash(name))
}

// Began returns the time at which a subagent's transcript began.
func Began(transcript, name string) time.Time { return begun(agentPath(transcript, name)) }

// begun returns the first time in the head of a transcript, whose first lines may have no time. It
// returns the zero time if no line of the head has one.
func begun(path string) (at time.Time) {
	head, _ := safefile.ReadHead(path, 64<<10)
	for line := range strings.Lines(head) {
		at, err := time.Parse(time.RFC3339Nano, gjson.Get(line, "timestamp").Str)
		if err == nil {
			return at
		}
	}
	return time.Time{}
}

// AgentTranscript returns the path at which the client keeps the transcript of a session's
// subagent, given the subagent's id.
func AgentTranscript(transcript, id string) string {
	return agentPath(transcript, agentName(id))
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

// agents lists the subagents' transcripts below a session's directory, with forward slashes. It
// follows no symbolic links. It returns nil for an empty transcript.
func agents(transcript string) (names []string) {
	if transcript == "" {
		return nil
	}
	dir := sessionDir(transcript) + "/"
	var list func(below string, depth int)
	list = func(below string, depth int) {
		entries, _ := os.ReadDir(dir + below)
		for _, e := range entries {
			name := below + "/" + e.Name()
			switch {
			case len(names) == maxFiles:
				return
			case e.IsDir() && depth < maxDepth:
				list(name, depth+1)
			case strings.HasPrefix(e.Name(), "agent-") && strings.HasSuffix(name, ".jsonl") &&
				e.Type().IsRegular():
				names = append(names, name)
			}
		}
	}
	list("subagents", 1)
	return names
}

// Baseline returns the cursors of a run that begins now. It counts nothing already in the
// subagents' transcripts, and nothing before offset from in the main one, which PromptStart finds.
// A negative from means its current end. The main transcript's cursor comes first.
func Baseline(transcript string, from int64) []loop.Cursor {
	out := []loop.Cursor{before(transcript, transcript, from)}
	for _, name := range agents(transcript) {
		out = append(out, before(agentPath(transcript, name), name, -1))
	}
	return out
}

// before returns a cursor at offset end, or after the last whole line if that is earlier. A
// negative end means the end of the file. If the file cannot be read, the cursor is at its end,
// because a run is never charged for usage before it. The cursor keeps the newest time before it,
// so that only newer lines count if the file is truncated or replaced.
func before(path, name string, end int64) loop.Cursor {
	c := loop.Cursor{Path: name}
	fi, err := os.Stat(path)
	if err != nil {
		c.Offset = max(end, 0)
		return c
	}
	_, c.Inode = safefile.ID(fi)
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

// promptLine finds the first top-level user line with a prompt's id, starting at an offset.
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

// maxNote bounds how much of the client's note about a subagent is read, in bytes.
const maxNote = 64 << 10

// SentBy returns the tool_use_id of the call that started the subagent with that transcript, or ""
// for a skill that runs in a fork. known is false if the client's note about the subagent cannot be
// read.
func SentBy(transcript string) (call string, known bool) {
	note, known := readNote(transcript)
	return note.Get("toolUseId").String(), known
}

// readNote reads the client's note about the subagent with that transcript.
func readNote(transcript string) (note gjson.Result, ok bool) {
	text, ok := safefile.Read(strings.TrimSuffix(transcript, ".jsonl")+".meta.json", maxNote)
	if note = gjson.Parse(text); !ok || !gjson.Valid(text) || !note.IsObject() {
		return gjson.Result{}, false
	}
	return note, true
}
