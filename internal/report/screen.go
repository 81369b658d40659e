package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/clipperhouse/displaywidth"

	"hooks/internal/term"
)

// Screen is what a page for people is drawn on. Nothing that is drawn is wider than Width columns.
type Screen struct {
	Width int  // columns; fewer than 20 count as 20
	Piped bool // no terminal reads it: text that programs search line by line is not wrapped
	Color bool // the reader is a terminal that wants colour
	ASCII bool // the terminal does not take UTF-8
	// Markdown draws titles, sections and rows as Markdown in which foreign words neither format,
	// link nor mention anybody.
	Markdown bool
	// Dir is the project of the reader, for a text that has nothing else to show; empty if the text
	// says "this project".
	Dir string
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

const (
	minWidth   = 20 // where lines stop getting narrower
	labelWidth = 12 // of the column of labels, the blank after them included
)

// unwrapped is the screen for text that other programs search line by line.
func (s Screen) unwrapped() Screen {
	if s.Piped {
		s.Width, s.ASCII = 1<<16, false
	}
	return s
}

// page is a text in rows. Foreign words are cleaned before they are measured.
type page struct {
	Screen
	b strings.Builder
}

func newPage(s Screen) *page {
	s.Width = max(s.Width, minWidth)
	return &page{Screen: s}
}

func (p *page) String() string { return strings.Trim(p.b.String(), "\n") }

func (p *page) blank() { p.b.WriteByte('\n') }

// line writes a text, wrapped, its further lines indented.
func (p *page) line(style, format string, args ...any) {
	p.put("", 2, style, fmt.Sprintf(format, args...))
}

// title writes the first line of a page.
func (p *page) title(style, format string, args ...any) {
	if p.Markdown {
		fmt.Fprintf(&p.b, "# %s\n", literal(fmt.Sprintf(format, args...)))
		return
	}
	p.line(style, format, args...)
}

// section writes a blank line and the heading of the rows that follow.
func (p *page) section(name string) {
	p.blank()
	if p.Markdown {
		fmt.Fprintf(&p.b, "## %s\n\n", name)
		return
	}
	p.line(strong, "%s", name)
}

// row writes a label and a text beside it. On a screen too narrow for two columns the label has a
// line of its own.
func (p *page) row(label, style, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	switch {
	case p.Markdown:
		fmt.Fprintf(&p.b, "- **%s**: %s\n", strings.TrimSpace(label),
			literal(strings.TrimSpace(text)))
	case p.Width < 2*labelWidth:
		p.put("", 2, faint, label)
		p.put("  ", 2, style, text)
	default:
		p.put(pad(label, labelWidth-1, false)+" ", labelWidth, style, text)
	}
}

// given writes a row whose text is not empty.
func (p *page) given(label, style, text string) {
	if text != "" {
		p.row(label, style, "%s", text)
	}
}

// rows writes one row a text, all with the same label.
func (p *page) rows(label, style string, texts []string) {
	for _, t := range texts {
		p.row(label, style, "%s", t)
	}
}

// notes writes one line a note.
func (p *page) notes(word string, list []string) {
	for _, n := range list {
		p.line(plain, "%s: %s", word, n)
	}
}

// put writes text after a faint lead, wrapped to the screen; further lines are indented. A lead is
// never foreign.
func (p *page) put(lead string, indent int, style, text string) {
	p.lead(faint, lead, indent, style, text)
}

func (p *page) lead(leads, lead string, indent int, style, text string) {
	if text = p.clean(text); text == "" {
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

func (s Screen) paint(style, text string) string {
	if !s.Color || style == plain || strings.TrimSpace(text) == "" {
		return text
	}
	return "\x1b[" + style + "m" + text + "\x1b[0m"
}

// clean makes a text safe to print and spells it in signs that the screen has.
func (s Screen) clean(text string) string {
	if text = clean(text); s.ASCII {
		return ascii(text)
	}
	return text
}

// at is a point in time as a person reads it: with the date when it is not today.
func (s Screen) at(t time.Time) string {
	if t.IsZero() {
		return "an unknown time"
	}
	now := s.Now
	t = t.In(now.Location())
	switch {
	case t.Year() != now.Year():
		return t.Format("2006-01-02 15:04")
	case t.YearDay() != now.YearDay():
		return t.Format("Jan 2 15:04")
	}
	return t.Format("15:04")
}

// Fit wraps the lines of a finished text to a terminal, their further lines indented.
func Fit(s Screen, text string) string {
	if s.Piped {
		return text
	}
	p := newPage(s)
	for _, l := range strings.Split(text, "\n") {
		indent := len(l) - len(strings.TrimLeft(l, " "))
		p.put(l[:indent], indent+2, plain, l[indent:])
	}
	return p.String()
}

// wrap breaks a text at blanks into lines of at most width columns, and within a word that is
// longer than a line.
func wrap(text string, width int) []string {
	width = max(width, 2)
	var lines []string
	for {
		at := lineEnd(text, width)
		lines = append(lines, strings.TrimRight(text[:at], " "))
		if text = strings.TrimLeft(text[at:], " "); text == "" {
			return lines
		}
	}
}

// lineEnd is how many bytes of a text make a line.
func lineEnd(text string, width int) (end int) {
	used, blank := 0, 0
	for g := displaywidth.StringGraphemes(text); g.Next(); {
		if used += g.Width(); used > width && g.Value() != " " {
			if blank > 0 {
				return blank
			}
			return max(end, 1)
		}
		if g.Value() == " " && end > 0 {
			blank = end
		}
		end += len(g.Value())
	}
	return len(text)
}

// cut shortens a text to width columns; its last sign shows that it was cut.
func (s Screen) cut(text string, width int) string {
	if len(text) <= width && term.IsPlain(text) {
		return text
	}
	tail := "…"
	if s.ASCII {
		tail = "~"
	}
	return displaywidth.TruncateString(s.clean(text), width, tail)
}

// pad fills a text up with blanks, on its left for numbers.
func pad(text string, width int, left bool) string {
	have := len(text)
	if !term.IsPlain(text) {
		have = displaywidth.String(text)
	}
	blanks := strings.Repeat(" ", max(0, width-have))
	if left {
		return blanks + text
	}
	return text + blanks
}

// ascii spells a text in the signs that every terminal has; foreign letters become question marks.
func ascii(text string) string {
	if term.IsPlain(text) {
		return text
	}
	text = strings.NewReplacer("—", "-", "–", "-", "·", "-", "−", "-", "’", "'", "…", "...",
		"→", "->", "↔", "<->", "≈", "~", "█", "#", "░", ".",
		"▁", "_", "▂", ".", "▃", ":", "▄", "-", "▅", "=", "▆", "+", "▇", "*").Replace(text)
	return strings.Map(func(r rune) rune {
		if r > 0x7e {
			return '?'
		}
		return r
	}, text)
}

// literal removes every meaning that Markdown and forges give to signs.
func literal(text string) string {
	return strings.NewReplacer("@", "&#64;", `\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "{", `\{`,
		"}", `\}`, "[", `\[`, "]", `\]`, "<", `\<`, ">", `\>`, "|", `\|`, "~",
		`\~`).Replace(clean(text))
}
