package tasks

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"hooks/internal/markdown"
)

// The execution modes (T38–T42).
const (
	Quick      = "quick"
	TDD        = "tdd"
	Pair       = "pair"
	Checkpoint = "checkpoint"
	Swarm      = "swarm"
)

// maxGoal bounds the goal, in runes.
const maxGoal = 300

// Spec is the front matter of a spec. An empty field is not set.
type Spec struct {
	Mode  string // one of the five modes (T23)
	Issue string // as in "CIA-042" (T31)
}

// ReadSpec reads the lines "key: value" at the left margin between two "---" lines at the start of
// a spec. It ignores other keys, lists and multi-line texts. An unknown mode, and a key with two
// different values, are errors with their line.
func ReadSpec(spec []byte) (Spec, error) {
	front, _ := splitFront(string(spec))
	var s Spec
	for i, line := range strings.Split(front, "\n") {
		key, value, found := strings.Cut(line, ":")
		field := map[string]*string{"mode": &s.Mode, "executionMode": &s.Mode,
			"issue": &s.Issue}[key]
		if value = scalar(value); !found || field == nil || value == "" {
			continue
		}
		if mode := strings.ToLower(value); field == &s.Mode {
			if !slices.Contains([]string{Quick, TDD, Pair, Checkpoint, Swarm}, mode) {
				return Spec{}, fmt.Errorf("line %d: mode %q is not quick, tdd, pair, checkpoint "+
					"or swarm", i+1, value)
			}
			value = mode
		}
		if *field != "" && *field != value {
			return Spec{}, fmt.Errorf("line %d: %s is %q, but it was %q above", i+1, key, value,
				*field)
		}
		*field = value
	}
	return s, nil
}

// splitFront splits a spec into its front matter, including the "---" lines, and the rest. The rest
// begins with as many blank lines as the front matter has lines, so that line numbers stay the
// same.
func splitFront(spec string) (front, rest string) {
	spec = strings.TrimPrefix(spec, bom)
	at := 0
	for line := range strings.Lines(spec) {
		at += len(line)
		switch bare := strings.TrimRight(line, " \t\r\n"); {
		case at == len(line) && bare != "---":
			return "", spec
		case at > len(line) && (bare == "---" || bare == "..."):
			front = spec[:at]
			return front, strings.Repeat("\n", strings.Count(front, "\n")) + spec[at:]
		}
	}
	return "", spec // the first line is a rule, not front matter
}

// scalar returns a value without quotes and comment. It is empty for a list or a text of several
// lines.
func scalar(value string) string {
	value = markdown.OneLine(value)
	if value == "" || strings.ContainsRune("|>[{#&*!", rune(value[0])) {
		return ""
	}
	if quote := value[:1]; quote == `"` || quote == "'" {
		inner, _, closed := strings.Cut(value[1:], quote)
		if closed {
			return inner
		}
	}
	value, _, _ = strings.Cut(value, " #")
	return strings.TrimSpace(value)
}

// Goal returns the first sentence of the first paragraph of a spec that is neither heading, list,
// table, quote nor code, in at most 300 runes. It is empty if there is no such paragraph (T30).
func Goal(spec []byte) string {
	_, body := splitFront(string(spec))
	var words []string
	for l := range markdown.Lines(body) {
		prose := l.Kind == markdown.Plain && l.Text != "" && markdown.Item(l.Text) == l.Text &&
			!strings.ContainsRune("|<![-=", rune(l.Text[0])) && (!l.Deep || len(words) > 0)
		if prose {
			words = append(words, l.Text)
		} else if len(words) > 0 {
			break
		}
	}
	return markdown.CutRunes(sentence(markdown.OneLine(strings.Join(words, " "))), maxGoal)
}

// sentence returns a text up to its first full stop. A dot before a word in lower case is part of
// an abbreviation.
func sentence(text string) string {
	for i, r := range text {
		after := text[i+utf8.RuneLen(r):]
		if strings.ContainsRune("。！？", r) {
			return text[:len(text)-len(after)]
		}
		next, blank := strings.CutPrefix(after, " ")
		first, _ := utf8.DecodeRuneInString(next)
		if strings.ContainsRune(".!?", r) && blank && !unicode.IsLower(first) {
			return text[:len(text)-len(after)]
		}
	}
	return text
}
