package page

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/clipperhouse/displaywidth"

	"hooks/internal/term"
)

// Screen describes the reader's terminal. Lines are wrapped or cut to Width columns.
type Screen struct {
	// Width is in columns; a width below 20 counts as 20. It is 0 for a file or another program,
	// and lines are then neither wrapped nor cut.
	Width int
	Color bool // the terminal supports colour
	// Dir is the reader's project, for use in messages. If it is empty, they say "this project".
	Dir string
	// Now is the current time. Its time zone applies to all times shown.
	Now time.Time
}

// Text styles. Each is the parameter of an ANSI colour sequence.
const (
	Plain  = ""
	Strong = "1"
	Faint  = "2"
	Good   = "32"
	Warn   = "33"
	Bad    = "31"
)

const (
	minWidth   = 20      // lower bound of Width
	MaxWidth   = 1 << 16 // width of a page with unwrapped lines
	labelWidth = 12      // width of the label column, including the space after it
)

// Page is the answer to a person's question. Its JSON and its text contain the same facts.
type Page interface{ Draw(*Text) }

// Draw draws a page for a terminal.
func Draw(s Screen, v Page) string {
	p := newText(s)
	v.Draw(p)
	return p.String()
}

// DrawAll draws pages with blank lines between them.
func DrawAll[T Page](s Screen, list []T) string {
	parts := make([]string, len(list))
	for i, v := range list {
		parts[i] = Draw(s, v)
	}
	return strings.Join(parts, "\n\n")
}

// Text is a page being drawn for a terminal. It cleans foreign text before measuring it.
type Text struct {
	Screen
	b strings.Builder
}

func newText(s Screen) *Text {
	s.Width = s.columns()
	return &Text{Screen: s}
}

// columns returns the width of a page.
func (s Screen) columns() int { return max(cmp.Or(s.Width, MaxWidth), minWidth) }

func (p *Text) String() string { return strings.Trim(p.b.String(), "\n") }

// Blank writes a blank line, but not at the start of the page or after another blank line.
func (p *Text) Blank() {
	if s := p.b.String(); s != "" && !strings.HasSuffix(s, "\n\n") {
		p.b.WriteByte('\n')
	}
}

// Line writes wrapped text. Continuation lines are indented.
func (p *Text) Line(style, format string, args ...any) {
	p.Put("", 2, style, fmt.Sprintf(format, args...))
}

func (p *Text) Heading(style, text string) {
	p.Line(style, "%s", text)
	p.Blank()
}

// Section writes a blank line and the heading for the following rows.
func (p *Text) Section(name, remark, _ string) {
	p.Blank()
	if remark != "" {
		name += ", " + remark
	}
	p.Line(Strong, "%s", name)
}

// Facts writes a line for each fact, with the label on the left.
func (p *Text) Facts(list Facts) {
	for _, f := range list {
		drawn := ""
		if len(f.value) > 0 && f.value[0].Whole > 0 {
			drawn = bar(f.value[0].Part, f.value[0].Whole, min(max(p.Width/5, 6), 24)) + "  "
		}
		p.Put(pad(f.name, labelWidth-1, false)+" ", labelWidth, f.style, drawn+f.value.String())
	}
}

// Figure writes nothing, because a terminal has too few rows for a picture.
func (*Text) Figure(func(*HTML)) {}

// Notes writes a line for each note, which begins with word and a colon.
func (p *Text) Notes(word string, list []string) {
	for _, n := range list {
		p.Line(Plain, "%s: %s", word, n)
	}
}

// Put writes text after a faint lead, wrapped to the screen. Continuation lines are indented. It
// does not clean lead.
func (p *Text) Put(lead string, indent int, style, text string) {
	p.Lead(Faint, lead, indent, style, text)
}

// Lead is like Put, but draws lead in the style leads.
func (p *Text) Lead(leads, lead string, indent int, style, text string) {
	if text = term.Line(text); text == "" {
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
	if !s.Color || style == Plain || strings.TrimSpace(text) == "" {
		return text
	}
	return "\x1b[" + style + "m" + text + "\x1b[0m"
}

// At formats a time for a person, with the date if it is not today.
func (s Screen) At(t time.Time) string {
	now := s.Now
	if t = t.In(now.Location()); t.Year() == now.Year() && t.YearDay() == now.YearDay() {
		return t.Format("15:04")
	}
	return s.Dated(t)
}

// Dated formats a time with its date.
func (s Screen) Dated(t time.Time) string {
	switch t = t.In(s.Now.Location()); {
	case t.IsZero():
		return "an unknown time"
	case t.Year() != s.Now.Year():
		return t.Format("2006-01-02 15:04")
	}
	return t.Format("Jan 2 15:04")
}

// wrap breaks text into lines of at most width columns. It breaks at spaces, and inside a word only
// if the word is longer than a line.
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

// lineEnd returns the length of the first line of text, in bytes.
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

// Cut shortens text to the width of the screen.
func (s Screen) Cut(text string) string { return cut(text, s.columns()) }

// cut shortens text to width columns. If anything is cut off, the result ends in "…".
func cut(text string, width int) string {
	return displaywidth.TruncateString(term.Line(text), width, "…")
}

// pad pads text to width columns with spaces, on the left if left is set.
func pad(text string, width int, left bool) string {
	blanks := strings.Repeat(" ", max(0, width-displaywidth.String(text)))
	if left {
		return blanks + text
	}
	return text + blanks
}

// Table writes a table, followed by the names of the columns that do not fit on the screen.
func (p *Text) Table(t Table) {
	g := newGrid(t)
	left := g.narrow(p.Width)
	names := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = c.Name
	}
	p.tableLine(Plain, g.line(names, g.shown))
	for n, r := range t.Rows {
		p.tableRow(g, r.Style, g.texts[n])
		for _, note := range r.Notes {
			p.Put("    ", 4, Plain, note)
		}
	}
	if len(left) > 0 {
		p.Line(Plain, "No room for: %s (--json has everything)", strings.Join(left, ", "))
	}
}

func (p *Text) tableLine(style, text string) {
	p.b.WriteString(p.paint(style, cut(strings.TrimRight(text, " "), p.Width)) + "\n")
}

// tableRow writes a row. Text in a loose column is wrapped after the other cells or below them.
func (p *Text) tableRow(g *grid, style string, texts []string) {
	last := len(g.shown) - 1
	if !g.Columns[g.shown[last]].Loose {
		p.tableLine(style, g.line(texts, g.shown))
		return
	}
	const below, room = 4, 24
	lead, text := g.line(texts, g.shown[:last]), texts[g.shown[last]]
	indent := displaywidth.String(lead)
	if text == "" || indent+room > p.Width {
		p.tableLine(style, lead)
		lead, indent = strings.Repeat(" ", below), below
	}
	if text != "" {
		p.Lead(style, lead, indent, style, text)
	}
}

// bar draws part of whole in width columns. Any part above 0 fills at least one column, and only
// the whole fills all of them.
func bar(part, whole int64, width int) string {
	n := 0
	switch {
	case whole <= 0:
	case part >= whole:
		n = width
	case part > 0:
		n = min(max(1, int(float64(part)/float64(whole)*float64(width)+0.5)), width-1)
	}
	return strings.Repeat("█", n) + strings.Repeat("░", width-n)
}
