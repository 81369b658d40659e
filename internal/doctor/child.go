package doctor

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"hooks/internal/child"
)

const (
	childTime   = 3 * time.Second // for another program, which may ask a network
	hookTime    = 5 * time.Second // for this program, on however busy a machine
	childOutput = 1 << 20         // bytes
)

// run starts a program in the project and returns what it printed, trimmed. An error has the first
// line that the program wrote to stderr.
func (m *machine) run(args ...string) (string, error) {
	out, _, err := start(child.Command{Args: args, Dir: m.project, Wait: childTime})
	return out, err
}

// start starts a program and measures how long it took.
func start(c child.Command) (string, time.Duration, error) {
	c.Most = childOutput
	began := time.Now()
	r, err := child.Run(context.Background(), c)
	took := time.Since(began)
	if line := child.Line(r.Says); errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("no answer within %v", c.Wait)
	} else if err != nil && line != "" {
		err = fmt.Errorf("%w: %s", err, line)
	}
	return strings.TrimSpace(string(r.Out)), took, err
}
