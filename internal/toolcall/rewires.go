package toolcall

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"hooks/internal/config"
	"hooks/internal/guard/effect"
	"hooks/internal/guard/paths"
	"hooks/internal/safefile"
	"hooks/internal/tracker"
)

// Rewires returns the path through which a file tool could change the client's hooks or their
// effect, or "". It ignores copies that this session's client does not read, for example in a
// worktree.
func (c *Call) Rewires() string {
	path, ok := c.FileTool()
	if !ok || path == "" || c.Past != nil {
		return ""
	}
	path = c.absolute(path)
	hooks, real := c.hookFiles(), tracker.RealPath(path)
	prompt := hooks.prompt(path) || hooks.prompt(real)
	if c.isOwn(path) || c.definesHooks(path) || prompt && c.mentionsHooks(path) {
		return path
	}
	return ""
}

// mentionsHooks reports whether a skill, a command or an agent may define hooks in its head, before
// or after the call's edit.
func (c *Call) mentionsHooks(path string) bool {
	text, _ := safefile.Read(path, config.MaxFile)
	fields, _ := c.Event.Fields()
	for _, fd := range fields {
		text += "\n" + fd.Value
	}
	// Compiled here, because few calls edit such a file. An escape could hide the key.
	found, _ := regexp.MatchString(`(^|[\s"'{,?])hooks["'\s]*:|\\[uUx]`, text)
	return found
}

// Tampers returns the acts on the loop's own files, gates and registration. It omits files that
// only resemble a registration.
func (c *Call) Tampers(r effect.Reading) []effect.Act {
	return slices.DeleteFunc(r.Tampers(), func(a effect.Act) bool {
		path := c.absolute(a.Path)
		if a.Kind != effect.DropRegistration || c.Past != nil || a.Path == "" ||
			!filepath.IsAbs(path) {
			return false
		}
		hooks := c.hookFiles()
		below := func(own string) bool { return strings.HasPrefix(own, path+"/") }
		return !c.definesHooks(path) && !hooks.holds(path) &&
			!hooks.holds(tracker.RealPath(path)) && !c.isOwn(path) &&
			!slices.ContainsFunc(c.ownPaths(), below)
	})
}

func (c *Call) isOwn(path string) bool {
	own := c.ownPaths()
	return paths.Own(own, path) || paths.Own(own, tracker.RealPath(path))
}

// definesHooks is like hookFiles.defines for a file's given path or its real path.
func (c *Call) definesHooks(path string) bool {
	hooks := c.hookFiles()
	return hooks.defines(path) || hooks.defines(tracker.RealPath(path))
}

// FileTool reports whether the call is one of the client's tools that write a file, and returns
// the file's path as given.
func (c *Call) FileTool() (path string, ok bool) {
	switch c.Event.Tool {
	case "Write", "Edit", "MultiEdit":
		return c.Event.Text("file_path"), true
	case "NotebookEdit":
		return c.Event.Text("notebook_path"), true
	}
	return "", false
}
