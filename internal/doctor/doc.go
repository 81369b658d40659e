// Package doctor checks whether the program can do its work on this machine and in this project: a
// table of checks, each of which reports what it found and how to fix what is wrong.
//
// It looks at the person's own machine and starts children: this program, git, the forge's client.
// It writes only into a scratch project, except for the repairs that a person asked for. A check
// that panics or takes too long has failed; the others continue.
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
	Version string // that `hooks version` prints here
	Managed string // folder of the administrator's settings; the system's own when empty
	Live    bool   // start one real session of the client, which costs a few cents
	// Archive is `hooks loop reset` for one skill. If it is nil, nothing is archived.
	Archive func(loop.Skill) error
}

// machine holds everything that the checks examine. Each part is read once.
type machine struct {
	Doctor
	project  string
	self     loop.Program
	config   config.Config
	repo     tracker.Facts
	settings func() *install.Settings
	history  func() *history
}

func (d Doctor) machine() *machine {
	m := &machine{Doctor: d, project: tracker.Project(d.Env, d.Dir), self: proc.Self()}
	m.config = config.Load(m.project)
	m.repo = tracker.Repo(d.Env, m.project)
	m.settings = sync.OnceValue(func() *install.Settings {
		return install.ReadSettings(m.project, m.Managed, m.self.Path, m.Env)
	})
	m.history = sync.OnceValue(m.readHistory)
	return m
}

// Run runs every check. With fix it repairs what is safe to repair, and checks everything again.
func (d Doctor) Run(fix bool) report.Checkup {
	m := d.machine()
	results := m.walk(table())
	if fix {
		results = m.repair(results)
	}
	reportOnce(results)
	c := report.Checkup{
		Version: d.Version, Program: m.self.Path, Project: m.project, OK: true,
		Checks: []report.Check{},
	}
	for _, n := range results {
		c.OK = c.OK && n.Status != report.Broken
		c.Checks = append(c.Checks, n.Check)
	}
	return c
}
