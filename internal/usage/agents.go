package usage

import (
	"bytes"
	"strings"

	"github.com/tidwall/gjson"

	"hooks/internal/safefile"
)

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
