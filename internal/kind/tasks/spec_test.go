package tasks

import (
	"strings"
	"testing"
)

func TestReadSpec(t *testing.T) {
	for text, want := range map[string]Spec{
		"---\nmode: tdd\nissue: CIA-042\ntitle: Preferences\n---\n# A": {TDD, "CIA-042"},
		"\ufeff---\r\nexecutionMode: Checkpoint\r\nissue: 'It: \"x\" y' # y\r\n...\r\n": {
			Checkpoint, `It: "x" y`},
		"---\nmode: tdd\nexecutionMode: pair\n---\n":                      {Mode: Pair},
		"---\nmode: quick # for now\nexecutionMode: \"quick\"\n---\n":     {Mode: Quick},
		"---\n mode: a\nmodes: b\nmode:\ntitle: |\n  c\nissue: #d\n---\n": {},
		"---\ntags: [mode]\n# mode: e\nissue: a#b\n---\n":                 {Issue: "a#b"},
		"---\nissue: [f]\n---\n":                                          {},
		"---\nmode: wrong\n":                                              {},
		"\n---\nmode: wrong\n---\n":                                       {},
		"# A\n\n---\nmode: wrong\n---\n":                                  {},
		"":                                                                {},
	} {
		if got, err := ReadSpec([]byte(text)); got != want || err != nil {
			t.Errorf("%q: %+v, %v, want %+v", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"---\ntitle: a\nmode: tddd\n---\n": `line 3: mode "tddd" is not quick, tdd, pair, ` +
			`checkpoint or swarm`,
	} {
		got, err := ReadSpec([]byte(text))
		if err == nil || err.Error() != want || got != (Spec{}) {
			t.Errorf("%q: %+v, %v, want %q", text, got, err, want)
		}
	}
}

func TestGoal(t *testing.T) {
	for text, want := range map[string]string{
		"---\ntitle: No.\n---\n# Preferences\n\nAdd preference\nsync, e.g. themes. Then more.": "" +
			"Add preference sync, e.g. themes.",
		"# Title\n\n- a list\n\n| a | table |\n\n> a quote\n\n```\ncode\n```\n\nDo it": "" +
			"Do it",
		"Use v1.2 of x! It is new.":   "Use v1.2 of x!",
		"同期を追加する。次に。":                 "同期を追加する。",
		"# A\n\n<!-- Not this. -->\n": "",
		"":                            "",
		strings.Repeat("é", 301):      strings.Repeat("é", 299) + "…",
	} {
		if got := Goal([]byte(text)); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func FuzzReadSpec(f *testing.F) {
	f.Add("---\nmode: tdd\ntitle: 'a\n...\n\nDo it. Now.")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ReadSpec([]byte(text))
		if err != nil && s != (Spec{}) || strings.Contains(s.Mode+s.Issue, "\n") {
			t.Errorf("%+v, %v", s, err)
		}
		if goal := Goal([]byte(text)); strings.Contains(goal, "\n") || len([]rune(goal)) > maxGoal {
			t.Errorf("%q", goal)
		}
		front, rest := splitFront(text)
		if got := strings.TrimLeft(rest, "\n"); !strings.HasSuffix(text, got) ||
			strings.Count(rest, "\n") != strings.Count(text, "\n") {
			t.Errorf("%q and %q", front, rest)
		}
	})
}
