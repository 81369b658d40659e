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
	childTime   = 3 * time.Second // the most one child may take
	childOutput = 1 << 20         // bytes
)

// run starts a program in the project and returns what it printed, trimmed. An error carries its own first words.
func (m *machine) run(args ...string) (string, error) {
	out, _, err := feed(child.Command{Args: args, Dir: m.project})
	return out, err
}

// feed starts a program and says how long it took.
func feed(c child.Command) (string, time.Duration, error) {
	c.Wait, c.Most = childTime, childOutput
	began := time.Now()
	r, err := child.Run(context.Background(), c)
	took := time.Since(began)
	if line := child.Line(r.Says); errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("no answer within %v", childTime)
	} else if err != nil && line != "" {
		err = fmt.Errorf("%w: %s", err, line)
	}
	return strings.TrimSpace(string(r.Out)), took, err
}
