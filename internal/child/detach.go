package child

import (
	"os"
	"os/exec"
)

// Detach starts a program that outlives this process and its process group. It writes in, which
// must fit in a pipe's buffer, to the program's stdin. env is added to this process's environment.
func Detach(in string, env []string, args ...string) error {
	cmd := exec.Command(args[0], args[1:]...)
	if in != "" {
		from, to, err := os.Pipe()
		if err != nil {
			return err
		}
		defer from.Close()
		_, _ = to.WriteString(in) // fits in the pipe's buffer
		_ = to.Close()
		cmd.Stdin = from
	}
	cmd.Env = append(os.Environ(), env...)
	outlive(cmd)
	if err := cmd.Start(); err != nil {
		return err
	}
	return cmd.Process.Release()
}
