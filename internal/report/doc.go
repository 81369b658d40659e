// Package report writes what a person and the model read: the status block of an iteration, the final report of a
// run, and what an iteration is told at its entry. Values in, text out; every text that goes through the client stays under
// its limit of 10,000 characters, and none holds control characters from issue titles, questions or answers. It also reads
// what is asked of a skill in such a text: its report.
package report

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"hooks/internal/loop"
	"hooks/internal/printable"
)

// Limit is the length in characters that every text is kept under; the client cuts at 10,000 (R117, R150).
const Limit = 9_500

// clean makes foreign text safe to print: line breaks become blanks, other control characters are dropped.
func clean(s string) string { return printable.Line(s) }

// text collects lines up to the limit; what no longer fits is counted and said in the last line.
type text struct {
	b    strings.Builder
	left int
	cut  int
}

func newText() *text { return &text{left: Limit} }

// wholeText is for a person's terminal alone: nothing of it is cut.
func wholeText() *text { return &text{left: math.MaxInt} }

func (t *text) line(format string, args ...any) {
	s := clean(fmt.Sprintf(format, args...)) + "\n"
	n := utf8.RuneCountInString(s)
	if n > t.left {
		t.cut++
		return
	}
	t.left -= n
	t.b.WriteString(s)
}

func (t *text) String() string {
	if t.cut > 0 {
		fmt.Fprintf(&t.b, "… %d more lines are in the history\n", t.cut)
	}
	return strings.TrimRight(t.b.String(), "\n")
}

// numbers joins issue numbers as "#143, #145".
func numbers(list []int) string {
	parts := make([]string, len(list))
	for i, n := range list {
		parts[i] = fmt.Sprintf("#%d", n)
	}
	return strings.Join(parts, ", ")
}

func short(sha string) string { return sha[:min(7, len(sha))] }

// invocation is the run's command without its other flags: "/sdd:work --loop".
func invocation(b *loop.Budget) string {
	name, _, _ := strings.Cut(b.Command, " ")
	if name == "" {
		name = "/sdd:" + string(b.Skill)
	}
	return name + " --loop"
}

// ceiling prints an amount as a ceiling is typed: no cents where there are none.
func ceiling(u loop.USD) string { return "$" + strings.TrimSuffix(u.String(), ".00") }
