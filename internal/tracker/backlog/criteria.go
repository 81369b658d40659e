package backlog

import (
	"strings"

	"hooks/internal/markdown"
)

// The states of an issue's acceptance criteria.
const (
	CriteriaOK      = "ok"
	CriteriaMissing = "missing"
	CriteriaTBD     = "tbd"
)

var (
	criteriaHeading = pattern{text: `(?i)acceptance criteri|^\P{L}*(?:acceptance|acs?)\P{L}*$`}
	// criteriaLabel matches a line that begins with a criteria label. Its group is the rest of the
	// line.
	criteriaLabel = pattern{text: `(?i)^[*_]*(?:acceptance(?: criteri(?:a|on))?|acs?)` +
		`(?:[*_]*:[*_]*|[*_]+$)(.*)`}
	anyLabel = pattern{text: `^(?:\*\*[^*]+\*\*:?|__[^_]+__:?|\pL[\pL ]*:)$`}

	// undecided matches an item that contains TBD, TODO or a longer form of either. In lower case,
	// "todo" counts only as the whole item or as "todo:", because an item may be about a todo list.
	undecided = pattern{text: `(?i:\btbd\b|^[*_(]*(?:to ?do|tba|to be done)(?::|\P{L}*$)|^\?+$|` +
		`\bto be (?:determined|defined|decided|specified|clarified|agreed)\b)|\b(?:TODO|FIXME)\b`}
	// placeholder matches text that a template or a form leaves in a section without criteria.
	placeholder = pattern{text: `(?i)^\P{L}*(?:n/?a|none|nothing|no response|not applicable|` +
		`empty|criterion|criteria|acceptance criterion|item|ac)?\P{L}*$|^<.*>$|^\[[^]]*\]$`}
)

// labelLevel is the level of a section that begins with a label. Any heading ends such a section.
const labelLevel = 7

// judge determines the state of the criteria in a body, line by line.
type judge struct {
	state  string // the worst state so far; end sets CriteriaMissing for an empty section
	level  int    // heading level of the open section, 0 if none is open
	filled bool   // the open section has content
}

func (j *judge) begin(level int) {
	j.end()
	if j.level, j.filled = level, false; j.state == "" {
		j.state = CriteriaOK
	}
}

func (j *judge) end() {
	if j.level > 0 && !j.filled && j.state != CriteriaTBD {
		j.state = CriteriaMissing
	}
	j.level = 0
}

func (j *judge) read(l markdown.Line) {
	item := markdown.Item(l.Text)
	switch {
	case l.Kind == markdown.Heading && j.level > 0 && l.Level > j.level: // a subsection
		return
	case l.Kind == markdown.Heading && criteriaHeading.re().MatchString(l.Text):
		j.begin(l.Level)
		j.mark(l.Text)
		return
	case l.Kind == markdown.Heading:
		j.end()
		return
	case l.Kind == markdown.Plain:
		if label := criteriaLabel.re().FindStringSubmatch(item); label != nil {
			j.begin(labelLevel)
			item = strings.TrimLeft(label[1], " \t")
		} else if j.level == labelLevel && j.filled && anyLabel.re().MatchString(l.Text) {
			j.end()
		}
	}
	switch {
	case j.level == 0:
	case l.Kind == markdown.Hidden:
		j.filled = j.filled || l.Text != ""
	default:
		j.mark(item)
		text := strings.TrimSpace(struckOut.re().ReplaceAllString(item, ""))
		j.filled = j.filled || !placeholder.re().MatchString(text)
	}
}

// mark sets the state CriteriaTBD if text is undecided.
func (j *judge) mark(text string) {
	if undecided.re().MatchString(strings.TrimSpace(prose(text))) {
		j.state, j.filled = CriteriaTBD, true
	}
}
