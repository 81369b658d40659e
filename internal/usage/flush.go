package usage

import (
	"context"
	"os"
	"strings"
	"time"
)

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
