package tasks

import (
	"slices"
	"strings"
)

// bom is the byte order mark that some editors put in front of UTF-8.
const bom = "\ufeff"

// file is a progress file split into parts. The joined parts equal the file byte for byte.
//
// A line that begins with "## " begins a part, even in a code block or a comment. A block that a
// worker left open therefore does not hide the sections below it.
type file struct {
	parts []part
	eol   string // line break for new lines
}

// part is a heading and the lines below it.
type part struct {
	heading string   // heading with its line break; empty before the first heading
	body    []string // lines with their line breaks
}

func parse(text []byte) *file {
	f := &file{parts: []part{{}}, eol: "\n"}
	for line := range strings.Lines(string(text)) {
		if strings.HasSuffix(line, "\r\n") {
			f.eol = "\r\n"
		}
		last := &f.parts[len(f.parts)-1]
		if strings.HasPrefix(strings.TrimPrefix(line, bom), "## ") {
			f.parts = append(f.parts, part{heading: line})
		} else {
			last.body = append(last.body, line)
		}
	}
	return f
}

func (f *file) bytes() []byte {
	var b strings.Builder
	for _, p := range f.parts {
		b.WriteString(p.heading)
		b.WriteString(strings.Join(p.body, ""))
	}
	return []byte(b.String())
}

// is reports whether a part has a heading. Case, blanks and closing marks do not matter.
func (p part) is(heading string) bool {
	return sameHeading(p.heading) == sameHeading(heading)
}

func sameHeading(heading string) string {
	heading = strings.Trim(strings.TrimPrefix(heading, bom), "# \t\r\n")
	return strings.ToLower(strings.ReplaceAll(heading, " ", ""))
}

// section returns the index of the first part with a heading. If there is none, it adds the part
// at the end.
func (f *file) section(heading string) int {
	for i, p := range f.parts {
		if p.heading != "" && p.is(heading) {
			return i
		}
	}
	last := len(f.parts) - 1
	f.endLine(last)
	p := &f.parts[last]
	if n := len(p.body); n > 0 && filled(p.body[n-1]) || n == 0 && p.heading != "" {
		p.body = append(p.body, f.eol)
	}
	f.parts = append(f.parts, part{heading: heading + f.eol})
	return last + 1
}

// endLine appends a line break to the last line of a part if it has none.
func (f *file) endLine(at int) {
	p := &f.parts[at]
	line := &p.heading
	if len(p.body) > 0 {
		line = &p.body[len(p.body)-1]
	}
	if *line != "" && !strings.HasSuffix(*line, "\n") {
		*line += f.eol
	}
}

// insert adds lines to a part in front of its line at index before. If they end the part and
// another part follows, a blank line is added.
func (f *file) insert(at, before int, lines ...string) {
	if before == len(f.parts[at].body) {
		f.endLine(at)
	}
	p := &f.parts[at]
	for i, line := range lines {
		lines[i] = line + f.eol
	}
	if before == len(p.body) && at < len(f.parts)-1 {
		lines = append(lines, f.eol)
	}
	p.body = slices.Insert(p.body, before, lines...)
}

func (f *file) replace(at int, line string) {
	f.parts[at].body = nil
	f.insert(at, 0, line)
}

func filled(line string) bool { return strings.TrimSpace(line) != "" }
