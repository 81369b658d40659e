package config

import "strings"

// mdLine is a line that a reader of the Markdown sees as text. Hidden lines stay in place, empty, because they end a table.
type mdLine struct {
	no    int // from 1
	level int // of a heading, 0 for any other line
	text  string
}

// visible splits a text into lines without fenced code, indented code and HTML comments, and finds the headings.
func visible(text string) []mdLine {
	var s scanner
	var out []mdLine
	for no := 1; text != ""; no++ {
		var line string
		line, text, _ = strings.Cut(text, "\n")
		line = s.hide(strings.TrimSuffix(line, "\r"))
		if n := len(out); n > 0 && underlined(out[n-1], line) {
			out[n-1].level = 2 - strings.Count(line[:1], "=")
			out[n-1].text = title(out[n-1].text)
			line = ""
		}
		l := mdLine{no: no, text: line}
		if level, t := atx(line); level > 0 {
			l.level, l.text = level, title(t)
		}
		out = append(out, l)
	}
	return out
}

// scanner carries what one line leaves open for the next.
type scanner struct {
	fence   string // the opening run of ` or ~
	comment bool
	block   bool // the comment began its line, so the line that ends it is hidden whole
}

// hide returns what is visible of a line, without its indentation of up to three columns.
func (s *scanner) hide(line string) string {
	indent := len(line) - len(strings.TrimLeft(line, " "))
	bare := strings.TrimSpace(line)
	switch {
	case s.fence != "":
		if indent < 4 && strings.HasPrefix(bare, s.fence) && strings.Trim(bare, s.fence[:1]) == "" {
			s.fence = ""
		}
		return ""
	case s.comment:
		_, rest, ended := strings.Cut(line, "-->")
		s.comment = !ended
		if s.comment || s.block {
			return ""
		}
		return s.uncomment(rest)
	case indent >= 4 || strings.HasPrefix(line, "\t"):
		return ""
	case fence(bare) != "":
		s.fence = fence(bare)
		return ""
	case strings.HasPrefix(bare, "<!--"):
		s.block = true
		s.comment = !strings.Contains(bare[4:], "-->")
		return ""
	}
	s.block = false
	return s.uncomment(line[indent:])
}

// uncomment cuts the HTML comments out of a line. A comment mark inside inline code is text.
func (s *scanner) uncomment(line string) string {
	var b strings.Builder
	for i := 0; i < len(line); {
		if line[i] == '`' {
			n := span(line[i:])
			b.WriteString(line[i : i+n])
			i += n
			continue
		}
		if !strings.HasPrefix(line[i:], "<!--") {
			b.WriteByte(line[i])
			i++
			continue
		}
		end := strings.Index(line[i+4:], "-->")
		if end < 0 {
			s.comment, s.block = true, false
			break
		}
		i += 4 + end + 3
	}
	return b.String()
}

// fence returns the run of at least three ` or ~ that opens a code block, or "".
func fence(bare string) string {
	if bare == "" || bare[0] != '`' && bare[0] != '~' {
		return ""
	}
	run := bare[:len(bare)-len(strings.TrimLeft(bare, bare[:1]))]
	if len(run) < 3 || bare[0] == '`' && strings.Contains(bare[len(run):], "`") {
		return ""
	}
	return run
}

// span is the length of the inline code that s begins with, or of its run of backticks where none closes it.
func span(s string) int {
	open := ticks(s)
	for i := open; i < len(s); {
		if s[i] != '`' {
			i++
			continue
		}
		n := ticks(s[i:])
		if i += n; n == open {
			return i
		}
	}
	return open
}

func ticks(s string) int { return len(s) - len(strings.TrimLeft(s, "`")) }

// atx reads a heading such as "### Review ##".
func atx(line string) (level int, text string) {
	rest := strings.TrimLeft(line, "#")
	level = len(line) - len(rest)
	if level < 1 || level > 6 || rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		return 0, ""
	}
	text = strings.TrimSpace(rest)
	if cut := strings.TrimRight(text, "#"); cut == "" || strings.HasSuffix(cut, " ") {
		text = cut
	}
	return level, text
}

// underlined says whether line makes a heading of the paragraph line before it.
func underlined(before mdLine, line string) bool {
	line = strings.TrimRight(line, " \t")
	if before.level > 0 || before.text == "" || line == "" || strings.Trim(line, "=") != "" && strings.Trim(line, "-") != "" {
		return false
	}
	return !strings.ContainsAny(before.text[:1], "|>-*+")
}

// title is a heading's text without emphasis, inline code and a final colon, in lower case.
func title(s string) string {
	s = strings.Trim(strings.TrimSpace(s), "*_`: ")
	return strings.ToLower(strings.Join(strings.Fields(s), " "))
}
