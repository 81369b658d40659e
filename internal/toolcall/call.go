// Package toolcall interprets a tool call with the files and repository on this machine: its
// effects according to the guard, changes to the loop's own files, and the call's result.
package toolcall

import (
	"context"
	"path/filepath"
	"strings"

	"hooks/internal/brake"
	"hooks/internal/event"
	"hooks/internal/guard"
	"hooks/internal/guard/effect"
	"hooks/internal/install"
	"hooks/internal/safefile"
	"hooks/internal/tracker"
)

// Call is an event's tool call. It caches the guard's reading, resolved paths and the loop's own
// paths.
type Call struct {
	Event   event.Event
	Env     func(string) string
	Project string
	View    string // the task loop's state file, which workers may not write (T90)
	// Past is the repository of a replayed call, as its transcript shows it. It is nil for a live
	// call. A replayed call is judged only by its transcript, so the result is the same on every
	// machine.
	Past *effect.Repo

	own     []string
	reals   map[string]string // see real
	reading *effect.Reading
}

// Read returns the guard's reading of the call in this project.
func (c *Call) Read() effect.Reading {
	if c.reading != nil {
		return *c.reading
	}
	r := effect.Reading{}
	if c.Past != nil {
		// files may have changed since the call
		none := func(string) (string, bool) { return "", false }
		r = guard.Read(c.Guard(), c.Past.Known(), none)
	} else {
		r = guard.Read(c.Guard(), c.repo, c.readFile)
	}
	c.reading = &r
	return r
}

// Guard converts the call to the guard's form.
func (c *Call) Guard() effect.Call {
	g := c.input()
	g.Own = c.ownPaths()
	if c.Past == nil {
		g.PID = c.Env("CLAUDE_PID")
		g.RealPath = func(path string) string {
			return c.real(c.below(c.Project, path))
		}
	}
	return g
}

// input returns the call without this machine's paths, which depend on the session's loops.
func (c *Call) input() effect.Call {
	g := effect.Call{Tool: c.Event.Tool, Cwd: c.Event.Cwd}
	g.Command, _ = c.Event.ShellCommand()
	g.Fields, _ = c.Event.Fields()
	return g
}

// ReadOnly reports whether the call plainly changes nothing.
func (c *Call) ReadOnly() bool { return guard.ReadOnly(c.Guard()) }

// Commits reports whether the call only reads, or commits or pushes finished work.
func (c *Call) Commits() bool { return guard.Finishing(c.Guard(), c.repo, c.readFile) }

// repo reads the repository. The guard calls repo only if it needs the repository.
func (c *Call) repo() effect.Repo {
	return brake.Repo(tracker.Repo(context.Background(), c.Event.Cwd))
}

// absolute resolves a path in the call against the call's working directory.
func (c *Call) absolute(path string) string {
	if path == "" {
		return ""
	}
	return c.below(c.Event.Cwd, path)
}

// below returns path as an absolute path. It expands ~ to the person's home and resolves any other
// relative path against dir.
func (c *Call) below(dir, path string) string {
	home, _ := install.Home(c.Env)
	if rest, ok := strings.CutPrefix(path, "~/"); ok && home != "" {
		return filepath.Join(home, rest)
	}
	return safefile.Absolute(dir, path)
}

// readFile returns the contents of a file that the call may use. It implements effect.Files.
func (c *Call) readFile(path string) (string, bool) {
	// Read one byte over the limit, to notice if the file is longer.
	return safefile.ReadHead(c.below(c.Project, path), effect.MaxFile+1)
}

// real returns a path with its symlinks resolved, as tracker.RealPath does.
func (c *Call) real(path string) string {
	if c.reals == nil {
		c.reals = map[string]string{}
	}
	if _, ok := c.reals[path]; !ok {
		c.reals[path] = tracker.RealPath(path)
	}
	return c.reals[path]
}

// FileTool returns the path, as given, of the file that the call writes with one of the client's
// file tools. ok is false if the call uses another tool.
func (c *Call) FileTool() (path string, ok bool) {
	switch c.Event.Tool {
	case "Write", "Edit", "MultiEdit":
		return c.Event.Text("file_path"), true
	case "NotebookEdit":
		return c.Event.Text("notebook_path"), true
	}
	return "", false
}

// Forbidden reports whether the guard would refuse a shell command from an agent, judged by its
// text and the files that it names.
func Forbidden(command, cwd string) bool {
	call := effect.Call{Tool: "Bash", Command: command, Cwd: cwd}
	files := &Call{Project: cwd, Env: func(string) string { return "" }}
	r := guard.Read(call, effect.Repo{}.Known(), files.readFile)
	return len(r.Merges()) > 0 || len(r.Tampers()) > 0 || r.Unparsable != ""
}
