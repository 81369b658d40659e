package tasks

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"hooks/internal/markdown"
)

// The sections of the progress file (T29).
const (
	goalHeading      = "## Goal"
	issueHeading     = "## Linear Issue"
	completedHeading = "## Completed Tasks"
	learningsHeading = "## Learnings"
	currentHeading   = "## Current Task"
	flaggedHeading   = "## Blocked / Flagged"
)

// none is the text of an empty section.
const none = "(none)"

// maxFlag bounds what Flagged returns, in bytes.
const maxFlag = 2000

// NewProgress returns a new progress file. An empty goal or issue is written as "(none)"
// (T29–T31).
func NewProgress(goal, issue string) []byte {
	return []byte(strings.Join([]string{
		goalHeading, orNone(goal), "", issueHeading, orNone(issue), "", completedHeading, "",
		learningsHeading, "", currentHeading, none, "", flaggedHeading, none, "",
	}, "\n"))
}

// orNone returns a text on one line that cannot be mistaken for a heading, or "(none)".
func orNone(text string) string {
	if text = strings.TrimLeft(markdown.OneLine(text), "# "); text != "" {
		return text
	}
	return none
}

// DoneLine returns the line of a completed task, as in "- [x] Task 0: Add schema migration --
// abc1234 (2 min)". index counts from 0. commit is empty for a task without a commit. took is
// rounded to minutes, at least 1 (T32).
func DoneLine(index int, title, commit string, took time.Duration) string {
	if commit == "" {
		commit = "no commit"
	}
	minutes := max(1, int(took.Round(time.Minute)/time.Minute))
	return fmt.Sprintf("- [x] Task %d: %s -- %s (%d min)", index, markdown.OneLine(title),
		commit[:min(len(commit), 12)], minutes)
}

// Completed adds a line of DoneLine to Completed Tasks. If the worker already wrote lines for that
// task, the last one is kept if it names the same commit, and replaced otherwise (T32).
func Completed(text []byte, line string) []byte {
	f := parse(text)
	at, done := f.section(completedHeading), strings.TrimLeft(markdown.OneLine(line), "# ")
	body, last := f.parts[at].body, -1
	for i, old := range body {
		if filled(old) {
			last = i
		}
	}
	for i, old := range slices.Backward(body) {
		if number := taskNumber(old); number == "" || number != taskNumber(done) {
			continue
		}
		if !sameCommit(old, done) {
			body[i] = done + ending(old)
		}
		return f.bytes()
	}
	f.insert(at, last+1, done)
	return f.bytes()
}

// taskNumber returns the number in the line of a completed task, or "".
func taskNumber(line string) string {
	text := markdown.Item(strings.TrimSpace(line))
	rest, found := strings.CutPrefix(text, "Task ")
	end := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
	if !found {
		return ""
	}
	return rest[:end]
}

// sameCommit reports whether two lines name the same commit, abbreviated to seven digits or more.
func sameCommit(a, b string) bool {
	a, b = commitOf(a), commitOf(b)
	return min(len(a), len(b)) >= 7 && (strings.HasPrefix(a, b) || strings.HasPrefix(b, a))
}

// commitOf returns the word after the last " -- ".
func commitOf(line string) string {
	at := strings.LastIndex(line, " -- ")
	if at < 0 {
		return ""
	}
	word, _, _ := strings.Cut(strings.TrimSpace(line[at+len(" -- "):]), " ")
	return strings.Trim(word, "`")
}

// SetCurrent replaces the text of Current Task, as in "Task 2: Build preference sync service". An
// empty task is written as "(none)" (T34, T37).
func SetCurrent(text []byte, task string) []byte {
	f := parse(text)
	f.replace(f.section(currentHeading), orNone(task))
	return f.bytes()
}

// Flagged returns the text of Blocked / Flagged, at most 2000 bytes. It is empty if the section
// contains only white space, comments and a placeholder such as "(none)" (T35).
func Flagged(text []byte) string {
	var flags strings.Builder
	for _, p := range parse(text).parts {
		if p.is(flaggedHeading) {
			for line := range strings.Lines(uncomment(strings.Join(p.body, ""))) {
				if !placeholder(line) {
					flags.WriteString(line)
				}
			}
		}
	}
	return markdown.Cut(strings.TrimSpace(markdown.Clean(flags.String())), maxFlag)
}

// Renew prepares the progress file of an earlier run for a new one. It keeps Learnings and foreign
// sections.
func Renew(text []byte, goal, issue string) []byte {
	f := parse(text)
	f.replace(f.section(goalHeading), orNone(goal))
	f.replace(f.section(issueHeading), orNone(issue))
	f.parts[f.section(completedHeading)].body = []string{f.eol}
	f.section(learningsHeading)
	f.replace(f.section(currentHeading), none)
	f.replace(f.section(flaggedHeading), none)
	return f.bytes()
}

// ClearFlagged empties Blocked / Flagged. It returns a file that flags nothing unchanged.
func ClearFlagged(text []byte) []byte {
	if Flagged(text) == "" {
		return text
	}
	f := parse(text)
	for i, p := range f.parts {
		if p.is(flaggedHeading) {
			f.replace(i, none)
		}
	}
	return f.bytes()
}

// placeholder reports whether a line is blank, a rule, a fence, or a word such as "none".
func placeholder(line string) bool {
	text := markdown.Item(strings.TrimSpace(line))
	switch strings.ToLower(strings.Trim(text, "()[]_*`.-–—= ")) {
	case "", "none", "none yet", "nothing", "n/a":
		return true
	}
	return false
}

// uncomment cuts HTML comments out of a text. A comment that is never closed is kept, because it
// must not hide a flag.
func uncomment(text string) string {
	var b strings.Builder
	for {
		before, rest, open := strings.Cut(text, "<!--")
		_, after, closed := strings.Cut(rest, "-->")
		if !open || !closed {
			return b.String() + text
		}
		b.WriteString(before)
		text = after
	}
}

// tail returns at most the last n bytes of a text, from the start of a line, or of a rune if the
// last line is longer than n.
func tail(text []byte, n int) []byte {
	from := len(text) - max(n, 0)
	if from <= 0 {
		return text
	}
	tail := text[from:]
	if text[from-1] == '\n' {
		return tail
	}
	if _, lines, found := strings.Cut(string(tail), "\n"); found && lines != "" {
		return []byte(lines)
	}
	for len(tail) > 0 && !utf8.RuneStart(tail[0]) {
		tail = tail[1:]
	}
	return tail
}
