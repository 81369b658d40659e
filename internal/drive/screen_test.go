package drive

import (
	"bytes"
	"strings"
	"testing"

	"github.com/hinshun/vt10x"
)

// rows are the rows of a terminal that are not blank.
func rows(term vt10x.Terminal) []string {
	var list []string
	for row := range strings.Lines(term.String()) {
		if row = strings.TrimRight(row, " \n"); row != "" {
			list = append(list, row)
		}
	}
	return list
}

func equal(t *testing.T, term vt10x.Terminal, want ...string) {
	t.Helper()
	if got := rows(term); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("the terminal shows\n%s\nwant\n%s", strings.Join(got, "\n"),
			strings.Join(want, "\n"))
	}
}

// wire has a terminal's own line discipline: a line feed also returns.
type wire struct {
	vt10x.Terminal
	writes int
}

func (w *wire) Write(p []byte) (int, error) {
	w.writes++
	_, err := w.Terminal.Write(bytes.ReplaceAll(p, []byte("\n"), []byte("\r\n")))
	return len(p), err
}

func TestTerminal(t *testing.T) {
	term := vt10x.New(vt10x.WithSize(40, 10))
	w := &wire{Terminal: term}
	s := &Screen{Out: w, Width: func() int { return 40 }}
	s.Say(night, "task 1 of 2, attempt 1")
	s.Show("$1.00 of $25.00", "Reading it")
	equal(t, term, "01:30:00  task 1 of 2, attempt 1", "$1.00 of $25.00 · Reading it")
	before := w.writes
	s.Show("$1.00 of $25.00", "Reading it")
	if w.writes != before {
		t.Error("an unchanged screen was written")
	}
	s.Show("$1.00", "解析器を読んでいますのでしばらくお待ちくだ\x1b[2Jさい")
	equal(t, term, "01:30:00  task 1 of 2, attempt 1", "$1.00 · 解析器を読んでいますのでしばら…")
	s.Say(night, "task 1 of 2 · ended")
	s.Show("task 2 of 2", "")
	equal(t, term, "01:30:00  task 1 of 2, attempt 1", "01:30:00  task 1 of 2 · ended",
		"task 2 of 2")
	s.Close()
	equal(t, term, "01:30:00  task 1 of 2, attempt 1", "01:30:00  task 1 of 2 · ended")
	if c := term.Cursor(); !term.CursorVisible() || c.X != 0 || c.Y != 2 {
		t.Errorf("the cursor is left at %+v, visible %v", c, term.CursorVisible())
	}
	s.Width = func() int { return 0 } // a terminal that does not tell
	s.Show("zz", "yy")
}

func TestNoTerminal(t *testing.T) {
	var out bytes.Buffer
	s := &Screen{Out: &out}
	s.Say(night, "task 1 of 2 · Prüfen\x1b]0;x\a")
	for _, line := range []string{"", "uses Bash", "uses Bash", "done\nand done"} {
		s.Show("task 1 of 2 · 4s", line)
	}
	s.Say(night, "task 1 of 2 · ended")
	s.Close()
	if got, want := out.String(), "01:30:00  task 1 of 2 · Prüfen]0;x\n  uses Bash\n"+
		"  done and done\n01:30:00  task 1 of 2 · ended\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
