package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// models are priced alike by every tool that is compared.
var models = []string{"claude-opus-4-5-20251101", "claude-sonnet-4-5-20250929", "claude-haiku-4-5-20251001"}

// tree is a client's folder with one session: its main transcript and its subagents'.
type tree struct {
	config string // as CLAUDE_CONFIG_DIR
	main   string // the main transcript
	pool   []string
	rand   *rand.Rand
	clock  time.Time
	serial int
	out    int64 // output tokens of all requests so far
}

const sessionID = "ac544b0a-5379-4db8-9e83-a8e731e05c27"

// What write makes.
const (
	kindSession    = "session"    // half in the main transcript, the rest in eight workers'
	kindTranscript = "transcript" // all in the main one
	kindMore       = "more"       // as transcript, with requests of its own
)

// write makes a tree and prints how many output tokens its requests used.
func write(dir, kind string, size int64) (err error) {
	t := newTree(dir)
	switch kind {
	case kindSession:
		err = t.session(size)
	case kindMore:
		t.serial = 1 << 30
		err = t.grow(t.main, size)
	default:
		err = t.grow(t.main, size)
	}
	fmt.Println(t.out)
	return err
}

// written makes a tree in a process of its own: what a program is measured to hold includes what its parent holds when
// it starts it, so this one stays small.
func written(dir, kind string, size int64) (*tree, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self, "-tree", dir, "-kind", kind, "-usage", fmt.Sprint(size>>20))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", kind, err)
	}
	t := &tree{config: dir, main: mainOf(dir)}
	_, err = fmt.Sscan(string(out), &t.out)
	return t, err
}

func mainOf(dir string) string {
	return filepath.Join(dir, "projects", "-home-dev-app", sessionID+".jsonl")
}

// newTree begins a session under dir. The same seed always makes the same bytes.
func newTree(dir string) *tree {
	t := &tree{config: dir, rand: rand.New(rand.NewPCG(1, 2)), clock: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)}
	t.main = mainOf(dir)
	for range 400 {
		t.pool = append(t.pool, t.prose(16<<10))
	}
	return t
}

// prose is text as transcripts hold it, escaped for JSON: words, code, line ends, quotes.
func (t *tree) prose(n int) string {
	words := strings.Fields("the request failed because token budget was not checked before if err != nil { return fmt.Errorf(\"x: %w\", err) } for i := range n \t answers := map[string]int{} // keep the lock 0x7f3a backlog question quick")
	var b strings.Builder
	for b.Len() < n {
		b.WriteString(words[t.rand.IntN(len(words))])
		b.WriteByte(" \n"[t.rand.IntN(12)/11])
	}
	quoted, _ := json.Marshal(b.String())
	return string(quoted[1 : len(quoted)-1])
}

// text is about n bytes of the pool, cut between escapes.
func (t *tree) text(n int) string {
	s := t.pool[t.rand.IntN(len(t.pool))]
	n = min(n, len(s))
	for n > 0 && n < len(s) && strings.HasSuffix(s[:n], `\`) {
		n--
	}
	return s[:n]
}

// session writes about size bytes: half in the main transcript, the rest in eight subagents'.
func (t *tree) session(size int64) error {
	err := t.grow(t.main, size/2)
	for i := range 8 {
		err = errors.Join(err, t.grow(filepath.Join(strings.TrimSuffix(t.main, ".jsonl"), "subagents", fmt.Sprintf("agent-%d.jsonl", i)), size/16))
	}
	return err
}

// grow appends about size bytes of a session's life to a transcript: the model's answers on two lines each, tool results,
// copies of requests, attachments.
func (t *tree) grow(path string, size int64) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriterSize(f, 1<<20)
	for n := int64(0); n < size; {
		n += int64(t.turn(w, strings.Contains(path, "subagents")))
	}
	return w.Flush()
}

func (t *tree) turn(w io.Writer, sidechain bool) (n int) {
	t.serial++
	t.clock = t.clock.Add(50 * time.Millisecond)
	at := t.clock.Format("2006-01-02T15:04:05.000Z")
	head := fmt.Sprintf(`{"parentUuid":"p","isSidechain":%v,`, sidechain)
	tail := fmt.Sprintf(`,"uuid":"u%d","timestamp":%q,"cwd":"/home/dev/app","sessionId":%q,"version":"2.1.329","gitBranch":"main"}`, t.serial, at, sessionID)
	say := func(block string, out int) string {
		message := fmt.Sprintf(`{"id":"msg_%08d","type":"message","role":"assistant","model":%q,"content":[%s],"usage":{"input_tokens":%d,`+
			`"cache_creation_input_tokens":700,"cache_read_input_tokens":%d,"cache_creation":{"ephemeral_5m_input_tokens":700,"ephemeral_1h_input_tokens":0},"output_tokens":%d,"service_tier":"standard"}}`,
			t.serial, models[t.serial%3], block, t.serial%50, 40_000+t.serial%1000, out)
		return head + `"message":` + message + fmt.Sprintf(`,"requestId":"req_%08d","type":"assistant"`, t.serial) + tail
	}
	out := 100 + t.rand.IntN(3000)
	t.out += int64(out)
	first := say(`{"type":"text","text":"`+t.text(200+t.rand.IntN(3000))+`"}`, 1) // what an early block says grows
	for _, line := range []string{
		first,
		say(`{"type":"tool_use","id":"toolu_1","name":"Bash","input":{"command":"`+t.text(300)+`"}}`, out),
		head + `"promptId":"x","type":"user","message":{"role":"user","content":[{"tool_use_id":"toolu_1","type":"tool_result","content":"` +
			t.text(4000+t.rand.IntN(9000)) + `"}]},"toolUseResult":{"stdout":"` + t.text(4000) + `"}` + tail,
		`{"type":"api-request","body":{"messages":[` + first + `,{"role":"user","content":"` + t.text(15_000) + `"}]}}`,
		head + `"attachment":{"type":"hook_success","content":"` + t.text(900) + `"},"type":"attachment"` + tail,
	} {
		k, _ := fmt.Fprintln(w, line)
		n += k
	}
	return n
}
