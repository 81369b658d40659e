package effect

import (
	"slices"
	"strings"
)

// Call is one of the agent's tool calls, with its input flattened.
type Call struct {
	Tool    string // "Bash", "PowerShell", "REPL", "Write", "mcp__github__merge_pull_request", …
	Command string // shell text of Bash, PowerShell and Monitor
	// Fields holds the string, number and bool leaves of tool_input, in order. It may omit the
	// command.
	Fields []Field
	Cwd    string // absolute
	// Own holds the absolute paths of the loop's files outside its folder, such as the session's
	// transcript, a budget file elsewhere, and the program itself.
	Own []string
	PID string // process id of the client, empty if unknown
	// RealPath resolves the symbolic links in a path that the call writes. It may be nil.
	RealPath func(path string) string
}

// Field is one leaf of a tool's input: its dotted path ("files.0.path") and its value as text.
type Field struct{ Path, Value string }

// Key returns the last part of the path.
func (f Field) Key() string { return f.Path[strings.LastIndexByte(f.Path, '.')+1:] }

// Repo describes the project's repository, as the caller read it from .git.
type Repo struct {
	Branch  string // checked-out branch of Call.Cwd, empty if unknown or detached
	Default string // default branch; if empty (unknown), release* is protected too
	Remotes map[string]string
	// Config maps the keys of git settings, as git prints them (section and name in lower case,
	// subsection as written), to their values. Multiple values for a key are joined by line feeds.
	Config map[string]string
	// Ask runs git with these arguments, in the environment of the git that is about to start, and
	// returns its output, or "" on error. It is nil if no git is about to start.
	Ask func(args ...string) string
}

// Known returns a function that returns r. Readers take a function because few commands need the
// repository.
func (r Repo) Known() func() Repo { return func() Repo { return r } }

// Files reads the files that a command uses. The implementation bounds their size and location; ok
// is false for a file that it does not read. For a file longer than MaxFile it returns a prefix
// that also exceeds MaxFile. Read's work budget also limits the number of calls. Paths are clean,
// and absolute if Call.Cwd is absolute. A nil Files reads no file.
type Files func(path string) (text string, ok bool)

// MaxFile is the maximum size in bytes of a file whose contents count as known.
const MaxFile = 1 << 20

// CommandText returns Command, or the field "command" if Command is empty.
func (c Call) CommandText() string {
	if c.Command != "" {
		return c.Command
	}
	return LeafText(c.Fields, "command")
}

// Leaf returns the value of the first name that has a field. It ignores case and underscores. If a
// name is the whole path of several fields, the last one counts, as in most JSON parsers. Otherwise
// the first field whose path ends with the name counts.
func Leaf(fields []Field, names ...string) (string, bool) {
	same := func(a, b string) bool {
		return strings.EqualFold(strings.ReplaceAll(a, "_", ""), strings.ReplaceAll(b, "_", ""))
	}
	for _, n := range names {
		for _, fd := range slices.Backward(fields) {
			if same(fd.Path, n) {
				return fd.Value, true
			}
		}
		for _, fd := range fields {
			key := fd.Key()
			key = strings.TrimSuffix(key[strings.LastIndexByte(key, '[')+1:], "]")
			if same(key, n) {
				return fd.Value, true
			}
		}
	}
	return "", false
}

// LeafText is like Leaf but returns an empty string if there is no such field.
func LeafText(fields []Field, names ...string) string {
	v, _ := Leaf(fields, names...)
	return v
}
