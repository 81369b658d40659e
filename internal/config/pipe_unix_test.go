//go:build unix

package config

import (
	"path/filepath"
	"syscall"
	"testing"
)

// Opening a pipe without a writer waits for ever.
func TestLoadDoesNotWaitForAPipe(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "CLAUDE.md"), 0o600); err != nil {
		t.Fatal(err)
	}
	same(t, Load(dir),
		Config{Warnings: []string{"CLAUDE.md: is not a regular file"}})
}
