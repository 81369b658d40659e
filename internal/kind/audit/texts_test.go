package audit

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"hooks/internal/attempt"
	"hooks/internal/loop"
)

// A40, A42, A44
func TestSplit(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		intro      string
		titles     []string
		fails      string
	}{
		{"no marker", "# Plan\n\nDo it.\n", "", []string{"Plan"}, ""},
		{"both markers", "# P\n<!-- section -->\n## One\na\n<!--forge-section-->\n## Two\nb",
			"# P", []string{"One", "Two"}, ""},
		{"in a fence", "```\n<!-- section -->\n```\nx\n", "", []string{
			"<!-- section -->"}, ""},
		{"no text between", "<!-- section -->\n\n<!-- section -->\nword\n", "", []string{"word"},
			""},
		{"carriage returns", "<!-- section -->\r\n# A\r\n<!-- section -->\r\n# B\r\n", "",
			[]string{"A", "B"}, ""},
		{"only code", "<!-- section -->\n```\ncode\n```\n", "", []string{"code"}, ""},
		{"no words", "<!-- section -->\n---\n", "", []string{"Section 1"}, ""},
		{"words after the marker", "a <!-- section --> b\n", "", []string{
			"a <!-- section --> b"}, ""},
		{"empty", " \n", "", nil, "no text"},
		{"too many", strings.Repeat("<!-- section -->\nx\n", 25), "", nil, "the maximum is 24"},
		{"no text file", "\xff\xfe", "", nil, "UTF-8"},
	} {
		intro, list, err := Split(tt.text)
		var titles []string
		for _, s := range list {
			titles = append(titles, s.Title)
		}
		if d := cmp.Diff(tt.titles, titles); d != "" || intro != tt.intro {
			t.Errorf("%s: intro %q, titles (-want +got):\n%s", tt.name, intro, d)
		}
		if (err != nil) != (tt.fails != "") || err != nil &&
			!strings.Contains(err.Error(), tt.fails) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

func FuzzSplit(f *testing.F) {
	f.Add("# P\n<!-- section -->\n## One\n```\n<!-- section -->\n```\n")
	f.Add("\ufeff<!-- forge-section -->\r\nx")
	f.Fuzz(func(t *testing.T, text string) {
		intro, list, err := Split(text)
		again, same, _ := Split(text)
		if intro != again || !cmp.Equal(list, same) {
			t.Fatal("not the same twice")
		}
		if err == nil && (len(list) == 0 || len(list) > 24) {
			t.Fatalf("%d sections", len(list))
		}
		for _, s := range list {
			if s.Title == "" || strings.ContainsAny(s.Title, "\n") ||
				utf8.RuneCountInString(s.Title) > maxTitle+1 || !strings.Contains(text, s.Text) {
				t.Fatalf("%+v", s)
			}
		}
	})
}

// A19–A21, A72
func TestPrompts(t *testing.T) {
	r := &Run{Plan: "docs/plan.md", SectionBase: "abc1234", Check: "make test",
		Checked: &attempt.CheckRun{Exit: 1, Head: "def5678", Tail: "FAIL x"}}
	const plan = "<!-- section -->\nOne.\n<!-- section -->\nWrite it.\n<!-- section -->\nThree.\n"
	most := 15
	prompt := func(phase Phase) string {
		a := &attempt.Attempt{Phase: string(phase), Task: 2, Of: 3, Title: "Parser",
			Head:  "def5678",
			Token: "coding-1a2b"}
		return r.Prompt(a, loop.Papers{Plan: plan, Number: 3, Most: most})
	}
	holds := func(name, text string, want ...string) {
		t.Helper()
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("%s lacks %q:\n%s", name, w, text)
			}
		}
	}
	holds("coding", prompt(Coding), "[Loop iteration 3 / 15]\n",
		"Do only section 2 of 3 in docs/plan.md: Parser",
		"Write it.", "must pass: `make test`", "(phase coding-1a2b)\n")
	if strings.Contains(prompt(Coding), "auditor") {
		t.Error("an auditor is named before there was one")
	}
	most, r.Reason = 0, "no commit"
	r.Findings = []Finding{{ID: "F1", File: "a.go", Line: 3, Severity: Bug, Description: "x\ny",
		State: OpenFinding}}
	holds("again", prompt(Coding), "[Loop iteration 3 | No max iterations set - loop runs until "+
		"auditor all-clear or cancelled]\n",
		"\n\n---\nThe code auditor reviewed your changes. You MUST address all bugs and "+
			"convention violations.\n\n- F1 bug a.go:3: x y\n", "not accepted: no commit")
	r.Findings = append(r.Findings, Finding{ID: "F2", File: "b.go", Severity: Warn,
		Description: "z", State: AcceptedFinding})
	holds("audit", prompt(Auditing), "Audit section 2 of 3", "git diff abc1234 def5678",
		"`make test` ended with exit 1 at def5678", "> FAIL x", "- F1 bug", "- F2 warning")
	holds("final", prompt(FinalAuditing), "Audit all 3 sections of docs/plan.md together")
	holds("fix", prompt(Fixing), "Fix what the final audit found", "You MUST address")
	r.Post = &Post{Skill: "pr-review", Prompt: "Be brief."}
	holds("post", prompt(PostAction), `Load the skill "pr-review"`, "Be brief.")
	r.Post = &Post{Prompt: "Write notes."}
	holds("post", prompt(PostAction), "\n\nWrite notes.\n\n")
}

// A prompt is bounded, whatever the plan and the findings are.
func TestPromptBounds(t *testing.T) {
	long := strings.Repeat("wörd ", 20_000)
	r := &Run{Reason: long, Checked: &attempt.CheckRun{Tail: long}}
	for range 300 {
		r.Findings = append(r.Findings, Finding{Description: long, State: OpenFinding})
	}
	for _, phase := range []Phase{Coding, Auditing} {
		a := &attempt.Attempt{Phase: string(phase), Task: 1}
		text := r.Prompt(a, loop.Papers{Plan: long + "\n<!-- section -->\n" + long, Number: 1})
		if len(text) > 150<<10 || !utf8.ValidString(text) {
			t.Errorf("%d bytes", len(text))
		}
	}
}

// An edited budget may name a section that its plan does not have; its page still opens.
func TestSectionThatThePlanLacks(t *testing.T) {
	for _, section := range []int{-1, 2} {
		r := &Run{Phase: Coding, Section: section, Sections: []string{"a"}}
		if len(r.Stand(loop.Shown{})) == 0 {
			t.Errorf("section %d: no rows", section)
		}
	}
}
