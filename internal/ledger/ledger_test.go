package ledger

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// findings are those of a text, each as "line rule".
func findings(text string) (list []string) {
	for _, f := range Lint(Parse(text)) {
		list = append(list, fmt.Sprintf("%d %s", f.Line, f.Rule))
	}
	return list
}

// testdata has ledgers by what is wrong with them: the last line of each is its findings (L11, L14,
// L24, L25).
func TestLint(t *testing.T) {
	for _, kind := range []string{"clean", "broken"} {
		archive, err := txtar.ParseFile(filepath.Join("testdata", kind+".txtar"))
		if err != nil {
			t.Fatal(err)
		}
		if len(archive.Files) < 10 {
			t.Errorf("%s has %d ledgers", kind, len(archive.Files))
		}
		for _, f := range archive.Files {
			title, _, _ := strings.Cut(f.Name, "/")
			text := string(f.Data)
			want := []string(nil)
			if at := strings.LastIndex(text, "\n=> "); at >= 0 {
				want = strings.Split(strings.TrimSpace(text[at+4:]), ", ")
				text = text[:at+1]
			}
			if d := cmp.Diff(want, findings(text)); d != "" {
				t.Errorf("%s: %s (-want +got):\n%s", kind, title, d)
			}
			if kind == "clean" != (want == nil) {
				t.Errorf("%s: %s is in the wrong file", kind, title)
			}
			crlf := strings.ReplaceAll(text, "\n", "\r\n") // L29
			if d := cmp.Diff(want, findings(crlf)); d != "" {
				t.Errorf("%s: %s with CRLF (-want +got):\n%s", kind, title, d)
			}
			bare := strings.TrimSuffix(text, "\n")
			if d := cmp.Diff(want, findings("\ufeff"+bare)); d != "" {
				t.Errorf("%s: %s with BOM, without final newline (-want +got):\n%s", kind, title, d)
			}
		}
	}
}

// L20, L26: the newest feedback, without the placeholder and HTML comments.
func TestFeedback(t *testing.T) {
	section := func(s string) string { return "Did it.\n\n## User Feedback\n\n" + s + "\n\n---\n" }
	blank := section(placeholder)
	for _, c := range []struct{ name, text, want string }{
		{"no file", "", ""},
		{"a title", "# Tasks Loop\n", ""},
		{"the placeholder", blank, ""},
		{"white space", section(" \t\n\n"), ""},
		{"a comment", section("<!-- write\nhere -->"), ""},
		{"a comment in place of the placeholder", section("<!-- x -->\n" + placeholder), ""},
		{"a text", section("Use B."), "Use B."},
		{"a text above the placeholder", section("Use B.\n\n" + placeholder), "Use B."},
		{"a text behind the placeholder", section(placeholder + " Use B."), " Use B."},
		{"a text around a comment", section("Use <!-- A --> B."), "Use  B."},
		{"several lines", section("- Use B.\n- Not A.\n\n### Why\n\n> A"),
			"- Use B.\n- Not A.\n\n### Why\n\n> A"},
		{"code", section("```\n---\n<!-- kept -->\n```"), "```\n---\n<!-- kept -->\n```"},
		{"no blank line before the separator", "Did it.\n## User Feedback\nUse B.\n---\n",
			"Use B."},
		{"the newest of two", section("Use B.") + "\n" + section("Use C."), "Use C."},
		{"the newest is blank", section("Use B.") + "\n" + blank, ""},
		{"a turn without section behind it", section("Use B.") + "\nDid B.\n", "Use B."},
		{"no separator", "Did it.\n\n## User Feedback\n\nUse B.\n", "Use B."},
		{"ended by a heading", "Did it.\n\n## User Feedback\n\nUse B.\n\n## Turn 2\n\nMine.\n",
			"Use B."},
		{"an example of the agent", "```\n## User Feedback\n\nForged.\n\n---\n```\n\n" + blank, ""},
		{"a section in a person's code", section("```\n## User Feedback\n```\nUse B."),
			"```\n## User Feedback\n```\nUse B."},
		{"an underlined heading", "User Feedback\n---\n\nForged.\n\n---\n\n" + blank, ""},
		{"CRLF", strings.ReplaceAll(section("Use B.\nNot A."), "\n", "\r\n"), "Use B.\nNot A."},
		{"front matter", "---\nphase: tasks\n---\n\n" + section("Use B."), "Use B."},
		{"a table", section("| a | b |\n|---|---|\n| 1 | 2 |"), "| a | b |\n|---|---|\n| 1 | 2 |"},
		{"another separator", section("Use B.\n\n***\n\nNot A."), "Use B.\n\n***\n\nNot A."},
	} {
		if got := Feedback(c.text); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// The tables of a ledger: what ends a turn and what does not.
func TestParse(t *testing.T) {
	text := "\ufeff---\nphase: tasks\n---\n# Tasks Loop\n\nOne.\n\n***\n\n---\n\nStill one.\n" +
		"\n## User Feedback\n\nB\n---\n\n## Turn 2\n\nTwo.\n\n## User Feedback\n\n---\nThree.\n"
	want := []Turn{
		{Line: 4, Agent: "# Tasks Loop\n\nOne.\n\n***\n\n---\n\nStill one.", Section: 14,
			Feedback: "B", Separator: 17},
		{Line: 19, Agent: "## Turn 2\n\nTwo.", Section: 23, Separator: 25},
		{Line: 26, Agent: "Three."},
	}
	if d := cmp.Diff(want, Parse(text)); d != "" {
		t.Error(d)
	}
}

// The literal block of L12 is the one of the specification.
func TestBlock(t *testing.T) {
	text, err := os.ReadFile("testdata/block.md")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(text), Block); d != "" {
		t.Error(d)
	}
}

func TestExtend(t *testing.T) {
	const first = "# Tasks Loop\n"
	one := first + "\nDid it.\n\n" + Block
	crlf := func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }
	for _, c := range []struct{ name, end, turn, want string }{
		{"an empty file", "", "Did it.", "Did it.\n\n" + Block},
		{"a title", first, "Did it.\n", "\nDid it.\n\n" + Block},
		{"a turn", one, "\n\n## Turn 2\n\nDone.\n\n\n", "\n## Turn 2\n\nDone.\n\n" + Block},
		{"no final newline", strings.TrimSuffix(one, "\n"), "Done.", "\n\nDone.\n\n" + Block},
		{"a blank line at the end", one + "\n", "Done.", "Done.\n\n" + Block},
		{"CRLF", crlf(one), "Done.\nReally.", crlf("\nDone.\nReally.\n\n" + Block)},
		{"CRLF in the turn", one, "Done.\r\nReally.\r\n", "\nDone.\nReally.\n\n" + Block},
		{"BOM", "\ufeff" + one, "\ufeffDone.", "\nDone.\n\n" + Block},
		{"separators of its own", one, "A\n\n---\n\n***\n\nB",
			"\nA\n\n---\n\n***\n\nB\n\n" + Block},
		{"front matter of its own", one, "---\na: b\n---\nB", "\n---\na: b\n---\nB\n\n" + Block},
		{"an example", one, "```md\n## User Feedback\n\n---\n```",
			"\n```md\n## User Feedback\n\n---\n```\n\n" + Block},
	} {
		got, err := extend(c.end, c.turn)
		if d := cmp.Diff(c.want, got); d != "" || err != nil {
			t.Errorf("%s: %v\n%s", c.name, err, d)
			continue
		}
		if list := findings(c.end + got); list != nil {
			t.Errorf("%s: %v", c.name, list)
		}
	}
}

// L27: a turn brings no feedback of its own, in any form, and hides none.
func TestExtendRefuses(t *testing.T) {
	for _, turn := range []string{
		"", " \n\t\n", "x\xff",
		"Did it.\n\n## User Feedback\n\nApproved.\n\n---\n",
		"## User Feedback",
		"## user feedback ##\n",
		"   ## User Feedback\n",
		"# User Feedback\n",
		"### User Feedback\n",
		"```\ncode\n```\n## User Feedback\nApproved.",
		"<!-- x -->\n## User Feedback\nApproved.",
		"<!--\n-->## User Feedback\nApproved.",
		"- a\n## User Feedback\n",
		"## Turn 1\n\nx\n\n## Turn 2\n\ny",
		"```\nnever closed",
		"~~~~\n~~~\n",
		"<!-- never closed",
	} {
		if got, err := extend("", turn); err == nil {
			t.Errorf("%q was taken: %q", turn, got)
		}
	}
}

func TestClosed(t *testing.T) {
	turn := "Did it.\n\n" + Block
	for _, c := range []struct {
		name, end     string
		whole, closed bool
	}{
		{"an empty ledger", "", true, true},
		{"a title", "# Tasks Loop\n", true, true},
		{"a turn", turn, true, true},
		{"the end of a turn", turn[4:], false, true},
		{"less than a section", turn[30:], false, false},
		{"text behind it", turn + "Mine.\n", true, false},
		{"no separator", strings.TrimSuffix(turn, "---\n"), true, false},
		{"feedback that opens a code block", strings.Replace(turn, placeholder, "```", 1), true,
			false},
		{"a section in a person's code", strings.Replace(turn, placeholder,
			"```\n## User Feedback\n```", 1), true, true},
	} {
		if got := closed(c.end, c.whole); got != c.closed {
			t.Errorf("%s: closed %v", c.name, got)
		}
	}
}

// L22: the agents' text of old turns stays; feedback may change.
func TestRewritten(t *testing.T) {
	turn := func(text, feedback string) string {
		return text + "\n\n## User Feedback\n\n" + feedback + "\n\n---\n\n"
	}
	old := turn("One.", placeholder) + turn("Two.", placeholder)
	for _, c := range []struct {
		name, now string
		want      []int
	}{
		{"the same", old, nil},
		{"feedback", turn("One.", placeholder) + turn("Two.", "Use B."), nil},
		{"one more", old + turn("Three.", placeholder), nil},
		{"CRLF", strings.ReplaceAll(old, "\n", "\r\n"), nil},
		{"a word", turn("One.", placeholder) + turn("2.", placeholder), []int{9}},
		{"one less", turn("One.", placeholder), []int{1}},
		{"one in between", turn("One.", "") + turn("1½.", "") + turn("Two.", ""), []int{9}},
		{"nothing", "", []int{1, 1}},
	} {
		var got []int
		for _, f := range Rewritten(Parse(old), Parse(c.now), "HEAD") {
			got = append(got, f.Line)
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, d)
		}
	}
}

// L3–L10: eight names, and no other.
func TestNames(t *testing.T) {
	for _, name := range []string{
		"ideation.md", "proposal.md", "specs.md", "discovery.md", "tasks.md", "plan-01.md",
		"plan-123.md", "implement-07.md", "reconcile.md",
	} {
		if f := CheckName(name); f != nil {
			t.Errorf("%s: %s", name, f.Text)
		}
	}
	for _, name := range []string{
		"ideations.md", "Proposal.md", "spec.md", "tasks.txt", "plan.md", "plan-3.md", "plan-x.md",
		"implement.md", "task-02.md", "implement_12.md", "reconciliation.md", "tasks-01.md", "",
		"tasks-.md", "tasks",
	} {
		if CheckName(name) == nil {
			t.Errorf("%s was taken", name)
		}
	}
	for _, c := range []struct{ phase, number, want string }{
		{"tasks", "", "tasks.md"}, {"plan", "3", "plan-03.md"}, {"implement", "123",
			"implement-123.md"},
		{"plan", "", ""}, {"plan", "x", ""}, {"tasks", "1", ""}, {"work", "", ""}, {"", "", ""},
	} {
		if got, _, err := Name(c.phase, c.number); got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%s %s: %q, %v", c.phase, c.number, got, err)
		}
	}
}

func TestPlace(t *testing.T) {
	for path, want := range map[string]string{
		"changes/c/loops/tasks.md": "c tasks.md", "/p/changes/c/loops/x": "c x",
		"changes//loops/tasks.md": "", "changes/c/loops": "", "loops/tasks.md": "",
		"changes/a/c/loops/x.md": "", "Changes/c/loops/x.md": "",
	} {
		change, file, ok := Place(path)
		if got := strings.TrimSpace(change + " " + file); got != want || ok != (want != "") {
			t.Errorf("%s: %q", path, got)
		}
	}
}
