package usage

import (
	"bytes"
	"os"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"hooks/internal/loop"
)

// Start describes the beginning of a prompt in the main transcript.
type Start struct {
	Offset    int64 // offset of its first line, in bytes
	UnderLoop bool  // whether that line holds the /loop command
	// "human", "scheduled", "task_notification" or "sdk"; "" if the line has no origin
	Origin string
	Prompt string // the submitted text; a slash command as typed
}

// PromptStart finds the first top-level user line with a prompt's id in the last 4 MiB of the
// transcript. If the prompt began earlier, PromptStart returns its first line in that range. ok is
// false if no line has the id, for example at the entry, before the client has written the line.
func PromptStart(transcript, promptID string) (s Start, ok bool) {
	fi, err := os.Stat(transcript)
	if err != nil || promptID == "" {
		return s, false
	}
	_ = linesOf(transcript, max(0, fi.Size()-promptTail), func(line []byte, at int64) bool {
		if !bytes.Contains(line, []byte(promptID)) || kindOf(line) != "user" {
			return true
		}
		r := record{}
		if ok = r.read(line) && !r.is("isSidechain") && r.text("promptId") == promptID; ok {
			s = Start{Offset: at, Origin: strings.Clone(r.text("turnOrigin")), Prompt: r.typed()}
			for text := range texts(r["message"]) {
				s.UnderLoop = s.UnderLoop ||
					strings.Contains(text, "<command-name>/loop</command-name>")
			}
		}
		return !ok
	})
	return s, ok
}

// Typed reports whether accepts returns true for any prompt that a person submitted in the main
// transcript. A line without an origin does not count, because it may be a note from the client
// that contains the model's words, for example about background work.
func Typed(transcript string, accepts func(prompt string) bool) (typed bool) {
	r := record{}
	_ = linesOf(transcript, 0, func(line []byte, _ int64) bool {
		if kindOf(line) != "user" || !r.read(line) || r.unsent() || r.is("isSidechain") {
			return true
		}
		origin := r.text("turnOrigin")
		typed = (origin == "human" || origin == "sdk") && accepts(r.typed())
		return !typed
	})
	return typed
}

// startsTurn reports whether a line is a user line or records that a schedule fired.
func startsTurn(line []byte) bool {
	kind := kindOf(line)
	return kind == "user" ||
		kind == "system" && gjson.GetBytes(line, "subtype").Str == "scheduled_task_fire"
}

// Sender returns the sender of a prompt whose event has just arrived, judging by the lines after
// the last user line of the main transcript. The client enqueues its own prompts and dequeues them
// immediately; it logs first that a schedule fired. Sender reads only whole lines in the last 1
// MiB.
func Sender(transcript, prompt string) (by loop.Sender) {
	prompt = strings.TrimSpace(prompt)
	taken := false // whether the next line in the file dequeues a prompt
	relevant := func(line []byte) bool {
		read := kindOf(line) == "queue-operation" || startsTurn(line)
		taken = taken && read
		return read
	}
	for r := range readTail(transcript, -1, lastTail).records(relevant) {
		switch {
		case r.text("type") == "user":
			return by
		case r.text("type") == "system" && strings.TrimSpace(r.text("prompt")) == prompt:
			return loop.SenderSchedule
		case r.text("operation") == "enqueue" && by == loop.SenderPerson &&
			strings.TrimSpace(r.text("content")) == prompt:
			by = loop.SenderQueue
			if taken {
				by = loop.SenderClient
			}
		}
		taken = r.text("operation") == "dequeue"
	}
	return by
}

// Escaped returns the id of the prompt whose turn a person has just interrupted with Esc. esc is
// false if no turn was interrupted. Escaped checks whether the last message of the main transcript
// is the client's interrupt mark, reading only whole lines in the last 64 KiB.
func Escaped(transcript string) (prompt string, esc bool) {
	for last := range readTail(transcript, -1, shortTail).records(isMessage) {
		return last.text("promptId"), last.text("type") == "user" && last.interrupted()
	}
	return "", false
}

// LastSign returns the newest time in the last 1 MiB of the main transcript, which is when the
// session last wrote to it. It returns the zero time if there is none.
func LastSign(transcript string) (at time.Time) {
	at, _ = time.Parse(time.RFC3339Nano, readTail(transcript, -1, lastTail).newest())
	return at
}

// Limits of WaitFlushed and AwaitCall. On an idle machine, the client takes up to 100 ms to write a
// message (CONTRACT). With a dozen programs on two cores, it took more than 500 ms, and its last
// message was charged one iteration late.
const (
	flushLimit   = 2 * time.Second
	missingLimit = 200 * time.Millisecond
	callLimit    = 500 * time.Millisecond
)

// WaitFlushed waits until the assistant's last message is in the transcript, and reports whether it
// is. Stop fires up to 100 ms earlier. WaitFlushed gives up after 2 s, or after 200 ms if the file
// is missing, for example at a session's first Stop or if the client keeps no transcripts. It
// returns immediately if lastMessage is empty.
func WaitFlushed(transcript, lastMessage string) bool {
	want := strings.TrimSpace(lastMessage)
	if want == "" || transcript == "" {
		return want == ""
	}
	flushed := func() bool { return ends(readTail(transcript, -1, lastTail), want) }
	if wait(missingLimit, flushed) {
		return true
	}
	_, err := os.Stat(transcript)
	return err == nil && wait(flushLimit-missingLimit, flushed)
}

// ends reports whether want ends with one of the assistant's text blocks after the last user line.
// The event joins a message's text blocks, but each block has its own line, and matching the last
// block is enough. Earlier lines do not count, because loops end every turn with the same words.
func ends(t tail, want string) bool {
	for r := range t.records(isMessage) {
		if r.text("type") == "user" {
			return false
		}
		for s := range texts(r["message"]) {
			if s = strings.TrimSpace(s); s != "" && strings.HasSuffix(want, s) {
				return true
			}
		}
	}
	return false
}

// AwaitCall waits up to 500 ms for the message that makes a call to appear in the thread's
// transcript, so that its cost is counted at that call. The client writes it up to 60 ms after the
// call's event (measured on 2.1.330). An empty agent means the main thread.
func AwaitCall(transcript, agent, call string) {
	if agent != "" {
		transcript = AgentTranscript(transcript, agent)
	}
	wait(callLimit, func() bool {
		return bytes.Contains(readTail(transcript, -1, shortTail).data, []byte(call))
	})
}

// wait calls done every few milliseconds until done returns true or the limit has passed. It
// reports whether done returned true.
func wait(limit time.Duration, done func() bool) bool {
	for end := time.Now().Add(limit); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			return false
		}
	}
	return true
}
