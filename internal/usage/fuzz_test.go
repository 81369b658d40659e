package usage

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"hooks/internal/loop"
)

// FuzzTranscript feeds whole foreign transcripts to every reader, with a cursor that anything may
// have written: what was counted is never negative, and counting in two steps continues where the
// first one ended.
func FuzzTranscript(f *testing.F) {
	for _, name := range []string{"session", "scheduled-with-gate", "interrupted"} {
		b, err := os.ReadFile("testdata/" + name + ".jsonl")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b[:min(len(b), 16<<10)], 4000, int64(0), "p1")
	}
	f.Add(
		[]byte("{\"type\":\"user\",\"promptId\":\"p\"}\n"+
			"{\"type\":\"system\",\"subtype\":\"scheduled_task_fire\",\"prompt\":\"p\"}\nx"),
		3, int64(-9), "p")
	f.Add([]byte("\n\n\x00{}\n"), 1, int64(1<<62), "")
	path := filepath.Join(f.TempDir(), "s.jsonl")
	f.Fuzz(func(t *testing.T, text []byte, at int, offset int64, prompt string) {
		write := func(b []byte) {
			if err := os.WriteFile(path, b, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		at = max(0, min(at, len(text)))
		write(text[:at])
		first, err := summed(Count(path, []loop.Cursor{{Path: path, Offset: offset}},
			NewTable(nil)))
		sane(t, first, err)
		whole, err := summed(Count(path, nil, NewTable(nil)))
		sane(t, whole, err)
		write(text)
		more, err := summed(Count(path, whole.Cursors, NewTable(nil)))
		sane(t, more, err)
		again, err := summed(Count(path, more.Cursors, NewTable(nil)))
		sane(t, again, err)
		if again.In != 0 || again.Out != 0 || again.Dollars != 0 {
			t.Errorf("counted again: %+v", again)
		}
		if c := more.Cursors[0]; c.Offset > int64(len(text)) {
			t.Errorf("the cursor is at %d of %d", c.Offset, len(text))
		}
		if s, ok := PromptStart(path, prompt); ok && (s.Offset < 0 || s.Offset > int64(len(text))) {
			t.Errorf("prompt at %d of %d", s.Offset, len(text))
		}
		Sender(path, prompt)
		Escaped(path)
		LastSign(path)
		Baseline(path, offset)
		ends(readTail(path, -1, lastTail), prompt)
	})
}

func sane(t *testing.T, r counted, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
	if r.In < 0 || r.Out < 0 || r.Dollars < 0 {
		t.Errorf("counted less than nothing: %+v", r)
	}
	for m, n := range r.ByModel {
		if n != greater(n, loop.Tokens{}) {
			t.Errorf("%s: %+v", m, n)
		}
	}
}

// FuzzCounts: one transcript counts the same in one go and in two, wherever it is cut between two
// lines.
func FuzzCounts(f *testing.F) {
	b, err := os.ReadFile("testdata/session.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b[:min(len(b), 16<<10)], 900)
	path := filepath.Join(f.TempDir(), "s.jsonl")
	f.Fuzz(func(t *testing.T, text []byte, at int) {
		// over seven open requests a cut may count one twice, as documented
		if bytes.Count(text, []byte("_tokens")) > 24 {
			return
		}
		at = max(0, min(at, len(text)))
		at = bytes.LastIndexByte(text[:at], '\n') + 1
		var sum loop.Tokens
		var cursors []loop.Cursor
		for _, part := range [][]byte{text[:at], text} {
			if err := os.WriteFile(path, part, 0o600); err != nil {
				t.Fatal(err)
			}
			r, err := summed(Count(path, cursors, NewTable(nil)))
			if err != nil {
				t.Fatal(err)
			}
			cursors = r.Cursors
			for _, n := range r.ByModel {
				sum = sum.Add(n)
			}
		}
		whole, err := summed(Count(path, nil, NewTable(nil)))
		if err != nil {
			t.Fatal(err)
		}
		if sum.In() != whole.In || sum.Output != whole.Out {
			t.Errorf("in two steps %d in, %d out; in one %d and %d", sum.In(), sum.Output, whole.In,
				whole.Out)
		}
	})
}
