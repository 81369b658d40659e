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
	childTime   = 3 * time.Second // the most another program may take, which may ask a network
	hookTime    = 5 * time.Second // the most this program may take, on however busy a machine
	childOutput = 1 << 20         // bytes
)

// run starts a program in the project and returns what it printed, trimmed. An error carries its own first words.
func (m *machine) run(args ...string) (string, error) {
	out, _, err := feed(child.Command{Args: args, Dir: m.project, Wait: childTime})
	return out, err
}

// feed starts a program and says how long it took.
func feed(c child.Command) (string, time.Duration, error) {
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
