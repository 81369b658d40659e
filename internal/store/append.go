package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"

	"hooks/internal/codec"
	"hooks/internal/loop"
)

// appendHistory writes a line that ends no iteration: one line, written at once and synced. A torn
// last line is repaired before it. created reports that the history is new, which a person is told
// (R123, R126). A line that the history already has is refused with errCommitted; a failed write
// leaves the history as it was. The caller holds the guard.
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

// lineOf encodes a history line and checks that it can be read again. Its snapshot leaves out the
// lists that equal those of the budget on disk. disk is that budget's text, or nil if there is no
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
	path := s.disk.path(historyName(it.Skill))
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
	isNew bool     // no line was announced yet
}

// openLog opens a file of lines. It creates the file if it is missing.
func (d *disk) openLog(name string) (h *historyFile, err error) {
	h = &historyFile{disk: d, name: name}
	if h.isNew, err = h.ensure(); err == nil {
		h.f, err = d.open(name, os.O_RDWR|os.O_APPEND)
	}
	return h, err
}

// openForLine makes the history ready for a line.
func (s *Store) openForLine(it *loop.Iteration) (*historyFile, error) {
	h, err := s.disk.openLog(historyName(it.Skill))
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
	h.isNew = h.isNew || h.end == 0 // one that an earlier failure left empty was never announced
	return h, nil
}

// mend repairs the last line of a history that exists. What fails here fails again when a line is
// added.
func (s *Store) mend(skill loop.Skill) {
	if _, err := s.disk.stat(historyName(skill)); err != nil {
		return
	}
	if h, err := s.disk.openLog(historyName(skill)); err == nil {
		_, _ = h.mend()
		_ = h.f.Close()
	}
}

// ensure makes the history exist, closed to others, and its name durable: nothing that is saved
// after a line may outlive it.
func (h *historyFile) ensure() (created bool, err error) {
	info, err := h.disk.stat(h.name)
	switch {
	case err == nil && (runtime.GOOS == "windows" || info.Mode().Perm() == fileMode):
		return false, nil
	case err == nil:
		return false, h.disk.root.Chmod(h.name, fileMode)
	case !errors.Is(err, fs.ErrNotExist):
		return false, err
	}
	f, err := h.disk.create(h.name)
	if err != nil {
		return false, err
	}
	h.disk.dirty = true
	return true, errors.Join(f.Close(), h.disk.syncDir())
}

// follows refuses an iteration that the last line already holds, and to write below a newer
// program's line.
func (s *Store) follows(h *historyFile, it *loop.Iteration) error {
	lines := backward{f: h.f, pos: h.end}
	line, err := lines.next()
	if err != nil { // an empty file, or a line too long to be ours
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

// add writes a line at the end. If that fails the file is cut back, so that a line either is there
// and was reported or is not there.
func (h *historyFile) add(line []byte) error {
	err := errors.Join(h.disk.write(h.f, h.name, line), h.disk.sync(h.f, h.name))
	if err != nil {
		return errors.Join(err, h.disk.truncate(h.name, h.end))
	}
	return nil
}

// mend makes the file end in a whole line and returns its size. A whole last line gets the newline
// it lacks; a torn one is copied aside and cut off.
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
	return start, h.cut(start)
}

// cut copies the file from start aside, durably, and only then cuts it off.
func (h *historyFile) cut(start int64) error {
	aside, err := h.disk.free(func(n int) string { return fmt.Sprintf("%s.torn-%d", h.name, n) })
	if err != nil {
		return err
	}
	out, err := h.disk.create(aside)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, io.NewSectionReader(h.f, start, h.end-start))
	if err = errors.Join(err, h.disk.sync(out, aside), out.Close()); err != nil {
		_ = h.disk.remove(aside)
		return err
	}
	h.disk.dirty = true
	if err := h.disk.syncDir(); err != nil {
		return err
	}
	if err := h.disk.truncate(h.name, start); err != nil {
		return err
	}
	return h.disk.sync(h.f, h.name)
}
