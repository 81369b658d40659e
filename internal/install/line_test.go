//go:build !windows

package install

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	plugin "hooks"
	"hooks/internal/event"
	"hooks/internal/seal"
)

// The line that the client runs fails if and only if a loop of its session is on and the program is
// missing or fails, wherever the state is kept. The reason names the file that lets the session go
// (client contract, third round: what counts as a failure).
func TestTheLineFailsOnlyWhileALoopIsOn(t *testing.T) {
	programs := map[string]string{"works": "#!/bin/sh\ncat >/dev/null\necho \"said $1\"\n",
		"missing": "", "exits 1": "#!/bin/sh\nexit 1\n", "panics": "#!/bin/sh\nexit 2\n",
		"is killed": "#!/bin/sh\nkill -9 $$\n", "is cut off": "\x7fELF\x02\x01"}
	homes := map[string][]string{
		"HOOKS_STATE_HOME=%/state": {"state"},
		"XDG_STATE_HOME=%/xdg":     {"xdg", "hooks"},
		"PLAIN=":                   {"home", ".local", "state", "hooks"},
		"MAC=":                     {"home", "Library", "Application Support", "hooks"},
	}
	for name, text := range programs {
		for env, home := range homes {
			dir := t.TempDir()
			program := filepath.Join(dir, "it's a", "bin", "hooks")
			lay(t, filepath.Join(dir, "p", "on", "any"), "") // no state is found from where it runs
			if text != "" {
				lay(t, program, text)
			}
			state := filepath.Join(append([]string{dir}, home...)...)
			for _, session := range []string{"0cb10051-96aa-4b14-980f-ce3762a02b18", ""} {
				for _, on := range []bool{false, true} {
					file := seal.SwitchPath(state, session)
					if on {
						lay(t, file, "{}")
					}
					for _, of := range []string{"settings", "plugin"} {
						for _, word := range []string{"pre-tool-use", "user-prompt-submit",
							"user-prompt-expansion"} {
							cmd := exec.Command("/bin/sh", "-c", lineOf(t, of, word, program))
							cmd.Dir = filepath.Join(dir, "p")
							cmd.Env = []string{"PATH=" + os.Getenv("PATH"),
								"HOME=" + filepath.Join(dir, "home"),
								"CLAUDE_CODE_SESSION_ID=" + session,
								"CLAUDE_PLUGIN_ROOT=" + filepath.Dir(filepath.Dir(program)),
								strings.Replace(env, "%", dir, 1)}
							cmd.Stdin = strings.NewReader("{}\n")
							var stderr strings.Builder
							cmd.Stderr = &stderr
							out, err := cmd.Output()
							want := on && session != "" && name != "works"
							if (err != nil) != want {
								t.Errorf("%s, %s, %s, loop on %v: %v\n%s", of, name, env, on, err,
									stderr.String())
							}
							if want && !strings.Contains(stderr.String(), `rm "`+file+`"`) {
								t.Errorf("it does not name %s:\n%s", file, stderr.String())
							}
							said := string(out) == "said "+word+"\n"
							if said != (name == "works") {
								t.Errorf("%s, %s said %q", of, name, out)
							}
						}
					}
				}
			}
		}
	}
}

// lineOf is what the client gives the shell for an event's word.
func lineOf(t *testing.T, of, word, program string) string {
	t.Helper()
	if of == "plugin" {
		return gjson.Get(plugin.Hooks, "hooks."+event.NameOf(word)+".0.hooks.0.command").String()
	}
	for _, e := range entries(program) {
		if e.event == event.NameOf(word) {
			return gjson.Get(e.group, "hooks.0.command").String()
		}
	}
	t.Fatalf("%s is not registered", word)
	return ""
}

func lay(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}
