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
		{"a project's off", "", "", "off", "off"},
		{"a person's command", "", "say it", "bell", "say it"},
		{"a person's off", "", "off", "bell", "off"},
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
		if got := p.notifyWay(); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
