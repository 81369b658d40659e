package shell

import (
	"fmt"
	"maps"
	"strings"

	"hooks/internal/guard/shellword"
)

// Frame is one shell: what its variables, functions and place are. Child shells are copies.
type Frame struct {
	M       *Machine
	vars    map[string]variable
	funcs   map[string]function
	Aliases map[string]string
	entered map[string]variable // the variables as the running function was called
	Args    []string
	Name    string // $0
	Cwd     string // "" unknown
	Passes  string // the form of the command that leaves the loop's files alone, "" unknown
	Stdin   *Stream
	src     string // the text being walked, for words as they were written
	via     []string
	depth   int
	nest    int
	Disk    bool // walking a file of the project: only what names a forge is worth calling opaque
	status  Truth
	left    bool // exit, return, break: the rest of the list does not run
	quiet   bool // looking for acts only, as in a guess at an unknown name
}

// Stream is the standard input of a command. Unknown text is shellword.Unknown.
type Stream struct {
	Text string
}

// Input is the text of standard input.
func (f *Frame) Input() string {
	if f.Stdin == nil {
		return shellword.Unknown
	}
	return f.Stdin.Text
}

// Shell is a new shell in a directory, "" where that is unknown.
func (m *Machine) Shell(cwd string) *Frame {
	return &Frame{
		M: m, vars: map[string]variable{}, funcs: map[string]function{},
		Aliases: map[string]string{}, Cwd: cwd, Name: "bash",
	}
}

// Child is a copy of the shell: what it changes in itself does not come back.
func (f *Frame) Child() *Frame {
	g := *f
	f.M.Burn(1 + (len(f.vars)+len(f.funcs))/4)
	g.vars = maps.Clone(f.vars)
	g.funcs = maps.Clone(f.funcs)
	g.Aliases = maps.Clone(f.Aliases)
	g.via = f.via[:len(f.via):len(f.via)]
	g.left = false
	return &g
}

// External is a copy for another program: what is not exported stays behind.
func (f *Frame) External() *Frame {
	g := f.Child()
	maps.DeleteFunc(g.funcs, func(_ string, fn function) bool { return !fn.exported })
	maps.DeleteFunc(g.vars, func(name string, v variable) bool {
		return !v.out && !strings.HasPrefix(name, "$")
	})
	g.Aliases = map[string]string{}
	return g
}

// Through notes that what follows runs inside a wrapper, until the result is called. Where texts
// are nested too deeply no work is left for it.
func (f *Frame) Through(wrapper string) (undo func()) {
	via, depth := f.via, f.depth
	f.via = append(via[:len(via):len(via)], wrapper)
	f.depth++
	if f.depth > maxDepth {
		f.M.Abort(fmt.Sprintf("more than %d texts within texts", maxDepth))
	} else {
		f.M.Burn(2)
	}
	return func() { f.via, f.depth = via, depth }
}

// Within does something inside a wrapper.
func (f *Frame) Within(wrapper string, do func()) {
	defer f.Through(wrapper)()
	do()
}

// Quietly looks for acts only, as in a guess: what cannot be resolved is not noted.
func (f *Frame) Quietly(look func()) {
	quiet := f.quiet
	f.quiet = true
	defer func() { f.quiet = quiet }()
	look()
}
