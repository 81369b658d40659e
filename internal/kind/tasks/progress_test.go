package tasks

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hooks/internal/attempt"
)

// seeded is the progress file of the specification.
const seeded = `## Goal
Add preference sync so users can save and restore their settings across devices.

## Linear Issue
CIA-042: Add user preference sync

## Completed Tasks
- [x] Task 0: Add schema migration -- abc1234 (2 min)
- [x] Task 1: Implement API endpoint -- def5678 (5 min)

## Learnings
- [2026-02-15 12:30] Discovered existing preference utils in src/lib/preferences.ts
- [2026-02-15 12:45] Test pattern: use factory helpers from tests/factories/

## Current Task
Task 2: Build preference sync service

## Blocked / Flagged
(none)
`

// The program writes the file of the specification, but for the lines that are the worker's.
func TestProgressOfTheSpecification(t *testing.T) {
	f := newProgress("Add preference sync so users can save and restore their settings across "+
		"devices.", "CIA-042: Add user preference sync")
	golden(t, "new.progress.md", string(f.bytes()))
	r := Run{Index: 2, List: []Item{
		{Title: "Add schema migration", SHA: "abc1234", Minutes: 2, Result: attempt.Verified},
		{Title: "Implement API endpoint", SHA: "def5678", Minutes: 5, Result: attempt.Claimed},
		{Title: "Build preference sync service"},
	}}
	text := r.Progress(f.bytes(), f.bytes(), false)
	f = parse([]byte(seeded))
	f.section(learningsHeading).body = ""
	if diff := cmp.Diff(string(f.bytes()), string(text)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	golden(t, "empty.progress.md", string(newProgress(" ", "## \n").bytes()))
}

// The file of an earlier run keeps its learnings; a lost file comes back from its copy.
func TestProgressOfAnotherRun(t *testing.T) {
	r := Run{Goal: "It is.", List: []Item{{Title: "Parse it"}}}
	own := r.Progress([]byte(seeded), nil, false)
	for _, want := range []string{"## Goal\nIt is.\n", "Learnings\n- [2026-02-15 12:30]",
		"## Linear Issue\n(none)\n", "## Completed Tasks\n\n", "Task\nTask 0: Parse it\n"} {
		if !strings.Contains(string(own), want) {
			t.Errorf("%s\nlacks %q", own, want)
		}
	}
	if got := r.Progress(nil, own, false); string(got) != string(own) {
		t.Errorf("%s", got)
	}
}

// edited returns a text after a change of the file.
func edited(text string, edit func(*file)) string {
	f := parse([]byte(text))
	edit(f)
	return string(f.bytes())
}

func TestDoneLine(t *testing.T) {
	for want, c := range map[string]struct {
		index int
		item  Item
	}{
		"- [x] Task 0: a b -- abc1234 (1 min)":   {0, Item{Title: "a\n b", SHA: "abc1234"}},
		"- [x] Task 11: a -- no commit (90 min)": {11, Item{Title: "a", Minutes: 90}},
		"- [x] Task 2: a -- 0123456789ab (2 min)": {2,
			Item{Title: "a", SHA: "0123456789abcdef", Minutes: 2}},
	} {
		got := edited("", func(f *file) { f.complete(c.index, c.item) })
		if got != "## Completed Tasks\n"+want+"\n" {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestCompleted(t *testing.T) {
	const line = "- [x] Task 1: b -- abcdef1 (2 min)"
	for name, c := range map[string]struct{ text, want string }{
		"empty section": {"## Completed Tasks\n\n## Learnings\n",
			"## Completed Tasks\n" + line + "\n\n## Learnings\n"},
		"no blank line": {"## Completed Tasks\n## Learnings\n",
			"## Completed Tasks\n" + line + "\n\n## Learnings\n"},
		"below the others": {"## completed tasks ##\n\n- [x] Task 0: a\n  note\n\n\n## L\n",
			"## completed tasks ##\n- [x] Task 0: a\n  note\n" + line + "\n\n## L\n"},
		"the worker's own": {"## Completed Tasks\n- [x] Task 1: B, and c -- abcdef1234 (9 min)\n",
			"## Completed Tasks\n- [x] Task 1: B, and c -- abcdef1234 (9 min)\n"},
		"another commit": {"## Completed Tasks\r\n* [ ] Task 1 b -- 1234567\r\n- x",
			"## Completed Tasks\n" + line + "\n- x\n"},
		"no commit": {"## Completed Tasks\n- Task 10: x\n- Task 1: done\n",
			"## Completed Tasks\n- Task 10: x\n" + line + "\n"},
		"the last of two": {"## Completed Tasks\n- [x] Task 1: a -- 1111111\n- [x] Task 1: b",
			"## Completed Tasks\n- [x] Task 1: a -- 1111111\n" + line + "\n"},
		"at the end": {"## Completed Tasks\r\n- [x] Task 0: a",
			"## Completed Tasks\n- [x] Task 0: a\n" + line + "\n"},
		"no section": {"## Goal\nx", "## Goal\nx\n\n## Completed Tasks\n" + line + "\n"},
		"no file":    {"", "## Completed Tasks\n" + line + "\n"},
	} {
		got := edited(c.text, func(f *file) {
			f.complete(1, Item{Title: "b", SHA: "abcdef1", Minutes: 2})
		})
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestSetCurrent(t *testing.T) {
	for text, want := range map[string]string{
		"## Current Task\nTask 1: a\nand more\n\n## X\ny": "" +
			"## Current Task\nTask 2: b\n\n## X\ny\n",
		"\ufeff## Current Task": "## Current Task\nTask 2: b\n",
		"# A\n## Goal": "" +
			"# A\n\n## Goal\n\n## Current Task\nTask 2: b\n",
		"```\n## Current Task\n": "```\n\n## Current Task\nTask 2: b\n",
	} {
		got := edited(text, func(f *file) {
			f.section(currentHeading).body = orNone("## Task 2:\nb")
		})
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestFlagged(t *testing.T) {
	for _, none := range []string{
		"", "(none)", "None.", "- (none)", "n/a", "\n\n \t\n", "<!-- add here -->\n", "---",
		"<!--\n- an example\n-->\n- none yet\n", "- [ ] \r\n", "*Nothing*",
	} {
		text := "## Blocked / Flagged\n" + none
		if got := Flagged([]byte(text)); got != "" {
			t.Errorf("%q: %q", none, got)
		}
	}
	for text, want := range map[string]string{
		"## Blocked / Flagged\n(none)\n- no key\n":        "- no key",
		"## blocked/flagged\r\n<!-- a -->no key":          "no key",
		"## Blocked / Flagged\n<!-- a\nno key":            "<!-- a\nno key",
		"## Blocked / Flagged\n```\nno key\n```\n## X\ny": "no key",
		"## Learnings\n```\n## Blocked / Flagged\nno key": "no key",
		"## Blocked / Flagged\n(none)\n\n## Learnings\n\n## Blocked / Flagged\nno key\n": "" +
			"no key",
	} {
		if got := Flagged([]byte(text)); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
		if got := edited(text, (*file).clearFlagged); Flagged([]byte(got)) != "" {
			t.Errorf("%q: cleared to %q", text, got)
		}
	}
	text := "## A\nb\n## Blocked / Flagged\nno key\n- no database\n\n## C\nd\n"
	want := "## A\nb\n\n## Blocked / Flagged\n(none)\n\n## C\nd\n"
	if got := edited(text, (*file).clearFlagged); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestLostAndRestore(t *testing.T) {
	const (
		zero, one = "- [x] Task 0: Add schema migration -- abc1234 (2 min)\n",
			"- [x] Task 1: Implement API endpoint -- def5678 (5 min)\n"
		first = "- [2026-02-15 12:30] Discovered existing preference utils in " +
			"src/lib/preferences.ts\n"
		learnt = "- [2026-02-15 12:45] Test pattern: use factory helpers from tests/factories/\n"
	)
	replaced := func(pairs ...string) string {
		return strings.NewReplacer(pairs...).Replace(seeded)
	}
	for name, c := range map[string]struct {
		now  string
		lost []string
		want string
	}{
		"nothing":  {seeded, nil, seeded},
		"added":    {replaced(learnt, learnt+"- more\n"), nil, replaced(learnt, learnt+"- more\n")},
		"removed":  {replaced(zero, ""), []string{zero}, seeded},
		"the last": {replaced(one, ""), []string{one}, seeded},
		"edited": {replaced("5 min", "1 min"), []string{one},
			replaced(one, one+"- [x] Task 1: Implement API endpoint -- def5678 (1 min)\n")},
		"all of one": {replaced(zero+one, ""), []string{zero, one}, seeded},
		"between":    {replaced(zero, "- new\n"), []string{zero}, replaced(one, one+"- new\n")},
		"reordered":  {replaced(zero+one, one+zero), nil, replaced(zero+one, one+zero)},
		"moved": {replaced(one, "", learnt, learnt+one), []string{one},
			replaced(learnt, learnt+one)},
		"crlf": {strings.ReplaceAll(replaced(one, ""), "\n", "\r\n"), []string{one}, seeded},
		"the heading": {"## Learnings\n" + learnt, []string{zero, one,
			first}, "## Learnings\n" + first + learnt + "\n## Completed Tasks\n" + zero + one},
	} {
		for i := range c.lost {
			c.lost[i] = strings.TrimSuffix(c.lost[i], "\n")
		}
		if got := Lost([]byte(seeded), []byte(c.now)); !slices.Equal(got, c.lost) {
			t.Errorf("%s: lost %q", name, got)
		}
		if diff := cmp.Diff(c.want, back(seeded, c.now)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	twice, once := []byte("## Learnings\n- a\n- a\n"), []byte("## Learnings\n- a\n")
	if got := Lost(twice, once); len(got) != 1 {
		t.Errorf("one of two equal lines is gone: %q", got)
	}
	if got := Lost([]byte("## Learnings\n(none)\n<!-- a -->\n## X\nb\n"), nil); got != nil {
		t.Errorf("lost %q", got)
	}
}

// back returns a text with the lines that it has lost since before.
func back(before, now string) string {
	return edited(now, func(f *file) { f.restore(parse([]byte(before))) })
}

func TestTail(t *testing.T) {
	for _, c := range []struct {
		text string
		n    int
		want string
	}{
		{"a\nb\nc", 9, "a\nb\nc"}, {"a\nb\nc", 4, "b\nc"}, {"aa\nbb\ncc", 4, "cc"},
		{"aa\nbb\n", 4, "bb\n"}, {"aa\nbb\n", 2, "b\n"}, {"éé", 3, "é"}, {"éé", 1, ""},
		{"a", 0, ""}, {"a", -1, ""}, {"", 5, ""},
	} {
		if got := tail(c.text, c.n); got != c.want {
			t.Errorf("%q, %d: %q, want %q", c.text, c.n, got, c.want)
		}
	}
}

// outside returns the parts of a file that have none of some headings.
func outside(text []byte, headings ...string) (list []part) {
	for _, p := range parse(text).parts {
		if !slices.ContainsFunc(headings, p.is) && *p != (part{}) {
			list = append(list, *p)
		}
	}
	return list
}

func FuzzProgress(f *testing.F) {
	f.Add(seeded, "a", 9)
	f.Add("## learnings\r\n```\n## Blocked/Flagged\n<!-- x", "Task 3: y", 300)
	f.Fuzz(func(t *testing.T, text, title string, n int) {
		complete := func(f *file) { f.complete(7, Item{Title: title, SHA: "abc1234"}) }
		same := func(*file) {}
		if got := edited(text, same); got != edited(got, same) {
			t.Fatalf("parsed to %q", got)
		}
		for heading, edit := range map[string]func(*file){
			completedHeading: complete,
			currentHeading: func(f *file) {
				f.section(currentHeading).body = orNone(title)
			},
			flaggedHeading: (*file).clearFlagged,
		} {
			want := outside([]byte(text), heading)
			if have := outside([]byte(edited(text, edit)), heading); !slices.Equal(have, want) {
				t.Errorf("%s: outside of it %q became %q", heading, want, have)
			}
		}
		if got := edited(text, (*file).clearFlagged); Flagged([]byte(got)) != "" {
			t.Errorf("still flagged: %q", got)
		}
		once := edited(text, complete)
		if twice := edited(once, complete); twice != once {
			t.Errorf("a second time:\n%q\n%q", once, twice)
		}
		tail := tail(text, n)
		if len(tail) > max(n, 0) || utf8.ValidString(text) && !strings.HasSuffix(text, tail) ||
			len(text) > n && !utf8.ValidString(tail) {
			t.Errorf("the last %d bytes are %q", n, tail)
		}
	})
}

// restored checks that the lines are back after Restore, whatever a worker made of the file, and
// that nothing that it added is gone.
func restored(t interface{ Errorf(string, ...any) }, before, now string) {
	got := []byte(back(before, now))
	if lost := Lost([]byte(before), got); lost != nil {
		t.Errorf("lost %q in %q", lost, got)
	}
	if gone := Lost([]byte(now), got); gone != nil {
		t.Errorf("of the new lines %q are gone", gone)
	}
	if again := back(before, string(got)); again != string(got) {
		t.Errorf("a second time:\n%q\n%q", got, again)
	}
	if Lost([]byte(before), []byte(now)) == nil && string(got) != edited(now, func(*file) {}) {
		t.Errorf("nothing was lost, but the file became %q", got)
	}
	want := outside([]byte(now), completedHeading, learningsHeading)
	have := outside(got, completedHeading, learningsHeading)
	if !slices.Equal(have, want) {
		t.Errorf("other sections %q became %q", want, have)
	}
}

func FuzzRestore(f *testing.F) {
	f.Add("## Learnings\n- a\n", strings.Replace(seeded, "abc1234", "0000000", 1))
	f.Add("## Learnings\n- a\n- b\n- a", "## Learnings\r\n- b\r\n## LEARNINGS\n- a")
	f.Add("## Completed Tasks\n```\n- a\n", "")
	f.Fuzz(func(t *testing.T, before, now string) { restored(t, before, now) })
}

// The files have few different lines, so that many are equal. Lines that are missing from an
// untouched order come back to their places.
func TestRestoreProperty(t *testing.T) {
	line := rapid.SampledFrom([]string{"- a\n", "- b\n", "- c\r\n", "- c", "- d \n", "\n",
		"(none)\n", "```\n", "<!-- x -->\n", "<!--\n", "## Learnings\n", "## Completed Tasks\r\n",
		"## learnings", "## Other\n", "# Title\n", "## Goal\n"})
	file := rapid.Map(rapid.SliceOfN(line, 0, 12), func(lines []string) string {
		return strings.Join(lines, "")
	})
	rapid.Check(t, func(t *rapid.T) {
		before, now := file.Draw(t, "before"), file.Draw(t, "now")
		restored(t, before, now)
	})
	rapid.Check(t, func(t *rapid.T) {
		all := []string{"- 1", "- 2", "- 3", "- 4", "- 5", "- 6"}
		keep := rapid.SliceOfN(rapid.Bool(), 6, 6).Draw(t, "keep")
		before, now := "## Learnings\n", "## Learnings\n"
		for i, text := range all {
			before += text + "\n"
			if keep[i] {
				now += text + "\n"
			}
		}
		if got := back(before, now); got != before {
			t.Fatalf("%q became %q", now, got)
		}
	})
}
