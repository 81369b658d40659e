package usage

import (
	"bufio"
	"bytes"
	"io"
	"iter"
	"math"

	"github.com/tidwall/gjson"

	"hooks/internal/safefile"
)

// Sizes for the line reader, in bytes. Real lines with usage are kilobytes long; a line longer than
// maxLine is skipped.
const (
	firstBuffer = 256 << 10
	maxLine     = 8 << 20
)

// linesOf calls f with the lines of a transcript from an offset, as eachLine does.
func linesOf(path string, from int64, f func(line []byte, at int64) bool) error {
	file, _, err := safefile.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = eachLine(io.NewSectionReader(file, from, math.MaxInt64-from), from, f)
	return err
}

// eachLine calls f with each whole line of src, without the newline, and the line's offset in the
// file, until f returns false. src begins at offset start. eachLine returns the offset after the
// last line. f receives nil for a line longer than maxLine. A line is valid until f returns.
func eachLine(
	src io.Reader, start int64, f func(line []byte, at int64) bool,
) (end int64, err error) {
	end = start
	dropped := 0 // number of bytes dropped from a line too long for the buffer
	scan := bufio.NewScanner(src)
	scan.Buffer(make([]byte, firstBuffer), maxLine+firstBuffer)
	scan.Split(func(data []byte, _ bool) (int, []byte, error) {
		if i := bytes.IndexByte(data, '\n'); i >= 0 {
			return i + 1, data[:i+1], nil
		}
		if len(data) > maxLine {
			dropped += len(data)
			return len(data), nil, nil
		}
		return 0, nil, nil // the file ends in an unfinished line
	})
	for scan.Scan() {
		line, at := bytes.TrimSuffix(scan.Bytes(), []byte("\n")), end
		end += int64(dropped + len(line) + 1)
		if dropped > 0 || len(line) > maxLine {
			line, dropped = nil, 0
		}
		if !f(line, at) {
			break
		}
	}
	return end, scan.Err()
}

// Maximum number of bytes read from the end of a transcript.
const (
	promptTail = 4 << 20
	lastTail   = 1 << 20
	shortTail  = 64 << 10
)

// tail holds the whole lines before an offset in a transcript.
type tail struct {
	data []byte
	end  int64 // offset after the last line
}

// readTail reads the whole lines in the last size bytes before an offset, or before the end of the
// file if end is negative. It returns no lines if the file cannot be read.
func readTail(path string, end, size int64) (t tail) {
	f, fi, err := safefile.Open(path)
	if err != nil {
		return t
	}
	defer f.Close()
	if end < 0 || end > fi.Size() {
		end = fi.Size()
	}
	start := max(0, end-size)
	data, err := io.ReadAll(io.NewSectionReader(f, start, end-start))
	if err != nil {
		return t
	}
	data = data[:bytes.LastIndexByte(data, '\n')+1]
	t.data, t.end = data, start+int64(len(data))
	if start > 0 {
		t.data = data[bytes.IndexByte(data, '\n')+1:]
	}
	return t
}

// records yields the readable lines of the main thread that match accepts, from last to first. A
// record is valid until the next one is yielded.
func (t tail) records(match func(line []byte) bool) iter.Seq[record] {
	return func(yield func(record) bool) {
		r := record{}
		for line := range t.lines {
			if match(line) && r.read(line) && !r.is("isSidechain") && !yield(r) {
				return
			}
		}
	}
}

// lines yields the lines from last to first.
func (t tail) lines(yield func(line []byte) bool) {
	for rest := t.data; len(rest) > 0; {
		i := bytes.LastIndexByte(rest[:len(rest)-1], '\n') + 1
		if !yield(rest[i : len(rest)-1]) {
			return
		}
		rest = rest[:i]
	}
}

// newest returns the newest timestamp of any line in any thread, or "" if there is none.
func (t tail) newest() (at string) {
	r := record{}
	for line := range t.lines {
		if r.read(line) {
			at = max(at, r.at())
		}
	}
	return at
}

// isMessage reports whether a line is a message from a person, a tool or the model.
func isMessage(line []byte) bool {
	kind := kindOf(line)
	return kind == "user" || kind == "assistant"
}

// kindOf returns the top-level type of a line.
func kindOf(line []byte) string { return text(gjson.Get(view(line), "type")) }
