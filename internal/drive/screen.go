package drive

import (
	"io"
	"strings"
	"time"

	"github.com/clipperhouse/displaywidth"

	"hooks/internal/term"
)

// Screen shows progress: one line per change and, on a terminal, a live line at the bottom. It
// never hides the cursor, so the terminal stays usable after any exit.
type Screen struct {
	Out   io.Writer
	Width func() int // terminal width in columns; nil without a terminal

	live string // the line currently at the bottom of the terminal
	last string // the worker's last line, written without a terminal
}

// Say writes a permanent line.
func (s *Screen) Say(at time.Time, text string) {
	s.over(term.Line(at.Format("15:04:05")+"  "+text)+"\n", s.live)
}

// Show replaces the live line. Without a terminal, it writes the worker's line if it has changed.
func (s *Screen) Show(head, worker string) {
	if s.Width == nil {
		if worker != s.last && worker != "" {
			_, _ = io.WriteString(s.Out, "  "+term.Line(worker)+"\n")
		}
		s.last = worker
		return
	}
	// The last column stays free, because some terminals wrap after it.
	row := displaywidth.TruncateString(term.Line(join(head, worker)), max(s.Width(), 2)-1, "…")
	if row != s.live {
		s.over("", row)
	}
}

// Close removes the live line.
func (s *Screen) Close() { s.over("", "") }

// over replaces the live line with text and the new live line, in one write to avoid flicker.
func (s *Screen) over(text, live string) {
	if s.live != "" {
		text = "\r\x1b[K" + text
	}
	s.live = live
	_, _ = io.WriteString(s.Out, text+live)
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
