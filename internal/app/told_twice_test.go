package app

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hooks/internal/event"
	"hooks/internal/store"
)

// TestAStopToldTwiceWhileTheFirstWaitsIsOne: the second registration's Stop begins while the first
// one still looks around or waits for the state. It is the same Stop, whatever that takes.
func TestAStopToldTwiceWhileTheFirstWaitsIsOne(t *testing.T) {
	dir := t.TempDir()
	a := New(func(name string) string {
		return map[string]string{"CLAUDE_PROJECT_DIR": dir}[name]
	})
	a.Wait = 1
	payload := func(fields string) io.Reader {
		return strings.NewReader(fmt.Sprintf(
			`{"session_id":"s1","prompt_id":"p1","cwd":%q,"transcript_path":%q,%s}`,
			dir, filepath.Join(dir, "s1.jsonl"), fields))
	}
	a.Handle("user-prompt-expansion", payload(`"hook_event_name":"UserPromptExpansion",`+
		`"command_name":"sdd:work","command_args":"--loop"`))
	files, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	tx, err := files.Begin(context.Background())
	if err != nil {
		t.Fatal(err)
	}

	const stop = `"hook_event_name":"Stop","stop_hook_active":false`
	first, second := make(chan Answer, 1), make(chan Answer, 1)
	go func() { first <- a.Handle("stop", payload(stop)) }()
	time.Sleep(500 * time.Millisecond) // it waits for the state
	began, hears := make(chan bool), make(chan bool)
	go func() { second <- a.Handle("stop", &late{began, hears, payload(stop)}) }()
	<-began
	time.Sleep(20 * time.Millisecond)
	if err := tx.End(); err != nil {
		t.Fatal(err)
	}
	if held := <-first; !held.Reply.Blocks() {
		t.Fatalf("the first Stop is not held: %s", held.Reply.Encode(event.Stop))
	}
	close(hears)
	if again := <-second; !again.Reply.Empty() {
		t.Errorf("the second Stop decides: %s", again.Reply.Encode(event.Stop))
	}
	if _, err := os.Stat(filepath.Join(dir, store.Dir, "work.tick.json")); err != nil {
		t.Errorf("the second Stop ended the iteration: %v", err)
	}
}

// late is a payload that arrives once the call has begun and hears is closed.
type late struct {
	began, hears chan bool
	io.Reader
}

func (l *late) Read(p []byte) (int, error) {
	if l.began != nil {
		close(l.began)
		l.began = nil
		<-l.hears
	}
	return l.Reader.Read(p)
}
