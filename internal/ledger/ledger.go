// Package ledger reads and extends loop ledgers: append-only Markdown logs where each agent turn
// ends with a section for a person's feedback and a separator (L1, L11, L14).
package ledger

import (
	"slices"
	"strings"

	"hooks/internal/markdown"
)

const (
	title       = "User Feedback"
	heading     = "## " + title
	placeholder = "(Leave blank to continue. Write notes here to guide the next iteration.)"
	separator   = "---"
	white       = " \t\r"
)

// Block is the text that ends every turn (L12).
const Block = heading + "\n\n" + placeholder + "\n\n" + separator + "\n"

// Turn is an agent's text in a ledger and the feedback that follows it. Line numbers start at 1.
type Turn struct {
	Line      int    // first non-blank line
	Agent     string // the agent's text with LF line endings, without surrounding blank lines
	Section   int    // line of the heading `## User Feedback`, 0 if there is none
	Feedback  string // a person's text in the section, "" if there is none (L26)
	Separator int    // line of the `---` after the section, 0 if there is none
}

// Parse returns the turns of a ledger, including damaged ones. A `---` line outside code ends a
// feedback section and its turn. Without that line, the section ends at the next heading of level 1
// or 2. A turn without a section ends at the next heading "Turn N". A title alone is not a turn.
// Parse skips front matter.
func Parse(text string) []Turn {
	lines := split(text)
	return parse(lines, frontMatter(lines))
}

// split returns the lines of text without the BOM and line endings.
func split(text string) []string {
	lines := strings.Split(strings.TrimPrefix(text, "\ufeff"), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSuffix(line, "\r")
	}
	return lines
}

// frontMatter returns the number of front matter lines. If a level 2 heading comes before the end
// of the front matter, the first line is a separator instead, and there is no front matter.
func frontMatter(lines []string) int {
	if !separates(lines[0]) {
		return 0
	}
	for i, line := range lines[1:] {
		switch {
		case separates(line):
			return i + 2
		case strings.HasPrefix(line, "## "):
			return 0
		}
	}
	return 0
}

func separates(raw string) bool { return strings.TrimRight(raw, white) == separator }

// reader collects turns. Its positions are line indexes, or -1 if unset.
type reader struct {
	lines    []string
	turns    []Turn
	from     int // first line of the open turn
	first    int // its first non-blank line
	section  int
	text     bool // the open turn contains more than a title
	numbered bool // the open turn contains a heading "Turn N"
	feedback []string
}

func parse(lines []string, skip int) []Turn {
	p := &reader{lines: lines}
	p.begin(skip)
	for l := range markdown.Lines(strings.Join(lines[skip:], "\n")) {
		p.read(l, skip+l.No-1)
	}
	if p.section >= 0 || p.text {
		p.end(len(lines), -1)
	}
	return p.turns
}

func (p *reader) begin(at int) { p.from, p.first, p.section = at, -1, -1 }

// end closes the open turn. The agent's text ends at its feedback section, or before line at.
func (p *reader) end(at, separator int) {
	if p.section >= 0 {
		at = p.section
	}
	p.turns = append(p.turns, Turn{
		Line: p.first + 1, Section: p.section + 1, Separator: separator + 1,
		Agent:    trim(strings.Join(p.lines[p.from:at], "\n")),
		Feedback: trim(strings.ReplaceAll(strings.Join(p.feedback, "\n"), placeholder, "")),
	})
	p.text, p.numbered, p.feedback = false, false, nil
}

func (p *reader) read(l markdown.Line, at int) {
	raw := p.lines[at]
	if p.section >= 0 {
		switch {
		case l.Kind != markdown.Hidden && l.Text == separator && separates(raw):
			p.end(at, at)
			p.begin(at + 1)
			return
		case l.Kind != markdown.Heading || l.Level > 2:
			if l.Kind == markdown.Plain && l.Text != strings.Trim(raw, white) {
				raw = l.Text // the line without HTML comments
			}
			p.feedback = append(p.feedback, raw)
			return
		}
		p.end(at, -1)
		p.begin(at)
	}
	p.readAgent(l, at)
}

func (p *reader) readAgent(l markdown.Line, at int) {
	if isNumbered(l) {
		if p.numbered { // a second number begins a turn, so the previous one has no section
			p.end(at, -1)
			p.begin(at)
		}
		p.numbered = true
	}
	if p.first < 0 && strings.Trim(p.lines[at], white) != "" {
		p.first = at
	}
	isTitle := l.Kind == markdown.Heading && l.Level == 1 && len(p.turns) == 0
	p.text = p.text || l.Kind == markdown.Hidden || l.Text != "" && !isTitle
	if isFeedback(l) && strings.HasPrefix(p.lines[at], "## ") {
		p.section = at
	}
}

func isFeedback(l markdown.Line) bool {
	return l.Kind == markdown.Heading && strings.EqualFold(l.Text, title)
}

// isNumbered reports whether a line is a heading such as "## Turn 2". A turn needs no such heading,
// but a second one in a turn begins the next turn.
func isNumbered(l markdown.Line) bool {
	n, ok := strings.CutPrefix(l.Text, "Turn ")
	return ok && l.Kind == markdown.Heading && l.Level == 2 && n != "" && digits(n)
}

func digits(s string) bool { return strings.Trim(s, "0123456789") == "" }

// trim removes blank lines from both ends of text.
func trim(text string) string {
	text = strings.TrimRight(text, white+"\n")
	for {
		line, rest, more := strings.Cut(text, "\n")
		if !more || strings.Trim(line, white) != "" {
			return text
		}
		text = rest
	}
}

// Feedback returns a person's text in the newest feedback section, or "" if there is none (L20).
func Feedback(text string) string {
	for _, turn := range slices.Backward(Parse(text)) {
		if turn.Section > 0 {
			return turn.Feedback
		}
	}
	return ""
}
