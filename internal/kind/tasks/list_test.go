package tasks

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"hooks/internal/attempt"
)

func TestParseList(t *testing.T) {
	long := strings.Repeat("é", 201)
	for name, c := range map[string]struct {
		text string
		want []Item
	}{
		"marks": {"- [ ] a\n* [ ] b\n+ [x] c\n1. [X] d\n2) [ ] e\n- [] f",
			[]Item{{Title: "a"}, {Title: "b"}, {Title: "c", Result: attempt.Imported},
				{Title: "d", Result: attempt.Imported}, {Title: "e"}, {Title: "f"}}},
		"other items": {"- a\n- [ ] b\n- [link](x)\n- [x](y) z\n-[ ] c\n- [y] d",
			[]Item{{Title: "b"}}},
		"bom and crlf": {"\ufeff- [ ] a\r\n  b\r\n\r\n- [ ] c\r\n",
			[]Item{{Title: "a", Criteria: "b"}, {Title: "c"}}},
		"front matter": {"---\ntitle: x\n- [ ] a\n---\n- [ ] b", []Item{{Title: "b"}}},
		"suffixes": {"- [ ] a (checkpoint)\n- [ ] b (no commit)\n" +
			"- [ ] c (No Commit) (Checkpoint)\n- [ ] d(checkpoint) e",
			[]Item{{Title: "a", Checkpoint: true}, {Title: "b", NoCommit: true},
				{Title: "c", Checkpoint: true, NoCommit: true}, {Title: "d(checkpoint) e"}}},
		"headings": {"## Tasks\n- [ ] a\n### Checkpoint 1: api\n- [ ] b\n#### more\n- [ ] c\n" +
			"### Rest\n- [ ] d\n### checkpoint\n### Checkpoint\n- [ ] e",
			[]Item{{Title: "a"}, {Title: "b"}, {Title: "c", Checkpoint: true}, {Title: "d"},
				{Title: "e", Checkpoint: true}}},
		"only level 3": {"# Checkpoint sync\n- [ ] a\n## Checkpoint\n- [ ] b",
			[]Item{{Title: "a"}, {Title: "b"}}},
		"hidden": {"```\n- [ ] a\n```\n<!-- - [ ] b -->\n<!--\n- [ ] c\n-->\n> - [ ] d\n- [ ] e\n",
			[]Item{{Title: "e"}}},
		"nested": {"- a\n  - [ ] b\n1. [ ] c\n   - [ ] d\n- [ ] e\n  - [x] f",
			[]Item{{Title: "c", Criteria: "- [ ] d"}, {Title: "e", Criteria: "- [x] f"}}},
		"an indented list": {"text\n\n  - [ ] a\n    - b\n  - [ ] c\n",
			[]Item{{Title: "a", Criteria: "- b"}, {Title: "c"}}},
		"criteria": {"- [ ] a\n\n  Given b:\n  ```\n    - [ ] c\n  ```\n  <!-- d -->\n" +
			"  e <!-- f -->\n\n\n- [ ] g\n\th\ntext\n  i",
			[]Item{{Title: "a", Criteria: "Given b:\n```\n  - [ ] c\n```\ne"},
				{Title: "g", Criteria: "h"}}},
		"a long title": {"- [ ] " + long, []Item{{Title: long[:2*199] + "…"}}},
		"control":      {"- [ ] a\x1b[2J\tb\x00\xff", []Item{{Title: "a[2J b"}}},
	} {
		got, err := ParseList([]byte(c.text))
		if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
}

func TestCriteriaAreBounded(t *testing.T) {
	text := "- [ ] a\n" + strings.Repeat("  "+strings.Repeat("é", 40)+"\n", 100)
	list, err := ParseList([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	got := list[0].Criteria
	if len(got) > MaxCriteria || len(got) < MaxCriteria-10 || !utf8.ValidString(got) {
		t.Errorf("%d bytes: %q", len(got), got)
	}
}

func TestParseListErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                 `no line such as "- [ ]`,
		"# Tasks\n\n- a":   `no line such as "- [ ]`,
		"- [ ] a\n\n- [ ]": `line 3: the task "- [ ]" has no title`,
		"1. [x] (checkpoint) (no commit)": `line 1: the task "1. [x] (checkpoint) (no commit)" ` +
			`has no title`,
		strings.Repeat("- [ ] a\n", 500) + "* [ ] b": `line 501: "b" is task 501, ` +
			`but a list has at most 500`,
		strings.Repeat("a", 1<<20+1): "has 1048577 bytes; the maximum is 1048576",
	} {
		if list, err := ParseList([]byte(text)); err == nil || list != nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, %v, want %q", text, list, err, want)
		}
	}
	if list, err := ParseList([]byte(strings.Repeat("- [ ] a\n", 500))); len(list) != 500 {
		t.Errorf("500 tasks: %d, %v", len(list), err)
	}
}

func TestSection(t *testing.T) {
	spec := "---\ntasks: x\n---\n# A\n## Tasks\n- [ ] a\n### B\n- [ ]\n## C\n- [ ] c\n"
	for heading, want := range map[string]string{
		"## Tasks": "\n\n\n\n\n- [ ] a\n### B\n- [ ]\n",
		"## tasks": "\n\n\n\n\n- [ ] a\n### B\n- [ ]\n",
		"### B":    "\n\n\n\n\n\n\n- [ ]\n",
		"## C":     strings.Repeat("\n", 9) + "- [ ] c\n",
	} {
		if got := string(Section([]byte(spec), heading)); got != want {
			t.Errorf("%s: %q, want %q", heading, got, want)
		}
	}
	for _, other := range []string{"# a\n```\n## Tasks\n```\n", "### Tasks\n", "Tasks\n", ""} {
		if got := Section([]byte(other), "## Tasks"); got != nil {
			t.Errorf("%q: %q", other, got)
		}
	}
	_, err := ParseList(Section([]byte(spec), "## Tasks"))
	if err == nil || !strings.Contains(err.Error(), "line 8:") {
		t.Errorf("the error does not name line 8 of the spec: %v", err)
	}
}

// Whatever a list holds, its tasks are within the bounds, and a rendered list is read as it was.
func FuzzParseList(f *testing.F) {
	f.Add("### Checkpoint\n- [x] a (no commit)\n\n  b\n<!-- ` -->\n1. [ ] c\n\td\n" +
		"## Tasks\n* [ ] e")
	f.Fuzz(func(t *testing.T, text string) {
		list, err := ParseList([]byte(text))
		if (err == nil) != (len(list) > 0) || len(list) > MaxTasks {
			t.Fatalf("%d tasks, %v", len(list), err)
		}
		var again strings.Builder
		for _, task := range list {
			if task.Title == "" || utf8.RuneCountInString(task.Title) > MaxTitle ||
				strings.ContainsAny(task.Title, "\r\n") || len(task.Criteria) > MaxCriteria {
				t.Errorf("%+v", task)
			}
			box := map[bool]string{true: "x", false: " "}[task.Result != ""]
			fmt.Fprintf(&again, "- [%s] %s\n", box, task.Title)
		}
		if strings.ContainsAny(again.String(), "`<") { // the titles hide one another
			return
		}
		if got, _ := ParseList([]byte(again.String())); len(got) != len(list) {
			t.Errorf("%d tasks, and then %d:\n%s", len(list), len(got), again.String())
		}
		Section([]byte(text), "## Tasks")
	})
}
