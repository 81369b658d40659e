package event

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"hooks/internal/codec"
	"hooks/internal/hint"
)

// Bounds on reading stdin.
const (
	maxBytes = 4 << 20
	// MaxWait bounds the time until the object is complete. The reader given to Read enforces it,
	// by failing with os.ErrDeadlineExceeded.
	MaxWait = 5 * time.Second
	// maxNesting is the maximum depth of an object. Tool calls stay below a dozen levels, and later
	// readers scan each byte once per level.
	maxNesting = 1000
)

// hintClient is the hint for input that did not come from the client.
const hintClient = "hook words read the JSON object that the client writes on stdin; " +
	"run `hooks doctor` to check the registration"

// Read reads the one JSON object that the client writes for a hook word. It returns once the object
// is complete, because stdin may never be closed. It ignores bytes after the object, so the result
// does not depend on how the bytes arrive. A leading byte order mark and white space are allowed.
//
// Read returns an error with a hint for an unknown word, for more than 4 MiB, for a value that is
// not complete before r times out, for anything but one JSON object, for a repeated key in an
// object, for an event other than the word's, and for a wrong type in a field used by a decision.
func Read(word string, r io.Reader) (Event, error) {
	name := NameOf(word)
	if name == "" {
		return Event{}, hint.New("the words are stop, pre-tool-use, …: see `hooks --help`",
			"%q is not a hook word", codec.Clip(word))
	}
	raw, err := firstObject(r)
	if err != nil {
		return Event{}, err
	}
	return decode(name, string(raw))
}

// firstObject returns the bytes of the first JSON object of r.
func firstObject(r io.Reader) (raw json.RawMessage, err error) {
	most := &io.LimitedReader{R: r, N: maxBytes + 1}
	in := bufio.NewReader(most)
	first, err := in.Peek(1)
	if err == nil && first[0] == byteOrderMark[0] {
		if mark, _ := in.Peek(len(byteOrderMark)); string(mark) == byteOrderMark {
			_, _ = in.Discard(len(mark)) // cannot fail, because the mark was peeked
		}
	}
	if err == nil {
		err = json.NewDecoder(in).Decode(&raw)
	}
	syntax := (*json.SyntaxError)(nil)
	switch {
	case len(raw) > maxBytes, err != nil && most.N == 0:
		return nil, hint.New(hintClient, "the JSON object on stdin is over %d bytes", maxBytes)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, hint.New(hintClient, "no complete JSON object on stdin after %s", MaxWait)
	case err == io.EOF:
		return nil, hint.New(hintClient, "stdin is empty")
	case err == io.ErrUnexpectedEOF:
		return nil, hint.New(hintClient, "stdin ends in the middle of a JSON object")
	case errors.As(err, &syntax):
		return nil, hint.New(hintClient, "stdin is not valid JSON: %w", err)
	case err != nil:
		return nil, fmt.Errorf("read stdin: %w", err)
	case raw[0] != '{':
		return nil, hint.New(hintClient, "stdin is not a JSON object: %s", codec.Clip(string(raw)))
	}
	return raw, nil
}

const byteOrderMark = "\xef\xbb\xbf"
