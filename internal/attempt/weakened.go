package attempt

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"hooks/internal/markdown"
)

// maxWeakened bounds the sentences of Weakened.
const maxWeakened = 50

// Weakened returns a sentence for each way in which a diff weakens the tests: a deleted test file,
// an added mark that skips tests, and a removed or emptied test. A mark that is removed from the
// same file and a test that is added elsewhere were moved and do not count. The diff is the output
// of `git diff --no-color --no-ext-diff -M90%` without context; with -M90% git does not take a
// rewritten file for a renamed one. Weakened returns at most 50 sentences (T96).
func Weakened(diff []byte) []string {
	d := diffReader{came: map[string]bool{}}
	for line := range strings.Lines(string(diff)) {
		d.read(strings.TrimRight(line, "\r\n"))
	}
	d.endFile()
	d.emptied()
	if more := len(d.found) - maxWeakened; more > 0 {
		d.found = append(d.found[:maxWeakened-1], fmt.Sprintf("%d more are not named", more+1))
	}
	return d.found
}

// diffReader keeps the state of a diff that is read line by line.
type diffReader struct {
	found            []string
	file, from, into string // the current file, and its names before and after a rename
	deleted, inHunk  bool
	line             int // number of the next new line
	added            []mark
	removed          []string
	hunk             *hunk // the current hunk if its file is a test
	hunks            []*hunk
	came             map[string]bool // test lines that the diff adds, in any file
}

// hunk holds the lines that a hunk removes from a test file: those that begin tests, and
// assertions.
type hunk struct {
	file           string
	line           int
	tests, asserts []string
	adds           bool // the hunk adds assertions
}

// mark is text that skips a test, with its line.
type mark struct {
	text string
	line int
}

func (d *diffReader) read(line string) {
	if d.inHunk && (line == "" || strings.ContainsRune(` +-\`, rune(line[0]))) {
		d.body(line)
		return
	}
	if rest, found := strings.CutPrefix(line, "diff --git "); found {
		d.endFile()
		d.file = diffPath(rest)
	}
	if strings.HasPrefix(line, "deleted file mode ") {
		d.deleted = true
	}
	if name, found := strings.CutPrefix(line, "rename from "); found {
		d.from = unquote(name)
	}
	if name, found := strings.CutPrefix(line, "rename to "); found {
		d.into, d.file = unquote(name), unquote(name)
	}
	if strings.HasPrefix(line, "@@ -") {
		_, new, _ := strings.Cut(line, " +")
		first, _, _ := strings.Cut(new, ",")
		d.line, d.inHunk, d.hunk = 0, true, nil
		_, _ = fmt.Sscan(first, &d.line)
		if isTest(d.file) && !d.deleted {
			d.hunk = &hunk{file: d.file, line: d.line}
			d.hunks = append(d.hunks, d.hunk)
		}
	}
}

// body reads a line of a hunk.
func (d *diffReader) body(line string) {
	sign, text := " ", ""
	if line != "" {
		sign, text = line[:1], line[1:]
	}
	d.test(sign, strings.TrimSpace(text))
	mark := mark{skipMark(d.file, text), d.line}
	switch {
	case sign == "+" && mark.text != "":
		d.added = append(d.added, mark)
	case sign == "-" && mark.text != "":
		d.removed = append(d.removed, mark.text)
	}
	if sign == "+" || sign == " " {
		d.line++
	}
}

// endFile adds the sentences about the current file and resets the reader for the next one.
func (d *diffReader) endFile() {
	switch {
	case d.deleted && isTest(d.file):
		d.found = append(d.found, fmt.Sprintf("%s was deleted", name(d.file)))
	case isTest(d.from) && !isTest(d.into):
		d.found = append(d.found, fmt.Sprintf("%s was renamed to %s, which is not a test",
			name(d.from), name(d.into)))
	}
	for _, m := range d.added {
		if i := slices.Index(d.removed, m.text); i >= 0 {
			d.removed = slices.Delete(d.removed, i, i+1)
			continue
		}
		d.found = append(d.found, fmt.Sprintf("%s:%d adds %s", name(d.file), m.line, m.text))
	}
	*d = diffReader{found: d.found, hunks: d.hunks, came: d.came}
}

// test records a line that begins a test or asserts something.
func (d *diffReader) test(sign, text string) {
	if sign == "+" { // a skipped test is not lost; its mark is reported instead
		text = strings.TrimPrefix(strings.Replace(text, ".skip", "", 1), "x")
	}
	begins, asserts := beginsTest(text), assertion(text)
	switch {
	case sign == "+" && (begins || asserts):
		d.came[text] = true
		if d.hunk != nil {
			d.hunk.adds = d.hunk.adds || asserts
		}
	case sign != "-" || d.hunk == nil:
	case begins:
		d.hunk.tests = append(d.hunk.tests, text)
	case asserts:
		d.hunk.asserts = append(d.hunk.asserts, text)
	}
}

// emptied adds the sentences about tests that were removed or that assert less than before.
func (d *diffReader) emptied() {
	moved := func(text string) bool { return d.came[text] }
	for _, h := range d.hunks {
		tests := slices.DeleteFunc(h.tests, moved)
		for _, text := range tests {
			d.found = append(d.found, fmt.Sprintf("%s loses %q", name(h.file),
				markdown.Cut(markdown.OneLine(text), 80)))
		}
		if len(tests) == 0 && !h.adds && len(slices.DeleteFunc(h.asserts, moved)) > 0 {
			d.found = append(d.found, fmt.Sprintf("%s:%d asserts less", name(h.file), h.line))
		}
	}
}

// beginsTest reports whether a line is the first of a test.
func beginsTest(line string) bool {
	starts := func(with string) bool { return strings.HasPrefix(line, with) }
	return slices.ContainsFunc([]string{"func Test", "func Fuzz", "func test", "def test",
		"async def test", "it(", "it ", "test(", "test ", "describe(", "describe ", "specify ",
		"@Test", "@test ", "[Test", "[Fact", "[Theory", "#[test", "#[tokio::test",
		"public function test", "TEST("}, starts)
}

func assertion(line string) bool {
	has := func(word string) bool { return strings.Contains(line, word) }
	return slices.ContainsFunc([]string{"assert", "Assert", "ASSERT_", "EXPECT_", "expect(",
		"expect!", ".should", "t.Error", "t.Fatal", "require.", "raises(", "cmp.Diff("}, has)
}

func name(file string) string { return markdown.Cut(markdown.OneLine(file), 300) }

// diffPath returns the path in a header such as "a/x.go b/x.go". It is only used for files with
// one name; a rename has separate lines.
func diffPath(header string) string {
	if strings.HasPrefix(header, `"`) {
		if first, err := strconv.QuotedPrefix(header); err == nil {
			header = unquote(first)
			return header[min(2, len(header)):]
		}
	}
	half := header[:max(0, (len(header)-1)/2)]
	return half[min(2, len(half)):]
}

func unquote(name string) string {
	if text, err := strconv.Unquote(name); err == nil {
		return text
	}
	return name
}

// isTest reports whether a file is a test, by the conventions of its language.
func isTest(file string) bool {
	base := path.Base(file)
	ext := path.Ext(base)
	stem := strings.TrimSuffix(base, ext)
	switch ext {
	case ".go":
		return strings.HasSuffix(stem, "_test")
	case ".py":
		return strings.HasPrefix(stem, "test_") || strings.HasSuffix(stem, "_test")
	case ".js", ".jsx", ".ts", ".tsx", ".mjs", ".cjs", ".mts", ".cts", ".vue":
		return strings.HasSuffix(stem, ".test") || strings.HasSuffix(stem, ".spec") ||
			strings.Contains("/"+file, "/__tests__/")
	case ".java", ".kt", ".cs", ".scala", ".groovy", ".php", ".swift":
		return strings.HasSuffix(stem, "Test") || strings.HasSuffix(stem, "Tests") ||
			strings.HasSuffix(stem, "Spec")
	case ".rb", ".exs", ".cc", ".cpp", ".c", ".dart":
		return strings.HasSuffix(stem, "_test") || strings.HasSuffix(stem, "_spec") ||
			strings.HasPrefix(stem, "test_")
	case ".rs":
		return strings.HasPrefix(file, "tests/") || strings.Contains(file, "/tests/")
	case ".bats":
		return true
	}
	return false
}

// skipMark returns the mark on a line that skips a test, or "" if there is none.
func skipMark(file, line string) string {
	var marks []string
	ext := path.Ext(file)
	switch {
	case ext == ".rs":
		marks = []string{"#[ignore"}
	case ext == ".py":
		marks = []string{"@pytest.mark.skip", "@pytest.mark.xfail", "@unittest.skip",
			"@unittest.expectedFailure", "@skip", "pytest.skip(", "self.skipTest("}
	case !isTest(file) && !strings.Contains("/"+file, "/test/"):
		return ""
	case ext == ".java" || ext == ".kt" || ext == ".groovy" || ext == ".scala":
		marks = []string{"@Ignore", "@Disabled"}
	case ext == ".go":
		marks = []string{"t.Skip(", "t.Skipf(", "t.SkipNow(", "b.Skip(", "tb.Skip("}
	case ext == ".cs":
		marks = []string{"[Ignore", "Skip ="}
	case ext == ".rb":
		marks = []string{"skip ", "xit ", "xdescribe ", "xcontext ", "pending "}
	case ext == ".exs":
		marks = []string{"@tag :skip", "@moduletag :skip"}
	default:
		marks = []string{"it.skip", "test.skip", "describe.skip", "suite.skip", "it.todo",
			"test.todo", "it.only", "test.only", "describe.only", "xit(", "xtest(", "xdescribe("}
	}
	line = strings.TrimSpace(line)
	if comment := strings.HasPrefix(line, "//") || line != "" && line[0] == '#' &&
		ext != ".rs"; comment {
		return ""
	}
	for _, m := range marks {
		if at := strings.Index(line, m); at >= 0 && begins(line, at, m) {
			return strings.TrimRight(m, "([ =")
		}
	}
	return ""
}

// begins reports whether the mark at that offset begins a word. A mark that ends in a space must
// begin the line. Longer forms such as skipif count too, except forms of @Ignore.
func begins(line string, at int, mark string) bool {
	if strings.HasSuffix(mark, " ") {
		return at == 0
	}
	before, after := line[:at], line[at+len(mark):]
	if mark == "@Ignore" && after != "" && isWord(after[0]) {
		return false
	}
	letter := before != "" && (isWord(before[len(before)-1]) || before[len(before)-1] == '.')
	return !letter || !isWord(mark[0])
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
