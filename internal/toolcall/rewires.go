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

// Tampers returns the acts on the loop's own files, gates and registration, and the write of a file
// from which this session's client reads its hooks. It omits files that only resemble a
// registration, for example in a worktree.
func (c *Call) Tampers(r effect.Reading) []effect.Act {
	acts := slices.DeleteFunc(r.Tampers(), func(a effect.Act) bool {
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
	file, ok := c.FileTool()
	if !ok || file == "" || c.Past != nil || len(acts) > 0 {
		return acts
	}
	file = c.absolute(file)
	hooks := c.hookFiles()
	prompt := hooks.prompt(file) || hooks.prompt(tracker.RealPath(file))
	if c.definesHooks(file) || prompt && c.mentionsHooks(file) {
		acts = append(acts, effect.Act{
			Kind: effect.DropRegistration, Command: c.Event.Tool, Ref: file, Path: file,
		})
	}
	return acts
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
