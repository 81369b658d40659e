// Package plain reads shell text for what is plainly written in it. Every simple command counts,
// wherever it stands: nothing is executed in the mind, so a branch that never runs and a function
// that is not called count as well. A word is known by its letters and quotes, by NAME=value of the
// same text, by the words of a for loop, and by a few substitutions. Everything else is a hole.
package plain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"hooks/internal/guard/effect"
	"hooks/internal/guard/shellword"

	"mvdan.cc/sh/v3/syntax"
)

// The bounds of one reading. Work is counted in steps (a word, a statement, 16 bytes of text), not
// in time, so that the verdict on a text never depends on the machine.
const (
	maxWork    = 60_000 // steps, and one more for every four bytes of the call
	maxDepth   = 40     // texts within texts: bash -c, eval, aliases
	maxNesting = 400    // statements within statements of one text
	maxActs    = 60
	maxOpaque  = 40
	maxReads   = 64
	maxRounds  = 16 // words of a for loop that are read one by one
)

// Program reads a program by its name.
type Program func(f *Frame, name string, argv []shellword.Word)

// Machine holds the state that all frames of one reading share.
type Machine struct {
	Call    effect.Call
	Repo    func() effect.Repo // asks once
	Files   effect.Files
	program Program
	// Real says that a program really starts with these words: what it runs by itself counts too.
	Real bool
	Read effect.Reading
	Work int // steps left

	seen    map[string]bool
	reads   int
	spent   bool // the reading has given up
	disk    map[string]string
	written string            // text that the call wrote to a file and that could land something
	heads   map[string]string // the branch that is checked out, by directory
	// lands reports whether the call names a forge's program beside a word for landing, or its own
	// client.
	lands func() bool
}

// New is a machine for one call.
func New(c effect.Call, repo func() effect.Repo, files effect.Files, p Program) *Machine {
	m := &Machine{
		Call: c, Repo: once(repo), Files: files, program: p,
		Work: maxWork + len(c.CommandText())/4, seen: map[string]bool{},
		disk: map[string]string{}, heads: map[string]string{},
	}
	m.lands = once(func() bool { return slices.ContainsFunc(m.texts(), couldLand) })
	return m
}

// once returns a function that calls f the first time only.
func once[T any](f func() T) func() T {
	var known *T
	return func() T {
		if known == nil {
			value := f()
			known = &value
		}
		return *known
	}
}

// Burn takes steps off the work left and reports whether any is left.
func (m *Machine) Burn(steps int) bool {
	m.Work -= steps
	if m.Work < 0 && !m.spent {
		m.abort("more to read than the reading has steps for")
	}
	return m.Work >= 0
}

// abort ends the reading and keeps its findings.
func (m *Machine) abort(bound string) {
	if !m.spent {
		m.spent = true
		m.Bounded(bound, m.texts()...)
	}
	m.Work = -1
}

// Bounded notes that a bound kept these texts from being read. One that names a way to land
// something shuts the call.
func (m *Machine) Bounded(bound string, texts ...string) {
	m.Read.Unparsable = cmp.Or(m.Read.Unparsable, bound)
	if m.Read.Bound == "" && slices.ContainsFunc(texts, func(text string) bool {
		return couldLand(text) || strings.Contains(text, "merge")
	}) {
		m.Read.Bound = bound
	}
}

// Shut notes that a bound kept something from being read of which nothing is known.
func (m *Machine) Shut(bound string) {
	m.Bounded(bound)
	m.Read.Bound = cmp.Or(m.Read.Bound, bound)
}

func couldLand(text string) bool { return shellword.NamesClient(text) || shellword.Lands(text) }

// texts are all texts of the call.
func (m *Machine) texts() []string {
	texts := []string{m.Call.Command}
	for _, fd := range m.Call.Fields {
		texts = append(texts, fd.Value)
	}
	return texts
}

// ReadsLeft returns the number of files that may still be read.
func (m *Machine) ReadsLeft() int { return maxReads - m.reads }

// Frame is one shell: what its variables and its place are. Child shells are copies.
type Frame struct {
	M     *Machine
	names names
	Cwd   string  // "" unknown
	Stdin *Stream // nil: that of the call
	src   string  // the text being read, for words as they were written
	via   []string
	depth int
	nest  int
	quiet bool // looking for acts only
}

// Stream is the standard input of a command. Unknown text is shellword.Unknown.
type Stream struct{ Text string }

// Input is the text of standard input.
func (f *Frame) Input() string {
	if f.Stdin == nil {
		return shellword.Unknown
	}
	return f.Stdin.Text
}

// Shell returns a new shell in the directory cwd, which is empty if unknown.
func (m *Machine) Shell(cwd string) *Frame { return &Frame{M: m, Cwd: cwd} }

// Child is a copy of the shell: what it changes in itself does not come back.
func (f *Frame) Child() *Frame {
	f.M.Burn(1)
	g := *f
	g.via = f.via[:len(f.via):len(f.via)]
	return &g
}

// Through is a child shell inside a wrapper. Where texts are nested too deeply no work is left for
// it.
func (f *Frame) Through(wrapper string) *Frame {
	g := f.Child()
	g.via = append(g.via, wrapper)
	if g.depth++; g.depth > maxDepth {
		g.M.abort(fmt.Sprintf("more than %d texts within texts", maxDepth))
	}
	return g
}

// In is a child shell in another directory.
func (f *Frame) In(dir string) *Frame {
	g := f.Child()
	g.Cwd = dir
	return g
}

// Look reads text that some program would run in a shell later on. Only acts count: what is not
// plain is not noted.
func (f *Frame) Look(wrapper, text string) {
	g := f.Through(wrapper)
	g.quiet = true
	g.Run(text)
}

// names are the variables that a text sets, by their names: the word that gives the value, nil for
// one that several may give or that is computed.
type names struct {
	words map[string]*syntax.Word
	texts map[string]string // given from outside: by env, by the surroundings of a program
	blind bool              // something may have set any name
}

// Let gives a variable a value from outside of the text.
func (f *Frame) Let(name, value string) {
	texts := map[string]string{name: value}
	for k, v := range f.names.texts {
		if k != name {
			texts[k] = v
		}
	}
	f.names.texts = texts
}

// Known reports whether the call sets a variable.
func (f *Frame) Known(name string) bool {
	_, written := f.names.words[name]
	_, given := f.names.texts[name]
	return written || given
}

// Env returns a variable's value, or an empty string if it is unknown.
func (f *Frame) Env(name string) string {
	if !f.Known(name) {
		return ""
	}
	if text := f.value(name); !shellword.HasUnknown(text) {
		return text
	}
	return ""
}

// value returns a variable's value, or unknown text if the call does not show it.
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
	case "CLAUDE_PID", "PPID": // the client starts the shell itself
		return cmp.Or(f.M.Call.PID, shellword.Unknown)
	}
	return shellword.Unknown
}

// wordText is the text of a variable's value. A value that leads to itself is unknown.
func (f *Frame) wordText(w *syntax.Word) string {
	if w == nil || f.nest > maxNesting || !f.M.Burn(1) {
		return shellword.Unknown
	}
	g := *f
	g.nest += 20
	return g.Whole(w).Text
}
