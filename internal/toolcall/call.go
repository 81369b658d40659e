// Package toolcall reads a tool call on the machine on which it is made: what it would do, by the
// guard's tables, whether it would change what is the loop's own, and what its result brought.
package toolcall

import (
	"path/filepath"
	"strings"

	"hooks/internal/brake"
	"hooks/internal/clienthooks"
	"hooks/internal/event"
	"hooks/internal/guard"
	"hooks/internal/install"
	"hooks/internal/safefile"
	"hooks/internal/tracker"
)

// Call is the tool call of an event. It reads each file and folder once.
type Call struct {
	Event   event.Event
	Env     func(string) string
	Project string
	View    string // the state file of the session's task loop, which no worker writes (T90)
	// Past is the repository of a replayed call, by its transcript; nil for a call that is made
	// now. Of a replayed call only what the transcript has is known, and it is judged the same on
	// every machine.
	Past *guard.Repo

	own     []string
	paths   tracker.Paths
	places  *clienthooks.Places
	reading *guard.Reading
}

// Read returns what the guard makes of the call, by what this project is.
func (c *Call) Read() guard.Reading {
	if c.reading != nil {
		return *c.reading
	}
	r := guard.Reading{}
	if c.Past != nil {
		r = guard.Read(c.Guard(), c.Past.Known(), nothing{})
	} else {
		r = guard.Read(c.Guard(), c.repo, c.below(c.Project))
	}
	c.reading = &r
	return r
}

// Guard returns the call as the guard takes it.
func (c *Call) Guard() guard.Call {
	g := c.input()
	g.Own = c.ownPaths()
	if c.Past == nil {
		g.PID = c.Env("CLAUDE_PID")
	}
	return g
}

// input is the call without the machine's own paths, which depend on the session's loops.
func (c *Call) input() guard.Call {
	g := guard.Call{Tool: c.Event.Tool, Cwd: c.Event.Cwd}
	g.Command, _ = c.Event.ShellCommand()
	fields, _ := c.Event.Fields()
	for _, f := range fields {
		g.Fields = append(g.Fields, guard.Field{Path: f.Path, Value: f.Value})
	}
	return g
}

// ReadOnly reports whether the call plainly only looks.
func (c *Call) ReadOnly() bool { return guard.ReadOnly(c.Guard()) }

// Commits reports whether the call is a commit or a push that finishes work.
func (c *Call) Commits() bool { return guard.Finishing(c.Guard(), c.repo, c.below(c.Project)) }

// repo is read only for a call that could matter to it: the guard asks for nothing itself.
func (c *Call) repo() guard.Repo { return brake.Repo(c.Env, tracker.Repo(c.Env, c.Event.Cwd)) }

// below reads files with relative paths from a folder.
func (c *Call) below(dir string) files {
	home, _ := install.Home(c.Env)
	return files{dir, home, &c.paths}
}

func (c *Call) absolute(path string) string {
	if path == "" {
		return ""
	}
	return filepath.Clean(c.below(c.Event.Cwd).absolute(path))
}

// Forbidden reports whether a shell command is one that the guard would refuse an agent, by its
// text and the files that it names.
func Forbidden(command, cwd string) bool {
	call := guard.Call{Tool: "Bash", Command: command, Cwd: cwd}
	r := guard.Read(call, guard.Repo{}.Known(), files{root: cwd, paths: new(tracker.Paths)})
	return len(r.Merges()) > 0 || len(r.Tampers()) > 0 || r.Unparsable != ""
}

// files lets the guard read what a command would run, inside the project and bounded.
type files struct {
	root, home string
	paths      *tracker.Paths
}

// ReadFile is part of guard.Files.
func (f files) ReadFile(path string) (string, bool) {
	// One byte more than is read shows that the file is longer.
	return safefile.ReadHead(f.absolute(path), guard.MaxFile+1)
}

// RealPath follows links for the guard.
func (f files) RealPath(path string) string { return f.paths.Real(f.absolute(path)) }

func (f files) absolute(path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok && f.home != "" {
		return filepath.Join(f.home, rest)
	}
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(f.root, path)
}

// nothing stands for the files of a replayed call, which are no longer what they were.
type nothing struct{}

// ReadFile is part of guard.Files.
func (nothing) ReadFile(string) (string, bool) { return "", false }
