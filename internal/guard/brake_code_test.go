package guard

import (
	"os"
	"strings"
	"testing"
)

// TestBrakeCode: what a program computes before it runs it is never taken for harmless.
func TestBrakeCode(t *testing.T) {
	data, err := os.ReadFile("testdata/brake-code.txt")
	if err != nil {
		t.Fatal(err)
	}
	files := loadProject(t)
	for i, line := range strings.Split(string(data), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		c := parseCase(t, i+1, "", "opaque", line)
		r := Read(c.call, c.repo.Known(), files)
		if len(r.Acts)+len(r.Opaque) == 0 && r.Unparsable == "" {
			t.Errorf("brake-code.txt:%d: %s: nothing was seen", i+1, line)
		}
	}
}
