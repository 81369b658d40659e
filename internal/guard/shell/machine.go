// Package shell walks shell text as bash would run it: words are expanded as far as their values are known, branches
// whose condition is not known are taken as possible, files that the call writes are remembered. What a program does is
// not known here: the shell asks its World.
package shell

import (
	"maps"
	"strconv"
	"strings"

	"hooks/internal/guard/act"
	"hooks/internal/guard/word"
)

// The bounds of one Read. Work is counted in steps (a word, a statement, 16 bytes of text), not in time, so that the
// verdict on a text never depends on the machine.
const (
	maxWork    = 60_000 // steps
	maxDepth   = 40     // texts within texts: bash -c, eval, scripts, functions
	maxNesting = 400    // statements within statements of one text
	maxActs    = 60
	maxOpaque  = 20
	maxReads   = 32
	maxPicks   = 8 // readings of one command whose variables may hold several values
)

// Machine is what all shells of one Read share: the reading, the work left, and what the command changed on the way.
type Machine struct {
	Call  act.Call
	Repo  act.Repo
	Files act.Files
	World World
	Read  act.Reading
	seen  map[string]bool
	Work  int // steps left
	reads int
	fds   int
	picks *picks

	fs        map[string]written  // files written by this very call
	Heads     map[string][]string // branches that may be checked out, by directory
	Config    map[string]string   // git config set by this very call
	GHAliases map[string]string
	Scripts   map[string]string // of package.json, set by this very call
}

// written is a file as the call left it: its text, another name of a program, or commands that read what is written.
type written struct {
	text string
	link string
	sink func(text string)
	gone bool
}

// picks walks through the combinations of what the variables of one command may hold.
type picks struct {
	order []string
	index map[string]int
	size  map[string]int
}

func (p *picks) pick(key string, n int) int {
	if p == nil || n < 2 {
		return 0
	}
	if p.index == nil {
		p.index, p.size = map[string]int{}, map[string]int{}
	}
	if _, ok := p.index[key]; !ok {
		p.order = append(p.order, key)
		p.index[key] = 0
		p.size[key] = n
	}
	return min(p.index[key], n-1)
}

// next moves to the next combination; false when all were tried.
func (p *picks) next() bool {
	for i := len(p.order) - 1; i >= 0; i-- {
		key := p.order[i]
		if p.index[key]+1 < p.size[key] {
			p.index[key]++
			for _, later := range p.order[i+1:] {
				delete(p.index, later)
			}
			p.order = p.order[:i+1]
			return true
		}
	}
	return false
}

func New(c act.Call, r act.Repo, files act.Files, w World) *Machine {
	m := &Machine{Call: c, Repo: r, Files: files, World: w, Work: maxWork}
	m.seen = map[string]bool{}
	m.fs = map[string]written{}
	m.Heads = map[string][]string{}
	m.Config = map[string]string{}
	m.GHAliases = map[string]string{}
	m.Scripts = map[string]string{}
	return m
}

// Spend takes steps off the work left and tells whether any is left.
func (m *Machine) Spend(steps int) bool {
	m.Work -= steps
	if m.Work < 0 {
		m.GiveUp("too much to expand")
	}
	return m.Work >= 0
}

// GiveUp ends the reading; what was found stays.
func (m *Machine) GiveUp(reason string) {
	if m.Read.Unparsable == "" {
		m.Read.Unparsable = reason
	}
	m.Work = -1
}

// ReadsLeft is how many files may still be read.
func (m *Machine) ReadsLeft() int { return maxReads - m.reads }

func (m *Machine) Tired() bool { return m.Work < 0 }

// Frame is one shell: what its variables, functions and place are. Child shells are copies.
type Frame struct {
	M       *Machine
	vars    map[string]variable
	funcs   map[string]function
	Aliases map[string]string
	// exported are functions that shells further in will know.
	exported  map[string]function
	Args      []string
	Name      string // $0
	Cwd       string // "" unknown
	Stdin     *Stream
	src       string // the text being walked, for words as they were written
	via       []string
	depth     int
	nest      int
	exportAll bool // set -a
	Disk      bool // walking a file of the project: only what names a forge is worth calling opaque
	File      bool // walking a program's file, not the text of a flag
	status    Truth
	left      bool // exit, return, break: the rest of the list does not run
	quiet     bool // looking for acts only, as in a guess at an unknown name
}

// Stream is what a command reads from its standard input. Unknown text is a hole.
type Stream struct {
	Text string
}

func (m *Machine) Shell(cwd string) *Frame {
	return &Frame{M: m, vars: map[string]variable{}, funcs: map[string]function{}, Aliases: map[string]string{}, exported: map[string]function{}, Cwd: cwd, Name: "bash"}
}

// Child is a copy of the shell: what it changes in itself does not come back.
func (f *Frame) Child() *Frame {
	g := *f
	f.M.Spend(1 + (len(f.vars)+len(f.funcs))/4)
	g.vars = maps.Clone(f.vars)
	g.funcs = maps.Clone(f.funcs)
	g.Aliases = maps.Clone(f.Aliases)
	g.exported = maps.Clone(f.exported)
	g.via = f.via[:len(f.via):len(f.via)]
	g.left = false
	return &g
}

// External is a copy for another program: variables, functions and aliases stay behind unless they are exported.
func (f *Frame) External() *Frame {
	g := f.Child()
	for name, fn := range f.funcs {
		if fn.exported {
			g.exported[name] = fn
		}
	}
	for name, v := range g.vars {
		if !v.out && !strings.HasPrefix(name, "$") {
			delete(g.vars, name)
		}
	}
	g.funcs, g.Aliases = map[string]function{}, map[string]string{}
	return g
}

// Through notes that what follows runs inside a wrapper, until the result is called. When the nesting is too deep no work
// is left for it.
func (f *Frame) Through(wrapper string) (undo func()) {
	via, depth := f.via, f.depth
	f.via = append(via[:len(via):len(via)], wrapper)
	f.depth++
	if f.depth > maxDepth {
		f.M.GiveUp("nested too deeply")
	} else {
		f.M.Spend(2)
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

// Act records what the words do. Command, when empty, is the words themselves.
func (f *Frame) Act(a act.Act, argv []word.Word) {
	if a.Command == "" {
		a.Command = word.Clip(word.Join(argv), 300)
	}
	a.Ref = strings.ReplaceAll(word.Clip(a.Ref, 200), word.Hole, "…")
	a.Via, a.Cwd = f.via, f.Cwd
	key := string(a.Kind) + strconv.Itoa(a.PR) + "\x00" + a.Ref + "\x00" + a.Command
	if f.M.seen[key] || len(f.M.Read.Acts) >= maxActs {
		return
	}
	f.M.seen[key] = true
	f.M.Read.Acts = append(f.M.Read.Acts, a)
}

// Opaque records a part that cannot be resolved. Parts of the project's own files are not worth it.
func (f *Frame) Opaque(text, reason string) {
	if f.Disk || f.quiet {
		return
	}
	f.OpaqueForge(text, reason)
}

// OpaqueForge records a part that names a forge or git and cannot be resolved, wherever it stands.
func (f *Frame) OpaqueForge(text, reason string) {
	text = word.Clip(strings.ReplaceAll(text, word.Hole, "…"), 200)
	key := "?" + text + "\x00" + reason
	if f.quiet || f.M.seen[key] || len(f.M.Read.Opaque) >= maxOpaque {
		return
	}
	f.M.seen[key] = true
	f.M.Read.Opaque = append(f.M.Read.Opaque, act.Opaque{Text: text, Reason: reason, Via: f.via})
}

// Would tells whether running it merges, without noting what it finds.
func (f *Frame) Would(run func(g *Frame)) bool {
	saved, seen := f.M.Read, f.M.seen
	f.M.Read, f.M.seen = act.Reading{}, map[string]bool{}
	g := f.Child()
	g.quiet = true
	run(g)
	merges := len(f.M.Read.Merges()) > 0
	problem := f.M.Read.Unparsable
	f.M.Read, f.M.seen = saved, seen
	if f.M.Tired() && f.M.Read.Unparsable == "" {
		f.M.Read.Unparsable = problem
	}
	return merges
}
