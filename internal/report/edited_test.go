package report

import (
	"testing"

	"hooks/internal/kind/audit"
)

// An edited budget may name a section that its plan does not have; its page still opens.
func TestSectionThatThePlanLacks(t *testing.T) {
	for _, section := range []int{-1, 2} {
		r := &audit.Run{Phase: audit.Coding, Section: section, Sections: []string{"a"}}
		if b := (auditLoop{run: r}); len(b.stand()) == 0 {
			t.Errorf("section %d: no rows", section)
		}
	}
}
