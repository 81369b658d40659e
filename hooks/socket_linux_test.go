package main

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"

	"github.com/rogpeppe/go-internal/testscript"
)

// maxEvents is how many events one command of a story may send.
const maxEvents = 4

// byClient runs `event` or `answer` as the client does: the program's stdin is one end of a pair
// of sockets that the test, every story's client, made itself. What a story starts with exec comes
// through a pipe, as from a script in a tool call.
func byClient(ts *testscript.TestScript, neg bool, args []string) {
	path, err := exec.LookPath(args[0])
	ts.Check(err)
	cmd := exec.Command(path, args[1:]...)
	for i := range maxEvents {
		kind := syscall.SOCK_STREAM | syscall.SOCK_CLOEXEC
		pair, err := syscall.Socketpair(syscall.AF_UNIX, kind, 0)
		ts.Check(err)
		for _, fd := range pair {
			f := os.NewFile(uintptr(fd), "socket "+strconv.Itoa(i))
			defer f.Close()
			cmd.ExtraFiles = append(cmd.ExtraFiles, f)
		}
	}
	for _, name := range []string{
		"HOME", "PATH", "WORK", "TMPDIR", "CLAUDE_PROJECT_DIR", "CLAUDE_PID",
		"SESSION", "PROMPT", "CALL", "STDOUT", "HOOKS_NOW", "HOOKS_PARENTS",
		"CLAUDE_CODE_SESSION_ATTENDED", "TESTSCRIPT_COMMAND",
	} {
		if v := ts.Getenv(name); v != "" {
			cmd.Env = append(cmd.Env, name+"="+v)
		}
	}
	cmd.Env = append(cmd.Env, "CLIENT_SOCKETS="+strconv.Itoa(maxEvents))
	cmd.Dir, cmd.Stdout, cmd.Stderr = ts.MkAbs("."), ts.Stdout(), ts.Stderr()
	if err := cmd.Run(); err != nil && !neg {
		ts.Fatalf("%s: %v", strings.Join(args, " "), err)
	}
}

// nextSocket is where the next event goes that a client sends: what it writes, and the program's
// stdin; nil where the story's command was not started by the client.
func nextSocket() (from, to *os.File) {
	n, _ := strconv.Atoi(os.Getenv("CLIENT_SOCKETS"))
	if n == 0 {
		return nil, nil
	}
	os.Setenv("CLIENT_SOCKETS", strconv.Itoa(n-1))
	fd := uintptr(3 + 2*(maxEvents-n))
	return os.NewFile(fd, "client"), os.NewFile(fd+1, "hook")
}
