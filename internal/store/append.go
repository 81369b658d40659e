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

// appendHistory repairs a torn last line, then writes and syncs a line that ends no iteration.
// created reports that the file is new, which is reported to the person (R123, R126). It returns
// errCommitted for a line that the history already has. A failed write leaves the history
// unchanged. The caller holds the guard.
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

// lineOf encodes a history line and checks that it can be read again. Its snapshot omits the lists
// that equal those of the budget on disk, which is nil if there is none.
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

// historyFile is a history that is open for its next line.
type historyFile struct {
	disk  *disk
	name  string
	f     *os.File // reads anywhere, writes at the end
	end   int64    // where the next line begins
	isNew bool     // no line has been reported yet
}

// openForLine opens the history for a line of the iteration, and repairs its last line. It returns
// an error if that line already records the iteration or if a newer program wrote it. It creates a
// missing file and syncs the folder, so that a file written later cannot survive a crash that loses
// this one.
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
	// an earlier failure left an empty file, which was never reported to anyone
	h.isNew = h.isNew || h.end == 0
	return h, nil
}

// add appends and syncs a line. On failure it truncates the file to its old size, so that no
// unreported line remains.
func (h *historyFile) add(line []byte) error {
	err := errors.Join(h.disk.write(h.f, h.name, line), h.disk.sync(h.f, h.name))
	if err != nil {
		return errors.Join(err, h.disk.truncate(h.name, h.end))
	}
	return nil
}

// repair makes the file end in a complete line, which it returns. It adds a missing newline to a
// complete last line, and removes a torn one.
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
	line, _ = lines.next() // one that is too long is not from this program
	return line, err
}
