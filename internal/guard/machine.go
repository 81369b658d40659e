package guard

import (
	"maps"
	"strconv"
	"strings"
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

// machine is what all shells of one Read share: the reading, the work left, and what the command changed on the way.
type machine struct {
	call  Call
	repo  Repo
	files Files
	world World
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

func newMachine(c Call, r Repo, files Files, w World) *machine {
	m := &machine{call: c, repo: r, files: files, world: w, work: maxWork}
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

// readsLeft is how many files may still be read.
func (m *machine) readsLeft() int { return maxReads - m.reads }

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

func (m *machine) shell(cwd string) *frame {
	return &frame{m: m, vars: map[string]variable{}, funcs: map[string]function{}, aliases: map[string]string{}, exported: map[string]function{}, cwd: cwd, name: "bash"}
}

// child is a copy of the shell: what it changes in itself does not come back.
func (f *frame) child() *frame {
	g := *f
	f.m.spend(1 + (len(f.vars)+len(f.funcs))/4)
	g.vars = maps.Clone(f.vars)
	g.funcs = maps.Clone(f.funcs)
	g.aliases = maps.Clone(f.aliases)
	g.exported = maps.Clone(f.exported)
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

// through notes that what follows runs inside a wrapper, until the result is called. When the nesting is too deep no work
// is left for it.
func (f *frame) through(wrapper string) (undo func()) {
	via, depth := f.via, f.depth
	f.via = append(via[:len(via):len(via)], wrapper)
	f.depth++
	if f.depth > maxDepth {
		f.m.giveUp("nested too deeply")
	} else {
		f.m.spend(2)
	}
	return func() { f.via, f.depth = via, depth }
}

// within does something inside a wrapper.
func (f *frame) within(wrapper string, do func()) {
	defer f.through(wrapper)()
	do()
}

// quietly looks for acts only, as in a guess: what cannot be resolved is not noted.
func (f *frame) quietly(look func()) {
	quiet := f.quiet
	f.quiet = true
	defer func() { f.quiet = quiet }()
	look()
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

// would tells whether running it merges, without noting what it finds.
func (f *frame) would(run func(g *frame)) bool {
	saved, seen := f.m.read, f.m.seen
	f.m.read, f.m.seen = Reading{}, map[string]bool{}
	g := f.child()
	g.quiet = true
	run(g)
	merges := len(f.m.read.Merges()) > 0
	problem := f.m.read.Unparsable
	f.m.read, f.m.seen = saved, seen
	if f.m.tired() && f.m.read.Unparsable == "" {
		f.m.read.Unparsable = problem
	}
	return merges
}
