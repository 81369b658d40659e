package tasks

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

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

// keptHeadings lists the sections whose lines a worker must not remove (T36).
var keptHeadings = []string{completedHeading, learningsHeading}

// none is the contents of an empty section.
const none = "(none)"

// maxFlag bounds the result of Flagged, in bytes.
const maxFlag = 2000

// Progress returns the new contents of the run's progress file. now is the file on disk, or nil if
// it is missing; kept is what the run last wrote, or nil if it wrote nothing yet. settled reports
// whether a person has seen the last attempt's flags (T29–T37, T82).
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
	if settled { // the gate and the history keep the text
		f.clearFlagged()
	}
	f.section(currentHeading).body = orNone(r.current())
	return f.bytes()
}

// current returns the current task as written in the progress file, or "" if no work is left (T34).
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
	f := &file{}
	for _, heading := range []string{goalHeading, issueHeading, completedHeading, learningsHeading,
		currentHeading, flaggedHeading} {
		f.section(heading)
	}
	f.renew(goal, issue)
	return f
}

// orNone returns text on one line that cannot be mistaken for a heading, or "(none)" if empty.
func orNone(text string) string {
	if text = strings.TrimLeft(markdown.OneLine(text), "# "); text != "" {
		return text
	}
	return none
}

// renew reuses the progress file of an earlier run for a new run. It keeps Learnings and foreign
// sections.
func (f *file) renew(goal, issue string) {
	f.section(goalHeading).body = orNone(goal)
	f.section(issueHeading).body = orNone(issue)
	f.section(completedHeading).body = ""
	f.section(learningsHeading)
	f.section(currentHeading).body = none
	f.section(flaggedHeading).body = none
}

// complete adds a line to Completed Tasks, such as "- [x] Task 0: Add schema migration -- abc1234
// (2 min)". index counts from 0. If the worker already wrote lines for the task, complete keeps the
// last one if it names the same commit, and replaces it otherwise (T32).
func (f *file) complete(index int, t Item) {
	commit := "no commit"
	if t.SHA != "" {
		commit = t.SHA[:min(len(t.SHA), 12)]
	}
	done := fmt.Sprintf("- [x] Task %d: %s -- %s (%d min)", index, markdown.OneLine(t.Title),
		commit, max(1, t.Minutes))
	p := f.section(completedHeading)
	lines := strings.Split(p.body, "\n")
	for i, old := range slices.Backward(lines) {
		if taskNumber(old) != strconv.Itoa(index) {
			continue
		}
		if t.SHA == "" || !loop.SameSHA(commitOf(old), t.SHA) {
			lines[i] = done
		}
		p.body = strings.Join(lines, "\n")
		return
	}
	p.body = strings.TrimLeft(p.body+"\n"+done, "\n")
}

// taskNumber returns the task number in a line of Completed Tasks, or "".
func taskNumber(line string) string {
	text := markdown.Item(strings.TrimSpace(line))
	rest, found := strings.CutPrefix(text, "Task ")
	end := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
	if !found {
		return ""
	}
	return rest[:end]
}

// commitOf returns the commit in a line of Completed Tasks, the word after the last " -- ", or "".
func commitOf(line string) string {
	at := strings.LastIndex(line, " -- ")
	if at < 0 {
		return ""
	}
	word, _, _ := strings.Cut(strings.TrimSpace(line[at+len(" -- "):]), " ")
	return strings.Trim(word, "`")
}

// comment matches a closed HTML comment. An unclosed comment must not hide a flag.
var comment = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?s)<!--.*?-->`)
})

// Flagged returns the text under Blocked / Flagged, cut to 2000 bytes. It returns "" if the section
// has only white space, comments and placeholders such as "(none)" (T35).
func Flagged(text []byte) string {
	var flags strings.Builder
	for _, p := range parse(text).parts {
		if p.is(flaggedHeading) {
			for line := range strings.Lines(comment().ReplaceAllString(p.body, "") + "\n") {
				if !placeholder(line) {
					flags.WriteString(line)
				}
			}
		}
	}
	return markdown.Cut(strings.TrimSpace(markdown.Clean(flags.String())), maxFlag)
}

func (f *file) clearFlagged() {
	for _, p := range f.parts {
		if p.is(flaggedHeading) {
			p.body = none
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

// Lost returns the lines under Completed Tasks and Learnings in before that are missing from now or
// changed there, in order, without trailing white space. It ignores blank lines, comments,
// placeholders and the order of lines (T36).
func Lost(before, now []byte) []string {
	old, new := parse(before), parse(now)
	var lost []string
	for _, heading := range keptHeadings {
		lost = append(lost, missing(old.entries(heading), new.entries(heading))...)
	}
	return lost
}

// restore puts back the lines that Lost returns. If a section lost lines, its old lines come first,
// in their order, followed by the new ones. Other sections do not change (T36, T82).
func (f *file) restore(old *file) {
	for _, heading := range keptHeadings {
		was, is := old.entries(heading), f.entries(heading)
		if len(missing(was, is)) > 0 {
			f.section(heading).body = strings.Join(append(was, missing(is, was)...), "\n")
		}
	}
}

// entries returns the lines worth keeping from all sections with the heading, without trailing
// white space.
func (f *file) entries(heading string) (list []string) {
	for _, p := range f.parts {
		for line := range strings.SplitSeq(p.body, "\n") {
			bare := strings.TrimSpace(line)
			comment := strings.HasPrefix(bare, "<!--") && strings.HasSuffix(bare, "-->")
			if p.is(heading) && !comment && !placeholder(bare) {
				list = append(list, strings.TrimRight(line, " \t"))
			}
		}
	}
	return list
}

// missing returns the lines in the first list that are not in the second. Duplicates count.
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

// tail returns at most the last n bytes of text, starting at the beginning of a line, or of a rune
// if the last line is longer than n.
func tail(text string, n int) string {
	if len(text) <= n {
		return text
	}
	text = strings.ToValidUTF8(text[len(text)-max(n, 0):], "")
	if _, lines, found := strings.Cut(text, "\n"); found && lines != "" {
		return lines
	}
	return text
}

// bom is the byte order mark that some editors put in front of UTF-8.
const bom = "\ufeff"

// file is a progress file split into parts.
//
// A line that begins with "## " begins a part, even in a code block or a comment. A block that a
// worker left open therefore does not hide the sections below it.
type file struct{ parts []*part }

// part is a heading and the text below it, without blank lines around the text. The heading is
// empty for the text before the first heading.
type part struct{ heading, body string }

func parse(text []byte) *file {
	f := &file{}
	whole := strings.ReplaceAll(strings.TrimLeft(string(text), bom), "\r", "")
	for i, chunk := range strings.Split("\n"+whole, "\n## ") {
		p := &part{body: chunk}
		if i > 0 {
			p.heading, p.body, _ = strings.Cut("## "+chunk, "\n")
		}
		p.body = strings.Trim(p.body, "\n")
		f.parts = append(f.parts, p)
	}
	return f
}

// bytes returns the file with one blank line between its parts.
func (f *file) bytes() []byte {
	var b strings.Builder
	for _, p := range f.parts {
		b.WriteString(strings.Trim(p.heading+"\n"+p.body, "\n") + "\n\n")
	}
	return []byte(strings.Trim(b.String(), "\n") + "\n")
}

// is reports whether a part has the given heading, ignoring case, blanks and closing # marks.
func (p *part) is(heading string) bool { return sameHeading(p.heading) == sameHeading(heading) }

func sameHeading(heading string) string {
	heading = strings.Trim(heading, "# \t")
	return strings.ToLower(strings.ReplaceAll(heading, " ", ""))
}

// section returns the first part with the given heading. If there is none, it appends one.
func (f *file) section(heading string) *part {
	i := slices.IndexFunc(f.parts, func(p *part) bool { return p.is(heading) })
	if i < 0 {
		i = len(f.parts)
		f.parts = append(f.parts, &part{heading: heading})
	}
	return f.parts[i]
}
