package child

import (
	"regexp"
	"strings"

	"hooks/internal/loop"
	"hooks/internal/term"
)

// maxLine bounds a line, in characters.
const maxLine = 200

// Line is the first line of a text that is not empty, without control characters and secrets:
// errors end up in notes that are kept.
func Line(text string) string {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(term.Line(line))
		if line != "" {
			return cut(hideRandom(loop.Secrets(line)))
		}
	}
	return ""
}

func cut(line string) string {
	if runes := []rune(line); len(runes) > maxLine {
		return string(runes[:maxLine-1]) + "…"
	}
	return line
}

// hideRandom replaces long runs with the digits of a random token, whatever its form. A commit's
// name looks the same, so a run of 40 stays.
func hideRandom(line string) string {
	digits := regexp.MustCompile(`(\d\D*){4}`)
	return regexp.MustCompile(`[\w-]{32,}`).ReplaceAllStringFunc(line, func(run string) string {
		if len(run) != 40 && digits.MatchString(run) {
			return "<redacted>"
		}
		return run
	})
}
