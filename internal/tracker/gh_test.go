package tracker

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestGhAliases(t *testing.T) {
	dir := t.TempDir()
	text := "git_protocol: https\naliases:\n    co: pr checkout\n    # a note\n    land: 'pr " +
		"merge --squash'\n" +
		"    pr  ship: \"!gh pr merge \\\"$1\\\"\"\n    long: |-\n        !gh pr view\n" +
		"        gh pr merge 5\n    after: issue list\n    \"l\\u0061nd\": x\n    ? y\n" +
		"http_unix_socket: x: y\n"
	if err := os.WriteFile(filepath.Join(dir, "config.yml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	env := func(home, config string) func(string) string {
		return func(k string) string {
			return map[string]string{"HOME": home, "GH_CONFIG_DIR": config}[k]
		}
	}
	want := []string{"land", "pr ship", "long", "after", "", ""}
	if d := cmp.Diff(want, GhAliases(env("/nonexistent", dir))); d != "" {
		t.Error(d)
	}
	if got := GhAliases(env(t.TempDir(), "")); got != nil {
		t.Error(got)
	}
	long := strings.Repeat("#\n", maxConfig/2) + "aliases:\n    land: pr merge\n"
	if err := os.WriteFile(filepath.Join(dir, "config.yml"), []byte(long), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := GhAliases(env("/nonexistent", dir)); !slices.Contains(got, "") {
		t.Errorf("%q of a file that is not read to its end", got)
	}
}
