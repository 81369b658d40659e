//go:build unix

package safefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// None of these has a writer, so opening one plainly would wait for ever: the test would time out.
func TestOnlyRegularFilesAreOpened(t *testing.T) {
	dir := t.TempDir()
	pipe, link := filepath.Join(dir, "pipe"), filepath.Join(dir, "link")
	if err := errors.Join(syscall.Mkfifo(pipe, 0o600), os.Symlink(pipe, link)); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{pipe, link, dir, "/dev/zero", "/dev/tty"} {
		if f, _, err := Open(path); err == nil {
			f.Close()
			t.Errorf("%s was opened", path)
		}
		if _, ok := Read(path, 1<<20); ok {
			t.Errorf("%s was read", path)
		}
		if err := Append(path, "x"); err == nil {
			t.Errorf("%s was written", path)
		}
	}
	if _, _, err := Open(pipe); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("a pipe gives %v", err)
	}
}

func TestReadIsBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte(strings.Repeat("x", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	if text, ok := Read(path, 100); !ok || len(text) != 100 {
		t.Errorf("100 of 100 bytes: %d, %v", len(text), ok)
	}
	if _, ok := Read(path, 99); ok {
		t.Error("a file over the bound was read")
	}
}
