package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"

	"hooks/internal/loop"
)

// AppendHistory commits an iteration: one line, written at once and synced. A torn last line is
// repaired before it. created says that the history is new, which a person is told (R123, R126). A
// line that the history already has is refused with errCommitted; a failed write leaves the history
// as it was. The caller holds the guard.
func (s *Store) AppendHistory(it *loop.Iteration) (created bool, err error) {
	line, err := s.lineOf(it)
	if err == nil {
		created, err = s.append(it, line)
	}
	if err != nil {
		return false, fmt.Errorf("append history: %w", err)
	}
	return created, s.settle()
}

// lineOf is the text of a line that can be read again.
func (s *Store) lineOf(it *loop.Iteration) ([]byte, error) {
	own := wholeLine(*it)
	line, err := compact(own)
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

func (s *Store) append(it *loop.Iteration, line []byte) (created bool, err error) {
	name := historyName(it.Skill)
	created, err = s.ensure(name)
	if err != nil {
		return false, err
	}
	f, err := s.disk.root.OpenFile(name, os.O_RDWR, fileMode)
	if err != nil {
		return false, err
	}
	defer f.Close()
	end, err := s.mend(f, name)
	if err != nil {
		return false, fmt.Errorf("repair the last line: %w", err)
	}
	if err := s.fresh(f, end, it); err != nil {
		return false, err
	}
	// A history that an earlier failure left empty was never announced.
	return created || end == 0, s.add(f, name, end, line)
}

// ensure makes the history exist, closed to others, and its name durable: nothing that is saved
// after a line may outlive it.
func (s *Store) ensure(name string) (created bool, err error) {
	_, err = s.disk.regular(name)
	if err == nil && runtime.GOOS != "windows" {
		return false, s.disk.root.Chmod(name, fileMode)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	f, err := s.disk.create(name)
	if err != nil {
		return false, err
	}
	s.disk.dirty = true
	return true, errors.Join(f.Close(), s.disk.syncDir())
}

// fresh refuses an iteration that the last line already holds, and to write below a newer program's
// line.
func (s *Store) fresh(f *os.File, end int64, it *loop.Iteration) error {
	lines := backward{f: f, pos: end}
	line, err := lines.next()
	if err != nil { // an empty file, or a line too long to be ours
		return nil
	}
	last, err := s.parsed(it.Skill, line)
	if newer := (*NewerError)(nil); errors.As(err, &newer) {
		return newer
	}
	counted := err == nil && it.RunID != "" && last.RunID == it.RunID && last.Outcome != loop.SkippedLock
	if counted && it.Outcome != loop.SkippedLock && it.Seq <= last.Seq {
		return fmt.Errorf("%w: run %s seq %d", errCommitted, it.RunID, last.Seq)
	}
	return nil
}

// add writes the line at the end. If that fails the file is cut back to where it was, so that a
// line is there and reported or is not there.
func (s *Store) add(f *os.File, name string, end int64, line []byte) error {
	out, err := s.disk.root.OpenFile(name, os.O_WRONLY|os.O_APPEND, fileMode)
	if err != nil {
		return err
	}
	err = errors.Join(s.disk.write(out, name, line), s.disk.sync(out, name), out.Close())
	if err != nil {
		return errors.Join(err, s.disk.truncate(f, name, end))
	}
	return nil
}

// mend makes the file end in a whole line and returns its size. A whole last line gets the newline
// it lacks; a torn one is copied aside and cut off.
func (s *Store) mend(f *os.File, name string) (int64, error) {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return 0, err
	}
	size := info.Size()
	start, err := lastStart(f, size)
	if err != nil {
		return 0, err
	}
	if size-start > maxLine {
		return s.cut(f, name, start, size)
	}
	line := make([]byte, size-start)
	if _, err := f.ReadAt(line, start); err != nil {
		return 0, err
	}
	switch terminated := line[len(line)-1] == '\n'; {
	case len(line) == 1 && terminated, whole(line) && terminated:
		return size, nil
	case whole(line):
		return size + 1, s.add(f, name, size, []byte("\n"))
	}
	return s.cut(f, name, start, size)
}

// mended mends the history and gives its size, 0 where there is none: a line is then added where a
// record says. What fails here fails again when the line is added.
func (s *Store) mended(skill loop.Skill) int64 {
	name := historyName(skill)
	size, err := s.disk.regular(name)
	if err != nil {
		return 0
	}
	f, err := s.disk.root.OpenFile(name, os.O_RDWR, fileMode)
	if err != nil {
		return size
	}
	defer f.Close()
	if end, err := s.mend(f, name); err == nil {
		return end
	}
	return size
}

// cut copies the file from start aside, durably, and only then cuts it off.
func (s *Store) cut(f *os.File, name string, start, size int64) (int64, error) {
	aside, err := s.aside(name)
	if err != nil {
		return 0, err
	}
	err = s.copyTo(aside, f, start, size)
	if err != nil {
		return 0, err
	}
	if err := s.disk.truncate(f, name, start); err != nil {
		return 0, err
	}
	return start, s.disk.sync(f, name)
}

func (s *Store) copyTo(aside string, f *os.File, start, size int64) error {
	out, err := s.disk.create(aside)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, io.NewSectionReader(f, start, size-start))
	err = errors.Join(err, s.disk.sync(out, aside), out.Close())
	if err != nil {
		_ = s.disk.remove(aside)
		return err
	}
	s.disk.dirty = true
	return s.disk.syncDir()
}

// aside is the first free name for a torn line.
func (s *Store) aside(name string) (string, error) {
	return s.disk.free(func(n int) string { return fmt.Sprintf("%s.torn-%d", name, n) })
}
