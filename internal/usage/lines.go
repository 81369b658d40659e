package usage

import (
	"bytes"
	"io"
)

// Bounds of the line reader, in bytes. Real lines that hold usage are kilobytes; what is longer than maxLine is
// streamed past.
const (
	firstBuffer = 256 << 10
	maxLine     = 8 << 20
)

// lines reads the whole lines of a file. Its buffer goes from file to file and grows only for long lines.
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

// reset begins to read another source, whose first byte stands at offset in its file.
func (l *lines) reset(src io.Reader, offset int64) {
	if l.buf == nil {
		l.buf = make([]byte, firstBuffer)
	}
	*l = lines{src: src, buf: l.buf, offset: offset}
}

// next returns the next whole line without its end. The line is good until the next call. A line longer than maxLine
// is nil. It ends before a last line that nobody has finished yet: offset stays where that one begins.
func (l *lines) next() (line []byte, ok bool) {
	for {
		if i := bytes.IndexByte(l.buf[l.start+l.seen:l.end], '\n'); i >= 0 {
			return l.take(l.seen + i), true
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

// take cuts the line of n bytes off the buffer.
func (l *lines) take(n int) []byte {
	line := l.buf[l.start : l.start+n]
	if l.dropped > 0 || n > maxLine {
		line = nil
	}
	l.offset += l.dropped + int64(n) + 1
	l.start, l.seen, l.dropped = l.start+n+1, 0, 0
	return line
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
	for range 100 { // io.Reader may return nothing without an error
		n, err := l.src.Read(l.buf[l.end:])
		l.end += n
		if n > 0 {
			return true
		}
		if err != nil {
			if err != io.EOF {
				l.err = err
			}
			return false
		}
	}
	l.err = io.ErrNoProgress
	return false
}
