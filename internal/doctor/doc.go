// Package doctor looks whether the program can do its work on this machine and in this project: a table of checks, each
// of which says what it found and, where something is wrong, the way out.
//
// It looks at the person's own machine and starts children: this program, git, the forge's client. It writes only into
// a scratch project, but for the mends that a person asked for. A check that panics or takes too long has failed; the
// others go on.
package doctor

import (
	"sync"
	"time"

	"hooks/internal/config"
	"hooks/internal/install"
	"hooks/internal/loop"
	"hooks/internal/proc"
	"hooks/internal/report"
	"hooks/internal/tracker"
)

// Doctor is the person's machine. Env, Dir and Now are required.
type Doctor struct {
	Env     func(string) string
	Dir     string // where the command was typed
	Now     time.Time
	Version string // what `hooks version` says here
	// Managed is the folder of the settings that an administrator gives out; empty means the system's own.
	Managed string
	// Live starts one real session of the client, which costs a few cents.
	Live bool
}

// machine is what the checks look at, each part read once.
type machine struct {
	Doctor
	project string
	self    loop.Program
	config  config.Config
	repo    tracker.Facts
	hooks   func() registration
	// histories reads all lines once, however many checks ask.
	histories func() *histories
}

func (d Doctor) machine() *machine {
	m := &machine{Doctor: d, project: tracker.Project(d.Env, d.Dir), self: proc.Self()}
	m.config = config.Load(m.project)
	m.repo = tracker.Repo(d.Env, m.project)
	m.hooks = sync.OnceValue(m.register)
	m.histories = sync.OnceValue(m.readHistories)
	return m
}

// home is the person's own folder, "" where nothing tells it.
func (m *machine) home() string {
	h, _ := install.Home(m.Env)
	return h
}

// Run looks at everything; with fix it mends what can be mended safely and looks at that again.
func (d Doctor) Run(fix bool) report.Checkup {
	m := d.machine()
	results := m.lookAt(table())
	if fix {
		results = m.mend(results)
	}
	sayOnce(results)
	c := report.Checkup{Version: d.Version, Program: m.self.Path, Project: m.project, OK: true, Checks: []report.Check{}}
	for _, r := range results {
		k := r.result()
		c.OK = c.OK && k.Status != report.Broken
		c.Checks = append(c.Checks, k)
	}
	return c
}
