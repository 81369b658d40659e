// Package safefile opens files that others may have put in place of the ones expected: it waits for
// nothing, whatever is at the path. A pipe without a writer would hold a hook until its
// timeout, and then the tool call passes.
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
	"slices"
	"strings"
	"syscall"

	"github.com/natefinch/atomic"
)

// Open opens a regular file for reading. Anything else at the path, through a symlink too, is an
// error that is fs.ErrInvalid.
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

// Append appends a text to a regular file of at most maxAppended bytes. It creates the file if it
// does not exist.
func Append(path, text string) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err == nil && (!info.Mode().IsRegular() || info.Size() > maxAppended) {
		err = fmt.Errorf("append to %s: not a regular file below %d bytes: %w",
			path, maxAppended, fs.ErrInvalid)
	}
	if err == nil {
		_, err = f.WriteString(text)
	}
	return errors.Join(err, f.Close())
}

const maxAppended = 256 << 20

// Read returns the contents of a regular file. It returns false if the file cannot be read or is
// longer than most bytes.
func Read(path string, most int64) (string, bool) {
	text, ok := ReadHead(path, most+1)
	if !ok || int64(len(text)) > most {
		return "", false
	}
	return text, true
}

// Names reads at most most names of a folder and returns them sorted. It returns nil if the folder
// cannot be opened.
func Names(path string, most int) []string {
	dir, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(most)
	slices.Sort(names)
	return names
}

// IsDir reports whether a folder is at the path, through a symlink too.
func IsDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// ReadHead is Head for callers that do not need the error.
func ReadHead(path string, most int64) (text string, ok bool) {
	text, err := Head(path, most)
	return text, err == nil
}

// Head returns the first bytes of a regular file.
func Head(path string, most int64) (string, error) {
	f, _, err := Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, most))
	return string(head), err
}

// Glob lists what a pattern below a folder matches. The folder's own name is no pattern.
func Glob(dir string, pattern ...string) ([]string, error) {
	if filepath.Separator == '/' { // Windows has no escapes
		dir = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
	}
	return filepath.Glob(filepath.Join(append([]string{dir}, pattern...)...))
}

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
