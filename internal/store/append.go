package store

import (
	"errors"
	"fmt"
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
// that equal those of the budget in disk, the text of the budget file, which is nil if there is no
// budget.
func (s *Store) lineOf(it *loop.Iteration, disk []byte) ([]byte, error) {
	own := *it
	own.Version, own.Budget.Version = loop.Version, loop.Version
	if old, err := parse[loop.Budget]("", disk); disk != nil && err == nil {
		own.Budget.LeaveOut(old)
	}
	own.Budget.KindRun = own.Budget.Stored()
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

// openLog opens a file of lines. If the file is missing, it creates it and syncs the folder, so
// that a file written later cannot survive a crash that loses this one.
func (d *disk) openLog(name string) (h *historyFile, err error) {
	h = &historyFile{disk: d, name: name}
	_, err = d.stat(name)
	if h.isNew = errors.Is(err, fs.ErrNotExist); h.isNew {
		var f *os.File
		if f, err = d.create(name); err == nil {
			d.dirty = true
			err = errors.Join(f.Close(), d.syncDir())
		}
	}
	if err == nil {
		h.f, err = d.open(name, os.O_RDWR|os.O_APPEND)
	}
	return h, err
}

// openForLine opens the history, repairs its last line and checks that it may be followed by the
// iteration.
func (s *Store) openForLine(it *loop.Iteration) (*historyFile, error) {
	h, err := s.disk.openLog(historyName.of(it.Skill))
	if err != nil {
		return nil, err
	}
	if h.end, err = h.mend(); err != nil {
		err = fmt.Errorf("repair the last line: %w", err)
	} else {
		err = s.follows(h, it)
	}
	if err != nil {
		return nil, errors.Join(err, h.f.Close())
	}
	// an earlier failure left an empty file, which was never reported to anyone
	h.isNew = h.isNew || h.end == 0
	return h, nil
}

// mend repairs the last line of an existing history. It ignores errors, because the next append
// returns them again.
func (s *Store) mend(skill loop.Skill) {
	if _, err := s.disk.stat(historyName.of(skill)); err != nil {
		return
	}
	if h, err := s.disk.openLog(historyName.of(skill)); err == nil {
		_, _ = h.mend()
		_ = h.f.Close()
	}
}

// follows returns an error if the last line already records this iteration or if a newer program
// wrote it.
func (s *Store) follows(h *historyFile, it *loop.Iteration) error {
	lines := backward{f: h.f, pos: h.end}
	line, err := lines.next()
	if err != nil { // an empty file, or a line too long to be from this program
		return nil
	}
	last, err := s.parsed(it.Skill, line)
	if newer, ok := errors.AsType[*NewerError](err); ok {
		return newer
	}
	counted := err == nil && it.RunID != "" && last.RunID == it.RunID && last.Ran() && it.Ran()
	if counted && it.Seq <= last.Seq {
		return fmt.Errorf("%w: run %s seq %d", errCommitted, it.RunID, last.Seq)
	}
	return nil
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

// mend makes the file end in a complete line and returns its size. It adds a missing newline to a
// complete last line, and removes a torn one.
func (h *historyFile) mend() (int64, error) {
	info, err := h.f.Stat()
	if err != nil || info.Size() == 0 {
		return 0, err
	}
	h.end = info.Size()
	lines := backward{f: h.f, pos: h.end}
	line, err := lines.next()
	switch complete := whole(line); {
	case err != nil && !errors.Is(err, errLongLine):
		return 0, err
	case string(line) == "\n", complete && line[len(line)-1] == '\n':
		return h.end, nil
	case complete:
		return h.end + 1, h.add([]byte("\n"))
	}
	start := lines.at()
	return start, errors.Join(h.disk.truncate(h.name, start), h.disk.sync(h.f, h.name))
}
