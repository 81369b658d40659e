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
	own := []string{os.Args[0]}
	piped := []string{"sh", "-c", `: | "$0"`, os.Args[0]}
	session := []string{"setsid", "--wait", os.Args[0]}
	for _, c := range []struct {
		name  string
		args  []string
		stdin *os.File
		role  string
		want  bool
	}{
		{"a pair of the client", own, pair(), "caller", true},
		{"through a shell", []string{"sh", "-c", `"$0"; true`, os.Args[0]}, pair(), "caller", true},
		{"in a session of its own", session, pair(), "caller", true},
		{"a file", own, file, "caller", false},
		{"a pipe of a shell", piped, pair(), "caller", false},
		{"a pair of its own", own, file, "own pair", false},
		{"a socket with a name", own, file, "named", false},
	} {
		cmd := exec.Command(c.args[0], c.args[1:]...)
		cmd.Env = append(os.Environ(), "PROC_TEST_ROLE="+c.role)
		cmd.Stdin = c.stdin
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		told := strings.TrimSpace(string(out))
		want := Describe(os.Getpid(), "client").Start
		if (told == want) != c.want || !c.want && told != "" {
			t.Errorf("%s: told %q, the client began at %q", c.name, told, want)
		}
	}
}

// callerOf prints when the process that Caller returns began, with another stdin where the role
// asks for one.
func callerOf(role string) {
	switch role {
	case "own pair":
		fds, _ := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
		_ = syscall.Dup3(fds[0], 0, 0)
	case "named": // what the client connects to is not what it made
		many := strings.Repeat("x", os.Getpid()%7)
		at := &unix.SockaddrUnix{Name: "@hooks-test-" + os.Getenv("HOME") + many}
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
