package notify

import (
	"os"
	"path/filepath"
	"testing"

	"hooks/internal/config"
)

// Who may say what: the environment and the person's own file anything, a project's file two words.
func TestNotifyWay(t *testing.T) {
	const own, project = "own", "project"
	for _, c := range []struct{ name, env, own, project, want string }{
		{"no one says anything", "", "", "", ""},
		{"a project's command", "", "", "touch evil", ""},
		{"a project's bell", "", "", "Bell", "bell"},
		{"a project's off", "", "", "off", ""},
		{"a person's command", "", "say it", "bell", "say it"},
		{"a person's off", "", "off", "bell", ""},
		{"the environment", "other", "say it", "bell", "other"},
		{"blanks in the environment", " ", "say it", "", "say it"},
	} {
		dir := t.TempDir()
		for name, way := range map[string]string{own: c.own, project: c.project} {
			if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
				t.Fatal(err)
			}
			text := "### SDD Configuration\n- **Notify**: " + way + "\n"
			if err := os.WriteFile(filepath.Join(dir, name, "CLAUDE.md"), []byte(text),
				0o644); err != nil {
				t.Fatal(err)
			}
		}
		env := map[string]string{"HOOKS_NOTIFY": c.env,
			"CLAUDE_CONFIG_DIR": filepath.Join(dir, own)}
		p := Person{Env: func(name string) string { return env[name] }}
		p.Notice(config.Load(filepath.Join(dir, project)).Notify, "", "", "")
		got, bell := p.notifyWay()
		if bell {
			got += "bell"
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// A variable that the project's settings set is not the person's, whatever the form of the file.
func TestVariable(t *testing.T) {
	for text, want := range map[string]string{
		`{"env":{"OTHER":"x"}}`:                         "mine",
		`{"env":{"HOOKS_ASK":"x"}}`:                     "",
		`{"env":{},"env":{"HOOKS_ASK":"x"}}`:            "",
		`{"\u0065nv":{"HOOKS\u005fASK":"x"}}`:           "",
		"\ufeff" + `{"env":{},"env":{"HOOKS_ASK":"x"}}`: "",
		`{"env":{"HOOKS_ASK":"x"},"env":{"OTHER":"x"}}`: "",
		`{"permissions":{"env":{"HOOKS_ASK":"x"}}}`:     "mine",
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, ".claude", "settings.json")
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		p := Person{Project: dir, Env: func(name string) string {
			return map[string]string{"HOOKS_ASK": "mine"}[name]
		}}
		if got := p.variable("HOOKS_ASK"); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
