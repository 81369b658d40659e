package doctor

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"hooks/internal/child"
	"hooks/internal/install"
	"hooks/internal/safefile"
)

// maxRead bounds what is read of one file, in bytes.
const maxRead = 16 << 20

// read returns the text of a regular file, its first maxRead bytes; "" when it cannot be read.
func read(path string) string {
	text, _ := safefile.ReadHead(path, maxRead)
	return text
}

// home returns the person's home folder. It is empty if it is unknown.
func (m *machine) home() string {
	h, _ := install.Home(m.Env)
	return h
}

// clientDir is the client's own folder.
func (m *machine) clientDir() string {
	dir, _ := install.ClientDir(m.Env)
	return dir
}

// shown is a path as people read it: relative to the project or to their home.
func (m *machine) shown(path string) string {
	if rel, err := filepath.Rel(m.project, path); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	home := m.home()
	if rel, err := filepath.Rel(home, path); err == nil && home != "" && filepath.IsLocal(rel) {
		return "~/" + filepath.ToSlash(rel)
	}
	return path
}

func join(list []string) string { return strings.Join(list, ", ") }

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
