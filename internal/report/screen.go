package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/clipperhouse/displaywidth"
)

// Screen is what a text for people is drawn on. Nothing that is drawn is wider than Width columns.
type Screen struct {
	Width int  // columns; fewer than 20 count as 20
	Color bool // the reader is a terminal that wants colour
	ASCII bool // the terminal does not take UTF-8
	// Now is the present, in the zone in which times are shown.
	Now time.Time
}

// Styles of a row, as the parameter of a terminal's colour sequence.
const (
	plain  = ""
	strong = "1"
	faint  = "2"
	good   = "32"
	warn   = "33"
	bad    = "31"
)

// leastWidth is where lines stop getting narrower.
const leastWidth = 20

// labelWidth is the column that labels take, with the blank behind them.
const labelWidth = 12

// page is a text in rows. Foreign words are cleaned before they are measured.
type page struct {
	Screen
	b strings.Builder
}

func newPage(s Screen) *page {
	s.Width = max(s.Width, leastWidth)
	return &page{Screen: s}
}

func (p *page) String() string { return strings.TrimRight(p.b.String(), "\n") }

// line writes a text, wrapped, its further lines indented.
func (p *page) line(style, format string, args ...any) {
	p.put("", 2, style, fmt.Sprintf(format, args...))
}

// row writes a label and a text beside it. Where the screen is too narrow for two columns the label has its own line.
func (p *page) row(label, style, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if p.Width < 2*labelWidth {
		p.put("", 2, faint, label)
		p.put("  ", 2, style, text)
		return
	}
	p.put(label+strings.Repeat(" ", max(1, labelWidth-displaywidth.String(label))), labelWidth, style, text)
}

func (p *page) blank() { p.b.WriteByte('\n') }

// put writes text behind a lead, wrapped to the screen; further lines are indented. A lead is never foreign.
func (p *page) put(lead string, indent int, style, text string) {
	p.lead(faint, lead, indent, style, text)
}

func (p *page) lead(leads, lead string, indent int, style, text string) {
	if text = clean(text); p.ASCII {
		text = ascii(text)
	}
	if text == "" {
		lead = strings.TrimRight(lead, " ")
	}
	room := p.Width - displaywidth.String(lead)
	if displaywidth.String(text) > room {
		room = min(room, p.Width-indent)
	}
	for i, l := range wrap(text, room) {
		if i > 0 {
			lead = strings.Repeat(" ", indent)
		}
		p.b.WriteString(p.paint(leads, lead) + p.paint(style, l) + "\n")
	}
}

func (p *page) paint(style, text string) string {
	if !p.Color || style == plain || strings.TrimSpace(text) == "" {
		return text
	}
	return "\x1b[" + style + "m" + text + "\x1b[0m"
}

// at is a point in time as a person reads it: the day only where it is another one than today.
func (s Screen) at(t time.Time) string {
	if t.IsZero() {
		return "an unknown time"
	}
	now := s.Now
	t = t.In(now.Location())
	if t.YearDay() == now.YearDay() && t.Year() == now.Year() {
		return t.Format("15:04")
	}
	if t.Year() == now.Year() {
		return t.Format("Jan 2 15:04")
	}
	return t.Format("2006-01-02 15:04")
}

// Fit wraps the lines of a finished text to a screen, their further lines indented.
func Fit(s Screen, text string) string {
	p := newPage(s)
	for _, l := range strings.Split(text, "\n") {
		indent := len(l) - len(strings.TrimLeft(l, " "))
		p.put(l[:indent], indent+2, plain, l[indent:])
	}
	return p.String()
}

// wrap breaks a text at blanks into lines of at most width columns, and within a word where nothing else helps.
func wrap(text string, width int) []string {
	width = max(width, 2)
	var lines []string
	for {
		at, rest := fit(text, width)
		lines = append(lines, strings.TrimRight(text[:at], " "))
		if text = strings.TrimLeft(text[rest:], " "); text == "" {
			return lines
		}
	}
}

// fit is how many bytes of a text make a line, and where the next one begins.
func fit(text string, width int) (end, next int) {
	used, blank := 0, 0
	for g := displaywidth.StringGraphemes(text); g.Next(); {
		if used += g.Width(); used > width && g.Value() != " " {
			if blank > 0 {
				return blank, blank
			}
			return max(end, 1), max(end, 1)
		}
		if g.Value() == " " && end > 0 {
			blank = end
		}
		end += len(g.Value())
	}
	return len(text), len(text)
}

// plural is a number with what it counts.
func plural(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// cut shortens a text to width columns and says so by its last sign.
func (s Screen) cut(text string, width int) string {
	if len(text) <= width && simple(text) {
		return text
	}
	if text = clean(text); s.ASCII {
		return displaywidth.TruncateString(ascii(text), width, "~")
	}
	return displaywidth.TruncateString(text, width, "…")
}

// simple says that a text holds nothing but one-column ASCII signs, as almost all lines of a long table do.
func simple(text string) bool {
	for i := range len(text) {
		if text[i] < 0x20 || text[i] > 0x7e {
			return false
		}
	}
	return true
}

// pad fills a text up with blanks, on its left for numbers.
func pad(text string, width int, left bool) string {
	blanks := strings.Repeat(" ", max(0, width-displaywidth.String(text)))
	if left {
		return blanks + text
	}
	return text + blanks
}

// ascii writes a text with the signs that every terminal has; foreign letters become question marks.
func ascii(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch i := strings.IndexRune("—–·−’…→↔≈█░▁▂▃▄▅▆▇", r); {
		case r < 0x80:
			b.WriteRune(r)
		case i < 0:
			b.WriteByte('?')
		default:
			b.WriteString(plainSign(r))
		}
	}
	return b.String()
}

func plainSign(r rune) string {
	switch r {
	case '…':
		return "..."
	case '→':
		return "->"
	case '↔':
		return "<->"
	case '’':
		return "'"
	case '≈':
		return "~"
	case '█':
		return "#"
	case '░':
		return "."
	case '▁', '▂', '▃', '▄', '▅', '▆', '▇':
		return string("_.:-=+*"[r-'▁'])
	}
	return "-"
}
