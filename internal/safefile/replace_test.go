package safefile

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestReplace(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "page.html")
	for _, text := range []string{"one", "another, longer one"} {
		if err := Replace(path, text); err != nil {
			t.Fatal(err)
		}
		if got, ok := Read(path, 100); !ok || got != text {
			t.Errorf("got %q", got)
		}
	}
	if info, _ := os.Stat(path); runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
	// A folder keeps its place, and nothing unfinished is left.
	full := filepath.Join(dir, "folder")
	if err := os.MkdirAll(filepath.Join(full, "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	if Replace(full, "text") == nil || Replace(filepath.Join(dir, "no", "x"), "text") == nil {
		t.Error("no error")
	}
	if got := Names(dir, 9); len(got) != 2 {
		t.Errorf("left: %v", got)
	}
}
