package config

import "strings"

// row is one table row or one `- **Key**: value` line of a sub-block.
type row struct {
	block string   // the sub-block's name in lower case; "" for lines right below the SDD heading
	head  []string // the table's header in lower case; nil where there is none
	cells []string
	line  int
	loose bool // a line that is neither, its text in the one cell
}

// rows finds the sub-blocks of every `SDD Configuration` and reads their rows.
func rows(text string) []row {
	var out []row
	var at place
	lines := visible(text)
	for i := 0; i < len(lines); i++ {
		l := lines[i]
		if l.level > 0 {
			at.heading(l.level, l.text)
			if misplaced(at, l.text) {
				out = append(out, row{cells: []string{strings.Repeat("#", l.level) + " " + l.text}, line: l.no, loose: true})
			}
			continue
		}
		if at.sdd == 0 || at.other || l.text == "" {
			continue
		}
		key, value, ok := keyValue(l.text)
		if !ok && known(at.block) {
			key, value, ok = plainKeyValue(l.text)
			ok = ok && ours(at.block, plain(key))
		}
		if ok {
			out = append(out, row{block: at.block, cells: []string{key, value}, line: l.no})
			continue
		}
		table, n := tableAt(lines[i:], at.block)
		out = append(out, table...)
		if n == 0 && at.block != "" && strings.ContainsRune("-*+", rune(l.text[0])) {
			out = append(out, row{block: at.block, cells: []string{l.text}, line: l.no, loose: true})
		}
		i += max(n-1, 0)
	}
	return out
}

// place is where in the document the reader is.
type place struct {
	sdd   int    // level of the SDD heading, 0 outside of it
	block string // known sub-block, "" right below the SDD heading
	level int    // of the sub-block
	other bool   // inside a sub-block that is none of ours
}

// heading moves on. A known sub-block may stand at the SDD heading's own level too: the SPEC prints it so (C13).
func (p *place) heading(level int, title string) {
	switch {
	case title == "sdd configuration" && level >= 2 && level <= 4:
		*p = place{sdd: level}
	case p.sdd == 0:
	case known(title) && level >= max(p.sdd, 3):
		*p = place{sdd: p.sdd, block: title, level: level}
	case level <= p.sdd:
		*p = place{}
	case p.level == 0 || level <= p.level:
		*p = place{sdd: p.sdd, level: level, other: true}
	}
}

// misplaced says that a heading has the name of a block of ours where it begins none: the SDD heading at another level
// than 2 to 4, or a sub-block that nobody else has outside of it.
func misplaced(at place, title string) bool {
	switch title {
	case "sdd configuration":
		return at.sdd == 0
	case "loop cost rates", "loop logging":
		return at.block != title
	}
	return false
}

func known(title string) bool {
	switch title {
	case "loop cost rates", "loop logging", "review", "tracker", "notify":
		return true
	}
	return false
}

// keyValue reads `- **Key**: value` and `- **Key:** value`.
func keyValue(line string) (key, value string, ok bool) {
	rest, bullet := listed(line)
	rest, bold := strings.CutPrefix(rest, "**")
	key, value, closed := strings.Cut(rest, "**")
	if !bullet || !bold || !closed {
		return "", "", false
	}
	key, inside := strings.CutSuffix(strings.TrimSpace(key), ":")
	value, outside := strings.CutPrefix(strings.TrimSpace(value), ":")
	return bare(key), bare(value), (inside || outside) && key != ""
}

// plainKeyValue reads `- Key: value`, which may as well be a sentence: it counts only where the key is one of ours.
func plainKeyValue(line string) (key, value string, ok bool) {
	rest, bullet := listed(line)
	key, value, colon := strings.Cut(rest, ":")
	return bare(key), bare(value), bullet && colon
}

// listed is a list item's text.
func listed(line string) (text string, ok bool) {
	for _, bullet := range []string{"- ", "* ", "+ "} {
		if text, ok = strings.CutPrefix(line, bullet); ok {
			return strings.TrimSpace(text), true
		}
	}
	return line, false
}

// tableAt reads the table that begins with the first of lines, and how many lines it takes. A row that begins with a
// pipe counts without a header too: people forget the separator.
func tableAt(lines []mdLine, block string) (out []row, n int) {
	var head []string
	if len(lines) > 1 && piped(lines[0].text) && separator(lines[1].text) {
		head, n = lower(split(lines[0].text)), 2
	} else if lines[0].text[0] != '|' || separator(lines[0].text) {
		return nil, 0
	}
	for ; n < len(lines) && lines[n].level == 0 && piped(lines[n].text); n++ {
		if head == nil && n+1 < len(lines) && separator(lines[n+1].text) {
			break
		}
		r := row{block: block, head: head, cells: split(lines[n].text), line: lines[n].no}
		if head != nil || !headlike(r.cells[0]) {
			out = append(out, r)
		}
	}
	return out, n
}

func headlike(cell string) bool {
	switch strings.ToLower(cell) {
	case "model", "pattern", "key", "setting", "":
		return true
	}
	return false
}

func piped(s string) bool { return strings.Contains(s, "|") }

// separator says whether s is the line below a table's header, as in `|---|:-:|`.
func separator(s string) bool {
	if !strings.Contains(s, "-") || !piped(s) {
		return false
	}
	return strings.Trim(s, "|-: \t") == ""
}

// split cuts a table row into its cells. A pipe inside inline code or after a backslash does not cut: for a redaction
// pattern, half of it would be worse than what GitHub shows.
func split(s string) []string {
	s = strings.TrimSpace(s)
	s = strings.TrimPrefix(s, "|")
	var cells []string
	var cell strings.Builder
	for i := 0; i < len(s); {
		n := 1
		switch {
		case strings.HasPrefix(s[i:], `\|`):
			n = 2
			cell.WriteByte('|')
		case s[i] == '|':
			cells = append(cells, bare(cell.String()))
			cell.Reset()
		case s[i] == '`':
			n = span(s[i:])
			cell.WriteString(strings.ReplaceAll(s[i:i+n], `\|`, "|"))
		default:
			cell.WriteByte(s[i])
		}
		i += n
	}
	if last := cell.String(); strings.TrimSpace(last) != "" || len(cells) == 0 {
		cells = append(cells, bare(last))
	}
	return cells
}

// bare is a cell's text without the backticks or the emphasis that enclose the whole of it.
func bare(s string) string {
	s = strings.TrimSpace(s)
	if n := ticks(s); n > 0 && len(s) > 2*n && span(s) == len(s) {
		return strings.TrimSpace(s[n : len(s)-n])
	}
	if len(s) > 4 && strings.HasPrefix(s, "**") && strings.HasSuffix(s, "**") {
		return bare(s[2 : len(s)-2])
	}
	return s
}

func lower(cells []string) []string {
	for i := range cells {
		cells[i] = strings.ToLower(cells[i])
	}
	return cells
}
