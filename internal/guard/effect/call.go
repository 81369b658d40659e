package effect

import (
	"slices"
	"strings"
)

// Call is one tool call of the agent, its input flattened.
type Call struct {
	Tool    string // "Bash", "PowerShell", "REPL", "Write", "mcp__github__merge_pull_request", …
	Command string // shell text of Bash, PowerShell and Monitor
	// Fields holds every other string, number or bool leaf of tool_input, in order. It may hold the
	// command too.
	Fields []Field
	Cwd    string // absolute
	// Own are the loop's own paths outside of its folder, absolute: the session's transcript, a
	// budget file elsewhere, the program itself.
	Own []string
	PID string // the client's process, "" unknown
}

// Field is one leaf of a tool's input: its dotted path ("files.0.path") and its value as text.
type Field struct{ Path, Value string }

// Repo has the facts of the project's repository. The caller reads them from .git.
type Repo struct {
	Branch  string // checked-out branch of Call.Cwd, "" unknown or detached
	Default string // default branch, "" unknown: then release* counts as protected too
	Remotes map[string]string
	// Config holds git config by lower-cased key: alias.*, remote.*.push, push.default, …
	Config map[string]string
	// Aliases are the names of the person's own commands of gh; "" is one that cannot be read.
	Aliases []string
	// GlabAliases are those of glab.
	GlabAliases []string
}

// Known is a function that returns r. A reading takes such a function, and calls it only for a
// command that could matter to the repository.
func (r Repo) Known() func() Repo { return func() Repo { return r } }

// Files reads the files that a command would run. The caller bounds size and place. ok is false for
// a file that it cannot or will not read. Of a file longer than MaxFile it returns the beginning,
// which is longer than MaxFile too. It is called at most 64 times a Read, with cleaned absolute
// paths where Call.Cwd is absolute.
type Files interface {
	ReadFile(path string) (text string, ok bool)
}

// MaxFile is the longest file that is read as a program, in bytes.
const MaxFile = 1 << 20

// Links may be implemented by a Files. RealPath resolves the symbolic links of a path that the call
// writes. It returns a path without links unchanged.
type Links interface {
	RealPath(path string) string
}

// CommandText is the command, or the field of that name.
func (c Call) CommandText() string {
	if c.Command != "" {
		return c.Command
	}
	return LeafText(c.Fields, "command")
}

// Leaf is the value of the leaf of that name, in any case: the last one whose whole path is the
// name, as a server takes it of several, else the first whose path ends with it.
func Leaf(fields []Field, names ...string) (string, bool) {
	for _, n := range names {
		for _, fd := range slices.Backward(fields) {
			if strings.EqualFold(fd.Path, n) {
				return fd.Value, true
			}
		}
		for _, fd := range fields {
			key := fd.Path[strings.LastIndexByte(fd.Path, '.')+1:]
			key = strings.TrimSuffix(key[strings.LastIndexByte(key, '[')+1:], "]")
			if strings.EqualFold(key, n) {
				return fd.Value, true
			}
		}
	}
	return "", false
}

// LeafText returns the value of Leaf, or "".
func LeafText(fields []Field, names ...string) string {
	v, _ := Leaf(fields, names...)
	return v
}
