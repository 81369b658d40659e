// Package report produces the text that describes a loop: the model's context at the start of an
// iteration, its status block, the final report, and the commands' pages and tables. It also parses
// a skill's report. It does no I/O except to a given writer. Text for the client stays below the
// client's limit of 10,000 characters. Control characters from issue titles, questions or answers
// are removed.
package report

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"hooks/internal/english"
	"hooks/internal/loop"
	"hooks/internal/term"
)

// Limit bounds text for the client, in characters. The client cuts at 10,000 (R117, R150).
const Limit = 9_500

// text collects lines up to Limit. Its last line counts the lines that did not fit.
type text struct {
	b    strings.Builder
	used int // in characters
	cut  int // number of lines that did not fit
}

func (t *text) line(format string, args ...any) {
	s := term.Line(fmt.Sprintf(format, args...)) + "\n"
	n := utf8.RuneCountInString(s)
	if t.used+n > Limit {
		t.cut++
		return
	}
	t.used += n
	t.b.WriteString(s)
}

// lines adds each string as a line that starts with prefix.
func (t *text) lines(prefix string, list []string) {
	for _, s := range list {
		t.line("%s%s", prefix, s)
	}
}

func (t *text) String() string {
	if t.cut > 0 {
		fmt.Fprintf(&t.b, "… and %s in the history", english.Plural(t.cut, "further line"))
	}
	return strings.TrimRight(t.b.String(), "\n")
}

// Short returns untrusted text as one printable line of at most 500 characters.
func Short(text string) string { return term.Clip(term.Line(text), 500) }

// when returns text if holds is true, and "" otherwise.
func when(holds bool, text string) string {
	if holds {
		return text
	}
	return ""
}

// prefixed returns prefix+s, or "" if s is empty.
func prefixed(prefix, s string) string { return when(s != "", prefix+s) }

func commas(parts ...string) string { return strings.Join(parts, ", ") }

// each returns the results of calling f on each item of list.
func each[T, R any](list []T, f func(T) R) []R {
	results := make([]R, len(list))
	for i, item := range list {
		results[i] = f(item)
	}
	return results
}

// numbers joins issue numbers as "#143, #145".
func numbers(list []int) string {
	return commas(each(list, func(n int) string { return fmt.Sprintf("#%d", n) })...)
}

// invocation returns the run's command without its arguments, except for --loop if the command
// needs it, for example "/sdd:work --loop" or "/sdd:go".
func invocation(b *loop.Budget) string {
	c := b.Invocation()
	if c.Name == "" {
		c.Name = b.Kind().Invoked()[1:]
	}
	if c.OptsIn() {
		return "/" + c.Name + " --loop"
	}
	return "/" + c.Name
}

// state returns a run's status in words. A loop whose list or plan is done is "finished", not
// "halted".
func state(b *loop.Budget) string {
	if b.Own != nil && loop.Completes(b.StopCause) {
		return "finished"
	}
	return string(b.Status)
}

// ceiling formats an amount the way people type ceilings, omitting zero cents.
func ceiling(u loop.USD) string { return "$" + strings.TrimSuffix(u.String(), ".00") }
