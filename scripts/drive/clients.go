package drive

import (
	"fmt"
	"os/exec"
)

// Clients are two processes that live while something is played, and one that has ended. None of them is an ancestor of
// what is played, so a person's commands are not taken for the agent's.
type Clients struct {
	First, Second, Gone int
	alive               []*exec.Cmd
}

// Start starts them.
func (c *Clients) Start() error {
	for _, pid := range []*int{&c.First, &c.Second} {
		cmd := exec.Command("sleep", "1000000")
		if err := cmd.Start(); err != nil {
			return fmt.Errorf("start client: %w", err)
		}
		c.alive = append(c.alive, cmd)
		*pid = cmd.Process.Pid
	}
	dead := exec.Command("true")
	if err := dead.Run(); err != nil {
		return fmt.Errorf("make a dead process: %w", err)
	}
	c.Gone = dead.Process.Pid
	return nil
}

// End ends them.
func (c *Clients) End() {
	for _, cmd := range c.alive {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
}
