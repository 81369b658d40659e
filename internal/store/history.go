package store

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/tidwall/gjson"

	"hooks/internal/codec"
	"hooks/internal/loop"
)

// Last returns the newest history line that keep accepts, or nil. It reads from the end of the
// file, so finding a recent line takes no longer in a long history. It skips a torn last line. A
// damaged line newer than the result is an error, because keep might have accepted that line.
func (s *Store) Last(skill loop.Skill, keep func(*loop.Iteration) bool) (*loop.Iteration, error) {
	for line, err := range s.linesBackwards(skill) {
		if err != nil {
			return nil, err
		}
		it, err := parseLine(s.disk.path(historyName.of(skill)), line)
		if err != nil || keep(it) {
			return it, err
		}
	}
	return nil, nil
}

// linesBackwards iterates over the history's lines from last to first without parsing them. It
// skips empty lines and a torn last line. It yields an error for a line over maxLine and stops.
func (s *Store) linesBackwards(skill loop.Skill) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		f, size, err := s.disk.reader(historyName.of(skill))
		if err != nil {
			yield(nil, err)
		}
		if f == nil {
			return
		}
		defer f.Close()
		lines := backward{f: f, pos: size}
		for last := true; ; last = false {
			line, err := lines.next()
			path := s.disk.path(historyName.of(skill))
			switch {
			case err == io.EOF:
				return
			case errors.Is(err, errLongLine):
				yield(nil, damage(path, "a line of %v", err))
				return
			case err != nil:
				yield(nil, fmt.Errorf("read %s: %w", path, err))
				return
			case last && !whole(line): // torn, for example zeros after a power cut
				continue
			case len(bytes.TrimSpace(line)) == 0:
				continue
			}
			if !yield(line, nil) {
				return
			}
		}
	}
}

// RawLine is one unchecked line of a history, without the newline.
type RawLine struct {
	JSON   []byte // valid until the next line
	number int    // 1-based
	path   string
	err    error // set if the line is too long
}

// Check returns an error if the line is too long or not a JSON object.
func (l RawLine) Check() error {
	switch {
	case l.err != nil:
		return l.err
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

// Parse parses the line. It returns a DamagedError for a line that cannot be read.
func (l RawLine) Parse() (*loop.Iteration, error) {
	if l.err != nil {
		return nil, l.err
	}
	it, err := parseLine(l.path, l.JSON)
	if damaged, ok := errors.AsType[*DamagedError](err); ok {
		damaged.Line = l.number
	}
	return it, err
}

// Skim is a much faster version of Parse for pages that cover thousands of lines. It omits the
// fields named in without and others that these pages never show. From the budget snapshot, which
// makes up most of a line, it decodes only the spend outside iterations and, for a stop between two
// iterations, the iteration count. It only checks that the other snapshot fields are valid JSON. It
// falls back to Parse for a line that it cannot read this way.
func (l RawLine) Skim(without ...string) (*loop.Iteration, error) {
	snapshot, text := l.cut()
	if text == "" {
		return l.Parse()
	}
	without = append(without, "tracked_prs", "active_worktrees", "backlog_snapshot", "failures",
		"plan")
	needs, seen := lineFormat.needs[:len(lineFormat.needs)-1], 0
	it := &loop.Iteration{}
	err := codec.DecodeSome(gjson.Parse(text), it, func(name string) bool {
		if at := slices.Index(needs, name); at == seen {
			seen++
		} else if at >= 0 { // it is repeated, or an earlier field is missing
			seen = len(needs) + 1
		}
		return !slices.Contains(without, name)
	})
	if bytes.Contains(snapshot, []byte(`"dollars_outside":`)) {
		spent := gjson.GetBytes(snapshot, "dollars_outside")
		err = errors.Join(err, codec.Decode(spent, &it.Budget.DollarsOutside))
	}
	if it.Outcome == loop.Stopped {
		it.Budget.IterationsUsed = int(gjson.GetBytes(snapshot, "iterations_used").Int())
	}
	if err != nil || seen != len(needs) || it.Version > loop.Version {
		return l.Parse()
	}
	return it, nil
}

// cut splits a line into its budget snapshot and the remaining text. JSON escapes quotes in
// strings, so the separators occur only between fields. text is empty if the line is not in the
// format that this program writes.
func (l RawLine) cut() (snapshot []byte, text string) {
	before, rest, _ := bytes.Cut(l.JSON, []byte(`,"`+snapshotField+`":`))
	end := bytes.Index(rest, []byte(`},"tracked_prs":[`)) + 1
	snapshot, text = rest[:end], string(before)+string(rest[end:])
	if l.err != nil || end == 0 || !gjson.ValidBytes(l.JSON) {
		return nil, ""
	}
	return snapshot, text
}

// RawLines iterates over the history's lines without parsing them. It skips empty lines and a torn
// last line.
func (s *Store) RawLines(skill loop.Skill) iter.Seq2[RawLine, error] {
	return func(yield func(RawLine, error) bool) {
		f, size, err := s.disk.reader(historyName.of(skill))
		if err != nil {
			yield(RawLine{}, err)
		}
		if f == nil {
			return
		}
		defer f.Close()
		path := s.disk.path(historyName.of(skill))
		// a buffer larger than the file could trigger a garbage collection
		in := bufio.NewReaderSize(io.LimitReader(f, size), int(min(size+1, maxLine)))
		for n := 1; ; n++ {
			line, err := in.ReadSlice('\n')
			raw := RawLine{JSON: bytes.TrimSpace(line), number: n, path: path}
			for err == bufio.ErrBufferFull {
				raw.err = raw.damage(errLongLine.Error())
				_, err = in.ReadSlice('\n')
			}
			if err != nil && err != io.EOF {
				yield(RawLine{}, fmt.Errorf("read %s: %w", path, err))
				return
			}
			if _, more := in.Peek(1); more != nil && (raw.err != nil || !whole(line)) {
				return
			}
			if (raw.err != nil || len(raw.JSON) > 0) && !yield(raw, raw.err) {
				return
			}
		}
	}
}
