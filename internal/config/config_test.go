package config

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"hooks/internal/kind/backlog"
	"hooks/internal/kind/prompt"
	"hooks/internal/loop"
)

// usd is a price for one token, from dollars per million tokens.
func usd(t *testing.T, s string) *loop.USD {
	t.Helper()
	v, err := loop.ParseUSD(s)
	if err != nil {
		t.Fatal(err)
	}
	v /= 1_000_000
	return &v
}

func same(t *testing.T, got, want Config) {
	t.Helper()
	if want.DoNotMerge == "" {
		want.DoNotMerge = DefaultDoNotMerge
	}
	if want.Overrun == 0 {
		want.Overrun = DefaultOverrun
	}
	if d := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Config{}),
		cmpopts.EquateEmpty()); d != "" {
		t.Errorf("config (-want +got):\n%s", d)
	}
}

// Parse reads one Markdown text. Its warnings name no file.
func Parse(text string) Config {
	c := fresh("")
	c.parse(text)
	return c
}

// at is a text about a line.
func at(line int, text string) string { return fmt.Sprintf("line %d: %s", line, text) }

func TestFiles(t *testing.T) {
	opus := Rate{Model: "claude-opus-4-7", Input: *usd(t, "15"), Output: *usd(t, "75")}
	rates := []Rate{opus}
	tests := map[string]Config{
		"spec.md": {Rates: rates},
		"repo.md": {Rates: rates,
			Patterns: []Pattern{{`(?i)token=\S+`, `token=<redacted>`},
				{`(?i)api[_-]?key=\S+`, `api_key=<redacted>`}},
			Tracker: Tracker{Type: "github", Owner: "acme", Repo: "app"}, DoNotMerge: "wip",
			AgentLogins: []string{"sdd-bot", "ci[bot]", "helper"}, Notify: "notify-send loop"},
		"hidden.md":  {},
		"outside.md": {},
		"other.md": {
			Tracker: Tracker{Type: "gitlab"},
		},
		"tracker.md": {Tracker: Tracker{Type: "command", Host: "git.example.org",
			Command: "./tracker --json"}},
		"cache.md": {Rates: []Rate{
			{Model: "claude-sonnet-5", Input: *usd(t, "2"), Output: *usd(t, "10"),
				CacheRead: usd(t, "0.2"), CacheWrite5m: usd(t, "2.5"), CacheWrite1h: usd(t, "4")},
			{Model: "claude-haiku-5-5", Input: *usd(t, "0.1"), Output: *usd(t, "0.5"),
				CacheRead: usd(t, "0")},
		}},
		"lines.md": {Rates: []Rate{{Model: "claude-opus-5", Input: *usd(t, "5"),
			Output: *usd(t, "25")}}, Patterns: []Pattern{{"secret|key", "x"}}},
		"damaged.md": {
			Rates: rates,
			Warnings: []string{
				at(5, `rate row for "claude-a": "free" is not a price in dollars per million tokens`),
				at(6, `rate row for "claude-b": "" is not a price in dollars per million tokens`),
				at(7, `rate row without a valid model name: "two words"`),
				at(8, `rate row for "claude-c": "-1" is not a price in dollars per million tokens`),
				at(11, `rate row for "claude-d": "1001" is not a price in dollars per million tokens`),
				at(12, `rate row for "claude-e": "0.0000001" is not a price in dollars per million tokens`),
				at(15, "redaction pattern \"(?i\" cannot be read: error parsing "+
					"regexp: invalid or unsupported Perl syntax: `(?i`"),
				at(16, "redaction pattern \"(?<!x)y\" cannot be read: error parsing "+
					"regexp: invalid named capture: `(?<!x)y`"),
			},
			Unread: []string{
				at(10, "the price of claude-opus-4-7 has no effect, because an earlier line or file sets it"),
				at(20, "Type has no effect, because an earlier line or file sets it"),
			},
			Tracker: Tracker{Type: "github"},
		},
	}
	for name, want := range tests {
		t.Run(name, func(t *testing.T) {
			b, err := os.ReadFile(filepath.Join("testdata", name))
			if err != nil {
				t.Fatal(err)
			}
			same(t, Parse(string(b)), want)
			t.Run("crlf and bom", func(t *testing.T) {
				same(t, Parse("\ufeff"+strings.ReplaceAll(string(b), "\n", "\r\n")), want)
			})
		})
	}
}

// One setting, as people write it; what is no item of a list, or has no colon, is none.
func TestFormsOfASetting(t *testing.T) {
	for line, want := range map[string]string{
		"- **Type**: github": "github", "- **Type:** github": "github",
		"* **Type**: `GitHub`": "github", "+ **Type** : **github**": "github",
		"- Type: github": "github", "* type:github": "github", "- `Type`: github": "github",
		"- __Type__: github": "github", "  - Type: github": "github",
		"| Type | github |": "github", "| **Type** | `github` |": "github",
		"Type: github": "", "- Type github": "", "- Typ: github": "", "    - Type: github": "",
		"> - Type: github": "",
	} {
		if got := Parse("## SDD Configuration\n### Tracker\n" + line +
			"\n").Tracker.Type; got != want {
			t.Errorf("%q: %q", line, got)
		}
	}
	if c := Parse("## SDD Configuration\n- Notify: bell rings are nice\n### Worktrees\n- Type: " +
		"github\n### Loop Logging\n- token: x\n"); c.Notify != "" || c.Tracker.Type != "" ||
		len(c.Patterns) > 0 {
		t.Errorf("outside of the blocks of keys only the bold form counts: %+v", c)
	}
}

// The section may have any level. Its blocks are below it, or beside it from level 3 on.
func TestLevels(t *testing.T) {
	for text, want := range map[string]string{
		"# SDD Configuration\n## Tracker\n": "x", "## SDD Configuration\n### Tracker\n": "x",
		"## SDD Configuration\n## Tracker\n": "", "### SDD Configuration\n### Tracker\n": "x",
		"##### SDD Configuration\n##### Tracker\n": "x", "### SDD Configuration\n## Tracker\n": "",
	} {
		if c := Parse(text + "- **Type**: x\n"); c.Tracker.Type != want {
			t.Errorf("%q: %q", text, c.Tracker.Type)
		}
	}
}

// A setting counts as in the first of .sdd/config.md, CLAUDE.md and AGENTS.md that has it; each
// price and each pattern is a setting of its own.
func TestTheFirstFileWithAKeyWinsIt(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, ".sdd"), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, dir, ".sdd/config.md", "## SDD Configuration\n### Loop Cost Rates\n| m | 1 | 2 |\n"+
		"### Review\n- **Agent Logins**: bot\n### Loop Logging\n| `a` | 1 |\n")
	write(t, dir, "CLAUDE.md", "@AGENTS.md\n## SDD Configuration\n### Tracker\n- **Type**: "+
		"github\n### Loop Cost Rates\n| m | 3 | 4 |\n| n | 3 | 4 |\n### Review\n"+
		"- **Agent Logins**: other\n### Loop Logging\n| `a` | 2 |\n| `b` | 3 |\n")
	write(t, dir, "AGENTS.md", "## SDD Configuration\n### Tracker\n- **Type**: gitlab\n- "+
		"**Owner**: acme\n### Review\n- **Do-Not-Merge Label**: hold\n")
	want := Config{
		Rates: []Rate{
			{Model: "m", Input: *usd(t, "1"), Output: *usd(t, "2"), File: SettingsFile},
			{Model: "n", Input: *usd(t, "3"), Output: *usd(t, "4")},
		},
		Patterns:    []Pattern{{"a", "1"}, {"b", "3"}},
		Tracker:     Tracker{Type: "github", Owner: "acme"},
		AgentLogins: []string{"bot"}, DoNotMerge: "hold",
		Unread: []string{
			"CLAUDE.md:6: the price of m has no effect, because an earlier line or file sets it",
			"CLAUDE.md:9: Agent Logins has no effect, because an earlier line or file sets it",
			"CLAUDE.md:11: the pattern a has no effect, because an earlier line or file sets it",
			"AGENTS.md:3: Type has no effect, because an earlier line or file sets it",
		},
	}
	same(t, Load(dir), want)
}

// A command runs for a person who named it in a file of their own. Those of a project are dropped.
func TestNoProjectNamesACommand(t *testing.T) {
	for _, name := range []string{".sdd/config.md", "CLAUDE.md", "AGENTS.md"} {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, ".sdd"), 0o700); err != nil {
			t.Fatal(err)
		}
		text := "## SDD Configuration\n- **Notify**: say done\n- **Sync**: send\n"
		write(t, dir, name, text)
		c := Load(dir)
		if c.Notify+c.Sync != "" || len(c.Warnings) != 2 || !strings.HasPrefix(c.Warnings[0], name+":2: ") {
			t.Errorf("%s: %q, %q, %v", name, c.Notify, c.Sync, c.Warnings)
		}
		if own := User(dir); name == "CLAUDE.md" && own.Notify+own.Sync != "say donesend" {
			t.Errorf("the person's own: %q, %q", own.Notify, own.Sync)
		}
	}
}

// A file for settings alone in which nothing counts is no mystery.
func TestAFileWithoutTheHeading(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, ".sdd"), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, dir, ".sdd/config.md", "### Review\n- **Agent Logins**: bot\n")
	same(t, Load(dir), Config{Unread: []string{
		".sdd/config.md: has no heading `## SDD Configuration`, so it is ignored",
	}})
}

func TestOverrun(t *testing.T) {
	for value, want := range map[string]int{"0": 0, "25": 25, "100 %": 100, "7%": 7} {
		c := Parse("## SDD Configuration\n- **Overrun**: " + value + "\n")
		if c.Overrun != want || len(c.Warnings) > 0 {
			t.Errorf("%q is %d, %v", value, c.Overrun, c.Warnings)
		}
	}
	for _, value := range []string{
		"", "-1", "101", "1.5", "+5", "ten", "10 percent", "99999999999999999999",
	} {
		c := Parse("## SDD Configuration\n- **Overrun**: " + value + "\n")
		if c.Overrun != DefaultOverrun || len(c.Warnings) != 1 {
			t.Errorf("%q is %d, %v", value, c.Overrun, c.Warnings)
		}
	}
	c := Parse("## SDD Configuration\n- **Overrun**: 0\n- **Overrun**: 50\n")
	if c.Overrun != 0 || len(c.Unread) != 1 {
		t.Errorf("of two the first counts: %d, %v", c.Overrun, c.Unread)
	}
	if c := Parse("### Overrun\n- **Overrun**: 50\n"); c.Overrun != DefaultOverrun {
		t.Errorf("outside of the section: %d", c.Overrun)
	}
}

func TestLoadNeverFails(t *testing.T) {
	dir := t.TempDir()
	same(t, Load(dir), Config{})
	same(t, Load(filepath.Join(dir, "none")), Config{})
	if err := os.Mkdir(filepath.Join(dir, "CLAUDE.md"), 0o700); err != nil {
		t.Fatal(err)
	}
	long := "## SDD Configuration\n### Tracker\n- **Owner**: acme\n" +
		strings.Repeat("x", MaxFile) + "\n- **Repo**: app\n"
	write(t, dir, "AGENTS.md", long)
	same(t, Load(dir), Config{Tracker: Tracker{Owner: "acme"}, Warnings: []string{
		"CLAUDE.md: is not a regular file",
		"AGENTS.md: is longer than 1048576 bytes; the rest is ignored",
	}})
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func FuzzParse(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.md")
	for _, name := range files {
		b, _ := os.ReadFile(name)
		f.Add(string(b))
	}
	f.Add("## SDD Configuration\n### Loop Logging\n|`\\||<!--`|`--|\n~~~")
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<16 {
			return
		}
		c := Parse(text)
		lines := strings.Count(text, "\n") + 1
		for _, r := range c.Rates {
			if r.Model == "" || r.Input < 0 || r.Output < 0 {
				t.Errorf("rate %+v", r)
			}
		}
		for _, w := range slices.Concat(c.Warnings, c.Unread) {
			var line int
			if n, _ := fmt.Sscanf(w, "line %d: ", &line); n < 1 || line < 1 || line > lines {
				t.Errorf("warning %q", w)
			}
		}
		if got := c.Redact(text); len(got) > maxRedact && len(c.Patterns) > 0 {
			t.Errorf("redacted text has %d bytes", len(got))
		}
		if hidden := Parse("```\n" + strings.ReplaceAll(text, "`", "'") + "\n```\n"); len(hidden.Rates)+len(hidden.Patterns)+len(hidden.Warnings)+len(hidden.Unread) > 0 {
			t.Errorf("fenced text counts: %+v", hidden)
		}
	})
}

// A run keeps every setting, and none depends on where it was written.
func TestKeptSettings(t *testing.T) {
	const text = "## SDD Configuration\n- **Overrun**: 0\n- **Task Namespaces**: foo\n" +
		"- **Governed Skills**: watch: prompt\n" +
		"- **Notify**: bell\n- **Sync**: send\n### Loop Cost Rates\n| model | input | output | " +
		"cache read |\n|---|---|---|---|\n| a | 1.5 | 2 | 0 |\n### Loop Logging\n" +
		"- **`\"(a<b)\\s`**: <$1>\n### Review\n- **Agent Logins**: x, y\n### Tracker\n" +
		"- **Type**: gitlab\n- **Host**: h\n- **Owner**: o\n- **Repo**: r\n- **Command**: c\n" +
		"### Audit\n- **Post Action Skill**: s\n- **Post Action Prompt**: p\n" +
		"- **Post Action Push**: yes\n"
	written := Parse(text)
	kept := Of(written.Text(), t.TempDir())
	if d := cmp.Diff(written, kept, cmpopts.IgnoreUnexported(Config{})); d != "" {
		t.Error(d)
	}
	if kept.Redact(`"a<b x`) != "<a<b>x" {
		t.Errorf("redacted as %s", kept.Redact(`"a<b x`))
	}
	if kept.Text() != Parse("# Moved\n\n"+text+"### Other\n- **Key**: value\n").Text() {
		t.Error("more than the settings count")
	}
	fields := reflect.ValueOf(kept)
	for i := range fields.NumField() {
		f := fields.Type().Field(i)
		plain := f.Name == "Overrun" || f.Name == "DoNotMerge" // with values of their own
		if f.IsExported() && f.Tag.Get("json") != "-" && !plain && fields.Field(i).IsZero() {
			t.Errorf("%s is not kept, or not in the text", f.Name)
		}
	}
}

// A row that names no skill, no kind, or a skill that is governed anyway is a warning.
func TestGovernedSkills(t *testing.T) {
	c := Parse("## SDD Configuration\n- **Governed Skills**: watch: prompt, `ops:grind`: work; " +
		"/look: review, , deploy: task, two words: work, alone, sdd:review: prompt\n")
	want := map[string]loop.Skill{
		"watch": prompt.Name, "ops:grind": backlog.Work, "look": backlog.Review,
	}
	if diff := cmp.Diff(want, c.GovernedSkills); diff != "" {
		t.Error(diff)
	}
	if len(c.Warnings) != 5 {
		t.Errorf("warnings %v", c.Warnings)
	}
}

// Commands without --loop are the program's own in namespaces that a person names.
func TestTaskNamespaces(t *testing.T) {
	c := Parse("## SDD Configuration\n- **Task Namespaces**: foo, `bar`\n")
	if diff := cmp.Diff([]string{"foo", "bar"}, c.TaskNamespaces); diff != "" {
		t.Error(diff)
	}
	if c.Text() == Parse("## SDD Configuration\n").Text() {
		t.Error("a change of them is not seen")
	}
	if c := Parse("### Task Namespaces\n- **Task Namespaces**: foo\n"); c.TaskNamespaces != nil {
		t.Errorf("outside of the section: %v", c.TaskNamespaces)
	}
}

// A person's own file has commands for every project, and none of a project's settings.
func TestAPersonsOwnFile(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "CLAUDE.md", "## SDD Configuration\n- **Notify**: say done\n- **Overrun**: 5\n"+
		"### Loop Cost Rates\n| m | 1 | 2 |\n")
	same(t, User(dir), Config{Notify: "say done", Unread: []string{
		"your own CLAUDE.md:3: Overrun has no effect outside a project's files",
		"your own CLAUDE.md:5: Loop Cost Rates has no effect outside a project's files",
	}})
}
