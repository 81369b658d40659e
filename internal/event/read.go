package event

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"hooks/internal/codec"
	"hooks/internal/hint"
)

// Limits for reading stdin.
const (
	maxBytes = 4 << 20
	// MaxWait is the maximum time until the object is complete. The reader given to Read enforces
	// it by failing with os.ErrDeadlineExceeded.
	MaxWait = 5 * time.Second
	// maxNesting is the maximum nesting depth. Tool calls have less than a dozen levels, and later
	// readers scan each byte once per level.
	maxNesting = 1000
)

// hintClient is the hint for input that did not come from the client.
const hintClient = "this is a hook command: it reads the JSON that Claude Code sends on stdin; " +
	"run `hooks doctor` to check the registration"

// Read reads the one JSON object that the client sends for a hook word. It returns when the object
// is complete, because stdin may never be closed. It ignores bytes after the object, so the result
// does not depend on how the bytes arrive. A leading byte order mark and white space are allowed.
//
// Read returns an error with a hint if the word is unknown, the input exceeds 4 MiB, the object is
// incomplete when r times out, the input is not a JSON object or repeats a key or nests too deeply,
// the event does not match the word, or a field is missing or has the wrong type.
func Read(word string, r io.Reader) (e Event, err error) {
	i := slices.IndexFunc(Words[:], func(w Word) bool { return w.Word == word })
	if i < 0 {
		return e, hint.New("use one of the words in hooks.json, such as stop or pre-tool-use",
			"%q is not a hook word", codec.Clip(word))
	}
	text, err := firstObject(r)
	if err != nil {
		return e, err
	}
	text = strings.TrimLeft(strings.TrimPrefix(text, byteOrderMark), " \t\r\n")
	root, err := codec.Parse(text, maxNesting)
	switch {
	case errors.Is(err, codec.ErrSyntax):
		err = json.Unmarshal([]byte(text), new(json.RawMessage)) // reports the position
		return e, hint.New(hintClient, "stdin is not valid JSON: %w", err)
	case errors.Is(err, codec.ErrObject):
		return e, hint.New(hintClient, "stdin is not a JSON object: %s", codec.Clip(text))
	case err != nil:
		return e, hint.New("remove repeated keys and deep nesting, which can hide what would "+
			"run", "the JSON object on stdin cannot be checked: %w", err)
	}
	if err = codec.Decode(root, &e); err != nil {
		return Event{}, hint.New(hintShape, "%w", err)
	}
	if e.Word = Words[i]; e.Name == StopFailure {
		e.Failure, e.Error = e.Error, ""
	}
	if err = e.check(e.Word.Name); err != nil {
		return Event{}, err
	}
	return e, nil
}

// firstObject returns the text from r up to the end of its first object. If the text does not begin
// with an object, the result may end earlier. firstObject only counts brackets outside strings, so
// the object may be invalid.
func firstObject(r io.Reader) (string, error) {
	var buf []byte
	at, depth, quoted := 0, 0, false // at is the next byte to examine
	for idle := 0; idle < 100; idle++ {
		buf = slices.Grow(buf, 16<<10)
		n, err := r.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		for ; at < min(len(buf), maxBytes); at++ {
			switch c := buf[at]; {
			case c == '"' && depth > 0:
				quoted = !quoted
			case quoted && c == '\\':
				at++ // the escaped byte may not have arrived yet
			case quoted:
			case c == '{', c == '[':
				depth++
			case c == '}', c == ']':
				depth--
			case depth == 0 && !strings.Contains(" \t\r\n"+byteOrderMark, string(buf[at:at+1])):
				return string(buf), nil
			}
			if depth > maxNesting || depth <= 0 && (buf[at] == '}' || buf[at] == ']') {
				return string(buf[:at+1]), nil
			}
		}
		switch {
		case len(buf) > maxBytes:
			return "", hint.New(hintClient, "the JSON object on stdin is over %d bytes", maxBytes)
		case errors.Is(err, os.ErrDeadlineExceeded):
			return "", hint.New(hintClient, "no complete JSON object on stdin after %s", MaxWait)
		case err == io.EOF && depth == 0:
			return "", hint.New(hintClient, "stdin is empty")
		case err == io.EOF:
			return "", hint.New(hintClient, "stdin ends in the middle of a JSON object")
		case err != nil:
			return "", fmt.Errorf("read stdin: %w", err)
		case n > 0:
			idle = 0
		}
	}
	return "", fmt.Errorf("read stdin: %w", io.ErrNoProgress)
}

const byteOrderMark = "\xef\xbb\xbf"
