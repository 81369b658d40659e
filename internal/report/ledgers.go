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

// LedgersText has a line for each finding: `file:line: rule: text` (L30).
func LedgersText(_ Screen, l Ledgers) string {
	var b strings.Builder
	for _, f := range l.Findings {
		fmt.Fprintln(&b, term.Line(fmt.Sprintf("%s:%d: %s: %s", f.File, f.Line, f.Rule, f.Text)))
	}
	fmt.Fprintf(&b, "%s checked, %s", loop.Plural(l.Checked, "ledger"),
		loop.Plural(len(l.Findings), "finding"))
	return b.String()
}
