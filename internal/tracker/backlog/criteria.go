package backlog

import (
	"strings"
	"unicode"
)

// The states of an issue's acceptance criteria, in loop's words.
const (
	CriteriaOK      = "ok"
	CriteriaMissing = "missing"
	CriteriaTBD     = "tbd"
)

// Criteria judges the acceptance criteria of an issue's body: a section of that name at any heading level that says
// something and holds no TBD or TODO (R89). Of several sections the worst counts.
func Criteria(body string) string {
	if !strings.Contains(body, "riteri") && !strings.Contains(body, "RITERI") {
		return CriteriaMissing
	}
	state, level, filled := "", 0, false
	end := func() {
		if level > 0 && !filled && state != CriteriaTBD {
			state = CriteriaMissing
		}
		level = 0
	}
	for l := range lines(body) {
		switch {
		case l.kind == heading && level > 0 && l.level > level: // a part of the section
		case l.kind == heading:
			end()
			if namesCriteria(l.text) {
				level, filled = l.level, false
				if state == "" {
					state = CriteriaOK
				}
			}
		case level == 0:
		case l.kind == plain && undecided(l.text):
			state, filled = CriteriaTBD, true
		default:
			filled = filled || says(listItem(l.text))
		}
	}
	end()
	if state == "" {
		return CriteriaMissing
	}
	return state
}

func namesCriteria(title string) bool {
	title = strings.ToLower(title)
	return strings.Contains(title, "acceptance criteria") || strings.Contains(title, "acceptance criterion")
}

func says(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

// undecided finds TBD, TODO and their long forms. In lower case "todo" is undecided only where it is all that an item
// says: products have todo lists.
func undecided(text string) bool {
	text = prose(text)
	item := strings.ToLower(strings.Trim(listItem(text), " .:!?*_()[]…-"))
	if item == "todo" || item == "to do" || item == "to be done" {
		return true
	}
	lower := strings.ToLower(text)
	return wordIn(lower, "tbd") || wordIn(text, "TODO") || wordIn(lower, "to be determined") || wordIn(lower, "to be defined") || wordIn(lower, "to be decided")
}

// wordIn says whether a word stands in a text, with no letter or digit on either side.
func wordIn(text, word string) bool {
	for at := 0; ; {
		i := strings.Index(text[at:], word)
		if i < 0 {
			return false
		}
		i += at
		at = i + len(word)
		if !wordEnd(text[:i]) && !wordStart(text[at:]) {
			return true
		}
	}
}

func wordEnd(s string) bool {
	return s != "" && wordByte(s[len(s)-1])
}

func wordStart(s string) bool { return s != "" && wordByte(s[0]) }

func wordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c >= 0x80
}

// prose is a line without its inline code and what is struck through: that is not said, but shown.
func prose(text string) string {
	if !strings.Contains(text, "`") && !strings.Contains(text, "~~") {
		return text
	}
	var b strings.Builder
	for text != "" {
		switch {
		case text[0] == '`':
			text = text[codeSpan(text):]
		case strings.HasPrefix(text, "~~"):
			_, after, closed := strings.Cut(text[2:], "~~")
			if !closed {
				after = text[2:]
			}
			text = after
		default:
			b.WriteByte(text[0])
			text = text[1:]
		}
	}
	return b.String()
}
