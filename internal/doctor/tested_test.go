package doctor

import (
	"os"
	"strings"
	"testing"
)

// The doctor names the versions that the suite of the repository runs on, and no other.
func TestTestedVersionsAreThoseOfTheSuite(t *testing.T) {
	for file, want := range map[string]string{
		"../../.ci/run":                    `client_versions="` + strings.Join(tested[:], " ") + `"`,
		"../../scripts/e2e/client_test.go": `const clientVersion = "` + tested[0] + `"`,
	} {
		if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s does not have %s (%v)", file, want, err)
		}
	}
	w := healthy(t)
	w.tool("claude", `echo "2.1.239 (Claude Code)"`)
	k := w.look("client-version", false)
	said := strings.Join(k.Found, "\n")
	if !strings.Contains(said, "tested with 2.1.330, 2.1.329") ||
		!strings.Contains(said, "not tested itself") {
		t.Errorf("it says\n%s", said)
	}
}
