package doctor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"
)

const (
	childTime   = 3 * time.Second // the most one child may take
	childOutput = 1 << 20         // bytes
)

// run starts a program and returns what it printed, trimmed. An error carries its own first words.
func (m *machine) run(env []string, dir, name string, args ...string) (string, error) {
	out, _, err := m.feed("", env, dir, append([]string{name}, args...))
	return out, err
}

// feed starts a program with a text on its standard input and says how long it took. Without env the child gets ours.
func (m *machine) feed(stdin string, env []string, dir string, argv []string) (string, time.Duration, error) {
	ctx, cancel := context.WithTimeout(context.Background(), childTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Dir, cmd.Env = strings.NewReader(stdin), dir, env
	cmd.Stdout, cmd.Stderr = &most{w: &out}, &most{w: &errs}
	cmd.WaitDelay = 200 * time.Millisecond
	began := time.Now()
	err := cmd.Run()
	took := time.Since(began)
	if ctx.Err() != nil {
		return "", took, fmt.Errorf("no answer within %v", childTime)
	}
	if line, _, _ := strings.Cut(strings.TrimSpace(errs.String()), "\n"); line != "" && err != nil && !errors.Is(err, exec.ErrNotFound) {
		err = fmt.Errorf("%w: %s", err, line)
	}
	return strings.TrimSpace(out.String()), took, err
}

// most keeps the first bytes of a child's output and swallows the rest.
type most struct {
	w    io.Writer
	have int
}

func (b *most) Write(p []byte) (int, error) {
	if room := childOutput - b.have; room > 0 {
		n, _ := b.w.Write(p[:min(room, len(p))])
		b.have += n
	}
	return len(p), nil
}
