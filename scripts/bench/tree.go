//go:build linux || darwin

package main

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"
)

// models lists models for which all tools have the same prices.
var models = []string{
	"claude-opus-4-5-20251101", "claude-sonnet-4-5-20250929", "claude-haiku-4-5-20251001",
}

// tree generates a session's transcripts, the main one and those of its workers.
type tree struct {
	main    string
	workers int   // they get half of the bytes, if there are any
	serial  int   // of the last request
	out     int64 // output tokens
	bytes   int64 // of all transcripts
	clock   time.Time
}

// prose is typical text of transcripts, escaped for JSON, with code, line ends and quotes.
var prose = strings.Repeat(`the request failed because no budget was checked before\n`+
	`if err != nil { return fmt.Errorf(\"x: %w\", err) }\n`+
	`for i := range n // keep the lock 0x7f3a quick `, 100)

// text returns the first n bytes of prose, or n-1 if the last byte would split an escape sequence.
func text(n int) string { return strings.TrimSuffix(prose[:n], `\`) }

// write writes the transcripts. Equal trees write equal bytes. It uses little memory, because the
// peak of a measured program includes its parent's memory.
func (t *tree) write(size int64) error {
	debug.SetGCPercent(10)
	t.clock = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	main := size
	if t.workers > 0 {
		main /= 2
	}
	err := t.grow(t.main, main)
	for i := range t.workers {
		name := fmt.Sprintf("agent-%d.jsonl", i)
		path := filepath.Join(strings.TrimSuffix(t.main, ".jsonl"), "subagents", name)
		err = cmp.Or(err, t.grow(path, main/int64(t.workers)))
	}
	return err
}

func (t *tree) grow(path string, size int64) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriterSize(f, 1<<16)
	for n := int64(0); n < size; {
		k := t.turn(w, path != t.main)
		n, t.bytes = n+k, t.bytes+k
	}
	return w.Flush()
}

// turn writes one request: the model's answer on two lines, a tool result, the client's copy of the
// request, and an attachment.
func (t *tree) turn(w io.Writer, worker bool) (n int64) {
	t.serial++
	t.clock = t.clock.Add(50 * time.Millisecond)
	head := fmt.Sprintf(`{"parentUuid":"p","isSidechain":%v,`, worker)
	tail := fmt.Sprintf(`,"uuid":"u%d","timestamp":%q,"cwd":"/home/dev/app","sessionId":"s1",`+
		`"version":"2.1.329","gitBranch":"main"}`, t.serial,
		t.clock.Format("2006-01-02T15:04:05.000Z"))
	answer := func(block string, out int) string {
		return head + fmt.Sprintf(`"message":{"id":"msg_%08d","type":"message","role":"assistant",`+
			`"model":%q,"content":[%s],"usage":{"input_tokens":%d,`+
			`"cache_creation_input_tokens":700,`+
			`"cache_read_input_tokens":%d,"cache_creation":{"ephemeral_5m_input_tokens":700,`+
			`"ephemeral_1h_input_tokens":0},"output_tokens":%d,"service_tier":"standard"}},`+
			`"requestId":"req_%08d","type":"assistant"`, t.serial, models[t.serial%3], block,
			t.serial%50, 40_000+t.serial%1000, out, t.serial) + tail
	}
	out := 100 + t.serial*7%3000
	t.out += int64(out)
	first := answer(`{"type":"text","text":"`+text(200+t.serial*11%3000)+`"}`, 1)
	for _, line := range []string{
		first,
		answer(`{"type":"tool_use","id":"toolu_1","name":"Bash","input":{"command":"`+
			text(300)+`"}}`, out),
		head + `"promptId":"x","type":"user","message":{"role":"user","content":[{"tool_use_id":` +
			`"toolu_1","type":"tool_result","content":"` + text(4000+t.serial*13%9000) +
			`"}]},"toolUseResult":{"stdout":"` + text(4000) + `"}` + tail,
		`{"type":"api-request","body":{"messages":[` + first + `,{"role":"user","content":"` +
			text(15_000) + `"}]}}`,
		head + `"attachment":{"type":"hook_success","content":"` + text(900) +
			`"},"type":"attachment"` + tail,
	} {
		k, _ := fmt.Fprintln(w, line)
		n += int64(k)
	}
	return n
}
