package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"hooks/internal/codec"
	"hooks/internal/loop"
)

// appendHistory repairs the last line, then appends and syncs a line that does not end an
// iteration. created is true if the history was empty, so that the person is notified (R123, R126).
// It returns errCommitted if the history already has the line. If the write fails, it truncates the
// file to its old size. The caller must hold the guard.
func (s *Store) appendHistory(it *loop.Iteration) (created bool, err error) {
	line, err := s.lineOf(it, nil)
	if err == nil {
		var h *historyFile
		if h, err = s.openForLine(it); err == nil {
			defer h.f.Close()
			created, err = h.isNew, h.add(line)
		}
	}
	if err != nil {
		return false, fmt.Errorf("append history: %w", err)
	}
	return created, s.settle()
}

// lineOf encodes a history line and checks that it can be decoded. The line's snapshot omits lists
// that are unchanged from disk, the budget on disk (nil if missing).
func (s *Store) lineOf(it *loop.Iteration, disk *loop.Budget) ([]byte, error) {
	own := *it
	own.Version, own.Budget.Version = loop.Version, loop.Version
	if disk != nil {
		own.Budget.LeaveOut(disk)
	}
	if own.Budget.Own != nil {
		own.Budget.Own = own.Budget.Own.Stored()
	}
	line, err := codec.Encode(own)
	if err != nil {
		return nil, err
	}
	if len(line) >= maxLine {
		return nil, fmt.Errorf("the line would be %d bytes, over 4 MiB", len(line))
	}
	path := s.disk.path(historyName.of(it.Skill))
	if err = lineFormat.check(path, line); err == nil {
		err = checkSnapshot(path, line, &own)
	}
	if err != nil {
		return nil, fmt.Errorf("refusing to write it: %w", err)
	}
	return append(line, '\n'), nil
}

// historyFile is a history file opened to append a line.
type historyFile struct {
	disk  *disk
	name  string
	f     *os.File // open for reading and appending
	end   int64    // offset of the next line
	isNew bool     // the file was missing or empty
}

// openForLine opens the history to append the iteration's line, and repairs the last line. It
// returns errCommitted if the last line records this iteration or a later one in the same run, and
// a NewerError if a newer program wrote it. It creates a missing file and syncs the folder, so that
// a crash cannot lose this file but keep one written later.
func (s *Store) openForLine(it *loop.Iteration) (h *historyFile, err error) {
	h = &historyFile{disk: &s.disk, name: historyName.of(it.Skill)}
	_, err = s.disk.stat(h.name)
	if h.isNew = errors.Is(err, fs.ErrNotExist); h.isNew {
		var f *os.File
		if f, err = s.disk.create(h.name); err == nil {
			s.disk.dirty = true
			err = errors.Join(f.Close(), s.disk.syncDir())
		}
	}
	if err == nil {
		h.f, err = s.disk.open(h.name, os.O_RDWR|os.O_APPEND)
	}
	if err != nil {
		return nil, err
	}
	line, err := h.repair()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("repair the last line: %w", err), h.f.Close())
	}
	last, err := parseLine(h.disk.path(h.name), line)
	if newer, ok := errors.AsType[*NewerError](err); ok {
		return nil, errors.Join(newer, h.f.Close())
	}
	counted := err == nil && it.RunID != "" && last.RunID == it.RunID && last.Ran() && it.Ran()
	if counted && it.Seq <= last.Seq {
		err = fmt.Errorf("%w: run %s seq %d", errCommitted, it.RunID, last.Seq)
		return nil, errors.Join(err, h.f.Close())
	}
	// an empty file is left over from an earlier failure, and the person was not notified of it
	h.isNew = h.isNew || h.end == 0
	return h, nil
}

// add appends and syncs a line. If that fails, it truncates the file to its old size, so that the
// line does not count.
func (h *historyFile) add(line []byte) error {
	err := errors.Join(h.disk.write(h.f, h.name, line), h.disk.sync(h.f, h.name))
	if err != nil {
		return errors.Join(err, h.disk.truncate(h.name, h.end))
	}
	return nil
}

// repair makes the file end in a complete line and returns that line. It adds a missing newline to
// a complete last line, and removes a torn last line.
func (h *historyFile) repair() (last []byte, err error) {
	info, err := h.f.Stat()
	if err != nil {
		return nil, err
	}
	h.end = info.Size()
	lines := backward{f: h.f, pos: h.end}
	line, err := lines.next()
	switch complete := whole(line); {
	case err == io.EOF:
		return nil, nil
	case err != nil:
		return nil, err
	case string(line) == "\n", complete && line[len(line)-1] == '\n':
		return line, nil
	case complete:
		err = h.add([]byte("\n"))
		h.end++
		return line, err
	}
	h.end = lines.at()
	err = errors.Join(h.disk.truncate(h.name, h.end), h.disk.sync(h.f, h.name))
	line, _ = lines.next() // if this fails, there is no line to compare
	return line, err
}
