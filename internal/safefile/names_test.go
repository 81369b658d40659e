//go:build unix

package safefile

import (
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
)

// A pipe in the place of a folder is not waited for.
func TestNames(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"b", "a"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := Names(dir, 9); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("got %v", got)
	}
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := Names(pipe, 9); len(got) > 0 {
		t.Errorf("a pipe holds %v", got)
	}
}
