package doctor

import (
	"os"
	"strings"
	"testing"
)

// The doctor names the versions that the suite of the repository runs on, and no other.
func TestTestedVersionsAreThoseOfTheSuite(t *testing.T) {
	named := map[string]string{"\nend_to_end " + tested[0] + " -skip ": "../../.ci/run"}
	for _, version := range tested[1:] {
		named["\nend_to_end "+version+" -run "] = "../../.ci/run"
	}
	named[`const clientVersion = "`+tested[0]+`"`] = "../../scripts/e2e/client_test.go"
	for want, file := range named {
		if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s does not have %s (%v)", file, want, err)
		}
	}
	w := healthy(t)
	w.tool("claude", `echo "2.1.239 (Claude Code)"`)
	k := w.look("client-version", false)
	said := strings.Join(k.Found, "\n")
	if !strings.Contains(said, "tested with 2.1.330, 2.1.329") {
		t.Errorf("it says\n%s", said)
	}
}
