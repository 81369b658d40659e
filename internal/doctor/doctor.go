// Package doctor checks whether the program works on this machine and in this project. Each check
// reports its findings and gives a hint for each problem.
//
// The checks start this program, git, Claude Code and the forge's client. They write only temporary
// files, except in the live session and in repairs, which a person must ask for. If a check panics,
// it fails and the others continue.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"hooks/internal/child"
	"hooks/internal/config"
	"hooks/internal/install"
	"hooks/internal/loop"
	"hooks/internal/proc"
	"hooks/internal/report"
	"hooks/internal/tracker"
)

// Doctor holds the options of a checkup. Env and Dir are required.
type Doctor struct {
	Env     func(string) string
	Dir     string // folder where the person typed the command
	Version string // output of `hooks version`
	Managed string // folder with the administrator's settings; "" for the default
	Live    bool   // start one real client session, which costs a few cents
	Fix     bool   // repair what is safe to repair
}

// machine holds what the checks examine. Each input is read only once.
type machine struct {
	Doctor
	project  string
	client   string // the client's folder; "" if unknown
	self     loop.Program
	config   config.Config
	repo     tracker.Facts
	settings func() *install.Settings
}

func (d Doctor) machine() *machine {
	m := &machine{Doctor: d, project: tracker.Project(d.Env, d.Dir), self: proc.Self()}
	m.client, _ = install.ClientDir(d.Env)
	m.config = config.Load(m.project)
	m.repo = tracker.Repo(context.Background(), m.project)
	m.settings = sync.OnceValue(func() *install.Settings {
		return install.ReadSettings(m.project, m.Managed, m.self.Path, m.Env)
	})
	return m
}

// Run runs every check.
func (d Doctor) Run() report.Checkup {
	m := d.machine()
	c := report.Checkup{Version: d.Version, Program: m.self.Path, Project: m.project, OK: true}
	for _, n := range m.walk(table()) {
		c.OK = c.OK && n.Status != report.Broken
		c.Checks = append(c.Checks, n.Check)
	}
	return c
}

// walk runs the checks concurrently.
func (m *machine) walk(list []check) []*notes {
	results := make([]*notes, len(list))
	var all sync.WaitGroup
	for i, c := range list {
		all.Go(func() { results[i] = m.examine(c) })
	}
	all.Wait()
	return results
}

// examine runs one check. The check always ends, because every program it starts has a time limit.
func (m *machine) examine(c check) (n *notes) {
	n = &notes{report.Check{Group: c.group, Name: c.name, Status: report.Fine}, m.Fix}
	began := time.Now()
	defer func() {
		if p := recover(); p != nil {
			n.fail("send this text to the maintainers", "the check itself failed: %v", p)
		}
		n.Millis = time.Since(began).Milliseconds()
	}()
	if c.registered && len(m.settings().Ours) == 0 {
		n.skip("the program is not registered")
		return n
	}
	c.look(m, n)
	return n
}

// shown returns a path as people see it, relative to the project or the home folder if possible.
func (m *machine) shown(path string) string {
	if rel, err := filepath.Rel(m.project, path); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	home, _ := install.Home(m.Env)
	if rel, err := filepath.Rel(home, path); err == nil && home != "" && filepath.IsLocal(rel) {
		return "~/" + filepath.ToSlash(rel)
	}
	return path
}

func join(list []string) string { return strings.Join(list, ", ") }

const (
	childTime = 3 * time.Second // for other programs, which may use a network
	hookTime  = 5 * time.Second // for this program, even on a busy machine
)

// run runs a program in the project and returns its trimmed output.
func (m *machine) run(args ...string) (string, error) {
	return start(child.Command{Args: args, Dir: m.project, Wait: childTime})
}

// start runs a program and returns its trimmed output.
func start(c child.Command) (string, error) {
	c.Most = 1 << 20
	r, err := child.Run(context.Background(), c)
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("no answer within %v", c.Wait)
	}
	return strings.TrimSpace(string(r.Out)), err
}
