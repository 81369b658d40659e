package audit

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"hooks/internal/markdown"
)

// Section is one ordered part of a plan (A40).
type Section struct {
	Title string // at most 100 characters
	Text  string // without its marker and the line breaks around it
}

// Limits on a plan.
const (
	maxTitle = 100 // characters
	// MaxSection bounds a section in a prompt, in bytes.
	MaxSection = 24 << 10
	maxIntro   = 4 << 10
)

// Split splits a plan at its markers, `<!-- section -->` or `<!-- forge-section -->` alone on a
// line outside code (A42, A44). The text before the first marker introduces the plan; a plan
// without markers has one section. Split omits sections without text. It returns an error if the
// plan is not UTF-8, has no text, or has more than maxSections sections.
func Split(text string) (intro string, list []Section, err error) {
	if !utf8.ValidString(text) {
		return "", nil, errors.New("it is not UTF-8 text")
	}
	hidden := map[int]bool{}
	for l := range markdown.Lines(text) {
		if l.Kind == markdown.Hidden {
			hidden[l.No] = true
		}
	}
	parts, part, no := []string{}, strings.Builder{}, 0
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		if no++; marker(line) && !hidden[no] {
			parts = append(parts, part.String())
			part.Reset()
			continue
		}
		part.WriteString(line)
	}
	parts = append(parts, part.String())
	if len(parts) > 1 {
		intro, parts = strings.TrimSpace(parts[0]), parts[1:]
	}
	for _, text := range parts {
		if text = strings.Trim(text, "\r\n"); strings.TrimSpace(text) != "" {
			title := titleOf(text, len(list)+1)
			list = append(list, Section{Title: title, Text: text})
		}
	}
	switch {
	case len(list) == 0:
		return "", nil, errors.New("it has no text")
	case len(list) > maxSections:
		return "", nil, fmt.Errorf("it has %d sections; the maximum is %d", len(list), maxSections)
	}
	return intro, list, nil
}

// marker reports whether a line begins a section.
func marker(line string) bool {
	inner, open := strings.CutPrefix(strings.TrimSpace(line), "<!--")
	inner, closed := strings.CutSuffix(inner, "-->")
	inner = strings.TrimSpace(inner)
	return open && closed && (inner == "section" || inner == "forge-section")
}

// titleOf returns the first line that contains a letter or digit, without heading marks, cut to
// maxTitle. If there is none, it returns "Section n".
func titleOf(text string, n int) string {
	for line := range strings.Lines(text) {
		line = markdown.OneLine(strings.Trim(line, "# \t\r\n"))
		if strings.ContainsFunc(line, func(r rune) bool {
			return unicode.IsLetter(r) || unicode.IsDigit(r)
		}) {
			return markdown.CutRunes(line, maxTitle)
		}
	}
	return fmt.Sprintf("Section %d", n)
}
