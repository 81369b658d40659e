//go:build e2e && linux

package e2e

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// README's way in, in an empty home: from a fresh checkout and from a release's archive, with a
// skill of one's own (the program goes into the settings) and without one (it becomes a plugin).
// The doctor is content, the line that init prints begins a governed iteration, and no screen shows
// an error (interface: hooks init).
func TestTheWayInOfTheReadme(t *testing.T) {
	for _, from := range []string{"checkout", "archive"} {
		for _, way := range []string{"plugin", "settings"} {
			t.Run(from+", "+way, func(t *testing.T) { wayIn(t, from == "archive", way) })
		}
	}
}

func wayIn(t *testing.T, archive bool, way string) {
	w := newWorld(t, func(r Request) Turn {
		if strings.Contains(r.Prompt(), "Call the Bash tool once") && len(r.Calls()) == 0 {
			return Turn{Calls: []Call{bash("true")}}
		}
		if strings.Contains(r.Prompt(), "Loop Iteration 1/1") && len(r.Calls()) == 0 {
			return Turn{Calls: []Call{bash("hooks report <<'JSON'\n" + quiet + "\nJSON")}}
		}
		return Turn{Text: "ok"}
	})
	w.Plugins = nil
	w.Env = append(w.Env, "PATH="+filepath.Join(w.Home, ".local", "bin")+":"+w.Bin+":"+
		os.Getenv("PATH"))
	checkout := filepath.Join(filepath.Dir(w.Home), "checkout")
	w.source(checkout)
	if err := os.Symlink(clientProgram, filepath.Join(w.Bin, "claude")); err != nil {
		t.Fatal(err)
	}
	env := []string{"GOFLAGS=-mod=mod"}
	for _, key := range []string{"GOCACHE", "GOMODCACHE"} {
		out, _ := exec.Command("go", "env", key).Output()
		env = append(env, key+"="+strings.TrimSpace(string(out)))
	}
	if archive {
		env = append(env, "HOOKS_BASE_URL="+w.release(checkout))
	}
	run := func(dir, name string, args ...string) string {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.Env = dir, append(w.command(t.Context()).Env, env...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, out)
		}
		return string(out)
	}
	want := "/loop 10m /hooks:"
	if way == "settings" {
		want = "/loop 10m /work --loop"
		w.write(filepath.Join(w.Home, ".claude", "skills", "work", "SKILL.md"),
			strings.ReplaceAll(skillHead, "%NAME%", "work"), 0o644)
	}

	built := time.Now()
	installed := run(checkout, "sh", "scripts/install.sh")
	began := time.Now() // a build takes as long as the machine is busy
	program := filepath.Join(w.Home, ".local", "bin", "hooks")
	said := strings.TrimSpace(run(w.Project, program, "init", "--yes", "--live"))
	line := said[strings.LastIndexByte(said, '\n')+1:]
	if !strings.HasPrefix(line, want) || !strings.Contains(said, "one session") {
		t.Fatalf("init said:\n%s", said)
	}
	checked := run(w.Project, program, "doctor")
	term := w.Interactive()
	command := strings.Replace(strings.TrimPrefix(line, "/loop 10m "), " -- ",
		" --max-iterations 1 -- ", 1)
	if !strings.Contains(command, " -- ") {
		command += " --max-iterations 1"
	}
	term.Enter(command)
	term.WaitShowed("loop iteration 1/1 begins", time.Minute)
	term.WaitShowed("Loop ended", time.Minute)
	took := time.Since(began).Round(time.Second)
	screen := term.Screen()
	for _, bad := range []string{"ENOENT", "error", "Unknown", "not found", "no brake", "problem"} {
		if strings.Contains(screen, bad) {
			t.Errorf("the first screen has %q:\n%s", bad, screen)
		}
	}
	if took > 3*time.Minute {
		t.Errorf("the way to the first governed iteration took %v after install.sh", took)
	}
	t.Logf("install.sh took %v, all after it %v\n%s\n%s\n%s\n%s",
		began.Sub(built).Round(time.Second), took, installed, said, checked, screen)
}

// release packs the archive of this machine as .goreleaser.yaml does, and serves it with its
// checksum.
func (w *World) release(checkout string) (url string) {
	w.t.Helper()
	root := w.t.TempDir()
	dir := filepath.Join(root, "hooks")
	for _, pattern := range []string{"hooks.json", "*.md", "LICENSE", ".claude-plugin/*",
		"docs/*", "skills/*/SKILL.md", "agents/*.md", "launch/*"} {
		list, _ := filepath.Glob(filepath.Join(checkout, pattern))
		for _, path := range list {
			rel, _ := filepath.Rel(checkout, path)
			w.copy(path, filepath.Join(dir, rel), 0o644)
		}
	}
	w.copy(hooksProgram, filepath.Join(dir, "bin", "hooks"), 0o755)
	name := fmt.Sprintf("hooks_linux_%s.tar.gz", runtime.GOARCH)
	tar := exec.Command("tar", "-czf", name, "hooks")
	tar.Dir = root
	if out, err := tar.CombinedOutput(); err != nil {
		w.t.Fatalf("tar: %v\n%s", err, out)
	}
	body, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		w.t.Fatal(err)
	}
	w.write(filepath.Join(root, "checksums.txt"),
		fmt.Sprintf("%x  %s\n", sha256.Sum256(body), name), 0o644)
	server := httptest.NewServer(http.FileServer(http.Dir(root)))
	w.t.Cleanup(server.Close)
	return server.URL
}
