// Package markdown classifies the lines of a document by their role when rendered, and removes HTML
// comments. It also fills in templates, and cleans, quotes and shortens text.
package markdown

import (
	"iter"
	"strings"
)

// Kind is the role of a line in the rendered document.
type Kind int

// The line kinds.
const (
	Plain Kind = iota
	Heading
	Quoted // in a block quote
	Hidden // code, with its fences
)

// Line is one line of a document.
type Line struct {
	Kind  Kind
	Level int    // level of a heading, from 1
	Text  string // the line without # or > marks, indentation and trailing white space
	No    int    // line number, from 1
	Deep  bool   // indented by four columns or more: code, or nested in a list
}

// Lines yields the lines of text. It recognizes headings only by a leading #, not by an underline.
func Lines(text string) iter.Seq[Line] {
	return func(yield func(Line) bool) {
		var s scanner
		for no := 1; text != ""; no++ {
			var raw string
			raw, text, _ = strings.Cut(text, "\n")
			l := s.read(strings.TrimRight(raw, " \t\r"))
			l.No, l.Deep = no, deep(raw)
			if !yield(l) {
				return
			}
		}
	}
}

// scanner carries state from one line to the next.
type scanner struct {
	fence   string // the run of ` or ~ that opened a code block
	nested  bool   // the code block is in a list item; a line without indentation ends it
	comment bool
	list    bool // in a list, where indentation nests
	inner   int  // lines indented this many columns are part of the last list item
	text    bool // in a paragraph, where indentation has no meaning
	quote   bool // in a quoted paragraph, whose next lines need no >
}

func (s *scanner) read(raw string) Line {
	bare := raw
	if raw != "" && raw[0] <= ' ' {
		bare = strings.TrimLeft(raw, " \t")
	}
	if s.nested && bare != "" && len(raw) == len(bare) {
		s.fence, s.nested = "", false
	}
	if s.fence != "" {
		inPlace := s.nested || !deep(raw)
		if inPlace && strings.HasPrefix(bare, s.fence) && strings.Trim(bare, s.fence[:1]) == "" {
			s.fence, s.nested = "", false
		}
		return Line{Kind: Hidden, Text: bare}
	}
	if s.comment || strings.Contains(bare, "<!--") {
		bare = strings.TrimLeft(s.uncomment(bare), " \t")
	}
	l := s.block(raw, bare)
	ruled := rule(bare)
	isItem := Item(bare) != bare && !ruled
	if isItem {
		s.inner = Indent(raw) + 1 + max(1, strings.IndexByte(bare, ' '))
	}
	s.list = isItem || s.list &&
		(raw == "" || Indent(raw) > 0 || s.text && l.Kind == Plain && bare != "" && !ruled)
	s.quote = l.Kind == Quoted
	s.text = l.Kind == Plain && bare != ""
	return l
}

// block classifies a line outside a code block. The line may begin a code block.
func (s *scanner) block(raw, bare string) Line {
	item := Item(bare)
	switch {
	case bare == "":
		return Line{}
	case !s.list && !s.text && !s.quote && deep(raw):
		return Line{Kind: Hidden, Text: bare}
	case bare[0] == '>':
		return Line{Kind: Quoted, Text: strings.TrimLeft(bare, "> ")}
	case bare[0] == '#':
		if level, title := hashes(bare); level > 0 {
			return Line{Kind: Heading, Level: level, Text: title}
		}
	}
	if deep(raw) && !s.list { // in a paragraph
		return Line{Text: bare}
	}
	if s.fence = fence(item); s.fence != "" {
		s.nested = item != bare || s.list && Indent(raw) >= s.inner
		return Line{Kind: Hidden}
	}
	if s.quote && item == bare {
		return Line{Kind: Quoted, Text: bare}
	}
	return Line{Text: bare}
}

// deep reports whether a line begins with at least four columns of white space.
func deep(raw string) bool { return Indent(raw) >= 4 }

// Indent returns the width of a line's leading white space, in columns.
func Indent(raw string) (n int) {
	for _, c := range []byte(raw) {
		switch c {
		case ' ':
			n++
		case '\t':
			n += 4 - n%4
		default:
			return n
		}
	}
	return n
}

// uncomment removes HTML comments from a line. An unclosed comment continues on the next line. In
// inline code, <!-- is text.
func (s *scanner) uncomment(text string) string {
	var b strings.Builder
	for text != "" {
		n := 1
		switch {
		case s.comment:
			_, after, ended := strings.Cut(text, "-->")
			s.comment, text = !ended, after
			continue
		case strings.HasPrefix(text, "<!--"):
			s.comment, text = true, text[len("<!--"):]
			continue
		case text[0] == '`':
			n = CodeSpan(text)
		}
		b.WriteString(text[:n])
		text = text[n:]
	}
	return b.String()
}

// fence returns the run of three or more ` or ~ that opens a code block, or "" if there is none.
func fence(text string) string {
	if text == "" || text[0] != '`' && text[0] != '~' {
		return ""
	}
	rest := strings.TrimLeft(text, text[:1])
	run := text[:len(text)-len(rest)]
	if len(run) < 3 || text[0] == '`' && strings.Contains(rest, "`") {
		return ""
	}
	return run
}

// rule reports whether a line is a thematic break: three or more of -, * or _.
func rule(text string) bool {
	if len(text) < 3 || !strings.Contains("-*_", text[:1]) {
		return false
	}
	return strings.Count(text, text[:1]) > 2 && strings.Trim(text, text[:1]+" \t") == ""
}

// CodeSpan returns the length of the inline code at the start of text, or of its run of backticks
// if the code is not closed. It returns 0 if text does not begin with a backtick.
func CodeSpan(text string) int {
	open := len(text) - len(strings.TrimLeft(text, "`"))
	for i := open; i < len(text); {
		at := strings.IndexByte(text[i:], '`')
		if at < 0 {
			break
		}
		i += at
		n := len(text[i:]) - len(strings.TrimLeft(text[i:], "`"))
		if i += n; n == open {
			return i
		}
	}
	return open
}

// hashes parses a heading such as "## Title ##". level is 0 for any other text.
func hashes(text string) (level int, title string) {
	rest := strings.TrimLeft(text, "#")
	level = len(text) - len(rest)
	if level > 6 || rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		return 0, ""
	}
	return level, strings.TrimSpace(strings.TrimRight(rest, "# "))
}

// Item returns a line without its list marker and check box.
func Item(text string) string {
	if text == "" || text[0] > '9' { // true for most lines
		return text
	}
	mark := strings.TrimLeft(text, "0123456789")
	switch digits := len(text) - len(mark); {
	case text == "-" || text == "*" || text == "+":
		return ""
	case digits > 9 || len(mark) < 2 || mark[1] != ' ':
		return text
	case digits == 0 && !strings.Contains("-*+", mark[:1]):
		return text
	case digits > 0 && mark[0] != '.' && mark[0] != ')':
		return text
	}
	rest := strings.TrimLeft(mark[2:], " \t")
	for _, box := range []string{"[ ]", "[x]", "[X]", "[]"} {
		after, ok := strings.CutPrefix(rest, box)
		if ok && (after == "" || after[0] == ' ' || after[0] == '\t') {
			return strings.TrimLeft(after, " \t")
		}
	}
	return rest
}
