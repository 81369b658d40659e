package doctor

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"hooks/internal/codec"
	"hooks/internal/report"
	"hooks/schemas"
)

// Programs read the names: one that goes, or changes its group, is a change of the interface.
func TestNamesStay(t *testing.T) {
	want := map[string][]string{
		"registration": {
			"settings-files", "hooks-registered", "registered-once", "command-form",
			"hook-binary", "switches", "governed-skills",
		},
		"client": {"client-version"},
		"fired":  {"receipts", "live"},
		"guard":  {"self-test"},
		"state":  {"state-files", "record"},
		"project": {
			"repository", "audit-worktrees", "configuration",
		},
		"tools": {"path", "forge-client"},
	}
	got := map[string][]string{}
	for _, c := range table() {
		got[c.group] = append(got[c.group], c.name)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// What is printed as JSON is what its schema says, on a machine with every kind of result.
func TestTheCheckupIsWhatItsSchemaSays(t *testing.T) {
	w := healthy(t)
	w.line(1, "a")
	program, err := os.ReadFile(built)
	w.must(err)
	w.write("bin/hooks", string(program)) // without an exec bit
	w.register("home/.claude/settings.json", w.path("bin/hooks"))
	w.write("p/CLAUDE.md", "## SDD Configuration\n- **Overrun**: much\n")
	w.write("p/.claude/settings.json", "{oops")
	d := w.doctor()
	d.Fix = true
	found := d.Run()
	text, err := codec.Encode(found) // as hooks doctor --json does
	w.must(err)
	for _, status := range []report.Health{report.Fine, report.Doubt, report.Broken,
		report.Skipped} {
		if !slices.ContainsFunc(found.Checks,
			func(k report.Check) bool { return k.Status == status }) {
			t.Errorf("no check is %s", status)
		}
	}
	if found.OK || !bytes.Contains(text, []byte("bin/hooks executable")) {
		t.Errorf("%s", text)
	}
	raw, _ := schemas.Get("doctor")
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	w.must(err)
	c := jsonschema.NewCompiler()
	w.must(c.AddResource("file:///doctor", doc))
	schema, err := c.Compile("file:///doctor")
	w.must(err)
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	w.must(err)
	if err := schema.Validate(value); err != nil {
		t.Error(err)
	}
}

// A machine whose client keeps its things elsewhere is as healthy as another.
func TestTheClientsOwnFolderMayBeElsewhere(t *testing.T) {
	w := healthy(t)
	w.must(os.Rename(w.path("home/.claude"), w.path("conf")))
	w.env["CLAUDE_CONFIG_DIR"] = w.path("conf")
	if k := w.look("hooks-registered", false); k.Status != report.Fine ||
		!strings.Contains(k.Found[0], "12 of 12 events in "+w.path("conf/settings.json")) {
		t.Errorf("%+v", k)
	}
}

// The setting that counts most wins: a person may switch hooks on again for one project.
func TestASwitchOfALesserFileDoesNotCount(t *testing.T) {
	w := healthy(t)
	w.write("p/.claude/settings.json", `{"disableAllHooks":true}`)
	w.write("p/.claude/settings.local.json", `{"disableAllHooks":false}`)
	if k := w.look("switches", false); k.Status != report.Fine {
		t.Errorf("%+v", k)
	}
}

func TestVersion(t *testing.T) {
	for in, want := range map[string]string{"2.1.329 (Claude Code)": "2.1.329", "v1.2.3": "1.2.3",
		"2.39.5": "2.39.5", "2.1.0-beta.1": "2.1.0"} {
		v := version(in)
		if len(v) != 3 || fmt.Sprintf("%d.%d.%d", v[0], v[1], v[2]) != want {
			t.Errorf("%q: %v", in, v)
		}
	}
	for _, in := range []string{"", "hello", "2.1", "a.b.c"} {
		if version(in) != nil {
			t.Errorf("%q is a version", in)
		}
	}
}

// Whatever is in the client's files, the checks of the registration come to an end with a
// status and a hint.
func FuzzSettings(f *testing.F) {
	f.Add(`{"hooks":{"PreToolUse":[{"matcher":"[","hooks":[{"type":"command","command":"hooks",`+
		`"args":["stop"]}]}]}}`, `{"plugins":{"a@b":[{"installPath":"/"}]}}`)
	f.Add(`{"hooks":[],"env":[],"enabledPlugins":{"a@b":1},"disableAllHooks":"yes"}`,
		`{"plugins":{"a@b":{"installPath":"x"}}}`)
	f.Add(`{"hooks":{"Stop":{"hooks":{"command":"'hooks stop"}}}}`, `[]`)
	root := f.TempDir()
	project := filepath.Join(root, "p")
	if err := os.MkdirAll(filepath.Join(root, ".claude", "plugins"), 0o755); err != nil {
		f.Fatal(err)
	}
	if err := os.MkdirAll(project, 0o755); err != nil {
		f.Fatal(err)
	}
	env := map[string]string{"HOME": root}
	f.Fuzz(func(t *testing.T, settings, plugins string) {
		for name, text := range map[string]string{"settings.json": settings,
			"plugins/installed_plugins.json": plugins} {
			if err := os.WriteFile(filepath.Join(root, ".claude", name), []byte(text),
				0o600); err != nil {
				t.Fatal(err)
			}
		}
		m := Doctor{Env: func(k string) string { return env[k] }, Dir: project,
			Managed: root + "/none"}.machine()
		for _, c := range table() {
			if c.group != "registration" ||
				c.name == "hook-binary" { // which starts what is there
				continue
			}
			k := m.examine(c).Check
			for _, p := range k.Problems {
				if p.Text == "" || p.Way == "" ||
					strings.HasPrefix(p.Text, "the check itself failed") {
					t.Errorf("%s: %+v", c.name, p)
				}
			}
		}
	})
}
