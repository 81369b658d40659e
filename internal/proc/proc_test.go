package proc

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"

	"hooks/internal/loop"
)

// TestMain lets the test binary play the hook: it prints its owner, or waits until its input ends.
func TestMain(m *testing.M) {
	switch os.Getenv("PROC_TEST_ROLE") {
	case "owner":
		_ = json.NewEncoder(os.Stdout).Encode(Owner())
	case "caller", "own pair", "named":
		callerOf(os.Getenv("PROC_TEST_ROLE"))
	case "wait":
		os.Stdout.WriteString("ready\n")
		_, _ = os.Stdin.Read(make([]byte, 1))
	default:
		os.Exit(m.Run())
	}
}

// waiter is a real process that lives until the returned function ends and reaps it.
func waiter(t *testing.T) (pid int, end func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "PROC_TEST_ROLE=wait")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	end = func() { _ = in.Close(); _ = cmd.Wait() }
	t.Cleanup(end)
	return cmd.Process.Pid, end
}

func TestLiveness(t *testing.T) {
	pid, end := waiter(t)
	known := Describe(pid, "client")
	if known.Start == "" || known.Host == "" {
		t.Fatalf("a live process is described as %+v", known)
	}
	with := func(change func(*loop.Process)) loop.Process {
		p := known
		change(&p)
		return p
	}
	tests := map[string]struct {
		p    loop.Process
		want loop.Liveness
	}{
		"itself":                {known, loop.Alive},
		"pid alone":             {loop.Process{PID: pid}, loop.Alive},
		"another start":         {with(func(p *loop.Process) { p.Start = "1@boot" }), loop.Dead},
		"another host":          {with(func(p *loop.Process) { p.Host += "x" }), loop.Unclear},
		"no pid":                {loop.Process{}, loop.Unclear},
		"negative pid":          {loop.Process{PID: -pid}, loop.Unclear},
		"pid over 31 bits":      {loop.Process{PID: 1<<32 + pid}, loop.Unclear},
		"pid that no one has":   {loop.Process{PID: 1<<31 - 2}, loop.Dead},
		"this very test's self": {Describe(os.Getpid(), ""), loop.Alive},
	}
	if runtime.GOOS != "windows" {
		tests["the first of all, even if not ours"] = struct {
			p    loop.Process
			want loop.Liveness
		}{loop.Process{PID: 1}, loop.Alive}
	}
	for name, tt := range tests {
		if got := Of(tt.p); got != tt.want {
			t.Errorf("%s: %+v is %v, want %v", name, tt.p, got, tt.want)
		}
	}
	end()
	if got := Of(known); got != loop.Dead {
		t.Errorf("a process that ended and was reaped is %v, want dead", got)
	}
}

// TestZombieIsDead: a killed child that its parent has not reaped yet answers kill -0 but will
// never run again.
func TestZombieIsDead(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("windows has no zombies")
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "PROC_TEST_ROLE=none-such", "GORACE=")
	cmd.Args = append(cmd.Args, "-test.run=^$")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := Describe(cmd.Process.Pid, "")
	// The pipe's end says that the child has closed everything: it is a zombie or about to be one.
	for buf := make([]byte, 512); err == nil; {
		_, err = out.Read(buf)
	}
	for Of(p) == loop.Alive {
		runtime.Gosched()
	}
	if got := signal(p.PID); got != loop.Alive {
		t.Fatalf("kill -0 of a zombie says %v: the case was not made", got)
	}
	if got := Of(p); got != loop.Dead {
		t.Errorf("a zombie is %v, want dead", got)
	}
	_ = cmd.Wait()
}

func owner(t *testing.T, env []string, argv ...string) loop.Process {
	t.Helper()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = append(append(os.Environ(), "PROC_TEST_ROLE=owner"), env...)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var p loop.Process
	if err := json.Unmarshal(out, &p); err != nil {
		t.Fatalf("%s: %v", out, err)
	}
	return p
}

func TestOwner(t *testing.T) {
	t.Setenv("CLAUDE_PID", "")
	pid, _ := waiter(t)
	me, self := os.Getpid(), os.Args[0]

	if p := owner(t, []string{"CLAUDE_PID=" + strconv.Itoa(pid)}, self); p.PID != pid ||
		p.Source != "client" || Of(p) != loop.Alive {
		t.Errorf("with CLAUDE_PID=%d the owner is %+v", pid, p)
	}
	for _, bad := range []string{"", "0", "-1", "x", "2147483646"} {
		if p := owner(t, []string{"CLAUDE_PID=" + bad}, self); p.PID != me ||
			p.Source != "ancestor" {
			t.Errorf("with CLAUDE_PID=%q the owner is %+v, want the parent %d", bad, p, me)
		}
	}
	if runtime.GOOS == "windows" {
		return
	}
	script := filepath.Join(t.TempDir(), "wrapper")
	body := "#!/bin/sh\n/bin/sh -c '\"$0\"; true' \"$1\"; true\n"
	if err := os.WriteFile(script, []byte(body), 0o700); err != nil {
		t.Fatal(err)
	}
	// The script's own name is "wrapper": only the file it runs gives the shell away.
	if p := owner(t, nil, script, self); p.PID != me || p.Source != "ancestor" {
		t.Errorf("behind two shells the owner is %+v, want %d", p, me)
	}
}

func TestNoAncestorIsKnown(t *testing.T) {
	table := map[int]entry{10: {parent: 9, names: []string{"-zsh"}},
		9: {parent: 10, names: []string{"/usr/bin/bash"}}}
	look := func(pid int) (entry, bool) { e, ok := table[pid]; return e, ok }
	if pid := ancestor(10, look); pid != 0 {
		t.Errorf("in a circle of shells: %d", pid)
	}
	if pid := ancestor(77, look); pid != 0 {
		t.Errorf("with a hidden process table: %d", pid)
	}
}

func TestShell(t *testing.T) {
	for _, name := range []string{"sh", "/bin/dash", "-bash", "zsh", "fish", "ksh", "/bin/busybox",
		"cmd.exe", "PowerShell.exe"} {
		if !isShell(name) {
			t.Errorf("%q is a shell", name)
		}
	}
	for _, name := range []string{"claude", "node", "shim", "bashful", "", "ssh"} {
		if isShell(name) {
			t.Errorf("%q is no shell", name)
		}
	}
}

func FuzzLiveness(f *testing.F) {
	f.Add(1, "", "")
	f.Add(os.Getpid(), "12@x", "h")
	f.Fuzz(func(t *testing.T, pid int, start, host string) {
		got := Of(loop.Process{PID: pid, Start: start, Host: host})
		if pid <= 0 && got != loop.Unclear {
			t.Errorf("pid %d is %v", pid, got)
		}
		if here := Describe(os.Getpid(), "").Host; host != "" && host != here &&
			got != loop.Unclear {
			t.Errorf("a process of host %q is %v on %q", host, got, here)
		}
	})
}
