package safefile

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestReplace(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "page.html")
	for _, text := range []string{"one", "another, longer one"} {
		if err := Replace(path, 0o600, strings.NewReader(text), nil); err != nil {
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
	for _, path := range []string{full, filepath.Join(dir, "no", "x")} {
		if Replace(path, 0, strings.NewReader("text"), nil) == nil {
			t.Error("no error")
		}
	}
	refused := errors.New("refused")
	refuse := func() error { return refused }
	if err := Replace(path, 0, strings.NewReader("text"), refuse); err != refused {
		t.Errorf("%v, want that of ready", err)
	}
	if got, err := os.ReadDir(dir); len(got) != 2 || err != nil {
		t.Errorf("left: %v, %v", got, err)
	}
}
