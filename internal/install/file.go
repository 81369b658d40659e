package install

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"

	"github.com/natefinch/atomic"

	"hooks/internal/hint"
	"hooks/internal/regular"
)

// mostSettings bounds a settings file, in bytes.
const mostSettings = 4 << 20

// newMode is the mode of a settings file that was not there, less the umask.
const newMode fs.FileMode = 0o644

// settings is a file with the text before the program was registered in it, which stands beside it as a backup.
type settings struct {
	path   string      // as people know it, absolute
	target string      // what is replaced: the end of a link
	mode   fs.FileMode // 0 while there is no file
	texts
}

// texts are the two of them; nil is a file that is not there.
type texts struct{ now, before *string }

func (s *settings) backup() string { return s.path + ".before-hooks" }

// open reads the file and its backup.
func open(path string) (*settings, error) {
	s := &settings{path: path, target: path}
	if err := s.follow(); err != nil {
		return nil, err
	}
	var err error
	if s.now, err = read(s.target); err == nil {
		s.before, err = read(s.backup())
	}
	return s, err
}

// follow finds the end of a link, which stays a link.
func (s *settings) follow() error {
	info, err := os.Lstat(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		if s.target, err = filepath.EvalSymlinks(s.path); err != nil {
			return hint.New("remove the link or make its target; nothing was changed", "%s is a link to nothing", s.path)
		}
		info, err = os.Stat(s.target)
	}
	if err == nil && !info.Mode().IsRegular() {
		err = hint.New("move it away; nothing was changed", "%s is not a file", s.path)
	}
	if err == nil {
		s.mode = info.Mode().Perm()
	}
	return err
}

func read(path string) (*string, error) {
	f, _, err := regular.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	defer f.Close()
	body, err := io.ReadAll(io.LimitReader(f, mostSettings+1))
	if err == nil && len(body) > mostSettings {
		err = fmt.Errorf("%s is over %d bytes", path, mostSettings)
	}
	text := string(body)
	return &text, err
}

// errChanged says that somebody else wrote the file meanwhile.
var errChanged = errors.New("the file changed while it was edited")

// save brings both files to the new texts, in an order that a crash leaves no edit without its backup. The rename
// happens only over the text that was read.
func (s *settings) save(next texts) error {
	if next.now != nil {
		if err := os.MkdirAll(filepath.Dir(s.path), 0o755); err != nil {
			return err
		}
	}
	if next.before != nil && !equal(next.before, s.before) {
		if err := replace(s.backup(), *next.before, s.mode); err != nil {
			return fmt.Errorf("back up: %w", err)
		}
	}
	if err := s.put(next.now); err != nil {
		return err
	}
	if next.before == nil && s.before != nil {
		return os.Remove(s.backup())
	}
	return nil
}

func (s *settings) put(text *string) error {
	found, err := read(s.target)
	if err != nil {
		return err
	}
	if !equal(found, s.now) {
		return errChanged
	}
	if text != nil {
		return replace(s.target, *text, s.mode)
	}
	if err := os.Remove(s.target); err != nil {
		return err
	}
	return syncDir(filepath.Dir(s.target))
}

// tidy takes away the client's folder if nothing is in it, as it is where only this program needed one.
func tidy(path string) {
	dir := filepath.Dir(path)
	if info, err := os.Lstat(dir); err == nil && info.IsDir() && filepath.Base(dir) == ".claude" {
		_ = os.Remove(dir) // fails where there is anything in it
	}
}

func equal(a, b *string) bool { return a == nil && b == nil || a != nil && b != nil && *a == *b }

// replace gives a file a new text in one step: whoever reads it sees the old one or the new one, whole and durable.
func replace(path, text string, mode fs.FileMode) error {
	tmp := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".hooks.tmp")
	_ = os.Remove(tmp) // of a run that was killed; a link there is not followed
	f, err := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, cmp.Or(mode, newMode))
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if mode != 0 { // whatever the umask
		err = errors.Join(err, f.Chmod(mode))
	}
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = atomic.ReplaceFile(tmp, path)
	}
	if err != nil {
		_ = os.Remove(tmp)
		return err
	}
	return syncDir(filepath.Dir(path))
}

// syncDir makes a folder's changed names durable. Windows cannot, and some file systems cannot either.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, errors.ErrUnsupported) {
		return fmt.Errorf("sync folder: %w", err)
	}
	return nil
}
