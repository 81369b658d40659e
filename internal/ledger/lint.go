package ledger

import "fmt"

// The rules of a ledger.
const (
	NoFeedback    = "no-feedback"
	NoSeparator   = "no-separator"
	BodyFeedback  = "body-feedback"
	UnknownFile   = "unknown-file"
	RewrittenTurn = "rewritten-turn"
)

// Finding is one breach of a rule.
type Finding struct {
	File string `json:"file"`
	Line int    `json:"line"` // from 1
	Rule string `json:"rule"`
	Text string `json:"text"`
}

// Lint returns what is wrong with the turns of a ledger, in the order of lines (L11).
func Lint(turns []Turn) (list []Finding) {
	add := func(line int, rule, text string) {
		list = append(list, Finding{Line: line, Rule: rule, Text: text})
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
		list = append(list, Finding{Line: line, Rule: RewrittenTurn,
			Text: fmt.Sprintf("turn %d of %s %s", i+1, ref, what)})
	}
	return list
}
