// Package shell walks shell text as bash would run it. Words are expanded as far as their values
// are known: plain values, quotes, lists, defaults, prefixes and suffixes. What is computed
// (numbers, slices, replacements) is unknown. A branch whose condition is not known counts as
// possible, and files that the call writes are remembered. What a program does the shell asks its
// World.
package shell

import (
	"cmp"
	"maps"
	"slices"

	"hooks/internal/guard/effect"
	"hooks/internal/guard/shellword"
)

// The bounds of one Read. Work is counted in steps (a word, a statement, 16 bytes of text), not in
// time, so that the verdict on a text never depends on the machine.
const (
	maxWork    = 60_000 // steps, and one more for every four bytes of the call
	maxDepth   = 40     // texts within texts: bash -c, eval, scripts, functions
	maxNesting = 400    // statements within statements of one text
	maxActs    = 60
	maxOpaque  = 40
	maxReads   = 64
	maxWritten = 500 // files
	// maxSelfCalls is how often a function is entered that finds nothing new in calling itself.
	maxSelfCalls = 8
)

// Machine is what all shells of one Read share: the reading, the work left, and what the command
// changed on the way.
type Machine struct {
	Call  effect.Call
	Repo  func() effect.Repo // asks once
	Files effect.Files
	World World
	Read  effect.Reading
	seen  map[string]bool
	Work  int // steps left
	reads int
	spent bool // the reading has given up
	// unread is set when a file was not looked for, because too many were before it.
	unread bool
	fds    int
	round  *round // of the simple command that is walked

	fs        map[string]written // files written by this very call
	disk      map[string]string  // files of the project, "" for those that cannot be read
	Heads     map[string]string  // the branch that is checked out, by directory
	Before    map[string]string  // the branch that was, before this call switched
	Config    map[string]string  // git config set by this very call
	GHAliases map[string]string
	InHook    bool // a hook of git is being read: what it starts itself would lead in a circle
}

// written is a file as the call left it: its text, or the path that it is another name of.
type written struct {
	text string
	link string
}

// New is a machine for one call. The world may be nil where no command is run.
func New(c effect.Call, repo func() effect.Repo, files effect.Files, w World) *Machine {
	var known *effect.Repo
	askOnce := func() effect.Repo {
		if known == nil {
			r := repo()
			known = &r
		}
		return *known
	}
	return &Machine{
		Call:      c,
		Repo:      askOnce,
		Files:     files,
		World:     w,
		Work:      maxWork + len(c.CommandText())/4,
		seen:      map[string]bool{},
		fs:        map[string]written{},
		disk:      map[string]string{},
		Heads:     map[string]string{},
		Before:    map[string]string{},
		Config:    map[string]string{},
		GHAliases: map[string]string{},
	}
}

// Burn takes steps off the work left and reports whether any is left.
func (m *Machine) Burn(steps int) bool {
	m.Work -= steps
	if m.Work < 0 {
		m.Abort("more to expand than the reading has steps for")
	}
	return m.Work >= 0
}

// Abort ends the reading; what was found stays.
func (m *Machine) Abort(bound string) {
	if !m.spent {
		m.spent = true
		m.Bounded(bound, m.texts()...)
	}
	m.Work = -1
}

// Bounded notes that a bound kept these texts from being read. One that names a way to land
// something shuts the call.
func (m *Machine) Bounded(bound string, texts ...string) {
	if m.Read.Unparsable == "" {
		m.Read.Unparsable = bound
	}
	if m.Read.Bound == "" && slices.ContainsFunc(texts, shellword.CouldLand) {
		m.Read.Bound = bound
	}
}

// Shut notes that a bound kept something from being read of which nothing is known.
func (m *Machine) Shut(bound string) {
	m.Bounded(bound)
	m.Read.Bound = cmp.Or(m.Read.Bound, bound)
}

// texts are all texts of the call, and the files that were read for it.
func (m *Machine) texts() []string {
	texts := []string{m.Call.Command}
	for _, fd := range m.Call.Fields {
		texts = append(texts, fd.Value)
	}
	return slices.AppendSeq(texts, maps.Values(m.disk))
}

// ReadsLeft is how many files may still be read.
func (m *Machine) ReadsLeft() int { return maxReads - m.reads }

// Exhausted reports whether the work is used up.
func (m *Machine) Exhausted() bool { return m.Work < 0 }
