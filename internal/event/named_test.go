package event

import (
	"strings"
	"testing"
)

// Commands in a reply are written by a path that works; other uses of the word stay.
func TestNamed(t *testing.T) {
	for text, want := range map[string]string{
		"with: hooks report <<'JSON'": "with: /x/hooks report <<'JSON'",
		"use `hooks loop stop` and `hooks cost`": "use `/x/hooks loop stop` and " +
			"`/x/hooks cost`",
		"hooks gate list\nhooks doctor":    "/x/hooks gate list\n/x/hooks doctor",
		"hooks doctor\nhooks cost":         "/x/hooks doctor\n/x/hooks cost",
		"hooks report-card, hooks cost-x":  "hooks report-card, hooks cost-x",
		"hooks lets this turn end":         "hooks lets this turn end",
		"hooks: loop iteration 1/3 begins": "hooks: loop iteration 1/3 begins",
		"`go build -o /tmp/hooks ./hooks`, webhooks report": "`go build -o /tmp/hooks ./hooks`, " +
			"webhooks report",
	} {
		got := Block(text).Named(func() string { return "/x/hooks" })
		if got.Reason != want {
			t.Errorf("%q became %q, want %q", text, got.Reason, want)
		}
		asked := false
		Block(text).Named(func() string { asked = true; return "hooks" })
		if asked != strings.Contains(want, "/x/hooks") {
			t.Errorf("%q: the name was asked for: %v", text, asked)
		}
	}
}
