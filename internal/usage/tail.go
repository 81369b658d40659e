package usage

import (
	"bytes"
	"context"
	"io"
	"os"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"hooks/internal/loop"
	"hooks/internal/safefile"
)

// Bounds on how much of a transcript's end is read, in bytes.
const (
	promptTail = 4 << 20
	lastTail   = 1 << 20
	escTail    = 64 << 10
)

// tail holds the whole lines at the end of a file.
type tail struct {
	data  []byte
	start int64 // offset of data in the file
	err   error // error that may have left data incomplete
}

// readTail reads at most max bytes from the end of a file. data is empty if the file cannot be
// read.
func readTail(path string, max int64) (t tail) {
	f, fi, err := safefile.Open(path)
	if err != nil {
		t.err = err
		return t
	}
	defer f.Close()
	t.start = fi.Size() - min(fi.Size(), max)
	t.data = make([]byte, fi.Size()-t.start)
	n, err := io.ReadFull(io.NewSectionReader(f, t.start, int64(len(t.data))), t.data)
	if err != io.EOF && err != io.ErrUnexpectedEOF { // the file may have shrunk
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

// records calls f with the readable lines of the main thread for which may returns true, from the
// last to the first, until f returns false.
func (t tail) records(may func(line []byte) bool, f func(line []byte, r record) bool) {
	t.backward(func(line []byte) bool {
		if !may(line) {
			return true
		}
		r, ok := read(line)
		return !ok || r.sidechain || f(line, r)
	})
}

// newest returns the newest time of any line, or "" if no line has one.
func (t tail) newest() (at string) {
	t.backward(func(line []byte) bool {
		if r, ok := read(line); ok && r.at > at {
			at = strings.Clone(r.at)
		}
		return true
	})
	return at
}

// Start describes the beginning of a prompt in the main transcript.
type Start struct {
	Offset    int64  // of its first line, in bytes
	UnderLoop bool   // a text in that line is the /loop command
	Origin    string // "human", "scheduled", "task_notification" or "sdk"; "" if the line has none
	Prompt    string // the submitted text; a slash command as typed
}

// PromptStart finds the first top-level user line with a prompt's id in the last 4 MiB. A prompt
// that began earlier starts at its first line in there. ok is false if no line has the id, as at
// the entry itself when the line is not yet written.
func PromptStart(transcript, promptID string) (s Start, ok bool) {
	var size int64
	if fi, err := os.Stat(transcript); err == nil {
		size = fi.Size()
	}
	r, at, ok := promptLine(transcript, max(0, size-promptTail), promptID)
	if !ok {
		return s, false
	}
	for text := range texts(r.message) {
		s.UnderLoop = s.UnderLoop || strings.Contains(text, "<command-name>/loop</command-name>")
	}
	s.Offset, s.Origin, s.Prompt = at, strings.Clone(r.origin), r.typed()
	return s, true
}

// Typed reports whether a person submitted a prompt accepted by is, anywhere in the main
// transcript. A line without an origin counts only until the first line with one: from then on, it
// may be a client's note with the model's words, as for background work.
func Typed(transcript string, is func(prompt string) bool) (typed bool) {
	var all lines
	fired, named := "", false
	_ = all.file(transcript, 0, func(line []byte, _ int64) bool {
		if !fires(line) && !mayBeUser(line) {
			return true
		}
		r, ok := read(line)
		switch {
		case !ok:
		case r.kind == "system" && r.subtype == "scheduled_task_fire":
			fired = strings.Join(strings.Fields(r.fired), " ")
		case r.kind == "user" && !r.meta && !r.sidechain:
			prompt := r.typed()
			own := !named && strings.Join(strings.Fields(prompt), " ") != fired
			person := r.origin == "human" || r.origin == "sdk" || r.origin == "" && own
			typed, fired, named = person && is(prompt), "", named || r.origin != ""
		}
		return !typed
	})
	return typed
}

// ScheduledFire reports whether the client's scheduler has just submitted that prompt: a
// `scheduled_task_fire` line for it follows the last user line of the main transcript. It reads
// only whole lines in the last 1 MiB.
func ScheduledFire(transcript, prompt string) (fired bool) {
	may := func(line []byte) bool { return fires(line) || mayBeUser(line) }
	readTail(transcript, lastTail).records(may, func(_ []byte, r record) bool {
		if r.kind == "system" && r.subtype == "scheduled_task_fire" {
			fired = strings.TrimSpace(r.fired) == strings.TrimSpace(prompt)
			return !fired
		}
		return r.kind != "user"
	})
	return fired
}

func fires(line []byte) bool { return bytes.Contains(line, []byte("scheduled_task_fire")) }

func mayBeUser(line []byte) bool { return bytes.Contains(line, []byte(`"user"`)) && !other(line) }

// Sender returns who sent a prompt whose event has just arrived, judged by the lines after the last
// user line of the main transcript. The client enqueues its own prompts and dequeues them at once,
// and it logs a schedule that fires. Sender reads only whole lines in the last 1 MiB.
func Sender(transcript, prompt string) (by loop.Sender) {
	prompt = strings.TrimSpace(prompt)
	taken := false // the next line read belongs to a prompt that was dequeued
	may := func(line []byte) bool {
		queue := headType(line) == "queue-operation"
		taken = taken && (queue || fires(line) || mayBeUser(line))
		return queue || fires(line) || mayBeUser(line)
	}
	readTail(transcript, lastTail).records(may, func(line []byte, r record) bool {
		switch {
		case r.kind == "queue-operation":
			v := gjson.ParseBytes(line)
			if text(v.Get("operation")) == "enqueue" &&
				strings.TrimSpace(text(v.Get("content"))) == prompt {
				by = loop.SenderQueue
				if taken {
					by = loop.SenderClient
				}
				return false
			}
			taken = text(v.Get("operation")) == "dequeue"
			return true
		case r.subtype == "scheduled_task_fire" && strings.TrimSpace(r.fired) == prompt:
			by = loop.SenderSchedule
			return false
		}
		return r.kind != "user"
	})
	return by
}

// Escaped reports whether a person has just interrupted a turn with Esc, and returns the id of its
// prompt. It checks whether the last message of the main transcript is the client's mark for that,
// reading only whole lines in the last 64 KiB.
func Escaped(transcript string) (prompt string, esc bool) {
	may := func(line []byte) bool { return !other(line) }
	readTail(transcript, escTail).records(may, func(_ []byte, r record) bool {
		if r.kind != "user" && r.kind != "assistant" {
			return true
		}
		if esc = r.kind == "user" && r.interrupted(); esc {
			prompt = strings.Clone(r.prompt)
		}
		return false
	})
	return prompt, esc
}

// LastSign returns the newest time in the last 1 MiB of the main transcript, when the session was
// last alive. It returns the zero time if there is none.
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

// Goal returns the session's active goal, set with the client's /goal, or "" if none is active. The
// last status of a goal in the last 4 MiB of the main transcript counts.
func Goal(transcript string) (goal string) {
	may := func(line []byte) bool { return bytes.Contains(line, []byte(`"goal_status"`)) }
	readTail(transcript, promptTail).records(may, func(line []byte, r record) bool {
		status := gjson.GetBytes(line, "attachment")
		if r.kind != "attachment" || status.Get("type").String() != "goal_status" {
			return true
		}
		if !status.Get("met").Bool() && !status.Get("failed").Bool() {
			goal = status.Get("condition").String()
		}
		return false
	})
	return goal
}

// Limits of WaitFlushed. A client with a machine to itself takes up to 100 ms (CONTRACT). With a
// dozen programs on two cores it took more than 500 ms, and its last message was charged one
// iteration late.
const (
	flushLimit   = 2 * time.Second
	missingLimit = 200 * time.Millisecond
	flushPoll    = 5 * time.Millisecond
)

// WaitFlushed waits until the assistant's last message is in the transcript, and reports whether it
// is, because Stop fires up to 100 ms before. It gives up after 2 s, or after 200 ms if the file is
// missing, as at a session's first Stop or if the client keeps no transcripts. It returns at once
// if there is no message.
//
// Only an assistant line after the last user line counts, because loops end every turn with the
// same words.
func WaitFlushed(ctx context.Context, transcript, lastMessage string) bool {
	want := strings.TrimSpace(lastMessage)
	if want == "" || transcript == "" {
		return want == ""
	}
	start := time.Now()
	var seen int64 = -1
	for {
		limit := missingLimit
		if fi, err := os.Stat(transcript); err == nil {
			limit = flushLimit
			if fi.Size() != seen && said(readTail(transcript, lastTail), want) {
				return true
			}
			seen = fi.Size()
		}
		if time.Since(start) >= limit {
			return false
		}
		select {
		case <-ctx.Done():
			return false
		case <-time.After(flushPoll):
		}
	}
}

// said reports whether want ends with the assistant's last text block. The event joins a message's
// text blocks, but each has its own line, and the last one is enough.
func said(t tail, want string) (yes bool) {
	may := func(line []byte) bool { return !other(line) }
	t.records(may, func(_ []byte, r record) bool {
		if r.kind == "assistant" {
			for s := range texts(r.message) {
				s = strings.TrimSpace(s)
				yes = yes || s != "" && strings.HasSuffix(want, s)
			}
		}
		return !yes && r.kind != "user"
	})
	return yes
}
