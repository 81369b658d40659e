package tasks

import (
	"slices"
	"strings"
)

// Lost returns the lines of Completed Tasks and of Learnings that are gone or changed since before,
// in order, without white space at their ends. Blank lines, comments and placeholders do not count,
// and neither does the order of lines (T36).
func Lost(before, now []byte) []string {
	old, new := parse(before), parse(now)
	var lost []string
	for _, heading := range []string{completedHeading, learningsHeading} {
		left := count(new.entries(heading))
		for _, line := range old.entries(heading) {
			if left[line]--; left[line] < 0 {
				lost = append(lost, line)
			}
		}
	}
	return lost
}

// Restore returns now with the lines that Lost names back in their places. Everything else stays as
// it is (T36, T82).
func Restore(before, now []byte) []byte {
	old, new := parse(before), parse(now)
	for _, heading := range []string{completedHeading, learningsHeading} {
		if want := old.entries(heading); len(want) > 0 {
			new.restore(heading, want)
		}
	}
	return new.bytes()
}

// restore inserts each missing line below the one that was in front of it.
func (f *file) restore(heading string, want []string) {
	left := count(f.entries(heading))
	at := -1
	pos := 0 // in the section's lines, below the last wanted line
	for _, line := range want {
		if left[line]--; left[line] >= 0 {
			if at < 0 {
				at = f.section(heading)
			}
			if i := slices.IndexFunc(f.parts[at].body[pos:], func(have string) bool {
				return entry(have) == line
			}); i >= 0 {
				pos += i + 1
			}
			continue
		}
		at = f.section(heading)
		if pos == 0 {
			pos = max(0, slices.IndexFunc(f.parts[at].body, filled))
		}
		f.insert(at, pos, line)
		pos++
	}
}

// entries are the lines of all sections with a heading that must not be lost.
func (f *file) entries(heading string) (list []string) {
	for _, p := range f.parts {
		if p.heading == "" || !p.is(heading) {
			continue
		}
		for _, line := range p.body {
			if line = entry(line); line != "" {
				list = append(list, line)
			}
		}
	}
	return list
}

// entry is a line without white space at its end, or "" if it may be lost.
func entry(line string) string {
	line = strings.TrimRight(line, " \t\r\n")
	bare := strings.TrimSpace(line)
	comment := strings.HasPrefix(bare, "<!--") && strings.HasSuffix(bare, "-->")
	if comment || placeholder(bare) {
		return ""
	}
	return line
}

func count(lines []string) map[string]int {
	n := map[string]int{}
	for _, line := range lines {
		n[line]++
	}
	return n
}
