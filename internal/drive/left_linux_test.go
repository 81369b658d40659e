package drive

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// left are the processes that have the test's variable.
func left(t *testing.T, variable string) (pids []string) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil || len(files) == 0 {
		t.Fatal("no processes", err)
	}
	for _, f := range files {
		if env, _ := os.ReadFile(f); bytes.Contains(append([]byte{0}, env...),
			[]byte("\x00"+variable+"\x00")) {
			pids = append(pids, f)
		}
	}
	return pids
}

// await waits until a test's processes are so many.
func await(t *testing.T, variable string, want int) {
	t.Helper()
	deadline := time.Now().Add(time.Minute)
	for len(left(t, variable)) != want {
		if time.Now().After(deadline) {
			t.Fatalf("%v have %s, want %d", left(t, variable), variable, want)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func variable(t *testing.T) string { return "TEST_RUN=" + t.Name() + newSession() }

// A client that is killed, by whomever, leaves its tools behind. They do not outlive it for long.
func TestNoToolOutlivesAKilledClient(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]Client{
		"killed": client("killed"), "silent": client("tool"), "twice": client("deaf"),
		"tools": client("tool"),
	} {
		v := variable(t)
		c.Env = append(c.Env, v)
		if name == "silent" {
			c.Stall = 2 * time.Second
		}
		words := map[string][]string{"twice": {"ready", "deaf"}, "tools": {"ready"}}[name]
		end := run(t, c, signalAt(&c, words...))
		if pids := left(t, v); len(pids) > 0 {
			t.Errorf("%s: %v are left after %+v", name, pids, end)
		}
	}
}

// A client does not outlive its driver either.
func TestNoClientOutlivesAKilledDriver(t *testing.T) {
	t.Parallel()
	v := variable(t)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "DRIVE=polite", v)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	await(t, v, 2)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	await(t, v, 0)
}
