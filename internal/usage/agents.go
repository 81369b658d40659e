package usage

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"hooks/internal/loop"
	"hooks/internal/safefile"
)

// source is one transcript to count.
type source struct {
	path   string      // path to open
	name   string      // name in the cursor; a subagent's is relative to the session's directory
	main   bool        // whether it is the main transcript, not a subagent's
	known  bool        // whether a cursor exists
	was    loop.Cursor // cursor before this count
	cursor loop.Cursor
	open   []*tally               // latest requests; later lines may raise their usage
	spent  map[string]loop.Tokens // tokens by model
	until  string                 // newest timestamp seen
	floor  string                 // lines up to this time were counted before
	before int64                  // lines before this offset are old if they or floor have no time
}

// moved reports whether this count has moved the cursor.
func (s *source) moved() bool {
	return s.cursor.Offset != s.was.Offset
}

// open lists the transcripts of the named subagents, then the main one, each with its cursor and
// the requests that the cursor remembers. It ignores cursors of another session. Subagents come
// first, because a request found in two transcripts belongs to the subagent. Main transcripts are
// compared by file name, which is the session id, so a moved directory does not matter.
func (c *counter) open(transcript string, cursors []loop.Cursor, names []string) {
	byName := map[string]loop.Cursor{}
	for _, cursor := range cursors {
		byName[cursor.Path] = cursor
		ofMain := loop.AgentOf(cursor.Path) == ""
		if ofMain && filepath.Base(cursor.Path) == filepath.Base(transcript) {
			byName[transcript] = cursor
		}
	}
	if _, same := byName[transcript]; !same {
		clear(byName)
	}
	for _, name := range append(slices.Clip(names), transcript) {
		s := &source{path: transcript, name: name, main: name == transcript}
		if !s.main {
			s.path = AgentPath(transcript, name)
		}
		s.spent = map[string]loop.Tokens{}
		s.was, s.known = byName[name]
		s.cursor = s.was
		s.cursor.Path = name
		c.list = append(c.list, s)
		for _, r := range s.was.Open {
			if at, ok := strings.CutPrefix(r.ID, untilMark); ok && r.Model == "" {
				s.until = instant(at)
			} else if c.requests[r.ID] == nil {
				c.remember(&tally{r, s})
			}
		}
	}
}

// Fresh returns the names of subagent transcripts without a cursor that belong to one of the
// running workers or to caller, the subagent that made the call ("" in the main thread).
func Fresh(transcript string, cursors []loop.Cursor, workers []string, caller string) []string {
	ids := loop.AppendNew(workers, caller)
	if len(ids) == 0 {
		return nil
	}
	return slices.DeleteFunc(Uncounted(transcript, cursors), func(name string) bool {
		return !slices.Contains(ids, loop.AgentOf(name))
	})
}

// AgentTranscript returns the path where the client keeps a subagent's transcript, given the
// session's main transcript and the subagent's id.
func AgentTranscript(transcript, id string) string {
	return AgentPath(transcript, "subagents/agent-"+filepath.Base(id)+".jsonl")
}

// AgentPath returns the path of a subagent's transcript, given its name in the cursor.
func AgentPath(transcript, name string) string {
	return filepath.Join(strings.TrimSuffix(transcript, ".jsonl"), filepath.FromSlash(name))
}

// Began returns the first timestamp in the first 64 KiB of a transcript, or the zero time if there
// is none.
func Began(path string) time.Time {
	head, _ := safefile.ReadHead(path, 64<<10)
	for line := range strings.Lines(head) {
		at, err := time.Parse(time.RFC3339Nano, gjson.Get(line, "timestamp").Str)
		if err == nil {
			return at
		}
	}
	return time.Time{}
}

// agents lists the subagent transcripts in a session's directory as slash-separated paths. It does
// not follow symbolic links.
func agents(transcript string) (names []string) {
	dir := strings.TrimSuffix(transcript, ".jsonl")
	_ = filepath.WalkDir(filepath.Join(dir, "subagents"),
		func(path string, e fs.DirEntry, err error) error {
			if err == nil && e.Type().IsRegular() && strings.HasPrefix(e.Name(), "agent-") &&
				strings.HasSuffix(path, ".jsonl") {
				name, _ := filepath.Rel(dir, path)
				names = append(names, filepath.ToSlash(name))
			}
			return nil
		})
	return names
}

// Uncounted returns the names of a session's subagent transcripts without a cursor. Their workers
// are new or ended in an earlier iteration.
func Uncounted(transcript string, cursors []loop.Cursor) []string {
	return slices.DeleteFunc(agents(transcript), func(name string) bool {
		return slices.ContainsFunc(cursors, func(c loop.Cursor) bool { return c.Path == name })
	})
}

// Baseline returns the cursors for a run that begins now. They exclude everything already in the
// subagents' transcripts and everything before offset start, as found by PromptStart, in the main
// transcript. A negative start means the current end. The main transcript's cursor comes first.
func Baseline(transcript string, start int64) []loop.Cursor {
	out := []loop.Cursor{before(transcript, transcript, start)}
	for _, name := range agents(transcript) {
		out = append(out, before(AgentPath(transcript, name), name, -1))
	}
	return out
}

// before returns a cursor at offset end, or after the last whole line if that is earlier. A
// negative end means the end of the file. If the lines before end cannot be read, the cursor is at
// end itself, because a run is never charged for earlier usage. The cursor keeps the newest time
// before it, so that only newer lines count if the file is truncated or replaced.
func before(path, name string, end int64) loop.Cursor {
	c := loop.Cursor{Path: name, Offset: max(end, 0)}
	fi, err := os.Stat(path)
	if err != nil {
		return c
	}
	if end < 0 || end > fi.Size() {
		c.Offset = fi.Size()
	}
	at := ""
	for size := int64(shortTail); at == "" && size <= promptTail; size *= 8 { // a line may be long
		t := readTail(path, c.Offset, size)
		if at = t.newest(); at != "" || len(t.data) > 0 {
			c.Offset = t.end
		}
	}
	if at != "" {
		c.Open = []loop.Counted{{ID: untilMark + at}}
	}
	return c
}

// maxNote is the maximum size in bytes of a subagent's note. A longer note counts as unreadable.
const maxNote = 64 << 10

// SentBy returns the tool_use_id of the call that started the subagent with the given transcript,
// or "" for a skill that runs in a fork. known is false if the client's note about the subagent
// cannot be read.
func SentBy(transcript string) (call string, known bool) {
	note, known := readNote(transcript)
	return note.Get("toolUseId").String(), known
}

// readNote reads the client's note about the subagent with the given transcript.
func readNote(transcript string) (note gjson.Result, ok bool) {
	text, ok := safefile.Read(strings.TrimSuffix(transcript, ".jsonl")+".meta.json", maxNote)
	if note = gjson.Parse(text); !ok || !gjson.Valid(text) || !note.IsObject() {
		return gjson.Result{}, false
	}
	return note, true
}
