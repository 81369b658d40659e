package usage

import (
	"bytes"
	"io"

	"hooks/internal/safefile"
)

// Bounds of the line reader, in bytes. Real lines with usage are kilobytes; a line longer than
// maxLine is skipped.
const (
	firstBuffer = 256 << 10
	maxLine     = 8 << 20
)

// lines reads the whole lines of a file. It keeps its buffer from file to file, which grows only
// for long lines.
type lines struct {
	src     io.Reader
	buf     []byte
	start   int   // of the line in buf
	seen    int   // bytes of it known to hold no line end
	end     int   // of the data in buf
	offset  int64 // in the file, of the end of the last whole line
	dropped int64 // skipped bytes of a line too long for the buffer
	err     error // read error other than io.EOF
}

// reset starts reading src, whose first byte is at offset in its file.
func (l *lines) reset(src io.Reader, offset int64) {
	if l.buf == nil {
		l.buf = make([]byte, firstBuffer)
	}
	*l = lines{src: src, buf: l.buf, offset: offset}
}

// file calls f with each line of a transcript and its offset, starting at an offset, until f
// returns false.
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

// next returns the next whole line without its end, valid until the next call. It returns nil for a
// line longer than maxLine. It does not return an unfinished last line, and offset stays at its
// start.
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

// fill moves the unfinished line to the front and reads more after it.
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
