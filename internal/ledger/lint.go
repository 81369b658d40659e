package ledger

import (
	"fmt"
	"slices"
	"strings"

	"hooks/internal/markdown"
)

// The rules of a ledger. The last two are for implement-NN alone and only warn.
const (
	NoFeedback       = "no-feedback"
	NoSeparator      = "no-separator"
	BodyFeedback     = "body-feedback"
	UnknownFile      = "unknown-file"
	RewrittenTurn    = "rewritten-turn"
	ImplementSection = "implement-section"
	ImplementResult  = "implement-result"
)

// The levels of a finding.
const (
	Error   = "error"
	Warning = "warning"
)

// Finding is one breach of a rule.
type Finding struct {
	File  string `json:"file"`
	Line  int    `json:"line"` // from 1
	Rule  string `json:"rule"`
	Level string `json:"level"`
	Text  string `json:"text"`
}

// Lint returns what is wrong with the turns of a ledger, by its file name, in the order of lines
// (L11, L23).
func Lint(name string, turns []Turn) (list []Finding) {
	add := func(line int, rule, text string) {
		list = append(list, Finding{Line: line, Rule: rule, Level: Error, Text: text})
	}
	for i, t := range turns {
		switch {
		case t.Section == 0:
			add(t.Line, NoFeedback, fmt.Sprintf("turn %d has no `%s` section", i+1, heading))
		case t.Separator > 0:
		case i+1 < len(turns) && turns[i+1].Section > 0 && turns[i+1].Agent == "":
			add(t.Section, BodyFeedback, fmt.Sprintf("turn %d has a second `%s` section in line %d",
				i+1, heading, turns[i+1].Section))
		default:
			add(t.Section, NoSeparator, fmt.Sprintf(
				"no `%s` line ends the feedback section of turn %d", separator, i+1))
		}
		if phaseOf(name) == "implement" && t.Agent != "" {
			list = append(list, implementation(t)...)
		}
	}
	return list
}

// implementation returns the warnings about a turn that should describe an implementation (L23).
func implementation(t Turn) (list []Finding) {
	warn := func(line int, rule, text string) {
		list = append(list, Finding{Line: line, Rule: rule, Level: Warning, Text: text})
	}
	sections, at, result := []string{}, 0, ""
	for l := range markdown.Lines(t.Agent) {
		switch {
		case l.Kind == markdown.Heading:
			sections = append(sections, l.Text)
		case l.Text != "" && result == "" && len(sections) > 0 &&
			sections[len(sections)-1] == "Result":
			at, result = t.Line+l.No-1, l.Text
		}
	}
	for _, want := range []string{
		"Changes Made", "Validation Results", "Deviations from Plan", "Result",
	} {
		if !slices.Contains(sections, want) {
			warn(t.Line, ImplementSection, fmt.Sprintf("the turn has no section %q", want))
		}
	}
	word := strings.Trim(result, "*_`. ")
	if slices.Contains(sections, "Result") &&
		!slices.Contains([]string{"SUCCESS", "PARTIAL", "FAILED"}, word) {
		warn(max(at, t.Line), ImplementResult,
			fmt.Sprintf("the result %q is not one of SUCCESS, PARTIAL and FAILED", word))
	}
	return list
}

// Rewritten returns the turns of an older version that a ledger does not have as they were, by the
// agent's text (L22). Feedback may change.
func Rewritten(older, now []Turn, ref string) (list []Finding) {
	for i, old := range older {
		line, what := 1, "is gone"
		switch {
		case i >= len(now):
		case now[i].Agent == old.Agent:
			continue
		default:
			line, what = max(now[i].Line, 1), "has another text"
		}
		list = append(list, Finding{Line: line, Rule: RewrittenTurn, Level: Error,
			Text: fmt.Sprintf("turn %d of %s %s", i+1, ref, what)})
	}
	return list
}
