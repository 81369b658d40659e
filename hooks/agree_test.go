package main

import (
	"regexp"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/tidwall/gjson"
)

// agree takes the iterations, the minutes and the dollars of the project's work loop from every
// place that shows them, and compares them: `agree 4/5 14/60 5.00/10`.
func agree(ts *testscript.TestScript, _ bool, args []string) {
	used := func(i int) string { n, _, _ := strings.Cut(args[i], "/"); return n }
	dollars := strings.TrimSuffix(strings.TrimSuffix(used(2), "0"), ".0")
	args[2] = "$" + strings.ReplaceAll(args[2], "/", "/$")
	ts.Check(ts.Chdir(ts.Getenv("CLAUDE_PROJECT_DIR")))
	defer func() { ts.Check(ts.Chdir(ts.Getenv("WORK"))) }()
	pages := map[string]string{} // each is shown once
	shown := func(words string) string {
		if text, done := pages[words]; done {
			return text
		}
		c := perform(ts, append([]string{"hooks"}, strings.Fields(words)...)...)
		if c.Code != 0 {
			ts.Fatalf("hooks %s ends with %d: %s", words, c.Code, c.Err)
		}
		pages[words] = c.Out
		return c.Out
	}
	show := func(words, pattern, want string) {
		text := shown(words)
		m := regexp.MustCompile(`(?m)` + pattern).FindStringSubmatch(text)
		if m == nil {
			ts.Fatalf("hooks %s shows no %s:\n%s", words, pattern, text)
		}
		if m[1] != want {
			ts.Fatalf("hooks %s: %s, want %s:\n%s", words, m[1], want, text)
		}
	}
	field := func(words, path, want string) {
		if got := gjson.Get(shown(words), path); got.String() != want {
			ts.Fatalf("hooks %s: %s is %s, want %s", words, path, got, want)
		}
	}
	show("status", `^iterations .* (\d+/\d+)\b`, args[0])
	show("status", `^minutes .* (\d+/\d+)\b`, args[1])
	show("status", `^dollars .* (\$[\d.]+/\$\d+)\b`, args[2])
	show("report-card", `^iterations .* (\d+/\d+)\b`, args[0])
	show("report-card", `^minutes .* (\d+/\d+)\b`, args[1])
	show("report-card", `^dollars .* (\$[\d.]+/\$\d+)\b`, args[2])
	show("report-card", `^dollars +(\$[\d.]+) \(API`, used(2))
	show("loop list work", ` (\d+/\d+) `, args[0])
	show("loop list work", ` (\d+) +\$`, used(1))
	show("loop list work", ` (\$[\d.]+) `, used(2))
	show("cost", `^\$([\d.]+)\d in total`, used(2)[1:])
	for _, words := range []string{"status --json", "report-card --json"} {
		field(words, "0.run.iterations_used", used(0))
		field(words, "0.run.minutes_elapsed", used(1))
		field(words, "0.run.dollars_estimate", dollars)
	}
	field("status --json", "0.minutes_now", used(1))
	field("loop list --json work", "0.iterations_used", used(0))
	field("loop list --json work", "0.minutes_elapsed", used(1))
	field("loop list --json work", "0.dollars_estimate", dollars)
	for _, words := range []string{"status --json", "explain --json", "report-card --json"} {
		field(words, `0.budgets.#(name=="iterations").used`, used(0))
		field(words, `0.budgets.#(name=="minutes").used`, used(1))
		field(words, `0.budgets.#(name=="dollars").used`, dollars)
	}
	status := gjson.Get(shown("status --json"), "0.run.status").String()
	if status != "halted" { // shown to the run's own session only
		show("statusline", ` · (\d+/\d+) it`, args[0])
		show("statusline", ` · (\d+/\d+) min`, args[1])
		show("statusline", ` · (\$[\d.]+/\$\d+)$`, args[2])
	}
	if status == "active" {
		show("explain", `^ *3 iteration-budget +(?:holds: )?(\d+) of `, used(0))
		show("explain", `^ *5 wall-clock-budget +(?:holds: )?(\d+) of `, used(1))
		show("explain", `^12 cost-budget +(?:holds: )?(\$[\d.]+) of `, used(2))
	}
	page := ts.MkAbs("page.html")
	shown("report-card --html " + page)
	html := ts.ReadFile(page)
	for _, want := range []string{
		`<dt>iterations</dt><dd(?: class="\w+")?>` + args[0] + `\b`,
		`<dt>minutes</dt><dd(?: class="\w+")?>` + args[1] + `\b`,
		`<dt>dollars</dt><dd(?: class="\w+")?>` + regexp.QuoteMeta(args[2]) + `\b`,
	} {
		if !regexp.MustCompile(want).MatchString(html) {
			ts.Fatalf("the page has no %s:\n%s", want, html)
		}
	}
}
