package app

import (
	"fmt"
	"path/filepath"
	"strings"

	"hooks/internal/brake"
	"hooks/internal/guard"
	"hooks/internal/safefile"
	"hooks/internal/tracker"
)

// read is what the guard makes of the call, by what this project is. A replayed call is read by its
// transcript alone. The same call is read once.
func (h *handler) read() guard.Reading {
	if h.replayRepo != nil {
		return guard.Read(h.call(), h.replayRepo.Known(), nothing{})
	}
	call := h.ev.Tool + " " + h.ev.ToolUseID + " " + h.ev.Cwd + " " + h.ev.Input.Raw
	if h.wasRead.of != call {
		h.wasRead.of = call
		h.wasRead.reading = guard.Read(h.call(), h.repo, h.below(h.project))
	}
	return h.wasRead.reading
}

// repo is read only for a call that could matter to it: the guard asks for nothing itself.
func (h *handler) repo() guard.Repo {
	return brake.Repo(h.Env, tracker.Repo(h.Env, h.ev.Cwd))
}

func unreadable(r guard.Reading) string {
	switch {
	case r.Unparsable != "":
		return r.Unparsable
	case len(r.Opaque) > 0:
		return fmt.Sprintf("%s (%s)", r.Opaque[0].Text, r.Opaque[0].Reason)
	}
	return ""
}

// call is the tool call as the guard reads it.
func (h *handler) call() guard.Call {
	c := h.input()
	c.Own = h.own()
	if h.replayRepo == nil {
		c.PID = h.Env("CLAUDE_PID")
	}
	return c
}

// input is the call without the machine's own paths, which depend on the session's loops.
func (h *handler) input() guard.Call {
	c := guard.Call{Tool: h.ev.Tool, Cwd: h.ev.Cwd}
	c.Command, _ = h.ev.ShellCommand()
	fields, _ := h.ev.Fields()
	for _, f := range fields {
		c.Fields = append(c.Fields, guard.Field{Path: f.Path, Value: f.Value})
	}
	return c
}

// below reads files with relative paths from a folder.
func (h *handler) below(dir string) files { return files{dir, h.home(), &h.paths} }

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
