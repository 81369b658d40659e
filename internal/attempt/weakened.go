package attempt

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"hooks/internal/markdown"
)

// maxWeakened is the maximum number of sentences that Weakened returns.
const maxWeakened = 50

// Weakened returns one sentence for each way a diff weakens the tests: a deleted test file, an
// added skip mark, or a removed test or assertion. It ignores a skip mark that the diff also
// removes from the same file, and a test that it also adds elsewhere, because these were moved. The
// diff is the output of `git diff --no-color --no-ext-diff -M90%` without context; -M90% keeps git
// from treating a rewritten file as renamed. Weakened returns at most 50 sentences (T96).
func Weakened(diff []byte) (found []string) {
	list, added, marks := testHunks(string(diff)), map[string]bool{}, map[string]int{}
	for _, h := range list {
		for _, line := range h.added {
			added[unskipped(line)] = true
		}
		for _, line := range h.removed {
			marks[h.file+" "+skipMark(line)]++
		}
	}
	for _, h := range list {
		if h.gone {
			found = append(found, name(h.file)+" was deleted")
			continue
		}
		for i, line := range h.added {
			mark := skipMark(line)
			key := h.file + " " + mark
			// outside test files, a bare word such as "skip" may be prose
			word := !isTest(h.file) && !strings.ContainsAny(mark, "@#.[:")
			if marks[key]--; mark != "" && !word && marks[key] < 0 {
				found = append(found, fmt.Sprintf("%s:%d adds %s", name(h.file), h.line+i, mark))
			}
		}
		if isTest(h.file) {
			found = append(found, h.loses(added)...)
		}
	}
	if more := len(found) - maxWeakened; more > 0 {
		found = append(found[:maxWeakened-1], fmt.Sprintf("%d more are not listed", more+1))
	}
	return found
}

// hunk is one hunk of a diff. Its lines have no leading or trailing white space.
type hunk struct {
	file           string
	gone           bool // the file was deleted, or renamed to a non-test name
	line           int  // line number of the hunk in the new file
	removed, added []string
}

// testHunks returns the hunks of files that may contain tests.
func testHunks(diff string) (list []*hunk) {
	file, from, gone := "", "", false
	var open *hunk // nil before the first hunk of a file
	for line := range strings.Lines(diff) {
		word, rest, _ := strings.Cut(strings.TrimRight(line, "\r\n"), " ")
		switch {
		case open != nil && line[0] == '+':
			open.added = append(open.added, strings.TrimSpace(line[1:]))
		case open != nil && line[0] == '-':
			open.removed = append(open.removed, strings.TrimSpace(line[1:]))
		case word == "diff":
			open = nil
		case word == "---":
			file = diffPath(rest)
		case word == "+++":
			if gone = rest == "/dev/null"; !gone {
				file = diffPath(rest)
			}
		case word == "rename" && strings.HasPrefix(rest, "from "):
			from = unquote(strings.TrimPrefix(rest, "from "))
		case word == "rename" && isTest(from) && !isTest(unquote(strings.TrimPrefix(rest, "to "))):
			list = append(list, &hunk{file: from, gone: true})
		case word == "@@":
			open = &hunk{file: file, gone: gone}
			_, lines, _ := strings.Cut(rest, "+")
			_, _ = fmt.Sscanf(lines, "%d", &open.line)
			if isTest(file) || !gone && (among(path.Ext(file), ".py .rs") ||
				strings.Contains("/"+file, "/test/")) {
				list = append(list, open)
			}
		}
	}
	return list
}

// loses returns sentences about the tests and assertions that a hunk removes. Lines in added do not
// count as removed, because they were moved.
func (h *hunk) loses(added map[string]bool) (list []string) {
	asserted := false
	for _, line := range h.removed {
		switch {
		case added[line]:
		case conventions().testStart.MatchString(line):
			list = append(list, fmt.Sprintf("%s loses %q", name(h.file),
				markdown.Cut(markdown.OneLine(line), 80)))
		case conventions().assertion.MatchString(line):
			asserted = true
		}
	}
	asserts := conventions().assertion.MatchString
	if asserted && len(list) == 0 && !slices.ContainsFunc(h.added, asserts) {
		list = append(list, fmt.Sprintf("%s:%d has fewer assertions", name(h.file), h.line))
	}
	return list
}

// conventions returns patterns that match tests in many languages. They are compiled on first use,
// because every hook links this package.
var conventions = sync.OnceValue(func() (c struct {
	testName, testStart, assertion, skipping *regexp.Regexp
}) {
	c.testName = regexp.MustCompile(`(?:^|/)(?:__tests__/|tests/.*\.rs$|test_[^/]*$|` +
		`[^/]*(?:[._](?:test|spec)|Tests?|Spec)\.\w+$)|\.bats$`)
	c.testStart = regexp.MustCompile(`^(?:func (?:Test|Fuzz|test)|(?:async )?def test|` +
		`(?:it|test|describe|specify)[ (]|@[Tt]est|\[(?:Test|Fact|Theory)|` +
		`#\[(?:tokio::)?test|public function test|TEST\()`)
	c.assertion = regexp.MustCompile(`[aA]ssert|ASSERT_|EXPECT_|expect[(!]|\.should|` +
		`t\.(?:Error|Fatal)|require\.|raises\(|cmp\.Diff\(`)
	c.skipping = regexp.MustCompile(`(?:^|[^\w.])((?:it|test|describe|suite)\.(?:skip|todo|only)|` +
		`x(?:it|test|describe|context)[ (]|(?:t|b|tb)\.Skip(?:f|Now)?\(|` +
		`@pytest\.mark\.(?:skip|xfail)|pytest\.skip|@unittest\.(?:skip|expectedFailure)|` +
		`@skip|self\.skipTest|@(?:Ignore\b|Disabled)|\[Ignore|Skip =|#\[ignore|` +
		`@(?:module)?tag :skip)|^(skip|pending)(?: ["']| (?:if|unless|do)\b|$)`)
	return c
})

// isTest reports whether file has the name of a test.
func isTest(file string) bool {
	return among(path.Ext(file), sources) && conventions().testName.MatchString(file)
}

// skipMark returns the mark in a line that skips a test, or "" if there is none.
func skipMark(line string) string {
	comment := strings.HasPrefix(line, "//") || strings.HasPrefix(line, "#")
	if comment && !strings.HasPrefix(line, "#[") {
		return ""
	}
	words := conventions().skipping.FindStringSubmatch(line)
	if words == nil {
		return ""
	}
	return strings.TrimRight(words[1]+words[2], "([ =")
}

// unskipped removes the skip mark from the first line of a test, because a test that is only
// skipped is not lost.
func unskipped(line string) string {
	return strings.TrimPrefix(strings.Replace(line, ".skip", "", 1), "x")
}

func name(file string) string { return markdown.Cut(markdown.OneLine(file), 300) }

// diffPath returns the path in a header such as "a/x.go". Git appends a tab to names with spaces.
func diffPath(header string) string {
	_, file, _ := strings.Cut(unquote(strings.TrimSuffix(header, "\t")), "/")
	return file
}

func unquote(name string) string {
	if text, err := strconv.Unquote(name); err == nil {
		return text
	}
	return name
}
