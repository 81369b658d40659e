package guard

import (
	"strconv"
	"strings"
)

// The bounds of one Read. Work is counted in steps (a word, a statement, 16 bytes of text), not in time, so that the
// verdict on a text never depends on the machine.
const (
	maxText    = 64 << 10 // bytes of one text before it is parsed: the parser recurses
	maxWork    = 60_000   // steps
	maxDepth   = 40       // texts within texts: bash -c, eval, scripts, functions
	maxNesting = 400      // statements within statements of one text
	maxActs    = 60
	maxOpaque  = 20
	maxReads   = 32
	maxPicks   = 8 // readings of one command whose variables may hold several values
)

// machine is what all shells of one Read share: the reading, the work left, and what the command changed on the way.
type machine struct {
	call  Call
	repo  Repo
	files Files
	read  Reading
	seen  map[string]bool
	work  int
	reads int
	fds   int
	picks *picks

	fs        map[string]vfile    // files written by this very call
	heads     map[string][]string // branches that may be checked out, by directory
	config    map[string]string   // git config set by this very call
	ghAliases map[string]string
	scripts   map[string]string // of package.json, set by this very call
}

// vfile is a file as the call left it: its text, another name of a program, or commands that read what is written.
type vfile struct {
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

func newMachine(c Call, r Repo, files Files) *machine {
	m := &machine{call: c, repo: r, files: files, work: maxWork}
	m.seen = map[string]bool{}
	m.fs = map[string]vfile{}
	m.heads = map[string][]string{}
	m.config = map[string]string{}
	m.ghAliases = map[string]string{}
	m.scripts = map[string]string{}
	return m
}

// spend takes steps off the work left and tells whether any is left.
func (m *machine) spend(steps int) bool {
	m.work -= steps
	if m.work < 0 {
		m.giveUp("too much to expand")
	}
	return m.work >= 0
}

// giveUp ends the reading; what was found stays.
func (m *machine) giveUp(reason string) {
	if m.read.Unparsable == "" {
		m.read.Unparsable = reason
	}
	m.work = -1
}

func (m *machine) tired() bool { return m.work < 0 }

// frame is one shell: what its variables, functions and place are. Child shells are copies.
type frame struct {
	m       *machine
	vars    map[string]variable
	funcs   map[string]function
	aliases map[string]string
	// exported are functions that shells further in will know.
	exported  map[string]function
	args      []string
	name      string // $0
	cwd       string // "" unknown
	stdin     *stream
	src       string // the text being walked, for words as they were written
	via       []string
	depth     int
	nest      int
	exportAll bool // set -a
	disk      bool // walking a file of the project: only what names a forge is worth calling opaque
	file      bool // walking a program's file, not the text of a flag
	status    truth
	left      bool // exit, return, break: the rest of the list does not run
	quiet     bool // looking for acts only, as in a guess at an unknown name
}

// stream is what a command reads from its standard input. Unknown text is a hole.
type stream struct {
	text string
}

// truth is what is known of an exit status.
type truth int

const (
	maybe truth = iota
	yes
	no
)

func (m *machine) shell(cwd string) *frame {
	return &frame{m: m, vars: map[string]variable{}, funcs: map[string]function{}, aliases: map[string]string{}, cwd: cwd, name: "bash"}
}

// child is a copy of the shell: what it changes in itself does not come back.
func (f *frame) child() *frame {
	g := *f
	f.m.spend(1 + (len(f.vars)+len(f.funcs))/4)
	g.vars = copyMap(f.vars)
	g.funcs = copyMap(f.funcs)
	g.aliases = copyMap(f.aliases)
	g.exported = copyMap(f.exported)
	g.via = f.via[:len(f.via):len(f.via)]
	g.left = false
	return &g
}

// external is a copy for another program: variables, functions and aliases stay behind unless they are exported.
func (f *frame) external() *frame {
	g := f.child()
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
	g.funcs, g.aliases = map[string]function{}, map[string]string{}
	return g
}

func copyMap[V any](m map[string]V) map[string]V {
	out := make(map[string]V, len(m))
	for k, v := range m {
		out[k] = v
	}
	return out
}

// through notes that what follows runs inside a wrapper; the result undoes it. It is false when the nesting is too deep.
func (f *frame) through(wrapper string) (undo func(), ok bool) {
	via, depth := f.via, f.depth
	f.via = append(via[:len(via):len(via)], wrapper)
	f.depth++
	undo = func() { f.via, f.depth = via, depth }
	if f.depth > maxDepth {
		f.m.giveUp("nested too deeply")
		return undo, false
	}
	return undo, f.m.spend(2)
}

// act records what the words do. Command, when empty, is the words themselves.
func (f *frame) act(a Act, argv []word) {
	if a.Command == "" {
		a.Command = clip(joinWords(argv), 300)
	}
	a.Ref = strings.ReplaceAll(clip(a.Ref, 200), hole, "…")
	a.Via, a.Cwd = f.via, f.cwd
	key := string(a.Kind) + strconv.Itoa(a.PR) + "\x00" + a.Ref + "\x00" + a.Command
	if f.m.seen[key] || len(f.m.read.Acts) >= maxActs {
		return
	}
	f.m.seen[key] = true
	f.m.read.Acts = append(f.m.read.Acts, a)
}

// opaque records a part that cannot be resolved. Parts of the project's own files are not worth it.
func (f *frame) opaque(text, reason string) {
	if f.disk || f.quiet {
		return
	}
	f.opaqueForge(text, reason)
}

// opaqueForge records a part that names a forge or git and cannot be resolved, wherever it stands.
func (f *frame) opaqueForge(text, reason string) {
	text = clip(strings.ReplaceAll(text, hole, "…"), 200)
	key := "?" + text + "\x00" + reason
	if f.quiet || f.m.seen[key] || len(f.m.read.Opaque) >= maxOpaque {
		return
	}
	f.m.seen[key] = true
	f.m.read.Opaque = append(f.m.read.Opaque, Opaque{Text: text, Reason: reason, Via: f.via})
}
