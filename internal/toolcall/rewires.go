package toolcall

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"hooks/internal/config"
	"hooks/internal/guard/effect"
	"hooks/internal/guard/paths"
	"hooks/internal/safefile"
	"hooks/internal/tracker"
)

// Rewires returns the path through which a file tool would change the client's hooks or their
// effect, or "". It ignores copies that this session's client does not read, for example in a
// worktree.
func (c *Call) Rewires() string {
	path, ok := c.FileTool()
	if !ok || path == "" || c.Past != nil { // the resulting text is unknown
		return ""
	}
	path = c.absolute(path)
	keeps := !c.isOwn(path)
	if kind := c.hookKind(path); kind != foreignFile {
		before, after, known := c.leaves(path)
		keeps = known && sameHooks(kind, before, after)
	}
	if keeps {
		return ""
	}
	return path
}

// Tampers returns the acts on the loop's own files, gates and registration. It omits files that
// only resemble a registration, and edits whose result is checked.
func (c *Call) Tampers(r effect.Reading) []effect.Act {
	file, edits := c.FileTool()
	return slices.DeleteFunc(r.Tampers(), func(a effect.Act) bool {
		path := c.absolute(a.Path)
		switch {
		case c.Past != nil || a.Path == "" || !filepath.IsAbs(path):
			return false
		case edits:
			return path == c.absolute(file) && path == c.strayConfig()
		}
		hooks := c.hookFiles()
		below := func(own string) bool { return strings.HasPrefix(own, path+"/") }
		return a.Kind == effect.DropRegistration && c.hookKind(path) == foreignFile &&
			!hooks.holds(path) && !hooks.holds(tracker.RealPath(path)) && !c.isOwn(path) &&
			!slices.ContainsFunc(c.ownPaths(), below)
	})
}

func (c *Call) isOwn(path string) bool {
	own := c.ownPaths()
	return paths.Own(own, path) || paths.Own(own, tracker.RealPath(path))
}

// hookKind returns a file's role for the client, according to its given path or its real path.
func (c *Call) hookKind(path string) hookKind {
	hooks := c.hookFiles()
	return max(hooks.kind(path), hooks.kind(tracker.RealPath(path)))
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

// leaves returns the file's text before and after the call's edit. It applies the edit in memory.
// known is false if the result is uncertain.
func (c *Call) leaves(path string) (before, after string, known bool) {
	before, known = safefile.Read(path, config.MaxFile)
	if _, err := os.Lstat(path); !known && !errors.Is(err, fs.ErrNotExist) {
		return "", "", false
	}
	edits := []gjson.Result{c.Event.Input}
	switch c.Event.Tool {
	case "Write":
		return before, c.Event.Text("content"), true
	case "MultiEdit":
		edits = c.Event.Input.Get("edits").Array()
	case "NotebookEdit":
		edits = nil
	}
	after, known = before, len(edits) > 0
	for _, edit := range edits {
		if known {
			after, known = edited(after, edit)
		}
	}
	return before, after, known
}

// edited returns text after one replacement. It returns false if the old text is not found, because
// the client matches line ends and quotes more loosely and may still change the file.
func edited(text string, edit gjson.Result) (string, bool) {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	old, replacement := edit.Get("old_string").String(), edit.Get("new_string").String()
	switch {
	case old == "":
		return replacement, text == ""
	case !strings.Contains(text, old):
		return "", false
	case edit.Get("replace_all").Bool():
		return strings.ReplaceAll(text, old, replacement), true
	}
	return strings.Replace(text, old, replacement, 1), true
}
