package tasks

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"hooks/internal/loop"
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

// keptHeadings are the sections whose lines a worker must not remove (T36).
var keptHeadings = []string{completedHeading, learningsHeading}

// none is the text of an empty section.
const none = "(none)"

// maxFlag bounds what Flagged returns, in bytes.
const maxFlag = 2000

// Progress returns the text of the run's progress file. now is the file on disk, or nil if there is
// none; kept is the text that the run wrote last, or nil before it wrote any. With settled, a
// person has seen what the last attempt flagged (T29–T37, T82).
func (r *Run) Progress(now, kept []byte, settled bool) []byte {
	f := parse(now)
	switch {
	case now == nil && kept == nil:
		f = newProgress(r.Goal, r.Issue)
	case now == nil:
		f = parse(kept)
	case kept != nil:
		f.restore(parse(kept))
	case r.Import == nil:
		f.renew(r.Goal, r.Issue)
	}
	for i, t := range r.List { // repeated in case of an earlier crash
		if t.Result.Worked() {
			f.complete(i, t)
		}
	}
	if settled { // the gate and the history contain the text
		f.clearFlagged()
	}
	f.replace(f.section(currentHeading), orNone(r.current()))
	return f.bytes()
}

// current returns the current task as the progress file names it, or "" if no work is left (T34).
func (r *Run) current() string {
	switch {
	case r.Complete():
		return ""
	case r.PRStep():
		return prTitle
	}
	return fmt.Sprintf("Task %d: %s", r.Index, r.List[r.Index].Title)
}

// newProgress returns a new progress file. An empty goal or issue is written as "(none)" (T29–T31).
func newProgress(goal, issue string) *file {
	return parse([]byte(strings.Join([]string{
		goalHeading, orNone(goal), "", issueHeading, orNone(issue), "", completedHeading, "",
		learningsHeading, "", currentHeading, none, "", flaggedHeading, none, "",
	}, "\n")))
}

// orNone returns a text on one line that cannot be mistaken for a heading, or "(none)".
func orNone(text string) string {
	if text = strings.TrimLeft(markdown.OneLine(text), "# "); text != "" {
		return text
	}
	return none
}

// renew prepares the progress file of an earlier run for a new one. It keeps Learnings and foreign
// sections.
func (f *file) renew(goal, issue string) {
	f.replace(f.section(goalHeading), orNone(goal))
	f.replace(f.section(issueHeading), orNone(issue))
	f.parts[f.section(completedHeading)].body = []string{f.eol}
	f.section(learningsHeading)
	f.replace(f.section(currentHeading), none)
	f.replace(f.section(flaggedHeading), none)
}

// complete adds the line of a completed task to Completed Tasks, as in "- [x] Task 0: Add schema
// migration -- abc1234 (2 min)". index counts from 0. If the worker already wrote lines for that
// task, the last one is kept if it names the same commit, and replaced otherwise (T32).
func (f *file) complete(index int, t Item) {
	commit := "no commit"
	if t.SHA != "" {
		commit = t.SHA[:min(len(t.SHA), 12)]
	}
	done := fmt.Sprintf("- [x] Task %d: %s -- %s (%d min)", index, markdown.OneLine(t.Title),
		commit, max(1, t.Minutes))
	at := f.section(completedHeading)
	body, last := f.parts[at].body, -1
	for i, old := range body {
		if filled(old) {
			last = i
		}
	}
	for i, old := range slices.Backward(body) {
		if taskNumber(old) != strconv.Itoa(index) {
			continue
		}
		if t.SHA == "" || !loop.SameSHA(commitOf(old), t.SHA) {
			body[i] = done + old[len(strings.TrimRight(old, "\r\n")):]
		}
		return
	}
	f.insert(at, last+1, done)
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

// commitOf returns the word after the last " -- " of the line of a completed task, or "".
func commitOf(line string) string {
	at := strings.LastIndex(line, " -- ")
	if at < 0 {
		return ""
	}
	word, _, _ := strings.Cut(strings.TrimSpace(line[at+len(" -- "):]), " ")
	return strings.Trim(word, "`")
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

// clearFlagged empties Blocked / Flagged. It leaves a file that flags nothing unchanged.
func (f *file) clearFlagged() {
	if Flagged(f.bytes()) == "" {
		return
	}
	for i, p := range f.parts {
		if p.is(flaggedHeading) {
			f.replace(i, none)
		}
	}
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

// Lost returns the lines of Completed Tasks and of Learnings in before that are missing or changed
// in now, in order, without trailing white space. It ignores blank lines, comments, placeholders
// and the order of lines (T36).
func Lost(before, now []byte) []string {
	old, new := parse(before), parse(now)
	var lost []string
	for _, heading := range keptHeadings {
		lost = append(lost, missing(old.entries(heading), new.entries(heading))...)
	}
	return lost
}

// restore puts back the lines that Lost returns, in their order, followed by the new lines. A
// section that lost nothing is unchanged (T36, T82).
func (f *file) restore(old *file) {
	for _, heading := range keptHeadings {
		was, is := old.entries(heading), f.entries(heading)
		if len(missing(was, is)) > 0 {
			at := f.section(heading)
			f.parts[at].body = nil
			f.insert(at, 0, append(was, missing(is, was)...)...)
		}
	}
}

// entries returns the lines that must be kept in all sections with a heading, without trailing
// white space.
func (f *file) entries(heading string) (list []string) {
	for _, p := range f.parts {
		for _, line := range p.body {
			bare := strings.TrimSpace(line)
			comment := strings.HasPrefix(bare, "<!--") && strings.HasSuffix(bare, "-->")
			if p.heading != "" && p.is(heading) && !comment && !placeholder(bare) {
				list = append(list, strings.TrimRight(line, " \t\r\n"))
			}
		}
	}
	return list
}

// missing returns the lines of one list that are not in another. Duplicates count.
func missing(of, in []string) (list []string) {
	left := slices.Clone(in)
	for _, line := range of {
		if i := slices.Index(left, line); i >= 0 {
			left = slices.Delete(left, i, i+1)
		} else {
			list = append(list, line)
		}
	}
	return list
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

// bom is the byte order mark that some editors put in front of UTF-8.
const bom = "\ufeff"

// file is a progress file split into parts. The joined parts equal the file byte for byte.
//
// A line that begins with "## " begins a part, even in a code block or a comment. A block that a
// worker left open therefore does not hide the sections below it.
type file struct {
	parts []part
	eol   string // line break for new lines
}

// part is a heading and the lines below it.
type part struct {
	heading string   // heading with its line break; empty before the first heading
	body    []string // lines with their line breaks
}

func parse(text []byte) *file {
	f := &file{parts: []part{{}}, eol: "\n"}
	for line := range strings.Lines(string(text)) {
		if strings.HasSuffix(line, "\r\n") {
			f.eol = "\r\n"
		}
		last := &f.parts[len(f.parts)-1]
		if strings.HasPrefix(strings.TrimPrefix(line, bom), "## ") {
			f.parts = append(f.parts, part{heading: line})
		} else {
			last.body = append(last.body, line)
		}
	}
	return f
}

func (f *file) bytes() []byte {
	var b strings.Builder
	for _, p := range f.parts {
		b.WriteString(p.heading)
		b.WriteString(strings.Join(p.body, ""))
	}
	return []byte(b.String())
}

// is reports whether a part has a heading. Case, blanks and closing marks do not matter.
func (p part) is(heading string) bool {
	return sameHeading(p.heading) == sameHeading(heading)
}

func sameHeading(heading string) string {
	heading = strings.Trim(strings.TrimPrefix(heading, bom), "# \t\r\n")
	return strings.ToLower(strings.ReplaceAll(heading, " ", ""))
}

// section returns the index of the first part with a heading. If there is none, it adds the part
// at the end.
func (f *file) section(heading string) int {
	for i, p := range f.parts {
		if p.heading != "" && p.is(heading) {
			return i
		}
	}
	last := len(f.parts) - 1
	f.endLine(last)
	p := &f.parts[last]
	if n := len(p.body); n > 0 && filled(p.body[n-1]) || n == 0 && p.heading != "" {
		p.body = append(p.body, f.eol)
	}
	f.parts = append(f.parts, part{heading: heading + f.eol})
	return last + 1
}

// endLine appends a line break to the last line of a part if it has none.
func (f *file) endLine(at int) {
	p := &f.parts[at]
	line := &p.heading
	if len(p.body) > 0 {
		line = &p.body[len(p.body)-1]
	}
	if *line != "" && !strings.HasSuffix(*line, "\n") {
		*line += f.eol
	}
}

// insert adds lines to a part in front of its line at index before. If they end the part and
// another part follows, a blank line is added.
func (f *file) insert(at, before int, lines ...string) {
	if before == len(f.parts[at].body) {
		f.endLine(at)
	}
	p := &f.parts[at]
	for i, line := range lines {
		lines[i] = line + f.eol
	}
	if before == len(p.body) && at < len(f.parts)-1 {
		lines = append(lines, f.eol)
	}
	p.body = slices.Insert(p.body, before, lines...)
}

func (f *file) replace(at int, line string) {
	f.parts[at].body = nil
	f.insert(at, 0, line)
}

func filled(line string) bool { return strings.TrimSpace(line) != "" }
