package backlog

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hooks/internal/loop"
)

var home = loop.Tracker{Host: "github.com", Repo: "Acme/app"}

func stated(body string) []dep { return read(body, home).deps }

// said writes dependencies as "1→self", in order.
func said(deps []dep) string {
	name := func(r Ref) string {
		if r.Number == 0 {
			return "self"
		}
		return strings.TrimPrefix(r.String(), "#")
	}
	var out []string
	for _, d := range deps {
		out = append(out, name(d.blocker)+"→"+name(d.blocked))
	}
	return strings.Join(out, " ")
}

func TestDependencies(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{"Depends on #12", "12→self"},
		{"depends-on: #12.", "12→self"},
		{"**Depends on:** #1, #2 and #3", "1→self 2→self 3→self"},
		{"Depends on #1, #2, and #3 & #4; #5 #6", "1→self 2→self 3→self 4→self 5→self 6→self"},
		{"Depends on #1 (the parser), #2 (see #9)", "1→self 2→self"},
		{"**Blocked by**: #7", "7→self"},
		{"Blocks: #5", "self→5"},
		{"Blocks #5 and acme/APP#6", "self→5 self→6"},
		{"Blocked by other/lib#7", "other/lib#7→self"},
		{"Depends on https://github.com/acme/app/issues/5#issuecomment-1, " +
			"https://github.com/acme/app/pull/6", "5→self 6→self"},
		{"Depends on https://ghe.example.org/acme/app/issues/5", "acme/app#5→self"},
		{"Depends on https://gitlab.example.org/group/sub/lib/-/issues/9", "group/sub/lib#9→self"},
		{"Depends on [the parser](https://github.com/acme/app/issues/5) and [#6](x)",
			"5→self 6→self"},
		{"Depends on <https://github.com/acme/app/issues/5>, #6", "5→self 6→self"},
		{"- [ ] #272 (blocks: #273, #274)\n- [x] #275 (blocked by #272)",
			"272→273 272→274 272→275"},
		{"* #12 depends on #13\n1. [ ] Depends on #14", "13→12 14→self"},
		{"- [ ] the parts\n    - [ ] #1 (blocks #2)", "1→2"},
		{"Blocked by: #1, #2 and #3", "1→self 2→self 3→self"},
		{"Depends on issues #1 and #2", "1→self 2→self"},
		{"**Dependencies:** #1, acme/app#2", "1→self 2→self"},
		{"- **Blocked by**: #1", "1→self"},
		{"| Blocked by | #1, #2 |", "1→self 2→self"},
		{"⛔ Blocked by #1", "1→self"},
		{"Depends-On: https://github.com/acme/app/pull/6", "6→self"},

		// as an issue form fills it in
		{"### Depends on\n\n#12, #13\n\n### Blocks\n\n_No response_", "12→self 13→self"},
		{"### Blocked by\n\n_No response_\n\n#5", ""},
		{"**Blocked by**\n\n- [ ] #1\n- [x] the parser (#2)\n- see #3\n- [x](https://h/y) (more)\n- #4",
			"1→self 4→self"},
		{"Dependencies:\n- Story one, see (#2, #3)", ""},
		{"### 🔗 Dependencies\n* [ ] https://github.com/acme/app/issues/5", "5→self"},
		{"## Blocked by #3", "3→self"},
		{"## Dependencies\n\n- #1\n- [x] #2: the lock\n- see #3\n\ntext\n- #4", "1→self 2→self"},
		{"Depends on:\n- #1\n- #2\n# Blocks\n* #3", "1→self 2→self self→3"},
		{"# Depends on\r\n\r\n- #1\r\n", "1→self"},

		{"Depends on none", ""},
		{"Depends on: none (was #5)", ""},
		{"Depends on: n/a\n- #5", ""},
		{"Depends on #1 or #2", ""},
		{"Depends on !5, &6, \\#7", ""},
		{"As said:\n\n    Depends on #1\n\nDepends on #2", "2→self"},
		{"Depends\n    on #1\n    depends on #2", "2→self"},
		{"> Depends on #1\ndepends on #2\n\nDepends on #3", "3→self"},
		{"<details><summary>more</summary>\n\nDepends on #1\n\n</details>", "1→self"},
		{"It was blocked by #1, might depend on #2, is non-blocking #3; formerly depends on #4",
			""},
		{"Nothing blocks #1. It does not really depend on #2. If blocked by #3, wait. Used to " +
			"depend on #4", ""},
		{"It isn’t blocked by #1", ""},
		{"| Issue | Depends on |\n|---|---|\n| #1 | #2 |", ""},

		{"```\nDepends on #1\n```\nDepends on #2", "2→self"},
		{"~~~~\nBlocked by #1\n~~~\nBlocked by #2\n~~~~\nBlocked by #3", "3→self"},
		{"- ```\n  Depends on #1\n  ```", ""},
		{"> Depends on #1\n>> Blocked by #2", ""},
		{"<!-- Depends on #1\nBlocked by #2 --> Blocked by #3", "3→self"},
		{"`<!--` Depends on #1 `-->`", "1→self"},
		{"`Depends on #1` ``Blocked by `#2` `` ~~Depends on #3~~", ""},
		{"no longer blocked by #1. Not blocked by #2. It isn't blocked by #3. Does not depend on #4", ""},
		{"unblocked by #1, roadblocks #2, depends only #3, blocksize #4", ""},
		{"Depends on #0, #12a, #99999999999, #", ""},
		{"Depends on the parser, see #5", ""},
		{"#5 is related", ""},
		{"Closes #5", ""},
		{"\xff\xfe Depends on #5", "5→self"},
	} {
		if got := said(stated(c.body)); got != c.want {
			t.Errorf("%q: %q, want %q", c.body, got, c.want)
		}
	}
}

// Loose are the issues of prose, of a range's end and of an announced list's entries.
func TestLoose(t *testing.T) {
	for body, want := range map[string]string{
		"It is blocked by #7 and #8":                        "#7 #8",
		"Requires #4. Waiting on #6; a prerequisite of #5":  "#4 #6 #5",
		"Depends on #1-#3":                                  "#3",
		"Depends on: none (see #5), it isn't blocked by #6": "",
		"No longer blocked by #5":                           "",
		"**Blocked by**\n- the parser (#2)\n- #3":           "#2",
		"See #1, closes #2\n> requires #3\n`waits for #4`":  "",
	} {
		var got []string
		for _, r := range read(body, home).loose {
			got = append(got, r.String())
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%q: %q, want %q", body, s, want)
		}
	}
}

// Bodies made to be slow are read in the time of any other: nothing in them is looked through again
// and again.
func TestHostileBodies(t *testing.T) {
	for _, piece := range []string{"blocks ", "blocks #1 (", "depends on [",
		"depends on https://h/a/b/", "` `` ``` ", "~~", "<!--", "- [ ] ", "#1 blocks\n- #2\n",
		"depends on a/b", "(blocks: #1, "} {
		body := strings.Repeat(piece, 300_000/len(piece))
		done := make(chan struct{})
		start := time.Now()
		go func() {
			read(body, home)
			read("# Acceptance criteria\n"+body, home)
			Closes(strings.ReplaceAll(body, "blocks", "closes"), home)
			close(done)
		}()
		select {
		case <-done:
			t.Logf("%q: %v", piece, time.Since(start))
		case <-time.After(time.Minute): // quadratic would take hours
			t.Fatalf("%q repeated", piece)
		}
	}
}

func TestCriteria(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{"", CriteriaMissing},
		{"# Criteria of taste\n- one", CriteriaMissing},
		{"### Acceptance Criteria\n- [ ] it works", CriteriaOK},
		{"## ✅ **Acceptance criteria**:\nIt works", CriteriaOK},
		{"###### acceptance criteria ######\n1. one", CriteriaOK},
		{"### Acceptance Criteria\n\n### Notes\n- one", CriteriaMissing},
		{"### Acceptance Criteria\n#### Server\n- one\n## Notes", CriteriaOK},
		{"### Acceptance Criteria\n- [ ] \n- …\n", CriteriaMissing},
		{"### Acceptance Criteria\n<!-- say when it is done -->", CriteriaMissing},
		{"```\n### Acceptance Criteria\n- one\n```", CriteriaMissing},
		{"### Acceptance Criteria\n```gherkin\nGiven TODO\n```", CriteriaOK},
		{"### Acceptance Criteria\n- one\n- TBD", CriteriaTBD},
		{"### Acceptance Criteria\ntbd", CriteriaTBD},
		{"### Acceptance Criteria\n- [ ] todo.", CriteriaTBD},
		{"### Acceptance Criteria\n- TODO: ask Mara", CriteriaTBD},
		{"### Acceptance Criteria\nto be determined", CriteriaTBD},
		{"### Acceptance Criteria\n- the todo list is shown\n- `TODO` marks are kept", CriteriaOK},
		{"### Acceptance Criteria\n- one\n## Notes\nTBD", CriteriaOK},
		{"## Acceptance Criteria\n- one\n## Acceptance Criteria (later)\nTBD", CriteriaTBD},
		{"**Acceptance Criteria**\n- one", CriteriaOK},
		{"**Acceptance Criteria:**\n\n- [ ] one\n\n**Notes**\nTBD", CriteriaOK},
		{"__Acceptance criteria__\n\n## Notes\n- one", CriteriaMissing},
		{"Acceptance criteria:\n- one\n\nNotes:\n- TBD", CriteriaOK},
		{"Acceptance criteria:\n\nThe user sees:\n- one", CriteriaOK},
		{"- Acceptance criteria: it works", CriteriaOK},
		{"*Acceptance Criteria*: TBD", CriteriaTBD},
		{"The acceptance criteria are not known: ask", CriteriaMissing},
		{"### AC\n- one", CriteriaOK},
		{"**AC:**\n1. one", CriteriaOK},
		{"### AC power supply\n- one", CriteriaMissing},
		{"## 3. Acceptance\n- one", CriteriaOK},
		{"### Acceptance Criteria (TBD)\n- one", CriteriaTBD},
		// as an issue form leaves it
		{"### Acceptance Criteria\n\n_No response_\n\n### Notes\n\nx", CriteriaMissing},
		{"### Acceptance Criteria\nN/A", CriteriaMissing},
		{"### Acceptance Criteria\n- [ ] Criterion 1\n- [ ] <criterion>\n- [ ] [describe it]",
			CriteriaMissing},
		{"### Acceptance Criteria\n- ~~one~~", CriteriaMissing},
		{"### Acceptance Criteria\n- `make check`", CriteriaOK},
		{"### Acceptance Criteria\n> TBD", CriteriaTBD},
		{"### Acceptance Criteria\n- ???", CriteriaTBD},
		{"### Acceptance Criteria\n- todo: ask Mara", CriteriaTBD},
		{"### Acceptance Criteria\n- to be agreed with Noor", CriteriaTBD},
	} {
		if got := read(c.body, home).criteria; got != c.want {
			t.Errorf("%q: %q, want %q", c.body, got, c.want)
		}
	}
}

func TestParseScope(t *testing.T) {
	for words, want := range map[string]Scope{
		"":                                   {},
		"12 #13 14,#15 17-19":                {Issues: []int{12, 13, 14, 15, 17, 18, 19}},
		"SPEC-0020 spec-3":                   {Specs: []string{"SPEC-0020", "SPEC-3"}},
		"--label bug,ui label:p1 --labels=x": {Labels: []string{"bug", "ui", "p1", "x"}},
		"--milestone v1.0 milestone:v2":      {Milestones: []string{"v1.0", "v2"}},
		"--max-agents 3 --dry-run 12 --module=api": {Issues: []int{12}},
		"the lock 0 -5 9-1 1-99999": {Unclear: []string{"the", "lock", "0", "9-1",
			"1-99999"}},
	} {
		if d := cmp.Diff(want, ParseScope(strings.Fields(words))); d != "" {
			t.Errorf("%q: %s", words, d)
		}
	}
}

func FuzzDependencies(f *testing.F) {
	for _, s := range []string{"- [ ] #272 (blocks: #273)", "Depends on [#1](x), https://h/o/r/issues/5#x", "<!-- `", "Blocks:\n===\n* #1", "~~~\n", "\xffDepends on #1", "Closes: #1, #2"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, body string) {
		r := read(body, home)
		deps, c := r.deps, r.criteria
		for _, d := range deps {
			for _, r := range []Ref{d.blocker, d.blocked} {
				if r.Number < 0 || r.Number > 999_999_999 || r.Number == 0 && r.Repo != "" {
					t.Errorf("%q: %+v", body, d)
				}
			}
		}
		if len(deps) > len(body) {
			t.Errorf("%q: %d dependencies", body, len(deps))
		}
		if c != CriteriaOK && c != CriteriaMissing && c != CriteriaTBD {
			t.Errorf("criteria %q", c)
		}
		fenced := "````\n" + strings.ReplaceAll(body, "`", "'") + "\n````\n"
		if hidden := stated(fenced); len(hidden)+len(Closes(fenced, home)) > 0 {
			t.Errorf("fenced %q: %v", body, hidden)
		}
	})
}
