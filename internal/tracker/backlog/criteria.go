package backlog

import (
	"slices"
	"strings"
	"unicode"
)

// The states of an issue's acceptance criteria, in loop's words.
const (
	CriteriaOK      = "ok"
	CriteriaMissing = "missing"
	CriteriaTBD     = "tbd"
)

// labelLevel is the level of a section that a label of its own line opens: any heading ends it.
const labelLevel = 7

// speaksOfCriteria is quick: many bodies have no such section.
func speaksOfCriteria(body string) bool {
	for _, part := range []string{"riteri", "RITERI", "AC", "cceptance", "CCEPTANCE"} {
		if strings.Contains(body, part) {
			return true
		}
	}
	return false
}

// judge reads a body line by line.
type judge struct {
	state  string // the worst of the sections that ended, and TBD as soon as there is one
	level  int    // of the section that is open, 0 for none
	filled bool
	blank  bool // the line before was empty
}

func (j *judge) end() {
	if j.level > 0 && !j.filled && j.state != CriteriaTBD {
		j.state = CriteriaMissing
	}
	j.level = 0
}

// verdict is what came of all sections.
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

func (j *judge) read(l line) {
	blank := j.blank
	j.blank = l.kind == plain && l.text == ""
	if l.kind == heading {
		if j.level > 0 && l.level > j.level { // a part of the section
			return
		}
		j.end()
		if namesCriteria(l.text) {
			j.begin(l.level)
			j.marked(l.text)
		}
		return
	}
	if l.kind == plain {
		title, rest, emphasised := label(listItem(l.text))
		switch {
		case title != "" && criteriaLabel(title):
			j.end()
			j.begin(labelLevel)
			l.text = rest
		case j.level == labelLevel && j.filled && title != "" && rest == "" && listItem(l.text) == l.text && (emphasised || blank):
			j.end() // the next label
		}
	}
	if j.level > 0 {
		j.content(l)
	}
}

func (j *judge) content(l line) {
	if l.kind != hidden && j.marked(l.text) {
		return
	}
	j.filled = j.filled || l.kind == hidden && says(l.text) || says(without(listItem(l.text), false)) && !placeholder(l.text)
}

// marked notes that a text says that something is not decided yet.
func (j *judge) marked(text string) bool {
	if !undecided(text) {
		return false
	}
	j.state, j.filled = CriteriaTBD, true
	return true
}

// namesCriteria: a heading that speaks of acceptance criteria, or is a short form of those words.
func namesCriteria(title string) bool {
	low := strings.ToLower(title)
	return strings.Contains(low, "acceptance criteria") || strings.Contains(low, "acceptance criterion") || criteriaLabel(title)
}

// criteriaLabel: a text that says acceptance criteria and nothing else, but for signs around it.
func criteriaLabel(title string) bool {
	bare := strings.ToLower(strings.TrimFunc(title, func(r rune) bool { return !unicode.IsLetter(r) }))
	return slices.Contains([]string{"acceptance criteria", "acceptance criterion", "acceptance", "ac", "acs"}, bare)
}

// label splits a line that begins with a name of its own, as in `**Name**`, `**Name:** rest` or `Name: rest`.
func label(text string) (title, rest string, emphasised bool) {
	if text == "" || len(text) > mostWord {
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
	return name, trimLeft(after), false
}

func says(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

// placeholder: what templates and forms leave where nobody wrote anything.
func placeholder(text string) bool {
	item := strings.TrimSpace(listItem(text))
	if len(item) > 1 && (item[0] == '<' && item[len(item)-1] == '>' || item[0] == '[' && item[len(item)-1] == ']') {
		return true
	}
	item = strings.ToLower(strings.Trim(item, " .:!?*_()[]{}…-—#0123456789"))
	return slices.Contains([]string{
		"", "n/a", "na", "none", "nothing", "no response", "not applicable", "empty", "criterion", "criteria", "acceptance criterion", "item", "ac",
	}, item)
}

// undecided finds TBD, TODO and their long forms. In lower case "todo" is undecided only where it is all that an item
// says, or what it begins with: products have todo lists.
func undecided(text string) bool {
	text = prose(text)
	low := strings.ToLower(text)
	item := strings.Trim(listItem(low), " .:!?*_()[]…-")
	if item == "todo" || item == "to do" || item == "to be done" || item == "tba" || strings.HasPrefix(item, "todo:") || onlyMarks(text) {
		return true
	}
	if wordIn(text, "TODO") || wordIn(text, "FIXME") || wordIn(low, "tbd") {
		return true
	}
	at := strings.Index(low, "to be ")
	return at >= 0 && slices.ContainsFunc([]string{"determined", "defined", "decided", "specified", "clarified", "agreed"}, func(w string) bool {
		return wordIn(low[at:], "to be "+w)
	})
}

// onlyMarks: an item of nothing but question marks.
func onlyMarks(text string) bool {
	item := strings.TrimSpace(listItem(text))
	return item != "" && strings.Trim(item, "?") == ""
}
