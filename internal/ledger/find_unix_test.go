//go:build unix

package ledger

import (
	"path/filepath"
	"syscall"
	"testing"
)

// A pipe in the place of a folder is not waited for.
func TestFindDoesNotWaitForAPipe(t *testing.T) {
	root := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(root, "changes"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := Find(root); len(got) > 0 {
		t.Errorf("a pipe holds %v", got)
	}
}
