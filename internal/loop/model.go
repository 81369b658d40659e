package loop

import (
	"fmt"
	"strings"
)

// Model is the model of the main thread's last request, beside the dearest one of the run.
type Model struct {
	Name   string // "" unknown
	Than   string // the run's, with which it was compared; as of Budget
	Tenths int64  // its price in tenths of that one's; 0 unless it is dearer
}

// meetModel records the run's first model and, later, a dearer one. It returns the line that
// reports the latter, and whether the run has changed. A cheaper model stays unrecorded, so a
// client that changes between two reports the dearer one once.
func (b *Budget) meetModel(m Model, spent USD) (line string, changed bool) {
	first := b.Model == ""
	if b.Ceilings.Dollars == 0 || m.Name == "" || m.Than != b.Model || !first && m.Tenths == 0 {
		return "", false
	}
	b.Model = m.Name
	if first {
		return "", true
	}
	times := strings.TrimSuffix(fmt.Sprintf("%d.%d", m.Tenths/10, m.Tenths%10), ".0")
	return fmt.Sprintf("The model is now %s: about %s times as dear as %s; $%s of $%s left",
		m.Name, times, m.Than, b.Ceilings.Dollars.minus(spent), b.Ceilings.Dollars), true
}
