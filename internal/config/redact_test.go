package config

import (
	"fmt"
	"strings"
	"testing"
)

func logging(rows ...string) Config {
	return Parse("## SDD Configuration\n### Loop Logging\n| Pattern | Replace with |\n|---|---|\n" +
		strings.Join(rows, "\n"))
}

func TestRedact(t *testing.T) {
	tests := []struct{ row, in, want string }{
		{"| `(?i)token=\\S+` | `token=<redacted>` |", "a TOKEN=abc123 b", "a token=<redacted> b"},
		{"| `(?i)token=\\S+` | |", "a token=abc123 b", "a  b"},
		{"| `(user)=\\S+` | `$1=x` |", "user=bob", "user=x"},
		{"| `(?P<who>user)=\\S+` | `${who} costs $$5` |", "user=bob", "user costs $5"},
		{"| `a\\|b` | `x` |", "a b c", "x x c"},
		{"| `a|b` | `x` |", "a b c", "x x c"},
		{"ghp_[a-z]+ | gone", "ghp_abc", "gone"},
		{"| `z*` | `-` |", "ab", "-a-b-"},
	}
	for _, tt := range tests {
		c := logging(tt.row)
		if len(c.Warnings) > 0 {
			t.Errorf("%s: %v", tt.row, c.Warnings)
		}
		if got := c.Redact(tt.in); got != tt.want {
			t.Errorf("%s: Redact(%q) = %q, want %q", tt.row, tt.in, got, tt.want)
		}
	}
}

func TestRedactKeepsTheOrderOfRows(t *testing.T) {
	if got := logging("| a | b |", "| b | c |").Redact("a"); got != "c" {
		t.Errorf("got %q", got)
	}
}

func TestNothingPastTheBoundIsWritten(t *testing.T) {
	c := logging("| secret | x |")
	in := strings.Repeat("é", maxRedact) + "secret"
	if got := c.Redact(in); len(got) > maxRedact || strings.Contains(got, "secret") {
		t.Errorf("%d bytes", len(got))
	}
	wide := logging("| . | " + strings.Repeat("y", maxPattern) + " |")
	if got := wide.Redact(in); len(got) > maxRedact {
		t.Errorf("%d bytes", len(got))
	}
	if got := (Config{}).Redact(in); got != in {
		t.Error("a project without patterns must not lose text")
	}
}

func TestPatternBounds(t *testing.T) {
	rows := []string{"| `" + strings.Repeat("a", maxPattern+1) + "` | x |"}
	for i := range maxPatterns + 1 {
		rows = append(rows, fmt.Sprintf("| p%d | x |", i))
	}
	c := logging(rows...)
	if len(c.Patterns) != maxPatterns || len(c.Warnings) != 2 {
		t.Errorf("%d patterns, %v", len(c.Patterns), c.Warnings)
	}
}
