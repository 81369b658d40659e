package guard

import (
	"strings"
	"testing"
)

// TestSealTable walks what the seal is left to find: reading it ends, whatever it says.
func TestSealTable(t *testing.T) {
	files := loadProject(t)
	for _, c := range loadTable(t, "seal.txt") {
		Read(c.call, c.repo.Known(), files.ReadFile)
	}
}

// TestGaps: what is not plain is refused without a brake if it names a way to land something. The
// brake's own test runs the rows that its links hold.
func TestGaps(t *testing.T) {
	files := loadProject(t)
	for _, c := range loadTable(t, "gaps.txt") {
		r, got := Read(c.call, c.repo.Known(), files.ReadFile), "passes"
		if len(r.Merges())+len(r.Tampers()) > 0 || r.ReachesForge() || r.Bound != "" {
			got = "refused"
		}
		if want, _, _ := strings.Cut(c.kind, " "); got != want {
			t.Errorf("gaps.txt:%d: %s: %s\n  %s", c.line, c.text, got, describe(r))
		}
	}
}
