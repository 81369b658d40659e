package loop

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the outcomes of the rules' scripts anew")

// TestRules plays every script of testdata/rules. A script is plain text: each line that begins in
// its first column is a command, with its outcome indented under it; # begins a comment. The first
// comment names the requirements. With -update the outcomes are rewritten as they are now.
func TestRules(t *testing.T) {
	files, err := filepath.Glob("testdata/rules/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d scripts: %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := play(t, string(text))
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(text), got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", file, diff)
			}
			if first, _, _ := strings.Cut(got, "\n\n"); !requirement.MatchString(first) {
				t.Errorf("%s: its first comment names no requirement", file)
			}
		})
	}
}

var requirement = regexp.MustCompile(`^# .*\b[RT]\d+|^# .*\bdesign`)

// play returns the script with the outcomes that its commands have.
func play(t failer, script string) string {
	var out strings.Builder
	w := newWorld(t)
	for line := range strings.Lines(script) {
		command := strings.TrimSpace(line)
		switch {
		case command == "" || strings.HasPrefix(line, "#"):
			out.WriteString(line)
			continue
		case strings.HasPrefix(line, " "):
			continue
		}
		out.WriteString(line)
		for _, said := range w.do(command) {
			out.WriteString("  " + said + "\n")
		}
	}
	return out.String()
}
