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

// Bounds of what is read of a transcript's end, in bytes.
const (
	promptTail = 4 << 20
	lastTail   = 1 << 20
	escTail    = 64 << 10
)

// tail is the whole lines at the end of a file.
type tail struct {
	data  []byte
	start int64 // offset of data in the file
	err   error // why there may be less than the file holds
}

// readTail reads at most max bytes. What cannot be read is empty.
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
	if err != io.EOF && err != io.ErrUnexpectedEOF { // the file may have become shorter meanwhile
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

// records calls f with the lines of the main thread that can be read and for which may returns
// true, from the last to the first, until f returns false.
func (t tail) records(may func(line []byte) bool, f func(line []byte, r record) bool) {
	t.backward(func(line []byte) bool {
		if !may(line) {
			return true
		}
		r, ok := read(line)
		return !ok || r.sidechain || f(line, r)
	})
}

// newest returns the newest time of any line, or "" if no line has a time.
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
	UnderLoop bool   // that line is the /loop command
	Origin    string // "human", "scheduled", "task_notification" or "sdk"; "" if the line has none
	Prompt    string // what was submitted; a slash command as it was typed
}

// PromptStart finds the first top-level user line with a prompt's id. It searches the last 4 MiB; a
// prompt that began before them begins with its first line in them. ok is false for an id without a
// line, as at the entry itself when the line is not written yet.
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

// Typed reports whether a person submitted a prompt that is the one, anywhere in the main
// transcript. A line without an origin counts only until the client names one: its own notes, as
// of work in the background, have the model's words.
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

// ScheduledFire reports whether the client's scheduler has just submitted that prompt: there is a
// `scheduled_task_fire` line for it behind the last user line of the main transcript. Only whole
// lines in the last 1 MiB count.
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

// Sender returns who sent a prompt whose event has just come, by the lines behind the last user
// line of the main transcript: the client writes its own prompts into its queue and takes them out
// again at once, and names a schedule that fires. Only whole lines in the last 1 MiB count.
func Sender(transcript, prompt string) (by loop.Sender) {
	prompt = strings.TrimSpace(prompt)
	taken := false // the line behind is that of a prompt that was taken out of the queue
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

// Escaped reports whether a person has just ended a turn with Esc, and returns the id of its
// prompt: the last message of the main transcript is the client's mark of it. Only whole lines in
// the last 64 KiB count.
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

// LastSign is when a session was last alive: the newest time of a line at the end of the main
// transcript, zero without one. Only whole lines in the last 1 MiB count.
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

// Goal returns the goal that the client's /goal holds the session to, or "" if no goal is active.
// The last status of a goal in the last 4 MiB of the main transcript counts.
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

// How long WaitFlushed waits. A client that has a machine to itself takes up to 100 ms (CONTRACT).
// With a dozen programs on two cores it took more than 500 ms, and its last message was paid an
// iteration late.
const (
	flushLimit   = 2 * time.Second
	missingLimit = 200 * time.Millisecond
	flushPoll    = 5 * time.Millisecond
)

// WaitFlushed waits until the assistant's last message is in the transcript, and reports whether it
// is: Stop comes up to 100 ms before. It gives up after 2 s, or after 200 ms if the file is
// missing: a session has no file at its first Stop, and never has one if the client keeps no
// transcripts. Without a message there is nothing to wait for.
//
// Only an assistant line behind the last user line is that message, because loops end every turn
// with the same words.
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

// said reports whether the assistant's last words are these. The event joins a message's text
// blocks; each has a line of its own, and the last one is enough.
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
