package safefile

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"

	"github.com/natefinch/atomic"
)

// newMode is the mode of a file that did not exist, less the umask.
const newMode fs.FileMode = 0o644

// Replace gives a file a new text in one durable step: a reader sees the old text or the new one,
// and after an error the old one. The file gets that mode, whatever the umask; 0 is that of a new
// file. ready may refuse the step once the text is on the disk.
func Replace(path string, mode fs.FileMode, text io.Reader, ready func() error) error {
	tmp := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".hooks.tmp")
	_ = os.Remove(tmp) // left by a process that was killed; a link there is not followed
	f, err := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, cmp.Or(mode, newMode))
	if err != nil {
		return err
	}
	_, err = io.Copy(f, text)
	if mode != 0 {
		err = errors.Join(err, f.Chmod(mode))
	}
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil && ready != nil {
		err = ready()
	}
	if err == nil {
		err = atomic.ReplaceFile(tmp, path)
	}
	if err != nil {
		_ = os.Remove(tmp)
		return err
	}
	return SyncDir(filepath.Dir(path))
}

// SyncDir makes changed names in a folder durable. Windows cannot, nor can some file systems.
func SyncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	err = f.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	return err
}
