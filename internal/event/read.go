package event

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/tidwall/gjson"

	"hooks/internal/codec"
)

// Bounds on reading stdin.
const (
	maxBytes = 4 << 20
	maxWait  = 5 * time.Second // until the value is complete
)

// Read reads the one JSON object that the client writes for a hook word. It returns once the object
// is complete, because stdin may never be closed. It ignores what follows the object, so the result
// does not depend on how the bytes arrive. A leading byte order mark and white space are allowed.
//
// Read returns an *Error with a hint for an unknown word, more than 4 MiB, a value not complete
// within 5 s, anything but one JSON object, a repeated key in an object, another event than the
// word's, and a wrong type in a field that decides.
//
// After a timeout, a goroutine remains blocked in r.Read; the program is about to exit.
func Read(word string, r io.Reader) (Event, error) { return readWithin(maxWait, word, r) }

func readWithin(wait time.Duration, word string, r io.Reader) (Event, error) {
	name := NameOf(word)
	if name == "" {
		return Event{}, refuse("the words are stop, pre-tool-use, …: see `hooks --help`",
			"%q is not a hook word", codec.Clip(word))
	}
	raw, err := readValue(r, wait)
	if err != nil {
		return Event{}, err
	}
	if !gjson.ValidBytes(raw) {
		return Event{}, refuse(hintClient, "stdin is not valid JSON: %s", codec.Clip(string(raw)))
	}
	return decode(name, string(raw))
}

// readValue returns the bytes of the first JSON object of r, within the bounds.
func readValue(r io.Reader, wait time.Duration) (raw []byte, err error) {
	done := make(chan struct{})
	var got []byte
	var failed error
	go func() {
		defer close(done)
		defer func() { // a panic can be recovered only in its own goroutine
			if p := recover(); p != nil {
				failed = fmt.Errorf("internal error: %v", p)
			}
		}()
		got, failed = collect(r)
	}()
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-done:
		return got, failed
	case <-timer.C:
		return nil, refuse(hintClient, "no complete JSON object on stdin after %s", wait)
	}
}

// collect reads until the object is complete, r ends, or more than maxBytes have arrived.
func collect(r io.Reader) ([]byte, error) {
	var s scanner
	var buf []byte
	chunk := make([]byte, 32<<10)
	for idle := 0; idle < 100; idle++ {
		n, err := r.Read(chunk)
		from := len(buf)
		buf = append(buf, chunk[:n]...)
		end, bad := s.next(chunk[:n])
		switch {
		case bad && s.depth > maxNesting:
			return nil, refuse(hintClient, "the JSON object on stdin is nested over %d levels",
				maxNesting)
		case bad:
			return nil, refuse(hintClient, "stdin is not a JSON object: %s",
				codec.Clip(string(bytes.TrimSpace(buf))))
		case end > 0 && from+end <= maxBytes:
			return buf[s.start : from+end], nil
		case len(buf) > maxBytes:
			return nil, refuse(hintClient, "the JSON object on stdin is over %d bytes", maxBytes)
		case err != nil:
			return nil, ended(buf, err)
		case n > 0:
			idle = 0
		}
	}
	return nil, fmt.Errorf("read stdin: %w", io.ErrNoProgress)
}

// ended returns the error for input that ended before the object was complete.
func ended(buf []byte, err error) error {
	switch {
	case !errors.Is(err, io.EOF):
		return fmt.Errorf("read stdin: %w", err)
	case len(bytes.TrimSpace(buf)) == 0:
		return refuse(hintClient, "stdin is empty")
	}
	return refuse(hintClient, "stdin ends in the middle of a JSON object after %d bytes: %s",
		len(buf), codec.Clip(string(buf)))
}

// scanner finds the end of the first JSON object in a stream of chunks. It only counts brackets
// outside of strings and does not validate the JSON.
type scanner struct {
	start   int // offset of the opening brace in the stream
	bom     int // bytes of a byte order mark seen
	depth   int
	quoted  bool
	escaped bool
}

const byteOrderMark = "\xef\xbb\xbf"

// maxNesting is the maximum depth of an object. Tool calls stay below a dozen levels, and later
// readers scan each byte once per level.
const maxNesting = 1000

// next scans the next chunk. end is the offset in it just after the object, or 0 while the object
// is incomplete. bad reports that the stream does not begin with an object or is nested too deeply,
// so reading more is useless.
func (s *scanner) next(chunk []byte) (end int, bad bool) {
	for i, c := range chunk {
		if s.depth == 0 {
			if !s.opens(c) {
				return 0, true
			}
			continue
		}
		if s.closes(c) {
			return i + 1, false
		}
		if s.depth > maxNesting {
			return 0, true
		}
	}
	return 0, false
}

// opens consumes a byte before the object, and reports whether it is part of the byte order mark,
// white space or the opening brace.
func (s *scanner) opens(c byte) bool {
	switch {
	case s.start == s.bom && s.bom < len(byteOrderMark) && c == byteOrderMark[s.bom]:
		s.bom++
	case s.bom > 0 && s.bom < len(byteOrderMark):
		return false
	case c == '{':
		s.depth = 1
		return true
	case c != ' ' && c != '\t' && c != '\n' && c != '\r':
		return false
	}
	s.start++
	return true
}

// closes consumes a byte of the object and reports whether the object ends with it.
func (s *scanner) closes(c byte) bool {
	switch {
	case s.escaped:
		s.escaped = false
	case s.quoted && c == '\\':
		s.escaped = true
	case c == '"':
		s.quoted = !s.quoted
	case s.quoted:
	case c == '{' || c == '[':
		s.depth++
	case c == '}' || c == ']':
		s.depth--
		return s.depth == 0
	}
	return false
}
