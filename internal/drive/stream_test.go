package drive

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"
)

// A line of 64 MiB is read, a longer one is a sign of life only, and neither is kept.
func TestLongLines(t *testing.T) {
	line := func(n int) string {
		head, tail := `{"type":"result","result":"`, `"}`
		return head + strings.Repeat("x", n-len(head)-len(tail)) + tail
	}
	var h streamReader
	var taken []int
	out := &lines{take: func(line []byte) { taken = append(taken, len(line)); h.read(line) }}
	// as os/exec copies
	_, _ = io.CopyBuffer(struct{ io.Writer }{out}, strings.NewReader(line(maxLine+1)+"\n"),
		make([]byte, 32<<10))
	if h.Result != nil {
		t.Error("a line over the bound was read")
	}
	_, _ = io.CopyBuffer(struct{ io.Writer }{out}, strings.NewReader(line(maxLine)+"\nlast"),
		make([]byte, 32<<10))
	out.end()
	if h.Result == nil || len(h.Result.Text) != maxText {
		t.Errorf("a line of the bound was not read: %+v", h.Result)
	}
	if !slices.Equal(taken, []int{0, maxLine, 4}) || cap(out.part) > 1<<20 {
		t.Errorf("lines of %v bytes, %d kept", taken, cap(out.part))
	}
}

// The progress is the last line of text, or the tool in use.
func TestLastLine(t *testing.T) {
	for name, want := range map[string]string{
		"completed": "TASK_COMPLETE", "max-turns": "uses Bash",
		"wrong-key": "Invalid API key · Fix external API key",
	} {
		if h := recorded(t, name); h.last != want || h.Session == "" {
			t.Errorf("%s: %q of %q, want %q", name, h.last, h.Session, want)
		}
	}
	var h streamReader
	h.read([]byte(`{"type":"system","subtype":"api_retry","attempt":2,"max_retries":10,` +
		`"error_status":529}`))
	if h.last != "API error 529, retry 2 of 10" {
		t.Errorf("%q", h.last)
	}
}

// However a stream is cut into writes, the same lines come out, and no text breaks the reading.
func FuzzStream(f *testing.F) {
	f.Add([]byte("{\"type\":\"result\",\"result\":\"resets Feb 30, 3pm (UTC)\"}\n{}\n\nx"), 3)
	f.Add([]byte(`{"type":"assistant","message":{"content":[{"type":"text","text":"a\nb"}]}}`), 1)
	f.Add([]byte(`{"type":"assistant","message":{"content":"plain"}}`+"\n"), 7)
	f.Add([]byte(`{"type":"result","terminal_reason":"api_error","total_cost_usd":-1e99}`), 64)
	f.Fuzz(func(t *testing.T, text []byte, size int) {
		var h streamReader
		var got [][]byte
		out := &lines{take: func(line []byte) {
			got = append(got, bytes.Clone(line))
			h.read(line)
		}}
		size = max(1, size%len(append(text, 0)))
		for rest := text; len(rest) > 0; rest = rest[min(size, len(rest)):] {
			_, _ = out.Write(rest[:min(size, len(rest))])
		}
		out.end()
		var want [][]byte
		for line := range bytes.SplitSeq(text, []byte{'\n'}) {
			if len(line) > 0 {
				want = append(want, line)
			}
		}
		if !bytes.Equal(bytes.Join(got, []byte{'\n'}), bytes.Join(want, []byte{'\n'})) {
			t.Errorf("%q became %q", want, got)
		}
		v := Judge(End{Result: h.Result, Aborted: h.Aborted, Reset: h.Reset}, night)
		if v.Kind == "" || !v.Reset.IsZero() && !v.Reset.After(night) {
			t.Errorf("%+v", v)
		}
	})
}

// A text names a time that can be waited for, or none.
func FuzzReset(f *testing.F) {
	for _, text := range []string{
		"limit · resets 3:30pm (Europe/Berlin)", "resets Nov 31 at 9am", "resets 25:61 (../x)",
		"limit reached|99999999999999999999", "resets Feb 29", "resets (Local)",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		at := ResetIn(text, night)
		if !at.IsZero() && (!at.After(night) || at.Sub(night) > maxReset) {
			t.Errorf("%q: %v", text, at)
		}
	})
}
