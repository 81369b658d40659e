package tracker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"hooks/internal/child"
)

const (
	gitWait   = 10 * time.Second // the most one git command may take, where the caller's context allows more
	gitOutput = 4 << 20          // bytes
)

// hardened are settings of a repository that would run a program, overruled.
var hardened = [...]string{
	"-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "protocol.ext.allow=never",
	"-c", "http.saveCookies=false",
}

// git runs one git command in dir and gives what it printed. An error carries git's own first line.
func git(ctx context.Context, dir string, args ...string) ([]byte, error) {
	r, err := child.Run(ctx, child.Command{
		Dir: dir, Env: environ(os.Environ()), Args: slices.Concat([]string{"git"}, hardened[:], args), Wait: gitWait, Most: gitOutput,
	})
	if err != nil {
		return nil, gitError(command(args), err, r.Says)
	}
	return r.Out, nil
}

// command is git's own word among the arguments, for messages.
func command(args []string) string {
	for len(args) > 2 && args[0] == "-c" {
		args = args[2:]
	}
	return args[0]
}

func gitError(command string, err error, says string) error {
	line := child.Line(says)
	if line == "" || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return fmt.Errorf("git %s: %w", command, err)
	}
	return fmt.Errorf("git %s: %w: %s", command, err, line)
}

// environ is the environment of a child git. What points git at another repository or injects settings is left out;
// what a person set to reach their remotes stays.
func environ(from []string) []string {
	var env []string
	ssh := "ssh"
	for _, kv := range from {
		name, value, _ := strings.Cut(kv, "=")
		switch {
		case name == "GIT_SSH_COMMAND" && value != "":
			ssh = value
		case !strings.HasPrefix(name, "GIT_") || kept(name):
			env = append(env, kv)
		}
	}
	return append(env, "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=", "SSH_ASKPASS=", "GCM_INTERACTIVE=never",
		"GIT_SSH_COMMAND="+batch(ssh), "GIT_ALLOW_PROTOCOL=file:http:https:ssh", "LC_ALL=C")
}

func kept(name string) bool {
	switch name {
	case "GIT_SSH_VARIANT", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_EXEC_PATH", "GIT_SSL_CAINFO", "GIT_SSL_CAPATH":
		return true
	}
	return false
}

// batch makes OpenSSH fail instead of asking. Another program's options are not known.
func batch(ssh string) string {
	if program, _, _ := strings.Cut(ssh, " "); program != "ssh" && !strings.HasSuffix(program, "/ssh") {
		return ssh
	}
	return ssh + " -oBatchMode=yes"
}
