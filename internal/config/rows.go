package config

import (
	"slices"
	"strings"

	"hooks/internal/markdown"
)

// row is one table row or one `- **Key**: value` line of a sub-block.
type row struct {
	block string   // the sub-block's name; "" directly below the SDD heading
	head  []string // the table's header in lower case; nil if there is none
	cells []string
	line  int
	loose bool // any other line, its text in the only cell
}

// rows returns the rows of the sub-blocks in every `SDD Configuration`.
func rows(text string) (out []row) {
	lines := slices.Collect(markdown.Lines(text))
	for i, l := range lines {
		if l.Kind == markdown.Hidden || l.Kind == markdown.Quoted || l.Deep {
			lines[i] = markdown.Line{No: l.No} // an empty line still ends a table
		}
	}
	var at place
	for i := 0; i < len(lines); i++ {
		l := &lines[i]
		if l.Kind == markdown.Heading {
			title := title(l.Text)
			at.enter(l.Level, title)
			if at.misplaced(title) {
				text := strings.Repeat("#", l.Level) + " " + title
				out = append(out, row{cells: []string{text}, line: l.No, loose: true})
			}
			continue
		}
		if at.sdd == 0 || at.other || l.Text == "" {
			continue
		}
		if key, value, ok := at.keyValue(l.Text); ok {
			out = append(out, row{block: at.block, cells: []string{key, value}, line: l.No})
			continue
		}
		table, n := tableAt(lines[i:], at.block)
		out = append(out, table...)
		if n == 0 && strings.Contains("-*+", l.Text[:1]) && (at.block != "" || plainKey(l.Text)) {
			loose := row{block: at.block, cells: []string{l.Text}, line: l.No, loose: true}
			out = append(out, loose)
		}
		i += max(n-1, 0)
	}
	return out
}

// title returns a heading's text without emphasis, inline code and a final colon, in lower case.
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

// enter moves to a heading. A known sub-block may also have the level of the SDD heading, as in the
// specification's own example (C13).
func (p *place) enter(level int, title string) {
	block := known(title)
	switch {
	case title == sddTitle && level >= 2 && level <= 4:
		*p = place{sdd: level}
	case p.sdd == 0:
	case block != "" && level >= max(p.sdd, 3):
		*p = place{sdd: p.sdd, block: block, level: level}
	case level <= p.sdd:
		*p = place{}
	case p.level == 0 || level <= p.level:
		*p = place{sdd: p.sdd, level: level, other: true}
	}
}

// misplaced reports whether a heading was probably meant to begin a block but does not: an SDD
// heading that is misspelled or not at level 2 to 4, a misspelled sub-block or key, or a "Loop …"
// sub-block in the wrong place.
func (p *place) misplaced(title string) bool {
	block := known(title)
	switch {
	case title == sddTitle:
		return p.sdd == 0
	case block != "":
		return strings.HasPrefix(block, "Loop ") && p.block != block
	case p.sdd == 0:
		return strings.HasPrefix(title, "sdd c") &&
			(strings.HasPrefix(sddTitle, title) || nearly(title, sddTitle))
	}
	return topKey(title) || slices.ContainsFunc(blocks[:], func(name string) bool {
		return nearly(title, name)
	})
}

// topKey reports whether a name resembles a setting directly below the SDD heading.
func topKey(name string) bool {
	return slices.ContainsFunc(new(Config).settings(), func(s setting) bool {
		return s.block == "" && nearly(name, s.key)
	})
}

// known returns the name of the known sub-block that a heading begins, or "".
func known(title string) string {
	for _, name := range blocks {
		if strings.EqualFold(name, title) {
			return name
		}
	}
	return ""
}

// keyValue parses `- **Key**: value` and `- **Key:** value`. It accepts `- Key: value` only if the
// block has that setting, because the line may be a sentence.
func (p *place) keyValue(line string) (key, value string, ok bool) {
	rest, bullet := listed(line)
	if !bullet {
		return "", "", false
	}
	if bold, ok := strings.CutPrefix(rest, "**"); ok {
		key, value, closed := strings.Cut(bold, "**")
		key, inside := strings.CutSuffix(strings.TrimSpace(key), ":")
		value, outside := strings.CutPrefix(strings.TrimSpace(value), ":")
		if closed && (inside || outside) && key != "" {
			return bare(key), bare(value), true
		}
	}
	key, value, ok = strings.Cut(rest, ":")
	key, value = bare(key), bare(value)
	_, known := new(Config).setting(p.block, key)
	return key, value, ok && p.block != "" && known
}

// plainKey reports whether a list item directly below the SDD heading is a setting without the bold
// markup.
func plainKey(line string) bool {
	rest, bullet := listed(line)
	key, _, colon := strings.Cut(rest, ":")
	return bullet && colon && topKey(bare(key))
}

// listed returns the text of a list item.
func listed(line string) (text string, ok bool) {
	if len(line) < 2 || !strings.Contains("-*+", line[:1]) || line[1] != ' ' {
		return line, false
	}
	return strings.TrimSpace(line[2:]), true
}

// tableAt returns the rows of the table that begins at the first line, and its number of lines. It
// accepts rows that begin with a pipe without a header, because people forget the separator.
func tableAt(lines []markdown.Line, block string) (out []row, n int) {
	text := func(i int) string {
		if i >= len(lines) || lines[i].Kind != markdown.Plain {
			return ""
		}
		return lines[i].Text
	}
	var head []string
	if strings.Contains(text(0), "|") && separator(text(1)) {
		head, n = cells(strings.ToLower(text(0))), 2
	} else if text(0)[0] != '|' || separator(text(0)) {
		return nil, 0
	}
	for ; strings.Contains(text(n), "|"); n++ {
		if head == nil && separator(text(n+1)) {
			break
		}
		r := row{block: block, head: head, cells: cells(text(n)), line: lines[n].No}
		if head != nil || !headlike(r.cells[0]) {
			out = append(out, r)
		}
	}
	return out, n
}

// headlike reports whether a row's first cell suggests a header without a separator.
func headlike(cell string) bool {
	switch strings.ToLower(cell) {
	case "model", "pattern", "key", "setting", "":
		return true
	}
	return false
}

// separator reports whether s is the line below a table's header, such as `
// ---
// :-:
// `.
func separator(s string) bool {
	return strings.Contains(s, "-") && strings.Contains(s, "|") && strings.Trim(s, "|-: \t") == ""
}

// cells splits a table row. A pipe in inline code or after a backslash is text. GitHub would split
// it there, but half a redaction pattern is worse.
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
