package config

import (
	"regexp"
	"strings"
	"sync"

	"hooks/internal/markdown"
)

// row is one table row or one `- **Key**: value` line in a sub-block.
type row struct {
	block string   // the sub-block's name; "" directly below the SDD heading
	head  []string // the table's header in lower case; nil if there is none
	cells []string
	line  int
}

// rows returns the rows of the sub-blocks in every `SDD Configuration` section.
func rows(text string) (out []row) {
	var at place
	var head []string // header of the current table
	before := ""      // text of the previous line
	for l := range markdown.Lines(text) {
		if l.Kind == markdown.Hidden || l.Kind == markdown.Quoted || l.Deep {
			l.Kind, l.Text = markdown.Plain, "" // treat it as an empty line, which ends a table
		}
		above := before
		if before = l.Text; l.Kind == markdown.Heading {
			at.enter(l.Level, title(l.Text))
			head, before = nil, ""
			continue
		}
		if at.sdd == 0 || at.other || l.Text == "" {
			head = nil
			continue
		}
		r := row{block: at.block, line: l.No}
		key, value, isKey := at.keyValue(l.Text)
		switch {
		case isKey:
			r.cells = []string{key, value}
		case separator(l.Text):
			head = cells(strings.ToLower(above))
			if n := len(out) - 1; n >= 0 && out[n].line == l.No-1 {
				out = out[:n] // remove the header, which was added as a row
			}
			continue
		case l.Text[0] == '|' || head != nil && strings.Contains(l.Text, "|"):
			r.head, r.cells = head, cells(l.Text)
		default:
			continue
		}
		out = append(out, r)
	}
	return out
}

// title returns a heading in lower case, without emphasis, backticks or a final colon.
func title(s string) string {
	s = strings.Trim(strings.TrimSpace(s), "*_`: ")
	return strings.ToLower(strings.Join(strings.Fields(s), " "))
}

// place is the reader's position in the document.
type place struct {
	sdd   int    // level of the SDD heading, 0 outside its section
	block string // known sub-block, "" directly below the SDD heading
	level int    // heading level of the sub-block
	other bool   // inside an unknown sub-block
}

const sddTitle = "sdd configuration"

// enter updates the position at a heading. A known sub-block of level 3 or deeper may also have the
// level of the SDD heading, as in the specification's own example (C13).
func (p *place) enter(level int, title string) {
	block := known(title)
	switch {
	case title == sddTitle:
		*p = place{sdd: level}
	case p.sdd == 0:
	case block != "" && (level > p.sdd || level == p.sdd && level >= 3):
		*p = place{sdd: p.sdd, block: block, level: level}
	case level <= p.sdd:
		*p = place{}
	case p.level == 0 || level <= p.level:
		*p = place{sdd: p.sdd, level: level, other: true}
	}
}

// known returns the name of the sub-block with this heading, or "" if it is unknown.
func known(title string) string {
	for _, name := range blocks {
		if strings.EqualFold(name, title) {
			return name
		}
	}
	return ""
}

// settingLine matches `- **Key**: value`, `- **Key:** value` and `- Key: value`.
var settingLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`^[-*+]\s+(?:\*\*\s*(.+?)\s*(?::\s*\*\*|\*\*\s*:)|([^:]+):)\s*(.*)$`)
})

// keyValue parses a list item that sets a key. Keys must be bold except in a block that contains
// only keys, because elsewhere the line may be a sentence.
func (p *place) keyValue(line string) (key, value string, ok bool) {
	m := settingLine().FindStringSubmatch(line)
	if m == nil {
		return "", "", false
	}
	ofKeys := p.block != "" && p.block != costRates && p.block != redactions
	return bare(m[1] + m[2]), bare(m[3]), m[1] != "" || ofKeys
}

// separator reports whether s is the line below a table's header, such as `|---|:-:|`.
func separator(s string) bool {
	return strings.Contains(s, "-") && strings.Contains(s, "|") && strings.Trim(s, "|-: \t") == ""
}

// cells splits a table row. A pipe after a backslash or in inline code is text. GitHub would split
// inline code at a pipe, but a redaction pattern cut in half is worse.
func cells(s string) (list []string) {
	s = strings.TrimPrefix(strings.TrimSpace(s), "|")
	var cell strings.Builder
	for i := 0; i < len(s); {
		n := 1
		switch {
		case strings.HasPrefix(s[i:], `\|`):
			n = 2
			cell.WriteByte('|')
		case s[i] == '|':
			list = append(list, bare(cell.String()))
			cell.Reset()
		case s[i] == '`':
			n = markdown.CodeSpan(s[i:])
			cell.WriteString(strings.ReplaceAll(s[i:i+n], `\|`, "|"))
		default:
			cell.WriteByte(s[i])
		}
		i += n
	}
	if last := cell.String(); strings.TrimSpace(last) != "" || len(list) == 0 {
		list = append(list, bare(last))
	}
	return list
}

// bare returns a cell's text without enclosing backticks or emphasis.
func bare(s string) string {
	s = strings.TrimSpace(s)
	ticks := len(s) - len(strings.TrimLeft(s, "`"))
	if ticks > 0 && len(s) > 2*ticks && markdown.CodeSpan(s) == len(s) {
		return strings.TrimSpace(s[ticks : len(s)-ticks])
	}
	if len(s) > 4 && strings.HasPrefix(s, "**") && strings.HasSuffix(s, "**") {
		return bare(s[2 : len(s)-2])
	}
	return s
}
