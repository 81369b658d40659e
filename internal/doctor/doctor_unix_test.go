//go:build unix

package doctor

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"hooks/internal/report"
)

// A pipe in the place of a file would hold a reader for ever.
func TestAPipeHoldsNobodyUp(t *testing.T) {
	w := healthy(t)
	w.line(1, "a")
	for _, name := range []string{"p/.claude/settings.json", "p/CLAUDE.md",
		"p/.sdd/loop/review.history.jsonl"} {
		w.must(os.MkdirAll(filepath.Dir(w.path(name)), 0o755))
		w.must(syscall.Mkfifo(w.path(name), 0o600))
	}
	if k := w.look("settings-files", false); k.Status != report.Broken ||
		!strings.Contains(k.Problems[0].Text, "not a regular file") {
		t.Errorf("%+v", k)
	}
	for _, name := range []string{"configuration", "state-files"} {
		for _, p := range w.look(name, false).Problems {
			if strings.Contains(p.Text, "did not end") {
				t.Errorf("%s waits", name)
			}
		}
	}
}
