// Package safefile opens files that other programs may have replaced, and never blocks on them. A
// pipe without a writer would block a hook until its timeout, after which the client lets the tool
// call pass.
package safefile

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
)

// Open opens a regular file for reading. If the path leads to anything else, even through a
// symlink, the error is fs.ErrInvalid.
func Open(path string) (*os.File, fs.FileInfo, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("open %s: not a regular file: %w", path, fs.ErrInvalid)
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// Append appends text to a regular file of at most maxAppended bytes. It creates a missing file.
func Append(path, text string) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err == nil && (!info.Mode().IsRegular() || info.Size() > maxAppended) {
		err = fmt.Errorf("append to %s: not a regular file of at most %d bytes: %w",
			path, maxAppended, fs.ErrInvalid)
	}
	if err == nil {
		_, err = f.WriteString(text)
	}
	return errors.Join(err, f.Close())
}

const maxAppended = 256 << 20

// Read returns the contents of a regular file. It returns false if the file cannot be read or is
// longer than maxBytes bytes.
func Read(path string, maxBytes int64) (string, bool) {
	text, err := Head(path, maxBytes+1)
	if err != nil || int64(len(text)) > maxBytes {
		return "", false
	}
	return text, true
}

// Absolute returns the cleaned path. A relative path is resolved against dir.
func Absolute(dir, path string) string {
	path = filepath.FromSlash(path)
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	return filepath.Clean(path)
}

// IsDir reports whether the path is a folder or a symlink to one.
func IsDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// ReadHead is like Head but for callers that do not need the error.
func ReadHead(path string, maxBytes int64) (text string, ok bool) {
	text, err := Head(path, maxBytes)
	return text, err == nil
}

// Head returns up to maxBytes bytes from the start of a regular file.
func Head(path string, maxBytes int64) (string, error) {
	f, _, err := Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, maxBytes))
	return string(head), err
}

// newMode is the mode of a new file, before the umask.
const newMode fs.FileMode = 0o644

// Replace atomically and durably replaces the contents of a file. A reader sees either the old or
// the new contents, and an error before or during the rename leaves the old ones. The file gets the
// given mode regardless of the umask; mode 0 means newMode, subject to the umask. If ready is not
// nil, it is called once text is on disk, and an error from it cancels the replacement.
func Replace(path string, mode fs.FileMode, text io.Reader, ready func() error) error {
	tmp := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".hooks.tmp")
	_ = os.Remove(tmp) // left by a killed process; Remove does not follow a symlink
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

// SyncDir makes name changes in a folder durable. It does nothing if the system cannot sync
// folders.
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
