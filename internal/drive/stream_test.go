package drive

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

// followed reads a stream as the client's, and returns the signs of life.
func followed(stream io.Reader) (h streamReader, signs int) {
	alive := make(chan sign)
	go func() {
		h.follow(stream, alive)
		close(alive)
	}()
	for range alive {
		signs++
	}
	return h, signs
}

// A line of almost 64 MiB is read and not kept. A longer one ends the reading, not the stream.
func TestLongLines(t *testing.T) {
	line := func(n int) io.Reader {
		head, tail := `{"type":"result","result":"`, `"}`
		return strings.NewReader(head + strings.Repeat("x", n-len(head)-len(tail)) + tail + "\n")
	}
	if h, n := followed(line(maxLine - 2)); n != 1 || len(h.Result.Text) != maxText {
		t.Errorf("a line of the bound was not read: %+v", h.Result)
	}
	long, after := line(maxLine+1), line(100)
	if h, n := followed(io.MultiReader(long, after)); n != 0 || h.Result != nil {
		t.Errorf("after a line over the bound the stream was read: %+v", h.Result)
	}
	if n, err := after.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Error("the end of the stream was left to block the client")
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

// No text breaks the reading.
func FuzzStream(f *testing.F) {
	f.Add([]byte("{\"type\":\"result\",\"result\":\"resets Feb 30, 3pm (UTC)\"}\n{}\n\nx"))
	f.Add([]byte(`{"type":"assistant","message":{"content":[{"type":"text","text":"a\nb"}]}}`))
	f.Add([]byte(`{"type":"assistant","message":{"content":"plain"}}` + "\n"))
	f.Add([]byte(`{"type":"result","terminal_reason":"api_error","total_cost_usd":-1e99}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		h, _ := followed(bytes.NewReader(text))
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
