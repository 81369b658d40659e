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

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"

	"hooks/internal/loop"
	"hooks/schemas"
)

// page is the text of a page of the documentation.
func page(t *testing.T, path string) string {
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

// Every page leads to files that are there, and the README to every page.
func TestDocsLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#:]+)[^):]*\)`)
	listed := map[string]bool{}
	for _, from := range pages(t) {
		for _, m := range link.FindAllStringSubmatch(page(t, from), -1) {
			to := filepath.Join(filepath.Dir(from), m[1])
			if _, err := os.Stat(filepath.Join("..", to)); err != nil {
				t.Errorf("%s leads to %s, which is not there", from, m[1])
			}
			listed[filepath.ToSlash(to)] = listed[filepath.ToSlash(to)] || from == "README.md"
		}
	}
	for _, p := range pages(t) {
		if p != "README.md" && !listed[p] {
			t.Errorf("README.md does not lead to %s", p)
		}
	}
}

// The README has every command that people can type, and none that is not there.
func TestReadmeCommands(t *testing.T) {
	text := page(t, "README.md")
	words := map[string]bool{}
	typ := reflect.TypeFor[commands]()
	for i := range typ.NumField() {
		f := typ.Field(i)
		word := f.Tag.Get("name")
		if word == "" {
			word = strings.ToLower(regexp.MustCompile(`([a-z])([A-Z])`).ReplaceAllString(f.Name, "$1-$2"))
		}
		_, hidden := f.Tag.Lookup("hidden")
		words[word] = true
		if f.Tag.Get("group") != "hooks" && !hidden && !strings.Contains(text, "`hooks "+word) {
			t.Errorf("README.md does not name hooks %s", word)
		}
	}
	for _, m := range regexp.MustCompile("(?m)(?:`|^)hooks ([a-z][a-z-]*)").FindAllStringSubmatch(text, -1) {
		if !words[m[1]] {
			t.Errorf("README.md names hooks %s, which is no command", m[1])
		}
	}
}

// docs/files.md names every field of every file, in the part about that file.
func TestDocsFields(t *testing.T) {
	text := page(t, "docs/files.md")
	for _, name := range []string{"budget", "history", "tick", "lock", "claim"} {
		_, part, found := strings.Cut(text, "<!-- "+name+" -->")
		part, _, _ = strings.Cut(part, "\n## ")
		schema, known := schemas.Get(name)
		if !found || !known {
			t.Fatalf("docs/files.md has no part about %s", name)
		}
		fields := gjson.GetBytes(schema, "properties").Map()
		for field := range fields {
			if !strings.Contains(part, "`"+field+"`") {
				t.Errorf("docs/files.md: %s has a field %s", name, field)
			}
		}
		for _, m := range regexp.MustCompile("`([a-z_]+)`").FindAllStringSubmatch(firstColumn(part), -1) {
			if _, ok := fields[m[1]]; !ok {
				t.Errorf("docs/files.md: %s has no field %s", name, m[1])
			}
		}
	}
}

// docs/files.md has a row for every rule by which a call is refused, and no other.
func TestDocsRules(t *testing.T) {
	_, part, _ := strings.Cut(page(t, "docs/files.md"), "### Refused calls")
	part, _, _ = strings.Cut(part, "\n## ")
	rows := strings.Fields(firstColumn(part))
	if d := cmp.Diff(append([]string{"rule", "---"}, loop.Rules()...), rows); d != "" {
		t.Errorf("rules (-program +page):\n%s", d)
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

// The commands of docs/ledger.md print what stands below them, in an empty project, and its table has
// every rule.
func TestDocsLedger(t *testing.T) {
	if _, err := exec.LookPath("sed"); err != nil {
		t.Skip("the page runs sed")
	}
	text := page(t, "docs/ledger.md")
	console(t, blocks(text, "```console")[0], t.TempDir())
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
	if d := cmp.Diff(rules, rows); d != "" {
		t.Errorf("rules (-program +page):\n%s", d)
	}
}

// console runs the commands of an example in a folder and compares what they print.
func console(t *testing.T, example, dir string) {
	t.Helper()
	for _, part := range strings.Split(strings.TrimPrefix(example, "$ "), "\n$ ") {
		command, want, _ := strings.Cut(part, "\n")
		c := exec.Command("sh", "-c", command)
		c.Dir = dir
		got, err := c.CombinedOutput()
		if _, failed := err.(*exec.ExitError); failed && strings.Contains(want, "error: ") {
			err = nil
		}
		if d := cmp.Diff(want, strings.TrimSpace(string(got))); d != "" || err != nil {
			t.Errorf("%s: %v\n%s", command, err, d)
		}
	}
}

// The commands of docs/files.md print what stands below them, on what a demo leaves.
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
	examples := blocks(page(t, "docs/files.md"), "```console")
	if len(examples) == 0 {
		t.Fatal("docs/files.md has no examples")
	}
	console(t, examples[0], strings.TrimSpace(dir))
}
