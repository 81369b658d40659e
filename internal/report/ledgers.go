package report

import (
	"fmt"
	"strings"

	"hooks/internal/ledger"
	"hooks/internal/loop"
	"hooks/internal/term"
)

// Ledgers is the result of checking ledgers.
type Ledgers struct {
	Checked  int              `json:"checked"` // files
	Findings []ledger.Finding `json:"findings"`
}

// Errors counts the findings that are no warnings.
func (l Ledgers) Errors() (n int) {
	for _, f := range l.Findings {
		if f.Level == ledger.Error {
			n++
		}
	}
	return n
}

// LedgersText has a line for each finding: `file:line: rule: text` (L30).
func LedgersText(_ Screen, l Ledgers) string {
	var b strings.Builder
	for _, f := range l.Findings {
		mark := ""
		if f.Level == ledger.Warning {
			mark = " (warning)"
		}
		fmt.Fprintln(&b, term.Line(fmt.Sprintf("%s:%d: %s: %s%s", f.File, f.Line, f.Rule, f.Text,
			mark)))
	}
	fmt.Fprintf(&b, "%s checked, %s", loop.Plural(l.Checked, "ledger"),
		loop.Plural(len(l.Findings), "finding"))
	return b.String()
}
