package ledger

import (
	"fmt"
	"slices"
	"strings"

	"hooks/internal/hint"
)

// Names of the rules checked by Lint, Rewritten and CheckName.
const (
	NoFeedback    = "no-feedback"
	NoSeparator   = "no-separator"
	BodyFeedback  = "body-feedback"
	UnknownFile   = "unknown-file"
	RewrittenTurn = "rewritten-turn"
)

// Finding is one rule violation in a ledger.
type Finding struct {
	File string `json:"file"`
	Line int    `json:"line"` // from 1
	Rule string `json:"rule"`
	Text string `json:"text"`
}

// Lint returns the problems with a ledger's turns, sorted by line (L11).
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
			add(t.Section, BodyFeedback, fmt.Sprintf("turn %d has a second `%s` section on line %d",
				i+1, heading, turns[i+1].Section))
		default:
			add(t.Section, NoSeparator, fmt.Sprintf(
				"no `%s` line ends the feedback section of turn %d", separator, i+1))
		}
	}
	return list
}

// Rewritten returns a finding for each turn in older whose agent text has changed or is missing in
// now (L22). Feedback may change. ref names the older version, such as HEAD.
func Rewritten(older, now []Turn, ref string) (list []Finding) {
	for i, old := range older {
		line, what := 1, "was removed"
		switch {
		case i >= len(now):
		case now[i].Agent == old.Agent:
			continue
		default:
			line, what = max(now[i].Line, 1), "was changed"
		}
		list = append(list, Finding{Line: line, Rule: RewrittenTurn,
			Text: fmt.Sprintf("turn %d of %s %s", i+1, ref, what)})
	}
	return list
}

// Phases returns the names of the phases that have a ledger (L3–L10).
func Phases() []string {
	return []string{
		"ideation", "proposal", "specs", "discovery", "tasks", "plan", "implement", "reconcile",
	}
}

// perTask reports whether a phase has one ledger per task.
func perTask(phase string) bool { return phase == "plan" || phase == "implement" }

// Name returns the file name and the first line of a phase's ledger. number is the task number, or
// "" for a phase that covers the whole change.
func Name(phase, number string) (file, title string, err error) {
	switch {
	case !slices.Contains(Phases(), phase):
		return "", "", hint.New("name one of the phases "+strings.Join(Phases(), ", "),
			"there is no phase %q", phase)
	case perTask(phase) && (number == "" || !digits(number)):
		return "", "", hint.New("give the task's number, as in `hooks ledger new "+phase+
			" CHANGE 01`", "%q is not a task number", number)
	case !perTask(phase) && number != "":
		return "", "", hint.New("leave the number out; only the phases plan and implement have one",
			"the %s ledger takes no number, but got %q", phase, number)
	}
	title = "# " + strings.ToUpper(phase[:1]) + phase[1:] + " Loop"
	if number == "" {
		return phase + ".md", title + "\n", nil
	}
	if len(number) < 2 {
		number = "0" + number
	}
	if title += ": Task "; phase == "implement" {
		title = "# Implementation: Task "
	}
	return phase + "-" + number + ".md", title + number + "\n", nil
}

// Place returns the change and the file name in a slash-separated path that ends in
// changes/<name>/loops/<file>. ok is false for any other path.
func Place(path string) (change, file string, ok bool) {
	parts := strings.Split(path, "/")
	n := len(parts)
	if n < 4 || parts[n-4] != "changes" || parts[n-2] != "loops" || parts[n-3] == "" {
		return "", "", false
	}
	return parts[n-3], parts[n-1], true
}

// CheckName returns a finding if name is not a valid file name for a ledger, and nil otherwise.
func CheckName(name string) *Finding {
	phase, number, _ := strings.Cut(strings.TrimSuffix(name, ".md"), "-")
	if own, _, err := Name(phase, number); err != nil || own != name {
		return &Finding{Line: 1, Rule: UnknownFile,
			Text: name + " does not have a ledger's name, such as tasks.md or plan-01.md"}
	}
	return nil
}
