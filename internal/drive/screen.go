package drive

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/clipperhouse/displaywidth"

	"hooks/internal/term"
)

// Screen shows progress: one line per change and, on a terminal, two live lines at the bottom. It
// never hides the cursor, so that every exit leaves the terminal usable.
type Screen struct {
	Out   io.Writer
	Width func() int // columns of the terminal; nil if there is none
	Color bool

	live []string // lines now on the terminal
	last string   // the worker's last shown line
}

const (
	faint  = "\x1b[2m"
	normal = "\x1b[0m"
)

// Say writes a permanent line.
func (s *Screen) Say(at time.Time, text string) {
	live := s.live
	s.draw(nil, term.Line(at.Format("15:04:05")+"  "+text)+"\n")
	if len(live) > 0 {
		s.draw(live, "")
	}
}

// Show replaces the two live lines. Without a terminal it writes the worker's line if it is new.
func (s *Screen) Show(head, worker string) {
	if s.Width == nil {
		if worker != s.last && worker != "" {
			_, _ = io.WriteString(s.Out, "  "+term.Line(worker)+"\n")
		}
		s.last = worker
		return
	}
	rows := []string{s.fit(head)}
	if worker != "" {
		rows = append(rows, s.fit("  "+worker))
	}
	if strings.Join(rows, "\n") != strings.Join(s.live, "\n") {
		s.draw(rows, "")
	}
}

// Close removes the live lines.
func (s *Screen) Close() { s.draw(nil, "") }

// draw replaces the live lines with text followed by rows. It uses one write to avoid flicker.
func (s *Screen) draw(rows []string, text string) {
	var b strings.Builder
	if up := s.height() - 1; up > 0 {
		fmt.Fprintf(&b, "\x1b[%dA", up)
	}
	if len(s.live) > 0 {
		b.WriteString("\r")
	}
	toEnd := ""
	if s.Width != nil {
		toEnd = "\x1b[K"
	}
	b.WriteString(strings.ReplaceAll(text, "\n", toEnd+"\n"))
	for i, row := range rows {
		if i > 0 {
			b.WriteString("\n")
		}
		if s.Color && i > 0 {
			row = faint + row + normal
		}
		b.WriteString(row + toEnd)
	}
	if len(s.live) > 0 {
		b.WriteString("\x1b[J")
	}
	s.live = rows
	_, _ = io.WriteString(s.Out, b.String())
}

// height returns the number of rows that the live lines occupy. A terminal that became narrower has
// wrapped them.
func (s *Screen) height() (n int) {
	for _, row := range s.live {
		n += max(1, (displaywidth.String(row)+s.width()-1)/s.width())
	}
	return n
}

func (s *Screen) width() int { return max(s.Width(), 2) }

// fit cuts text to one row. The last column stays free, because some terminals wrap after it.
func (s *Screen) fit(text string) string {
	return displaywidth.TruncateString(term.Line(text), s.width()-1, "…")
}

// join joins the non-empty parts of a line.
func join(parts ...string) string {
	var list []string
	for _, p := range parts {
		if p != "" {
			list = append(list, p)
		}
	}
	return strings.Join(list, " · ")
}
