package tasks

import (
	"slices"
	"strings"
)

// keptHeadings are the sections whose lines a worker must not remove (T36).
var keptHeadings = []string{completedHeading, learningsHeading}

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

// Restore returns now with the lines that Lost returns, in their order, followed by the new lines.
// A section that lost nothing is unchanged (T36, T82).
func Restore(before, now []byte) []byte {
	old, new := parse(before), parse(now)
	for _, heading := range keptHeadings {
		was, is := old.entries(heading), new.entries(heading)
		if len(missing(was, is)) > 0 {
			at := new.section(heading)
			new.parts[at].body = nil
			new.insert(at, 0, append(was, missing(is, was)...)...)
		}
	}
	return new.bytes()
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
