package report

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"hooks/internal/kind/backlog"
	"hooks/internal/loop"
	"hooks/internal/page"
	"hooks/internal/tracker/forge"
)

// pageOf is a page with one foreign text in every place that may hold one.
func pageOf(text string) Card {
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	b := loop.Budget{
		RunID: text, Skill: backlog.Work, StartedAt: at, Status: loop.Halted, StopCause: text,
		StopText: text, Command: text + " " + text, IterationsUsed: 1,
		Ceilings:        loop.Ceilings{Iterations: 5, PRs: 5, Minutes: 60, Dollars: loop.Dollar},
		DollarsEstimate: loop.Dollar / 2, PRsTouched: []string{"#7", text},
		TokensByModel: map[string]loop.Tokens{text: {Dollars: loop.Cent}},
	}
	l := loop.Iteration{
		Seq: 1, Iteration: 1, StartedAt: at, EndedAt: at, Outcome: loop.LineOutcome(text),
		Notes: []string{text}, PRsTouched: []string{text}, Budget: b,
		TrackedPRs: []loop.TrackedPR{{Number: 7, Branch: text, EndSHA: text, StateAtEnd: text}},
		Gates:      []loop.GateAnswer{{Name: text, Question: text, Answer: text}},
		Failures:   []loop.Failure{{Kind: text, Number: 1, Cause: text}},
		Denied:     []loop.Denial{{Tool: text, What: text, Rule: text, Times: 1}},
		Worktrees:  []loop.Worktree{{Path: text, Branch: text}},
		Observed:   loop.Observed{Worktrees: []string{text}},
		Titles:     []loop.Issue{{Number: 8, Title: text}},
	}
	c := NewCard(Stand{Run: &b, Budgets: Axes(&b, &b, nil, false, at),
		Gates: []Waiting{{Gate: loop.Gate{Name: text, Question: text, Options: []loop.Option{
			{Label: text, Description: text}}}, Paused: true, Answer: text}}},
		[]loop.Iteration{l})
	c.Resume = text
	c.Stopped = StoppedBy(&b, &l, c.Waiting, "")
	c.Stopped.LastError = text
	c.Folder, c.Unread = text, []string{text}
	c.Links = forge.Links{PR: "https://github.com/a/b/pull/",
		Issue: "https://github.com/a/b/issues/", Commit: "https://github.com/a/b/commit/"}
	c.Iterations[0].Fired = []string{text}
	return c
}

var tag = regexp.MustCompile(`<[^>]*>`)

// skeleton are the tags of a page, with their attributes.
func skeleton(p Card) []string {
	text := PageHTML(page.Screen{Width: 80, Now: time.Unix(0, 0).UTC()}, []Card{p})
	_, body, _ := strings.Cut(text, "<body>")
	return tag.FindAllString(body, -1)
}

var hostile = []string{
	`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `javascript:alert(1)`,
	`'><a href='javascript:alert(1)'>`, `</style></title><svg onload=alert(1)>`, `<!--`, `]]>`,
	"a\u202eb\u2066c\x1b[2J\x00\u009b", "&lt;b&gt;&#60;", "%s%d%!", "\xff\xfe<", `--></main>`,
	"#12<b>", "deadbeef\" onclick=\"x",
}

// checkForeign puts a letter before the text: alone it may be a word that the page knows, or a PR.
func checkForeign(t *testing.T, text string) {
	t.Helper()
	p := pageOf("x" + text)
	if got, want := skeleton(p), skeleton(pageOf("x")); !slices.Equal(got, want) {
		t.Errorf("%q changes the page:\n%q\n%q", text, got, want)
	}
	q := taskPage("x" + text)
	if got, want := skeleton(q), skeleton(taskPage("x")); !slices.Equal(got, want) {
		t.Errorf("%q changes the page of a task loop:\n%q\n%q", text, got, want)
	}
	all := PageHTML(page.Screen{Width: 80, Now: time.Unix(0, 0).UTC()}, []Card{p, q})
	for _, r := range all {
		if r < ' ' && r != '\n' || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e ||
			r >= 0x2066 && r <= 0x2069 {
			t.Errorf("%q leaves %U on the page", text, r)
		}
	}
}

// R117, R150: a foreign text is only ever a text: it makes no tag, no attribute and no address.
func TestPageEscapes(t *testing.T) {
	for _, text := range hostile {
		checkForeign(t, text)
	}
	for _, text := range append(hostile, "deadbeef", "#12") {
		for _, tag := range skeleton(pageOf(text)) {
			_, to, ok := strings.Cut(tag, `href="`)
			if ok && !strings.HasPrefix(to, "https://github.com/a/b/") {
				t.Errorf("%q makes a link to %s", text, to)
			}
		}
	}
}

func FuzzPage(f *testing.F) {
	for _, text := range hostile {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { checkForeign(t, text) })
}

// The last of ten thousand iterations makes a page of a bounded size with the sum of the run.
func TestPageIsBounded(t *testing.T) {
	p := pageOf(strings.Repeat("<&\">", 1000))
	l := &p.Iterations[0]
	l.Iteration, l.Budget.DollarsEstimate, p.Earlier = 10_000, 100*loop.Dollar, 9_999
	text := PageHTML(page.Screen{Width: 80, Now: time.Unix(0, 0).UTC()}, []Card{p})
	if len(text) > 1<<18 {
		t.Errorf("%d bytes", len(text))
	}
	for _, want := range []string{"Earlier iterations, not shown: 9,999; `hooks history --run ",
		"Spend by iteration: $100.00 in total", "iteration 10,000<"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q on the page", want)
		}
	}
}
