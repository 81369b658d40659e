package usage

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hooks/internal/loop"
)

var models = []string{"claude-opus-5-5", "claude-opus-4-6", "claude-haiku-5-5",
	"us.anthropic.claude-sonnet-5-20260928-v1:0", "who-knows", "<synthetic>"}

// script draws the lines of one transcript: requests with several lines close together, among all
// kinds of noise.
func script(t *rapid.T, name string, window int) (lines []string) {
	var recent []said1
	for range rapid.IntRange(0, 40).Draw(t, name) {
		s := said1{
			id: fmt.Sprint(name, len(lines)), model: rapid.SampledFrom(models).Draw(t, "model"),
			speed: rapid.SampledFrom([]string{"standard", "fast"}).Draw(t, "speed"),
			geo:   rapid.SampledFrom([]string{"", "us"}).Draw(t, "geo"),
			text: rapid.SampledFrom([]string{"", "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk",
				`"usage":{"output_tokens":9}`, "世界\n", strings.Repeat("long ", 900)}).Draw(t,
				"text"),
		}
		switch rapid.IntRange(0, 9).Draw(t, "line") {
		case 0:
			lines = append(lines, noise(t, s))
			continue
		case 1, 2, 3, 4:
			if len(recent) > 0 {
				s = rapid.SampledFrom(recent).Draw(t, "again")
			}
		}
		small := rapid.Int64Range(0, 60_000)
		s.in, s.out, s.read, s.write = small.Draw(t, "in"), small.Draw(t, "out"), small.Draw(t,
			"read"), small.Draw(t, "write")
		s.hour = rapid.Int64Range(0, s.write).Draw(t, "hour")
		s.web = rapid.Int64Range(0, 3).Draw(t, "web")
		recent = touch(recent, s, window)
		lines = append(lines, s.String())
	}
	return lines
}

// touch keeps the last requests seen, as many as a cursor remembers.
func touch(recent []said1, s said1, window int) []said1 {
	for i, r := range recent {
		if r.id == s.id {
			recent = append(recent[:i:i], recent[i+1:]...)
			break
		}
	}
	recent = append(recent, s)
	return recent[max(0, len(recent)-window):]
}

func noise(t *rapid.T, s said1) string {
	s.in = 77
	return rapid.SampledFrom([]string{
		"", "\r", "{", "rubbish \xff", `{"type":"api-request","x":` + s.String() + "}",
		s.String()[:200], s.String() + "}",
		`{"x":` + s.String() + `,"type":"attachment"}`,
		`{"type":"user","message":{"content":"hi"}}`,
	}).Draw(t, "noise")
}

// Counting a session in any pieces gives what counting it at once gives, and what the dumb twin
// gives.
func TestAnySplitGivesTheSameSums(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		tr := tree{TB: t, main: filepath.Join(t.TempDir(), "s.jsonl")}
		agent := tr.agent("agent-1")
		os.MkdirAll(filepath.Dir(agent), 0o700)
		rest := map[string]string{
			tr.main: strings.Join(append(script(r, "m", openMain), ""), "\n"),
			agent:   strings.Join(append(script(r, "a", openAgent), ""), "\n"),
		}
		sums := map[string]loop.Tokens{}
		var cursors []loop.Cursor
		var dollars loop.USD
		skipped := 0
		for rest[tr.main]+rest[agent] != "" {
			for _, path := range []string{tr.main, agent} {
				n := rapid.IntRange(0, len(rest[path])).Draw(r, "chunk")
				f, _ := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
				f.WriteString(rest[path][:n])
				f.Close()
				rest[path] = rest[path][n:]
			}
			res := tr.count(cursors)
			cursors, skipped, dollars = res.Cursors, skipped+res.Skipped, dollars+res.Dollars
			for m, n := range res.ByModel {
				sums[m] = sums[m].Add(n)
			}
		}
		once := tr.count(nil)
		if d := cmp.Diff(once.ByModel, sums); d != "" {
			r.Errorf("in pieces (-at once +pieces):\n%s", d)
		}
		if once.Skipped != skipped || once.Dollars != dollars {
			r.Errorf("skipped %d and %d, %s and %s dollars", once.Skipped, skipped, once.Dollars,
				dollars)
		}
		if d := cmp.Diff(twin(t, NewTable(nil), []string{agent}, tr.main), once.ByModel); d != "" {
			r.Errorf("twin (-twin +count):\n%s", d)
		}
	})
}

// A repetition far away in the same file does not count again when the file is counted at once.
func TestFarRepetitionCountsOnceWithinOneCount(t *testing.T) {
	tr := newTree(t)
	for range 2 {
		var lines []any
		for i := range 5000 {
			lines = append(lines, said1{id: fmt.Sprint(i), in: 1})
		}
		tr.add(tr.main, lines...)
	}
	if r := tr.count(nil); r.In != 5000 {
		t.Errorf("%d tokens", r.In)
	}
}

// whole is the dumb twin of the line reader.
func whole(b []byte) (out []string) {
	b = b[:bytes.LastIndexByte(b, '\n')+1]
	for line := range bytes.SplitSeq(b, []byte("\n")) {
		out = append(out, string(line))
	}
	return out[:len(out)-1]
}

func FuzzLines(f *testing.F) {
	f.Add([]byte("a\n\nbb\r\nunfinished"), uint8(0))
	f.Add(bytes.Repeat([]byte("x"), 3000), uint8(1))
	f.Fuzz(func(t *testing.T, b []byte, kind uint8) {
		var src io.Reader = bytes.NewReader(b)
		switch kind % 3 {
		case 1:
			src = iotest.OneByteReader(src)
		case 2:
			src = iotest.DataErrReader(iotest.HalfReader(src))
		}
		want := whole(b)
		var got []string
		offset, err := eachLine(src, 100, func(line []byte, at int64) bool {
			if at != int64(100+len(strings.Join(append(got, ""), "\n"))) {
				t.Errorf("line %d is at %d", len(got), at)
			}
			got = append(got, string(line))
			return true
		})
		if !slices.Equal(want, got) {
			t.Errorf("lines %q, want %q", got, want)
		}
		if end := int64(100 + bytes.LastIndexByte(b, '\n') + 1); offset != end || err != nil {
			t.Errorf("offset %d, want %d, error %v", offset, end, err)
		}
	})
}

func TestLineReaderBounds(t *testing.T) {
	sizes := []int{0, firstBuffer - 1, firstBuffer, firstBuffer + 1, maxLine - 1, maxLine,
		maxLine + 1, maxLine + firstBuffer, 3 * maxLine, 5}
	var text bytes.Buffer
	for _, n := range sizes {
		text.Write(bytes.Repeat([]byte("x"), n))
		text.WriteByte('\n')
	}
	end := int64(text.Len())
	text.Write(bytes.Repeat([]byte("y"), 2*maxLine))
	rest := sizes
	offset, err := eachLine(&text, 0, func(line []byte, _ int64) bool {
		n := rest[0]
		rest = rest[1:]
		if (line == nil) != (n > maxLine) || line != nil && len(line) != n {
			t.Errorf("line of %d bytes: %d bytes, nil %v", n, len(line), line == nil)
		}
		return true
	})
	if len(rest) > 0 || err != nil || offset != end {
		t.Errorf("%d lines are missing; error %v, offset %d of %d", len(rest), err, offset, end)
	}
	failing := errors.New("broken disk")
	n := 0
	offset, err = eachLine(io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(failing)), 0,
		func([]byte, int64) bool { n++; return true })
	if n != 1 || !errors.Is(err, failing) || offset != 2 {
		t.Errorf("%d lines, error %v, offset %d", n, err, offset)
	}
}

// FuzzLine feeds foreign lines to the whole counter: it must not fall, nor count anything negative.
func FuzzLine(f *testing.F) {
	for _, name := range []string{"session", "scheduled-with-gate", "interrupted"} {
		b, _ := os.ReadFile("testdata/" + name + ".jsonl")
		for line := range bytes.SplitSeq(b, []byte("\n")) {
			f.Add(line)
		}
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		c, _ := count("", nil, nil, NewTable(nil), nil)
		s := &source{main: true, spent: map[string]loop.Tokens{}}
		for range 2 {
			c.line(s, bytes.Clone(line), 0)
		}
		for m, n := range s.spent {
			if n != greater(n, loop.Tokens{}) || n.Dollars > 1_000_000*loop.Dollar {
				t.Errorf("%s: %+v", m, n)
			}
		}
		ends(tail{data: append(bytes.Clone(line), '\n')}, "x")
	})
}
