package store

import (
	"bytes"
	"errors"
	"io"

	"github.com/tidwall/gjson"

	"hooks/internal/loop"
)

const (
	// maxLine is the maximum length of a history line in bytes. A longer line counts as damaged.
	maxLine = 4 << 20
	// block is the number of bytes per read from the end of the history. It holds a line or two.
	// Usually only the last line is needed, and a larger buffer costs a hook more than another
	// read.
	block = 8 << 10
)

// parseLine checks and parses one history line and its budget snapshot.
func parseLine(path string, line []byte) (*loop.Iteration, error) {
	if err := lineFormat.check(path, line); err != nil {
		return nil, err
	}
	it, err := parse[loop.Iteration](path, line)
	if err != nil {
		return nil, err
	}
	if err := checkSnapshot(path, line, it); err != nil {
		return nil, err
	}
	it.Version = max(it.Version, 1)
	return it, nil
}

// checkSnapshot checks the budget in an already checked line and fills in defaults.
func checkSnapshot(path string, line []byte, it *loop.Iteration) error {
	snapshot := gjson.GetBytes(line, snapshotField)
	err := budgetFormat.checkObject(path, snapshot)
	if err == nil {
		err = adopt(path, it.Skill, &it.Budget)
	}
	if damaged, ok := errors.AsType[*DamagedError](err); ok {
		return damage(path, snapshotField+": %s", damaged.Why)
	}
	return err
}

// whole reports whether a line is a complete JSON object.
func whole(line []byte) bool {
	line = bytes.TrimRight(line, "\r\n")
	return len(line) > 0 && line[0] == '{' && gjson.ValidBytes(line)
}

// backward reads the lines of a file from last to first.
type backward struct {
	f   io.ReaderAt
	pos int64  // offset of buf in the file
	buf []byte // read but not yet returned
}

var errLongLine = errors.New("it is over 4 MiB")

// next returns the previous line, including any newline, or io.EOF at the start of the file. It
// returns errLongLine for a line longer than maxLine; reading cannot continue after that.
func (r *backward) next() ([]byte, error) {
	for {
		if n := len(r.buf); n > 0 {
			if i := bytes.LastIndexByte(r.buf[:n-1], '\n'); i >= 0 || r.pos == 0 {
				line := r.buf[i+1:]
				r.buf = r.buf[:i+1]
				return line, nil
			}
			if n > maxLine {
				return nil, errLongLine
			}
		}
		if r.pos == 0 {
			return nil, io.EOF
		}
		// Prepend a block as long as buf, so that a long line is not copied again and again.
		n := min(int64(max(block, len(r.buf))), r.pos)
		buf := make([]byte, n, n+int64(len(r.buf)))
		if _, err := r.f.ReadAt(buf, r.pos-n); err != nil {
			return nil, err
		}
		r.pos, r.buf = r.pos-n, append(buf, r.buf...)
	}
}

// at returns the file offset of the line that next returned last.
func (r *backward) at() int64 { return r.pos + int64(len(r.buf)) }
