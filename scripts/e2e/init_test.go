//go:build e2e && linux

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// README's line, from a fresh checkout in an empty home: the plugin is installed, a real session
// proves the hooks, and the first governed iteration begins with no error on the screen
// (interface: hooks init).
func TestTheWayInOfTheReadme(t *testing.T) {
	w := newWorld(t, func(r Request) Turn {
		if strings.Contains(r.Prompt(), "Call the Bash tool once") && len(r.Calls()) == 0 {
			return Turn{Calls: []Call{bash("true")}}
		}
		return Turn{Text: "ok"}
	})
	w.Plugins = nil
	checkout := filepath.Join(filepath.Dir(w.Home), "checkout")
	w.git(".", "clone", "--quiet", "../..", checkout)
	if err := os.Symlink(clientProgram, filepath.Join(w.Bin, "claude")); err != nil {
		t.Fatal(err)
	}
	run := func(dir, name string, args ...string) string {
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		cmd.Env = append(w.command(t.Context()).Env, "GOFLAGS=-mod=mod")
		for _, key := range []string{"GOCACHE", "GOMODCACHE"} {
			out, _ := exec.Command("go", "env", key).Output()
			cmd.Env = append(cmd.Env, key+"="+strings.TrimSpace(string(out)))
		}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, out)
		}
		return string(out)
	}
	run(checkout, "sh", "scripts/install.sh")
	program := filepath.Join(w.Home, ".local", "bin", "hooks")
	said := strings.TrimSpace(run(w.Project, program, "init", "--yes", "--live"))
	line := said[strings.LastIndexByte(said, '\n')+1:]
	if !strings.HasPrefix(line, "/loop 10m /hooks:") || !strings.Contains(said, "one session") {
		t.Fatalf("init said:\n%s", said)
	}
	term := w.Interactive()
	term.Enter(strings.TrimPrefix(line, "/loop 10m ") + " --max-iterations 1")
	term.WaitShowed("loop iteration 1/1 begins", time.Minute)
	screen := term.Screen()
	for _, bad := range []string{"ENOENT", "error", "Unknown"} {
		if strings.Contains(screen, bad) {
			t.Errorf("the first screen has %q:\n%s", bad, screen)
		}
	}
}
