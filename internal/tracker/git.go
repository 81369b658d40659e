package tracker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

const (
	gitWait   = 10 * time.Second // the most one git command may take, where the caller's context allows more
	gitOutput = 4 << 20          // bytes
)

// hardened are settings of a repository that would run a program, overruled.
var hardened = [...]string{
	"-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "protocol.ext.allow=never",
}

// git runs one git command in dir and gives what it printed. An error carries git's own first line.
func git(ctx context.Context, dir string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, gitWait)
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", append(hardened[:], args...)...)
	out, says := &bounded{most: gitOutput}, &bounded{most: 64 << 10}
	cmd.Dir, cmd.Env = dir, environ(os.Environ())
	cmd.Stdin, cmd.Stdout, cmd.Stderr = nil, out, says
	cmd.WaitDelay = 500 * time.Millisecond
	ownGroup(cmd)
	err := cmd.Run()
	if errors.Is(err, exec.ErrWaitDelay) {
		killGroup(cmd) // a grandchild held the pipes
	}
	if err == nil && out.over {
		err = fmt.Errorf("more than %d bytes of output", gitOutput)
	}
	if err != nil {
		return nil, gitError(ctx, command(args), err, says.String())
	}
	return out.Bytes(), nil
}

// command is git's own word among the arguments, for messages.
func command(args []string) string {
	for len(args) > 2 && args[0] == "-c" {
		args = args[2:]
	}
	return args[0]
}

func gitError(ctx context.Context, command string, err error, says string) error {
	if cause := ctx.Err(); cause != nil {
		return fmt.Errorf("git %s: %w", command, cause)
	}
	line, _, _ := strings.Cut(strings.TrimSpace(says), "\n")
	if line == "" {
		return fmt.Errorf("git %s: %w", command, err)
	}
	return fmt.Errorf("git %s: %w: %s", command, err, redact(line))
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

// redact takes the user and password out of the URLs in a line: errors end up in notes that are kept.
func redact(line string) string {
	parts := strings.Split(line, "://")
	for i, rest := range parts[1:] {
		host := rest
		if end := strings.IndexAny(rest, "/ '\""); end >= 0 {
			host = rest[:end]
		}
		parts[i+1] = rest[strings.LastIndexByte(host, '@')+1:]
	}
	return strings.Join(parts, "://")
}

// bounded keeps the first bytes up to most and notes that there were more.
type bounded struct {
	bytes.Buffer
	most int
	over bool
}

func (b *bounded) Write(p []byte) (int, error) {
	room := b.most - b.Len()
	if len(p) <= room {
		return b.Buffer.Write(p)
	}
	b.over = true
	b.Buffer.Write(p[:room])
	return len(p), nil
}
