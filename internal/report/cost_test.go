package report

import (
	"strings"
	"testing"

	"hooks/internal/loop"
	"hooks/internal/page"
)

// Dollars are exact to the tenth of a cent, and the total is that of the exact amounts, not of what
// was printed.
func TestCostsAreExact(t *testing.T) {
	c := Cost{By: "model"}
	for _, m := range []string{"a", "b", "c"} {
		c.Rows = append(c.Rows,
			CostRow{Model: m, Tokens: loop.Tokens{Input: 1_234_567, Dollars: loop.Dollar / 2500}})
		c.Total = c.Total.Add(c.Rows[0].Tokens)
	}
	text := page.Draw(page.Screen{Width: 200}, c)
	for _, want := range []string{"API-equivalent", "a      1,234,567", "$0.000\n",
		"total  3,703,701", "$0.001"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	for u, want := range map[loop.USD]string{
		0: "0.000", 499_999_999: "0.000", 500_000_000: "0.001", 1_999_500_000_000: "2.000",
		25 * loop.Dollar: "25.000", 1_000_000 * loop.Dollar: "1000000.000",
	} {
		if got := Mills(u); got != want {
			t.Errorf("%d is %s, want %s", u, got, want)
		}
	}
}

func TestCostTextsAreHarmless(t *testing.T) {
	hostile := "x\x1b[2J\u202eevil\r\nSecond: line\x00"
	c := Cost{By: "task",
		Rows:  []CostRow{{Skill: "task", Number: 1, Task: hostile, RunID: hostile}},
		Notes: []string{hostile}}
	r := Rates{Rows: []RateRow{{Model: hostile, Source: hostile}}, Warnings: []string{hostile}}
	for name, text := range map[string]string{"costs": page.Draw(page.Screen{Width: 200}, c),
		"rates": page.Draw(page.Screen{Width: 200}, r)} {
		if strings.ContainsAny(text, "\x1b\r\x00\u202e") || strings.Contains(text, "\nSecond:") {
			t.Errorf("%s: %q", name, text)
		}
	}
}

// However much of a configuration is damaged, a status block says little of it.
func TestConfigNotesAreBounded(t *testing.T) {
	for n, want := range map[int]int{0: 0, 1: 1, 3: 3, 4: 4, 1000: 4} {
		if got := ConfigNotes(make([]string, n)); len(got) != want {
			t.Errorf("%d warnings make %d notes, want %d", n, len(got), want)
		}
	}
}
