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

// Last returns the newest history line that keep accepts, or nil if it accepts no line. It reads
// from the end of the file, so its cost does not grow with the history. A torn last line is
// skipped. A damaged line newer than the one looked for is an error, because an older line must not
// pass for the newest.
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

// backwards calls each with the history's lines from the last to the first, while each returns
// true.
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
		case last && errors.Is(err, errLongLine): // torn, as after a power cut that left zeros
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

// parsed is parseLine, once for a line that several steps of an event look at. No one changes the
// lists in it.
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

// RawLine is one line of a history as it is in the file, without its newline. No one has looked at
// it before Check.
type RawLine struct {
	JSON   []byte // good until the next line
	number int    // from 1
	path   string
}

// Check reports why a line cannot be read: it is not a JSON object.
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

// Scan calls each with the fields of a line but the budget's snapshot, which it returns unread. A
// line that cannot be read is damage. Of the snapshot only its being JSON is checked.
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

// Skim is Scan for pages that people wait for. It does not read the snapshot, which is most of a
// line, and the PRs and worktrees after it, but only searches them for what crashes leave: zeros, a
// cut, a line joined to half of another. A field may come twice, then the later one counts. The
// snapshot is good until the next line.
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
	return l.Scan(each) // another program's form, or damage
}

// How this program writes a line. Unescaped quotes are in no JSON string, so these texts are found
// only between fields.
const (
	beforeSnapshot = `,"` + snapshotField + `":`
	afterSnapshot  = `},"tracked_prs":[`
	afterUnread    = `,"gates":[`
	// lineStart begins a line and, within a line, only the snapshot. A second one in the snapshot
	// begins the whole line that was joined to half of another.
	lineStart = `{"version":`
)

// numbered adds the line's number to its damage.
func (l RawLine) numbered(err error) error {
	if damaged, ok := errors.AsType[*DamagedError](err); ok {
		damaged.Line = l.number
	}
	return err
}

// RawLines streams the history's lines unread, in the memory of the longest one. A torn last line
// is skipped.
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
			for errors.Is(err, bufio.ErrBufferFull) { // the rest of it is skipped
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

// Snapshot returns the last backlog that the run recorded, by the tracker or by a report. It
// returns nil if the previous iteration already has it, or if the run recorded no backlog.
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
