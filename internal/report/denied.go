package report

import (
	"fmt"
	"strings"

	"hooks/internal/loop"
)

// maxRefusals bounds how many refusals one line names.
const maxRefusals = 3

// refusals is a list of refusals in one line, "" for none.
func refusals(list []loop.Denial) string {
	n := loop.Refusals(list)
	if n == 0 {
		return ""
	}
	var parts []string
	for _, d := range list[:min(len(list), maxRefusals)] {
		parts = append(parts, refusal(d))
	}
	if more := loop.Refusals(list[len(parts):]); more > 0 {
		parts = append(parts, fmt.Sprintf("%d more", more))
	}
	return loop.Plural(n, "call") + " refused: " + strings.Join(parts, ", ")
}

// refusal is one entry: the rule, the call, how often.
func refusal(d loop.Denial) string {
	s := d.Rule + " (" + refusedCall(d) + ")"
	if d.Times > 1 {
		s += fmt.Sprintf(" %d times", d.Times)
	}
	return s
}

func refusedCall(d loop.Denial) string { return strings.Trim(d.Tool+": "+d.What, ": ") }
