//go:build !windows

package main

import (
	"strings"
	"testing"
)

// A hook word that a person types waits for no event: it says what it is, and what ends a loop.
func TestHookWordOnATerminal(t *testing.T) {
	for word, hint := range map[string]string{
		"stop":         "hint: run `hooks loop stop` to end a loop",
		"pre-tool-use": "`hooks --help` for the commands that you can type",
		"report":       "hooks schema report",
	} {
		s := onTerminal(t, t.TempDir(), 200, nil, word)
		if err := s.cmd.Wait(); err == nil {
			t.Errorf("hooks %s ends well\n%q", word, s.drawn())
		}
		<-s.done
		if text := s.drawn(); !strings.HasPrefix(text, "error: ") || !strings.Contains(text, hint) {
			t.Errorf("hooks %s says %q, want %q in it", word, text, hint)
		}
	}
}

// On a terminal a list fits, whatever it is asked about; a pager's reader has the terminal's width
// too.
func TestTablesFitTheTerminal(t *testing.T) {
	project := t.TempDir()
	writeBudget(t, project, idleBudget)
	for _, args := range [][]string{{"doctor"}, {"cost"}, {"cost", "--rates"}, {"loop", "list"}} {
		s := onTerminal(t, project, 80, []string{"NO_COLOR=1"}, args...)
		_ = s.cmd.Wait() // the doctor finds no registration
		<-s.done
		for line := range strings.Lines(s.drawn()) {
			if n := len([]rune(strings.TrimRight(line, "\r\n"))); n > 80 {
				t.Errorf("hooks %v: %d columns: %q", args, n, line)
			}
		}
	}
}
