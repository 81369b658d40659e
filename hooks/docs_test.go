package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/tidwall/gjson"

	"hooks/internal/event"
	"hooks/internal/loop"
	"hooks/schemas"
)

// docPage is the text of a page of the documentation.
func docPage(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(path)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func pages(t *testing.T) []string {
	t.Helper()
	list, err := filepath.Glob("../docs/*.md")
	if err != nil || len(list) < 10 {
		t.Fatalf("%d pages, %v", len(list), err)
	}
	for i := range list {
		list[i] = "docs/" + filepath.Base(list[i])
	}
	return append(list, "README.md")
}

// blocks are the fenced blocks of a page that begin with the given line.
func blocks(text, opening string) (list []string) {
	for _, b := range strings.Split(text, "\n"+opening+"\n")[1:] {
		b, _, _ = strings.Cut(b, "\n```")
		list = append(list, b)
	}
	return list
}

// Every link of a page leads to a file and a heading that exist, the index to every page, and the
// README to the index.
func TestDocsLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#:]*)(?:#([^):]*))?\)`)
	listed := map[string]bool{}
	for _, from := range pages(t) {
		for _, m := range link.FindAllStringSubmatch(docPage(t, from), -1) {
			to := filepath.ToSlash(filepath.Join(filepath.Dir(from), m[1]))
			if m[1] == "" {
				to = from
			}
			if _, err := os.Stat(filepath.Join("..", to)); err != nil {
				t.Errorf("%s leads to %s, which does not exist", from, m[1])
			} else if m[2] != "" && !slices.Contains(anchors(docPage(t, to)), m[2]) {
				t.Errorf("%s leads to %s#%s, a heading that does not exist", from, m[1], m[2])
			}
			listed[from+" "+to] = true
		}
	}
	if !listed["README.md docs/README.md"] {
		t.Error("README.md does not lead to docs/README.md")
	}
	for _, p := range pages(t) {
		if strings.HasPrefix(p, "docs/") && p != index && !listed[index+" "+p] {
			t.Errorf("%s does not lead to %s", index, p)
		}
	}
}

const index = "docs/README.md"

// anchors are the names by which the headings of a page are linked.
func anchors(text string) (list []string) {
	odd := regexp.MustCompile(`[^a-z0-9 _-]`)
	for line := range strings.Lines(text) {
		if title, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); ok && line[0] == '#' {
			name := odd.ReplaceAllString(strings.ToLower(strings.TrimSpace(title)), "")
			list = append(list, strings.ReplaceAll(name, " ", "-"))
		}
	}
	return list
}

// docs/commands.md has every command that people can type, and neither it nor the pages that
// people read first name one that does not exist.
func TestDocsCommands(t *testing.T) {
	words := map[string]bool{}
	typ := reflect.TypeFor[commands]()
	for i := range typ.NumField() {
		f := typ.Field(i)
		word := f.Tag.Get("name")
		if word == "" {
			word = regexp.MustCompile(`([a-z])([A-Z])`).ReplaceAllString(f.Name, "$1-$2")
			word = strings.ToLower(word)
		}
		_, hidden := f.Tag.Lookup("hidden")
		words[word] = true
		if !hidden && !strings.Contains(docPage(t, "docs/commands.md"), "`hooks "+word) {
			t.Errorf("docs/commands.md does not name hooks %s", word)
		}
	}
	named := regexp.MustCompile("(?m)(?:`|^|\\$ )hooks ([a-z][a-z-]*)")
	for _, p := range []string{"README.md", index, "docs/commands.md", "docs/first-night.md"} {
		for _, m := range named.FindAllStringSubmatch(docPage(t, p), -1) {
			if !words[m[1]] && event.NameOf(m[1]) == "" {
				t.Errorf("%s names hooks %s, which is no command", p, m[1])
			}
		}
	}
}

// docs/conditions.md has a row for every condition and gate, in their order.
func TestDocsConditions(t *testing.T) {
	_, text, found := strings.Cut(docPage(t, "docs/conditions.md"), "<!-- conditions -->\n")
	conditions, gates, more := strings.Cut(text, "<!-- gates -->\n")
	if !found || !more {
		t.Fatal("docs/conditions.md lacks a table")
	}
	var want []string
	for _, c := range loop.Conditions {
		var when []string
		for _, m := range []struct {
			moment loop.Moment
			name   string
		}{{loop.Entry, "entry"}, {loop.Reported, "report"}, {loop.Exit, "exit"}} {
			if c.When&m.moment != 0 {
				when = append(when, m.name)
			}
		}
		want = append(want, fmt.Sprintf("%d | %s | `%s` | %s", c.Number, c.Name, c.Cause,
			strings.Join(when, ", ")))
	}
	same(t, "conditions", want, rows(conditions, 0, 1, 2, 3))
	want = nil
	for _, g := range loop.Gates {
		var options []string
		for _, o := range g.Options {
			label := o.Label
			if label == g.Safest {
				label = "**" + label + "**"
			}
			options = append(options, label)
		}
		want = append(want, g.Name+" | "+strings.Join(options, ", "))
	}
	same(t, "gates", want, rows(gates, 0, 2))
}

// rows are the given columns of the table at the beginning of a text, without its header.
func rows(text string, columns ...int) (list []string) {
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "|") {
			break
		}
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		var picked []string
		for _, c := range columns {
			picked = append(picked, strings.TrimSpace(cells[min(c, len(cells)-1)]))
		}
		list = append(list, strings.Join(picked, " | "))
	}
	return list[min(2, len(list)):]
}

// docs/doctor.md has a row for every check of the doctor, in their order.
func TestDocsDoctor(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	c := exec.Command("hooks", "doctor", "--json")
	c.Dir = t.TempDir()
	out, _ := c.Output() // it fails here, where nothing is registered
	var checks []string
	for _, name := range gjson.GetBytes(out, "checks.#.name").Array() {
		checks = append(checks, "`"+name.String()+"`")
	}
	_, table, _ := strings.Cut(docPage(t, "docs/doctor.md"), "\n| check |")
	same(t, "checks", append([]string{"---"}, checks...), strings.Fields(firstColumn(table)))
}

// docs/files.md has a row for every rule by which a call is refused, and no other.
func TestDocsRules(t *testing.T) {
	_, part, _ := strings.Cut(docPage(t, "docs/files.md"), "\n## Refused calls")
	part, _, _ = strings.Cut(part, "\n## ")
	rows := strings.Fields(firstColumn(part))
	same(t, "rules", append([]string{"rule", "---"}, loop.Rules()...), rows)
}

// same compares the program's rows with a page's. The stories start this test binary as the program,
// thousands of times, so a library that takes long to start is not linked into it.
func same(t *testing.T, of string, program, page []string) {
	t.Helper()
	if !slices.Equal(program, page) {
		t.Errorf("%s:\n%s", of, diff.Diff("program", []byte(strings.Join(program, "\n")),
			"page", []byte(strings.Join(page, "\n"))))
	}
}

func firstColumn(table string) string {
	var b strings.Builder
	for line := range strings.Lines(table) {
		if cells := strings.SplitN(line, "|", 3); len(cells) == 3 {
			fmt.Fprintln(&b, cells[1])
		}
	}
	return b.String()
}

// The commands of docs/ledger.md print what is below them, in an empty project, and its table has
// every rule.
func TestDocsLedger(t *testing.T) {
	if _, err := exec.LookPath("sed"); err != nil {
		t.Skip("sed, which the page runs, is not installed")
	}
	text := docPage(t, "docs/ledger.md")
	console(t, text, t.TempDir())
	schema, _ := schemas.Get("ledger")
	var rules []string
	for _, rule := range gjson.GetBytes(schema, "$defs.finding.properties.rule.enum").Array() {
		rules = append(rules, "`"+rule.String()+"`")
	}
	slices.Sort(rules)
	_, table, _ := strings.Cut(text, "\n| rule |")
	table, _, _ = strings.Cut(table, "\n## ")
	rows := strings.Fields(firstColumn(table))[2:] // behind the header
	slices.Sort(rows)
	same(t, "rules", rules, rows)
}

// console runs the commands of a page's examples in one shell that begins in dir, and compares what
// they print. In a page … is any text within a line, and blanks count as one.
func console(t *testing.T, text, dir string) {
	t.Helper()
	var script strings.Builder
	var commands, wants []string
	for _, example := range blocks(text, "```console") {
		for _, part := range strings.Split(strings.TrimPrefix(example, "$ "), "\n$ ") {
			command, want, _ := strings.Cut(part, "\n")
			commands, wants = append(commands, command), append(wants, want)
			script.WriteString(command + "\nprintf '\\0%s\\0' $?\n")
		}
	}
	c := exec.Command("sh", "-c", "exec 2>&1\n"+script.String())
	c.Dir = dir
	out, err := c.CombinedOutput()
	parts := strings.Split(string(out), "\x00")
	if err != nil || len(commands) == 0 || len(parts) != 2*len(commands)+1 {
		t.Fatalf("%d commands, %d parts of output, %v:\n%s", len(commands), len(parts), err, out)
	}
	for i, command := range commands {
		got, status := parts[2*i], parts[2*i+1]
		if !alike(wants[i], got) || status != "0" && !strings.Contains(wants[i], "error: ") {
			t.Errorf("$ %s (exit status %s):\n%s", command, status, diff.Diff(
				"page", []byte(wants[i]), "program", []byte(strings.TrimSpace(got))))
		}
	}
}

// alike reports whether got is an output as a page has it.
func alike(want, got string) bool {
	words := func(s string) []string {
		lines := strings.Split(strings.TrimSpace(s), "\n")
		for i, l := range lines {
			lines[i] = strings.Join(strings.Fields(l), " ")
		}
		return lines
	}
	pattern := regexp.QuoteMeta(strings.Join(words(want), "\n"))
	pattern = "^" + strings.ReplaceAll(pattern, "…", ".*") + "$"
	return regexp.MustCompile(pattern).MatchString(strings.Join(words(got), "\n"))
}

// The pages that promise something about merges have the words of `hooks explain`.
func TestDocsPromiseMergesAlike(t *testing.T) {
	for _, name := range []string{"README.md", "docs/conditions.md"} {
		text := strings.ToLower(strings.Join(strings.Fields(docPage(t, name)), " "))
		if !strings.Contains(text, strings.ToLower(loop.MergePromise)) {
			t.Errorf("%s does not say that %s", name, loop.MergePromise)
		}
	}
}

// The commands of the tutorial print what it says.
func TestDocsFirstNight(t *testing.T) {
	for _, program := range []string{"jq", "sh", "sed"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s, which the page uses, is not installed", program)
		}
	}
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("LC_ALL", "C.UTF-8")
	console(t, docPage(t, "docs/first-night.md"), t.TempDir())
}

// The commands of docs/files.md print what is below them, on what a demo leaves.
func TestDocsConsole(t *testing.T) {
	for _, program := range []string{"jq", "sh"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s, which the page is about, is not installed", program)
		}
	}
	t.Setenv("TMPDIR", t.TempDir())
	out, err := exec.Command("hooks", "demo", "--keep").Output()
	_, dir, ok := strings.Cut(string(out), "\nkept in ")
	if err != nil || !ok {
		t.Fatalf("no demo was kept: %v", err)
	}
	console(t, docPage(t, "docs/files.md"), strings.TrimSpace(dir))
}
