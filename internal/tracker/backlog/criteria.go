package backlog

import (
	"slices"
	"strings"
	"unicode"

	"hooks/internal/markdown"
)

// These are the states of an issue's acceptance criteria.
const (
	CriteriaOK      = "ok"
	CriteriaMissing = "missing"
	CriteriaTBD     = "tbd"
)

// labelLevel is the level of a section that begins with a label. Any heading ends such a section.
const labelLevel = 7

// judge determines the state of the criteria in a body, line by line.
type judge struct {
	state  string // the worst state so far; a section is judged missing at its end
	level  int    // of the open section, 0 if none is open
	filled bool
	blank  bool // the line before was empty
}

func (j *judge) end() {
	if j.level > 0 && !j.filled && j.state != CriteriaTBD {
		j.state = CriteriaMissing
	}
	j.level = 0
}

// verdict ends the last section and returns the state of all sections.
func (j *judge) verdict() string {
	if j.end(); j.state == "" {
		return CriteriaMissing
	}
	return j.state
}

func (j *judge) begin(level int) {
	if j.level, j.filled = level, false; j.state == "" {
		j.state = CriteriaOK
	}
}

func (j *judge) read(l markdown.Line) {
	blank := j.blank
	j.blank = l.Kind == markdown.Plain && l.Text == ""
	if l.Kind == markdown.Heading {
		if j.level > 0 && l.Level > j.level { // a subsection
			return
		}
		j.end()
		if namesCriteria(l.Text) {
			j.begin(l.Level)
			j.marked(l.Text)
		}
		return
	}
	if l.Kind == markdown.Plain {
		item := markdown.Item(l.Text)
		title, rest, emphasised := label(item)
		switch {
		case title != "" && criteriaLabel(title):
			j.end()
			j.begin(labelLevel)
			l.Text = rest
		case title == "" || rest != "" || item != l.Text || !emphasised && !blank:
		case j.level == labelLevel && j.filled: // the next label
			j.end()
		}
	}
	if j.level > 0 {
		j.content(l)
	}
}

// label splits a line that begins with a label, as in `**Name**`, `**Name:** rest` or `Name: rest`.
func label(text string) (title, rest string, emphasised bool) {
	if text == "" || len(text) > maxWord {
		return "", "", false
	}
	for _, mark := range []string{"**", "__", "*", "_"} {
		if inner, ok := strings.CutPrefix(text, mark); ok {
			name, after, closed := strings.Cut(inner, mark)
			colon := strings.HasSuffix(name, ":") || strings.HasPrefix(after, ":")
			if after = strings.TrimLeft(after, ": \t"); !closed || after != "" && !colon {
				return "", "", false
			}
			return strings.TrimRight(name, ": "), after, true
		}
	}
	name, after, ok := strings.Cut(text, ":")
	if !ok {
		return "", "", false
	}
	return name, strings.TrimLeft(after, " \t"), false
}

func (j *judge) content(l markdown.Line) {
	code := l.Kind == markdown.Hidden
	switch {
	case !code && j.marked(l.Text):
	case code:
		j.filled = j.filled || says(l.Text)
	default:
		text := without(markdown.Item(l.Text), false)
		j.filled = j.filled || says(text) && !placeholder(l.Text)
	}
}

// marked reports whether the text is undecided, and if so records it.
func (j *judge) marked(text string) bool {
	if !undecided(text) {
		return false
	}
	j.state, j.filled = CriteriaTBD, true
	return true
}

// namesCriteria reports whether a heading contains "acceptance criteria" or is a short form of it.
func namesCriteria(title string) bool {
	return strings.Contains(strings.ToLower(title), "acceptance criteri") || criteriaLabel(title)
}

// criteriaLabel reports whether a text is "acceptance criteria" or a short form, apart from
// punctuation and digits around it.
func criteriaLabel(title string) bool {
	switch strings.ToLower(strings.TrimFunc(title, noLetter)) {
	case "acceptance criteria", "acceptance criterion", "acceptance", "ac", "acs":
		return true
	}
	return false
}

func noLetter(r rune) bool { return !unicode.IsLetter(r) }

func says(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r)
	})
}

// placeholder reports whether text is the unfilled text of a template or a form.
func placeholder(text string) bool {
	item := strings.TrimSpace(markdown.Item(text))
	if n := len(item) - 1; n > 0 {
		if ends := item[:1] + item[n:]; ends == "<>" || ends == "[]" {
			return true
		}
	}
	switch strings.ToLower(strings.Trim(item, " .:!?*_()[]{}…-—#0123456789")) {
	case "", "n/a", "na", "none", "nothing", "no response", "not applicable", "empty",
		"criterion", "criteria", "acceptance criterion", "item", "ac":
		return true
	}
	return false
}

// undecided reports whether text contains TBD, TODO or a long form of them. In lower case, "todo"
// counts only as the whole item or as "todo:" at its beginning, because products have todo lists.
func undecided(text string) bool {
	text = prose(text)
	low := strings.ToLower(text)
	bare := strings.TrimSpace(markdown.Item(low))
	if bare != "" && strings.Trim(bare, "?") == "" {
		return true
	}
	item := strings.Trim(bare, " .:!?*_()[]…-")
	switch {
	case item == "todo", item == "to do", item == "to be done", item == "tba",
		strings.HasPrefix(item, "todo:"),
		wordIn(text, "TODO"), wordIn(text, "FIXME"), wordIn(low, "tbd"):
		return true
	}
	return strings.Contains(low, "to be ") && slices.ContainsFunc([]string{
		"determined", "defined", "decided", "specified", "clarified", "agreed",
	}, func(w string) bool { return wordIn(low, "to be "+w) })
}
