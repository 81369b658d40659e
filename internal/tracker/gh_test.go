package tracker

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestGhAliases(t *testing.T) {
	dir := t.TempDir()
	text := "git_protocol: https\naliases:\n    co: pr checkout\n    # a note\n    land: 'pr " +
		"merge --squash'\n" +
		"    ship: \"!gh pr merge \\\"$1\\\"\"\n    long: |-\n        !gh pr view\n        gh pr " +
		"merge 5\n    after: issue list\nhttp_unix_socket: x: y\n"
	if err := os.WriteFile(filepath.Join(dir, "config.yml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	env := func(home, config string) func(string) string {
		return func(k string) string {
			return map[string]string{"HOME": home, "GH_CONFIG_DIR": config}[k]
		}
	}
	want := map[string]string{
		"co": "pr checkout", "land": "pr merge --squash", "ship": `!gh pr merge "$1"`,
		"long": "!gh pr view\ngh pr merge 5", "after": "issue list",
	}
	if d := cmp.Diff(want, GhAliases(env("/nonexistent", dir))); d != "" {
		t.Error(d)
	}
	if got := GhAliases(env(t.TempDir(), "")); got != nil {
		t.Error(got)
	}
}

// A block as long as the file may be is read once over, not once a line.
func TestGhAliasOfManyLines(t *testing.T) {
	lines := strings.Repeat("    echo\n", maxConfig/len("    echo\n")-8)
	got := parseGhAliases("aliases:\n  x: |-\n" + lines)["x"]
	if want := strings.TrimSpace(strings.ReplaceAll(lines, " ", "")); got != want {
		t.Errorf("%d bytes, want %d", len(got), len(want))
	}
}
