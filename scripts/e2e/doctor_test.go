//go:build e2e && linux

package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The doctor reports the last session in which the hooks fired, and knows the client's version
// (interface: hooks doctor; R2).
func TestDoctorKnowsWhetherTheHooksFired(t *testing.T) {
	w := newWorld(t, Worker{}.Say)
	w.Plugins = w.Plugins[1:]
	w.register()
	w.Headless("/sdd:work --loop")

	if err := os.Symlink(clientProgram, filepath.Join(w.Bin, "claude")); err != nil {
		t.Fatal(err)
	}
	checks := w.doctor()
	if k := checks["receipts"]; k.Status != "ok" || !said(k.Found, "pre-tool-use") ||
		!said(k.Found, "stop") || !said(k.Found, "user-prompt-expansion") {
		t.Errorf("receipts: %+v", k)
	}
	if k := checks["client-version"]; k.Status != "ok" || !said(k.Found, "claude 2.") {
		t.Errorf("client-version: %+v", k)
	}
	for _, name := range []string{"hooks-registered", "command-form", "hook-binary",
		"self-test"} {
		if k := checks[name]; k.Status != "ok" {
			t.Errorf("%s: %+v", name, k)
		}
	}
}

// A live session shows whether the hooks fire or the client skips their file without a word. It
// leaves nothing in the project (interface: hooks doctor --live).
func TestDoctorLive(t *testing.T) {
	for name, model := range map[string]string{"governed": `"opus"`, "skipped": "5"} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, func(r Request) Turn {
				if len(r.Calls()) == 0 {
					return Turn{Calls: []Call{bash("true")}}
				}
				return Turn{Text: "ok"}
			})
			w.Plugins = nil
			w.register()
			settings := filepath.Join(w.Home, ".claude", "settings.json")
			text, err := os.ReadFile(settings)
			if err != nil {
				t.Fatal(err)
			}
			changed := strings.Replace(string(text), "{", `{"model":`+model+`,`, 1)
			w.write(settings, changed, 0o600)
			w.Env = []string{"ANTHROPIC_BASE_URL=" + w.Model.URL, "ANTHROPIC_API_KEY=dummy",
				"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1"}
			if err := os.Symlink(clientProgram, filepath.Join(w.Bin, "claude")); err != nil {
				t.Fatal(err)
			}
			checks := w.doctor("--live")
			k := checks["live"]
			if name == "skipped" {
				if k.Status != "fail" ||
					!strings.Contains(k.Problems[0].Text, "no hook of this program") ||
					checks["settings-files"].Status != "fail" {
					t.Errorf("live: %+v\nsettings-files: %+v", k, checks["settings-files"])
				}
				return
			}
			for _, want := range []string{
				"session-start", "pre-tool-use", "stop", "one session", "bin/hooks",
			} {
				if !said(k.Found, want) {
					t.Errorf("live does not say %q: %+v", want, k)
				}
			}
			if _, err := w.stat(".sdd"); k.Status != "ok" || err == nil {
				t.Errorf("live: %+v; .sdd: %v", k, err)
			}
		})
	}
}

func said(found []string, text string) bool {
	return slices.ContainsFunc(found, func(f string) bool { return strings.Contains(f, text) })
}

// register puts a program of the world's own into the person's settings.
func (w *World) register() (program string) {
	w.t.Helper()
	program = filepath.Join(w.Bin, "hooks")
	if err := os.Link(hooksProgram, program); err != nil { // a copy may still be open in a fork
		w.t.Fatal(err)
	}
	cmd := exec.Command(program, "install")
	cmd.Dir = w.Project
	cmd.Env = []string{"HOME=" + w.Home, "PATH=" + os.Getenv("PATH")}
	if out, err := cmd.CombinedOutput(); err != nil {
		w.t.Fatalf("%v: %s", err, out)
	}
	return program
}

type doctored struct {
	Name, Status string
	Found        []string
	Problems     []struct{ Text, Way string }
}

// doctor is what the program itself finds, by the names of its checks.
func (w *World) doctor(flags ...string) map[string]doctored {
	w.t.Helper()
	var all struct{ Checks []doctored }
	// with status 1 where a check fails
	out, failed := w.tryHooks(append([]string{"doctor", "--json"}, flags...)...)
	if err := json.NewDecoder(strings.NewReader(out)).Decode(&all); err != nil {
		w.t.Fatalf("hooks doctor: %v, %v\n%s", err, failed, out)
	}
	byName := map[string]doctored{}
	for _, k := range all.Checks {
		byName[k.Name] = k
	}
	return byName
}
