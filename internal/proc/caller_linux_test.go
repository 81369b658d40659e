package proc

import (
	"bufio"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// TestCaller: the process that made the pair of sockets is told, through a shell and in another
// session too; a pipe, a file, a pair of the program's own, a network's socket and one with a name
// tell nothing.
func TestCaller(t *testing.T) {
	pair := func() *os.File {
		fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		f, other := os.NewFile(uintptr(fds[0]), "hook"), os.NewFile(uintptr(fds[1]), "client")
		t.Cleanup(func() { f.Close(); other.Close() })
		return f
	}
	file, err := os.Open(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for _, c := range []struct {
		name  string
		args  []string
		stdin *os.File
		role  string
		want  bool
	}{
		{"a pair of the client", []string{os.Args[0]}, pair(), "caller", true},
		{"through a shell", []string{"sh", "-c", `"$0"; true`, os.Args[0]}, pair(), "caller", true},
		{"its own session", []string{"setsid", "--wait", os.Args[0]}, pair(), "caller", true},
		{"a file", []string{os.Args[0]}, file, "caller", false},
		{"a shell's pipe", []string{"sh", "-c", `: | "$0"`, os.Args[0]}, pair(), "caller", false},
		{"a pair of its own", []string{os.Args[0]}, file, "own pair", false},
		{"a socket with a name", []string{os.Args[0]}, file, "named", false},
	} {
		cmd := exec.Command(c.args[0], c.args[1:]...)
		cmd.Env = append(os.Environ(), "PROC_TEST_ROLE="+c.role)
		cmd.Stdin = c.stdin
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		told := strings.TrimSpace(string(out))
		is := Describe(os.Getpid(), "client").Start
		if (told == is) != c.want || !c.want && told != "" {
			t.Errorf("%s: told %q, the client began at %q", c.name, told, is)
		}
	}
}

// callerOf prints when the process began that Caller tells, with another stdin where the role asks
// for one.
func callerOf(role string) {
	switch role {
	case "own pair":
		fds, _ := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
		_ = syscall.Dup3(fds[0], 0, 0)
	case "named": // what the client connects to is not what it made
		name := "@hooks-test-" + os.Getenv("HOME") + strings.Repeat("x", os.Getpid()%7)
		at := &unix.SockaddrUnix{Name: name}
		l, _ := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
		_ = unix.Bind(l, at)
		_ = unix.Listen(l, 1)
		c, _ := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
		_ = unix.Connect(c, at)
		a, _, _ := unix.Accept(l)
		_ = syscall.Dup3(a, 0, 0)
	}
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	if p := Caller(); p != nil {
		_, _ = out.WriteString(p.Start)
	}
}
