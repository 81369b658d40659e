// Package plain reads shell text without executing it. It reads every simple command, even in a
// branch that never runs or a function that is never called. The package expands literal text and
// quotes, variables set by NAME=value in the same text, the words of a for loop, and a few command
// substitutions. Everything else becomes shellword.Unknown.
package plain

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"

	"hooks/internal/guard/effect"
	"hooks/internal/guard/shellword"

	"mvdan.cc/sh/v3/syntax"
)

// Bounds for one reading. Work is counted in steps (a word, a statement, 16 bytes of text), not in
// time, so that the result never depends on the speed of the machine.
const (
	maxWork    = 60_000 // steps, plus one for every four bytes of the command
	maxNesting = 400    // nested statements; nested shell text counts as 10, a variable as 20
	maxActs    = 60
	maxOpaque  = 40
	maxRounds  = 16 // words of a for loop to read one by one
)

// Program reads the command line argv of the named program.
type Program func(f *Frame, name string, argv []shellword.Word)

// Machine holds the state shared by all frames of one reading.
type Machine struct {
	Call    effect.Call
	Repo    func() effect.Repo // memoized
	Files   effect.Files
	program Program
	// Real reports whether a program is about to start with exactly these words. The programs that
	// it starts itself, such as git hooks, are then judged too.
	Real    bool
	Environ func(string) string // that program's environment; nil if no program is starting
	Read    effect.Reading
	Work    int // steps left

	seen    map[string]bool
	spent   bool              // the reading was aborted
	written string            // shell text that writes a file and could land something
	heads   map[string]string // branches that the call checked out, by directory
	// lands reports whether any text in the call names a forge client or passes shellword.Lands.
	lands func() bool
}

// New returns a machine for one reading of a call. p reads all programs except shells and builtins.
func New(c effect.Call, repo func() effect.Repo, files effect.Files, p Program) *Machine {
	m := &Machine{
		Call: c, Repo: sync.OnceValue(repo), Files: files, program: p,
		Work: maxWork + len(c.CommandText())/4, seen: map[string]bool{},
		heads: map[string]string{},
	}
	m.lands = sync.OnceValue(func() bool { return slices.ContainsFunc(m.texts(), couldLand) })
	return m
}

// Burn subtracts steps from the remaining work and reports whether the reading may continue.
func (m *Machine) Burn(steps int) bool {
	m.Work -= steps
	if m.Work < 0 && !m.spent {
		m.abort("too much to read in one call")
	}
	return m.Work >= 0
}

// abort stops the reading at a bound and keeps the acts found so far.
func (m *Machine) abort(bound string) {
	if !m.spent {
		m.spent = true
		m.Bounded(bound, m.texts()...)
	}
	m.Work = -1
}

// Bounded records that texts were not read because of a bound. It sets Bound if any of them could
// land something or contains "merge".
func (m *Machine) Bounded(bound string, texts ...string) {
	m.Read.Unparsable = cmp.Or(m.Read.Unparsable, bound)
	if m.Read.Bound == "" && slices.ContainsFunc(texts, func(text string) bool {
		return couldLand(text) || strings.Contains(text, "merge")
	}) {
		m.Read.Bound = bound
	}
}

// Shut records a bound beyond which nothing was read. Unlike Bounded, it always sets Bound.
func (m *Machine) Shut(bound string) {
	m.Bounded(bound)
	m.Read.Bound = cmp.Or(m.Read.Bound, bound)
}

func couldLand(text string) bool { return shellword.NamesClient(text) || shellword.Lands(text) }

// texts returns the call's command and all its field values.
func (m *Machine) texts() []string {
	texts := []string{m.Call.Command}
	for _, fd := range m.Call.Fields {
		texts = append(texts, fd.Value)
	}
	return texts
}

// Frame is the state of one shell. Child shells are copies.
type Frame struct {
	M     *Machine
	names names
	Cwd   string  // empty if unknown; may contain Unknown
	Stdin *string // nil for the call's own input, which is unknown
	src   string  // the text being read; word positions refer to it
	via   []string
	nest  int
	quiet bool // if set, opaque parts are not recorded
}

// Input returns the contents of standard input, or Unknown.
func (f *Frame) Input() string {
	if f.Stdin == nil {
		return shellword.Unknown
	}
	return *f.Stdin
}

// Shell returns a new shell in the directory cwd, which is empty if unknown.
func (m *Machine) Shell(cwd string) *Frame { return &Frame{M: m, Cwd: cwd} }

// Child returns a copy of the shell for a subshell. Its changes do not affect f.
func (f *Frame) Child() *Frame {
	f.M.Burn(1)
	g := *f
	g.via = f.via[:len(f.via):len(f.via)]
	return &g
}

// Through returns a child shell inside a wrapper. It aborts the reading if wrappers are nested too
// deeply.
func (f *Frame) Through(wrapper string) *Frame {
	g := f.Child()
	g.via = append(g.via, wrapper)
	if g.nest += 10; g.nest > maxNesting {
		g.M.abort(tooDeep)
	}
	return g
}

// In returns a child shell in another directory.
func (f *Frame) In(dir string) *Frame {
	g := f.Child()
	g.Cwd = dir
	return g
}

// Look reads text that a program may run in a shell later. It records acts, but not opaque parts.
func (f *Frame) Look(wrapper, text string) {
	g := f.Through(wrapper)
	g.quiet = true
	g.Run(text)
}

// names holds the variables of a shell. words maps a name to the word assigned to it, or to nil if
// the value is computed or two different values are assigned.
type names struct {
	words map[string]*syntax.Word
	texts map[string]string // values for started commands, for example from env NAME=value git
	blind bool              // the text may set any variable, so values in words are uncertain
}

// Let sets a variable for the commands that this shell reads next.
func (f *Frame) Let(name, value string) {
	texts := map[string]string{}
	maps.Copy(texts, f.names.texts)
	texts[name] = value
	f.names.texts = texts
}

// Known reports whether the call sets a variable.
func (f *Frame) Known(name string) bool {
	_, written := f.names.words[name]
	_, given := f.names.texts[name]
	return written || given
}

// Env returns the value of a variable that is set by the call or in a started program's
// environment. It returns an empty string if the variable is not set or its value is unknown.
func (f *Frame) Env(name string) string {
	if !f.Known(name) {
		if f.M.Environ != nil {
			return f.M.Environ(name)
		}
		return ""
	}
	if text := f.value(name); !shellword.HasUnknown(text) {
		return text
	}
	return ""
}

// value returns a variable's value, or Unknown if neither the call nor the client determines it.
func (f *Frame) value(name string) string {
	w, written := f.names.words[name]
	text, given := f.names.texts[name]
	switch {
	case written && given && text != f.wordText(w), written && f.names.blind:
		return shellword.Unknown
	case written:
		return f.wordText(w)
	case given:
		return text
	}
	switch name {
	case "PWD":
		return cmp.Or(f.Cwd, shellword.Unknown)
	case "CLAUDE_PROJECT_DIR":
		return cmp.Or(f.M.Call.Cwd, shellword.Unknown)
	case "HOME":
		return "~"
	case "CLAUDE_CODE_EXECPATH":
		return "claude"
	case "CLAUDE_PID", "PPID": // the client is the shell's parent
		return cmp.Or(f.M.Call.PID, shellword.Unknown)
	}
	return shellword.Unknown
}

// wordText expands a variable's value. It returns Unknown for a nil word and for a value that
// refers to itself.
func (f *Frame) wordText(w *syntax.Word) string {
	if w == nil || f.nest > maxNesting || !f.M.Burn(1) {
		return shellword.Unknown
	}
	g := *f
	g.nest += 20
	return g.Whole(w).Text
}
