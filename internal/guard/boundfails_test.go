package guard

import (
	"fmt"
	"strings"
	"testing"

	"hooks/internal/guard/effect"
	"hooks/internal/guard/shellword"
)

// times repeats a text.
func times(text string, n int) string { return strings.Repeat(text, n) }

// long is text of so many bytes that says nothing: prose with quotes, brackets and code spans.
func long(bytes int) string {
	const line = "A line of prose (with brackets), [a link](x) and `code` { } ((1)) & more; " +
		"done. \n"
	return strings.Repeat(line, bytes/len(line)+1)
}

// TestBoundsFailClosed: a merge is hidden behind every bound. It is read, or the bound shuts the
// call.
func TestBoundsFailClosed(t *testing.T) {
	const merge = "gh pr merge 142"
	nested := func(n int, open, end string) string {
		return times(open, n) + merge + times(end, n)
	}
	files := projectFiles{}
	for name, c := range map[string]struct{ text, bound string }{
		"length": {times("#", shellword.MaxShell) + "\n" + merge, "4194304 bytes"},
		"length of a part": {
			"{ yes; cat <<'E'\n" + long(shellword.MaxShell/3) + "\nE\n} | bash; " + merge,
			"",
		},
		"argument":      {"echo '" + times("x", 70<<10) + "'; " + merge, ""},
		"here-document": {"cat > f <<'E'\n" + long(70<<10) + "E\n" + merge, ""},
		"commit message": {
			"git commit -m \"$(cat <<'E'\n" + long(70<<10) + "E\n)\" && " + merge,
			"",
		},
		"openers":          {times("(", 40_000) + "\n" + merge, "nested"},
		"openers of words": {times("if\n", 40_000) + merge, "nested"},
		"doubles":          {times("((1))\n", 5000) + merge, "nested"},
		"nesting":          {nested(450, "{ ", "; }"), "nested"},
		"nesting of sums": {
			"echo $((" + times("(", 450) + "$(" + merge + ")" + times(")", 450) + "))",
			"",
		},
		"nesting of tests": {
			"[[ " + times("( ", 450) + "-n $(" + merge + ")" + times(" )", 450) + " ]]",
			"",
		},
		"texts in texts": {times("eval ", 60) + merge, "nested"},
		"steps": {
			times("for a in 1 2 3 4 5 6 7 8; do ", 8) + ":" + times("; done", 8) + "; " + merge,
			"too much",
		},
		"acts":   {chain(70, "gh issue comment %d -b x\n") + merge, "60 actions"},
		"opaque": {chain(50, "$a merge %d; ") + "$b pr 5", "40 parts"},
		"rounds of a while": {
			"i=0; while [ $i -lt 30 ]; do i=$((i+1)); [ $i = 25 ] && " + merge + "; done",
			"",
		},
		"pieces":           {times("a;", 500_000) + merge, "400000 words"},
		"added to":         {times("a+=b;", 150_000) + merge, "too much"},
		"rounds of printf": {"printf '%s\\n' " + chain(70, "a=%d ") + "'" + merge + "' | sh", ""},
		"words":            {"env " + chain(5000, "A=%d ") + merge, ""},
		"self call":        {"n=0; f() { n=$((n+1)); [ $n = 20 ] && " + merge + "; f; }; f", ""},
		"git aliases": {
			"git " + chain(8, "-c alias.a%[1]d=a%[2]d ") + "-c alias.a8='!" + merge + "' a0",
			"",
		},
		"values": {"curl -X POST https://api.github.com/repos/a/b/merges -d '{\"x\":[" +
			times("1,", 21_000) + "1],\"base\":\"main\"}'", "more values"},
	} {
		t.Run(name, func(t *testing.T) {
			call := effect.Call{Tool: "Bash", Command: c.text, Cwd: "/p"}
			r := Read(call, effect.Repo{Branch: "f"}.Known(), files.ReadFile)
			shut := strings.Contains(r.Bound, c.bound)
			said := strings.Contains(r.Unparsable, c.bound)
			switch {
			case c.bound != "" && !(shut && said):
				t.Errorf("no bound %q: %.400s; bound %q", c.bound, describe(r), r.Bound)
			case c.bound == "" && len(r.Merges()) == 0 && r.Bound == "" && !r.ReachesForge():
				t.Errorf("nothing seen: %.400s", describe(r))
			}
		})
	}
}

// chain repeats a text with the numbers from 0 on and the one behind each.
func chain(n int, format string) string {
	var out strings.Builder
	for i := range n {
		text := fmt.Sprintf(format, i, i+1)
		text, _, _ = strings.Cut(text, "%!(EXTRA")
		out.WriteString(text)
	}
	return out.String()
}

// TestUnknownBehindBounds: what is left out of a list is unknown, so it is opaque where a shell
// would run it.
func TestUnknownBehindBounds(t *testing.T) {
	for name, text := range map[string]string{
		"braces": "x=({1..300}); \"${x[290]}\" pr 5",
		"index":  "a[2000]='gh pr merge 5'; eval \"${a[2000]}\"",
		"picks": chain(5, "[ -f f ] && v%[1]d=a || v%[1]d=b; ") +
			"[ -f f ] && c=echo || c=gh; $c$v0$v1$v2$v3$v4 pr $v4",
		"xargs": "printf '%s\\n' a b c d e f g h i j k l m n o p q r 'gh pr merge 5' |" +
			" xargs -d '\\n' -n1 sh -c",
		"curl's globs": "curl -X PUT 'https://api.github.com/{" + chain(30, "a%d,") +
			"repos/a/b/pulls/142/merge}'",
	} {
		t.Run(name, func(t *testing.T) {
			call := effect.Call{Tool: "Bash", Command: text, Cwd: "/p"}
			r := Read(call, effect.Repo{Branch: "f"}.Known(), nil)
			if len(r.Opaque) == 0 && len(r.Merges()) == 0 && r.Bound == "" {
				t.Errorf("nothing seen: %s", describe(r))
			}
		})
	}
}

// TestLongPasses: length alone is nothing, whatever the text talks about.
func TestLongPasses(t *testing.T) {
	prose := long(200<<10) + "then run gh pr merge 142 and git push\n"
	var looks strings.Builder
	for i := range 100 {
		fmt.Fprintf(&looks, "cat f%d; touch g%d; git add g%d\n", i, i, i)
	}
	for name, text := range map[string]string{
		"here-document":    "cat > f <<'E'\n" + prose + "E\n",
		"expanded":         "cat > f <<E\n" + strings.ReplaceAll(prose, "`", "") + "E\n",
		"commit":           "git commit -F - <<'E'\n" + prose + "E\n",
		"commit's message": "git commit -m \"$(cat <<'E'\n" + prose + "E\n)\"",
		"quoted":           "git commit -m '" + prose + "'",
		"a megabyte":       "cat > f <<'E'\n" + times("lorem ipsum dolor\n", 60_000) + "E\n",
		"JSON":             "cat > f.json <<'E'\n[" + times(`{"a":[1]},`, 20_000) + "0]\nE\n",
		"many files":       looks.String() + "git commit -m x",
		"many words":       "echo {1..1000} {a..z}{1..99}",
		"code spans":       "git commit -m '" + times("- `a` and `b` and `c`\n", 200) + "'",
	} {
		t.Run(name, func(t *testing.T) {
			call := effect.Call{Tool: "Bash", Command: text, Cwd: "/p"}
			r := Read(call, effect.Repo{Branch: "f"}.Known(), nil)
			acts := len(r.Merges()) + len(r.Opaque)
			if r.Bound != "" || acts > 0 || r.Unparsable != "" && name != "JSON" {
				t.Errorf("%.300s; bound %q", describe(r), r.Bound)
			}
		})
	}
}

// TestLongArguments: what a tool is given as one JSON text is read whole, or shuts the call.
func TestLongArguments(t *testing.T) {
	for name, pad := range map[string]string{
		"long":        `"` + times("x", 70<<10) + `"`,
		"many values": "[" + times("1,", 25_000) + "1]",
	} {
		text := `{"pad":` + pad + `,"tool":"merge_pull_request","pullNumber":5,"repo":"a/b"}`
		fields := []effect.Field{{Path: "input", Value: text}}
		c := effect.Call{Tool: "mcp__x__execute_tool", Fields: fields}
		if r := Read(c, effect.Repo{}.Known(), nil); len(r.Merges()) == 0 && r.Bound == "" {
			t.Errorf("%s: nothing seen: %s", name, describe(r))
		}
	}
}
