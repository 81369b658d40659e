package doctor

import (
	"slices"
	"strings"
	"testing"

	"hooks/internal/page"
	"hooks/internal/report"
)

// A cause is said once: what follows from it refers to it. Its problems are printed, and nothing
// that is in order but with -v.
func TestOneCauseIsSaidOnce(t *testing.T) {
	w := healthy(t)
	w.register("home/.claude/settings.json", "/none/hooks")
	found := w.doctor().Run()
	byName := map[string]report.Check{}
	for _, k := range found.Checks {
		byName[k.Name] = k
	}
	k := byName["self-test"]
	if k.Status != report.Skipped || !slices.Contains(k.Found,
		"not run; see the check hook-binary") {
		t.Errorf("%+v", k)
	}
	short := page.Draw(page.Screen{Width: 200}, found)
	found.All = true
	long := page.Draw(page.Screen{Width: 200}, found)
	if n := strings.Count(short, "/none/hooks"); n != 1 || strings.Contains(short, "  ok  ") {
		t.Errorf("the cause is said %d times in\n%s", n, short)
	}
	for _, want := range []string{"ok   command-form", "self-test", "see the check hook-binary"} {
		if !strings.Contains(long, want) {
			t.Errorf("-v does not print %q:\n%s", want, long)
		}
	}
}
