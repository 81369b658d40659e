package store

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"

	"github.com/tidwall/gjson"

	"hooks/internal/loop"
)

// openHistory opens the history for reading. f is nil if there is no history.
func (s *Store) openHistory(skill loop.Skill) (f *os.File, size int64, err error) {
	if f, size, err = s.disk.reader(historyName(skill)); err != nil {
		err = fmt.Errorf("read %s: %w", s.disk.path(historyName(skill)), err)
	}
	return f, size, err
}

// Last returns the newest history line that keep accepts, or nil. It reads from the end of the
// file, so its cost does not grow with the history. It skips a torn last line. A damaged line newer
// than the result is an error, because an older line must not pass for the newest.
func (s *Store) Last(skill loop.Skill, keep func(*loop.Iteration) bool) (*loop.Iteration, error) {
	var found *loop.Iteration
	err := s.backwards(skill, func(it *loop.Iteration) bool {
		if keep(it) {
			found = it
		}
		return found == nil
	})
	return found, err
}

// backwards calls each with the history's lines from last to first until each returns false.
func (s *Store) backwards(skill loop.Skill, each func(*loop.Iteration) bool) error {
	f, size, err := s.openHistory(skill)
	if f == nil {
		return err
	}
	defer f.Close()
	path := s.disk.path(historyName(skill))
	lines := backward{f: f, pos: size}
	for last := true; ; last = false {
		line, err := lines.next()
		switch {
		case err == io.EOF:
			return nil
		case last && errors.Is(err, errLongLine): // torn, for example zeros after a power cut
			continue
		case errors.Is(err, errLongLine):
			return damage(path, "a line of it is over 4 MiB")
		case err != nil:
			return fmt.Errorf("read %s: %w", path, err)
		case last && !whole(line), len(bytes.TrimSpace(line)) == 0:
			continue
		}
		it, err := s.parsed(skill, line)
		if err != nil {
			return err
		}
		if !each(it) {
			return nil
		}
	}
}

// parsed parses a line, or returns a copy of the last result if the line is the same, as several
// steps of an event read the same line. The copy shares its slices, which must not be changed.
func (s *Store) parsed(skill loop.Skill, line []byte) (*loop.Iteration, error) {
	if s.line.it == nil || !bytes.Equal(s.line.text, line) {
		it, err := parseLine(s.disk.path(historyName(skill)), line)
		if err != nil {
			return nil, err
		}
		s.line.it, s.line.text = it, line
	}
	it := *s.line.it
	return &it, nil
}

// RawLine is one line of a history without its newline, not yet checked.
type RawLine struct {
	JSON   []byte // valid until the next line
	number int    // from 1
	path   string
}

// Check returns an error if the line is not a JSON object.
func (l RawLine) Check() error {
	switch {
	case !gjson.ValidBytes(l.JSON):
		return l.damage("it is not valid JSON")
	case l.JSON[0] != '{':
		return l.damage("it is not a JSON object")
	}
	return nil
}

func (l RawLine) damage(why string) error {
	return &DamagedError{Path: l.path, Line: l.number, Why: why}
}

// Scan calls each with the fields of a line except the budget snapshot, which it returns undecoded.
// It returns a DamagedError for a line that cannot be read. The snapshot is only checked to be
// JSON.
func (l RawLine) Scan(each func(name string, v gjson.Result)) (snapshot []byte, err error) {
	err = lineFormat.scan(l.path, l.JSON, func(name string, v gjson.Result) {
		if name == snapshotField {
			snapshot = []byte(v.Raw)
		} else {
			each(name, v)
		}
	})
	return snapshot, l.numbered(err)
}

// Skim is a faster Scan for pages that people wait for. It does not parse the snapshot, which is
// most of a line, nor the PRs and worktrees after it. It only searches them for what crashes leave:
// zeros, a cut, or a line joined to half of another. A field may be reported twice; the later one
// counts. The snapshot is valid until the next line.
func (l RawLine) Skim(each func(name string, v gjson.Result)) (snapshot []byte, err error) {
	before, rest, _ := bytes.Cut(l.JSON, []byte(beforeSnapshot))
	end := bytes.Index(rest, []byte(afterSnapshot)) + 1
	past := end + max(0, bytes.Index(rest[end:], []byte(afterUnread)))
	if unread := rest[:past]; 0 < end && end < past && bytes.HasPrefix(unread, []byte(lineStart)) &&
		!bytes.Contains(unread[1:], []byte(lineStart)) && bytes.IndexByte(unread, 0) < 0 {
		short := l
		short.JSON = slices.Concat(before, []byte(beforeSnapshot+"{}"), rest[past:])
		if _, err := short.Scan(each); err == nil {
			return rest[:end], nil
		}
	}
	return l.Scan(each) // damaged, or written by another program
}

// Separators in a line written by this program. JSON escapes quotes in strings, so these texts
// occur only between fields.
const (
	beforeSnapshot = `,"` + snapshotField + `":`
	afterSnapshot  = `},"tracked_prs":[`
	afterUnread    = `,"gates":[`
	// lineStart begins a line and the snapshot in it. A second one inside the snapshot means that
	// two lines were joined.
	lineStart = `{"version":`
)

// numbered adds the line's number to a DamagedError.
func (l RawLine) numbered(err error) error {
	if damaged, ok := errors.AsType[*DamagedError](err); ok {
		damaged.Line = l.number
	}
	return err
}

// RawLines iterates over the history's lines without parsing them. It needs the memory of the
// longest line and skips a torn last line.
func (s *Store) RawLines(skill loop.Skill) iter.Seq2[RawLine, error] {
	return func(yield func(RawLine, error) bool) {
		f, size, err := s.openHistory(skill)
		if err != nil {
			yield(RawLine{}, err)
		}
		if f == nil {
			return
		}
		defer f.Close()
		raw := RawLine{path: s.disk.path(historyName(skill))}
		in := bufio.NewReaderSize(io.LimitReader(f, size), int(min(size+1, maxLine)))
		for left := size; left > 0; {
			raw.number++
			line, err := in.ReadSlice('\n')
			left -= int64(len(line))
			long := false
			for errors.Is(err, bufio.ErrBufferFull) { // skip the rest of the line
				var rest []byte
				rest, err = in.ReadSlice('\n')
				left -= int64(len(rest))
				long = true
			}
			raw.JSON = bytes.TrimSpace(line)
			switch {
			case err != nil && err != io.EOF:
				yield(RawLine{}, fmt.Errorf("read %s: %w", raw.path, err))
				return
			case (left <= 0 || err == io.EOF) && (long || !whole(line)):
				return // the torn last line
			case len(raw.JSON) == 0:
				continue
			}
			if err = nil; long {
				err = raw.damage(errLongLine.Error())
			}
			if !yield(raw, err) {
				return
			}
		}
	}
}

// Snapshot returns the run's last recorded backlog, from the tracker or from a report. It returns
// nil if the previous iteration already has it, or if no backlog was recorded.
func (s *Store) Snapshot(
	run *loop.Budget, previous *loop.Iteration, byTracker bool,
) (*loop.Snapshot, error) {
	switch {
	case !run.Kind().Backlog, previous == nil:
		return nil, nil
	case previous.Backlog != nil && previous.FromTracker == byTracker:
		return nil, nil
	}
	snapshot := &loop.Snapshot{}
	found, err := s.Last(run.Skill, func(l *loop.Iteration) bool {
		return run.Worked(l) && snapshot.Add(l, byTracker)
	})
	if err != nil || found == nil {
		return nil, err
	}
	return snapshot, nil
}
