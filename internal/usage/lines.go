package usage

import (
	"bytes"
	"io"

	"hooks/internal/safefile"
)

// Bounds of the line reader, in bytes. Real lines that hold usage are kilobytes; what is longer
// than maxLine is streamed past.
const (
	firstBuffer = 256 << 10
	maxLine     = 8 << 20
)

// lines reads the whole lines of a file. Its buffer is kept from file to file and grows only for
// long lines.
type lines struct {
	src     io.Reader
	buf     []byte
	start   int   // of the line in buf
	seen    int   // bytes of it that hold no line end
	end     int   // of what was read
	offset  int64 // in the file, of the end of the last whole line
	dropped int64 // bytes of a line too long for the buffer, given up already
	err     error // of the source, other than its end
}

// reset begins to read another source, whose first byte is at offset in its file.
func (l *lines) reset(src io.Reader, offset int64) {
	if l.buf == nil {
		l.buf = make([]byte, firstBuffer)
	}
	*l = lines{src: src, buf: l.buf, offset: offset}
}

// file calls f with the lines of a transcript from an offset on, and with the offset of each, until
// f returns false.
func (l *lines) file(path string, from int64, f func(line []byte, at int64) bool) error {
	file, _, err := safefile.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	if _, err := file.Seek(from, io.SeekStart); err != nil {
		return err
	}
	l.reset(file, from)
	for {
		at := l.offset
		line, ok := l.next()
		if !ok || !f(line, at) {
			return l.err
		}
	}
}

// next returns the next whole line without its end, valid until the next call. A line longer than
// maxLine is nil. An unfinished last line is not returned: offset stays at its beginning.
func (l *lines) next() (line []byte, ok bool) {
	for {
		if i := bytes.IndexByte(l.buf[l.start+l.seen:l.end], '\n'); i >= 0 {
			n := l.seen + i
			if line = l.buf[l.start : l.start+n]; l.dropped > 0 || n > maxLine {
				line = nil
			}
			l.offset += l.dropped + int64(n) + 1
			l.start, l.seen, l.dropped = l.start+n+1, 0, 0
			return line, true
		}
		l.seen = l.end - l.start
		if l.seen >= maxLine || l.dropped > 0 {
			l.dropped += int64(l.seen)
			l.start, l.seen, l.end = 0, 0, 0
		}
		if !l.fill() {
			return nil, false
		}
	}
}

// fill reads more behind the unfinished line, which moves to the front.
func (l *lines) fill() bool {
	if l.start > 0 {
		copy(l.buf, l.buf[l.start:l.end])
		l.start, l.end = 0, l.end-l.start
	}
	if l.end == len(l.buf) {
		bigger := make([]byte, min(4*len(l.buf), maxLine+firstBuffer))
		copy(bigger, l.buf)
		l.buf = bigger
	}
	n, err := io.ReadAtLeast(l.src, l.buf[l.end:], 1)
	l.end += n
	if err != nil && err != io.EOF {
		l.err = err
	}
	return n > 0
}
