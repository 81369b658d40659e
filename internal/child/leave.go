package child

import (
	"context"
	"os/exec"
	"time"
)

// Leave starts a program in a session of its own and waits for its end, at most for a time. One
// that then still runs, as a browser does, is left to itself. Nothing that it prints is kept.
func Leave(args []string, wait time.Duration) error {
	cmd := exec.CommandContext(context.Background(), args[0], args[1:]...)
	ownGroup(cmd)
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		return err
	case <-time.After(wait):
		return nil
	}
}
