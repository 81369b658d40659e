package usage

import (
	"bytes"
	"io"
	"strings"
	"time"

	"hooks/internal/regular"
)

// Bounds of what is read of a transcript's end, in bytes.
const (
	promptTail = 4 << 20
	lastTail   = 1 << 20
)

// tail is the whole lines at the end of a file.
type tail struct {
	data  []byte
	start int64 // offset of data in the file
	err   error // why there may be less than the file holds
}

// readTail reads at most max bytes. What cannot be read is empty.
func readTail(path string, max int64) (t tail) {
	f, fi, err := regular.Open(path)
	if err != nil {
		t.err = err
		return t
	}
	defer f.Close()
	t.start = fi.Size() - min(fi.Size(), max)
	t.data = make([]byte, fi.Size()-t.start)
	n, err := io.ReadFull(io.NewSectionReader(f, t.start, int64(len(t.data))), t.data)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF { // the file may have become shorter meanwhile
		t.err = err
	}
	t.data = t.data[:bytes.LastIndexByte(t.data[:n], '\n')+1]
	if t.start > 0 {
		cut := bytes.IndexByte(t.data, '\n') + 1
		t.data, t.start = t.data[cut:], t.start+int64(cut)
	}
	return t
}

// backward calls f with the lines from the last to the first, until it returns false.
func (t tail) backward(f func(line []byte) bool) {
	for rest := t.data; len(rest) > 0; {
		i := bytes.LastIndexByte(rest[:len(rest)-1], '\n') + 1
		if !f(rest[i : len(rest)-1]) {
			return
		}
		rest = rest[:i]
	}
}

// Start is where a prompt begins in the main transcript.
type Start struct {
	Offset    int64  // of its first line, in bytes
	UnderLoop bool   // that line is the /loop command
	Origin    string // who started the turn: "human", "scheduled", "task_notification", "sdk"; "" where it is not said
	Prompt    string // what was submitted; a slash command as it was typed
}

// PromptStart finds the first top-level user line with a prompt's id. Only the last 4 MiB are searched; a prompt that
// began before them begins with its first line in them. ok is false for an id without a line, as at the entry itself
// when the line is not written yet.
func PromptStart(transcript, promptID string) (s Start, ok bool) {
	if promptID == "" {
		return s, false
	}
	t := readTail(transcript, promptTail)
	at := t.start
	for rest := t.data; len(rest) > 0; {
		line, after, _ := bytes.Cut(rest, []byte("\n"))
		if bytes.Contains(line, []byte(promptID)) && !other(line) {
			if r, ok := read(line); ok && r.kind == "user" && !r.sidechain && r.prompt == promptID {
				return Start{at, r.isLoop(), r.origin, r.typed()}, true
			}
		}
		at += int64(len(line)) + 1
		rest = after
	}
	return s, false
}

// typed is the prompt of a user line; the client writes a slash command as two marked parts.
func (r record) typed() string {
	all := plainText(r.message)
	name, found := between(all, "<command-name>", "</command-name>")
	if !found {
		return strings.Clone(all)
	}
	args, _ := between(all, "<command-args>", "</command-args>")
	return strings.TrimSpace(name + " " + args)
}

func between(s, open, end string) (part string, found bool) {
	_, rest, found := strings.Cut(s, open)
	part, _, closed := strings.Cut(rest, end)
	return part, found && closed
}

// isLoop says whether a user line is the /loop command.
func (r record) isLoop() (yes bool) {
	texts(r.message, func(s string) { yes = yes || strings.Contains(s, "<command-name>/loop</command-name>") })
	return yes
}

// ScheduledFire says whether the client's scheduler has just submitted that prompt: a `scheduled_task_fire` line for
// it stands behind the last user line of the main transcript. Only whole lines in the last 1 MiB count.
func ScheduledFire(transcript, prompt string) (fired bool) {
	readTail(transcript, lastTail).backward(func(line []byte) bool {
		user, fire := bytes.Contains(line, []byte(`"user"`)), bytes.Contains(line, []byte("scheduled_task_fire"))
		if !user && !fire || line[0] == '{' && other(line) && !fire {
			return true
		}
		r, ok := read(line)
		switch {
		case !ok || r.sidechain:
			return true
		case r.kind == "system" && r.subtype == "scheduled_task_fire":
			fired = strings.TrimSpace(r.fired) == strings.TrimSpace(prompt)
			return !fired
		}
		return r.kind != "user"
	})
	return fired
}

// LastSign is the newest time that a line at the end of the main transcript tells, zero where none does: when its
// session was last alive. Only whole lines in the last 1 MiB count.
func LastSign(transcript string) (at time.Time) {
	readTail(transcript, lastTail).backward(func(line []byte) bool {
		r, ok := read(line)
		if !ok || r.at == "" {
			return true
		}
		at, _ = time.Parse(time.RFC3339Nano, r.at)
		return at.IsZero()
	})
	return at
}
