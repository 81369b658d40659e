package shell

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"hooks/internal/guard/shellword"

	"mvdan.cc/sh/v3/syntax"
)

// variable is a shell variable.
type variable struct {
	vals  []string // the elements of an array, or the values that a scalar may hold
	array bool
	out   bool // exported: other programs see it
}

// maxValues bounds the values that branches may give to one variable. The last one is unknown then.
const maxValues = 6

// function is a shell function with the text it was written in.
type function struct {
	body     *syntax.Stmt
	src      string
	exported bool
}

func scalar(v string) variable { return variable{vals: []string{v}} }

func (v variable) same(o variable) bool {
	return v.array == o.array && slices.Equal(v.vals, o.vals)
}

// size is the cost of copying a variable, in bytes.
func (v variable) size() int {
	n := 16 * len(v.vals)
	for _, s := range v.vals {
		n += len(s)
	}
	return n
}

// or is v with the values of o besides. Of two arrays it is the first.
func (v variable) or(o variable) variable {
	switch {
	case v.array:
		return v
	case o.array:
		return o
	}
	v.vals = slices.Clone(v.vals)
	for _, s := range o.vals {
		if !slices.Contains(v.vals, s) {
			v.vals = append(v.vals, s)
		}
	}
	if len(v.vals) > maxValues {
		v.vals = append(v.vals[:maxValues-1], shellword.Unknown)
	}
	return v
}

// Set gives a scalar one value.
func (f *Frame) Set(name, value string) {
	v := scalar(shellword.ClipHole(value))
	v.out = f.vars[name].out
	f.vars[name] = v
}

// Let gives a variable of another language a value.
func (f *Frame) Let(name, value string) { f.vars[name] = scalar(value) }

// First is the first value that a variable may hold, as far as it is set.
func (f *Frame) First(name string) (string, bool) {
	v := f.vars[name]
	if len(v.vals) == 0 || v.array {
		return "", false
	}
	return v.vals[0], true
}

// Env is a variable's first value, "" where that is unknown.
func (f *Frame) Env(name string) string {
	if text, _ := f.First(name); !shellword.HasUnknown(text) {
		return text
	}
	return ""
}

// Known reports whether the call sets a variable.
func (f *Frame) Known(name string) bool {
	_, ok := f.vars[name]
	return ok
}

// Export marks a variable as seen by other programs.
func (f *Frame) Export(name string) {
	if v, ok := f.vars[name]; ok {
		v.out = true
		f.vars[name] = v
	}
}

// joinVars returns the variables after either of two branches ran.
func (f *Frame) joinVars(a, b map[string]variable) map[string]variable {
	f.M.Burn((len(a) + len(b)) / 4)
	out := maps.Clone(b)
	for name, v := range a {
		w, ok := b[name]
		switch {
		case !ok:
			out[name] = v.or(scalar(""))
		case !v.same(w):
			out[name] = w.or(v)
		}
	}
	for name, w := range b {
		if _, ok := a[name]; !ok {
			out[name] = w.or(scalar(""))
		}
	}
	return out
}

// round is one reading of a simple command whose variables may hold several values. Variables take
// their n-th value together, because branches mostly set them together.
type round struct {
	n      int
	rounds int    // how many there are to walk
	name   string // a variable with several values
	mixed  bool   // there is another one
	blur   bool   // the last round: such variables are unknown
}

// choose picks one of the values that a variable may hold.
func (m *Machine) choose(name string, values []string) string {
	r := m.round
	if r == nil || len(values) == 1 {
		return values[0]
	}
	r.rounds = max(r.rounds, len(values))
	r.mixed = r.mixed || r.name != "" && r.name != name
	r.name = name
	if r.blur {
		return shellword.Unknown
	}
	return values[min(r.n, len(values)-1)]
}

// lookup is a variable's value for reading. known is false for what only the environment could
// hold.
func (f *Frame) lookup(name string) (v variable, known bool) {
	if v, known = f.vars[name]; known {
		return v, true
	}
	text := shellword.Unknown
	switch name {
	case "@", "*":
		return variable{vals: f.Args, array: true}, true
	case "#":
		text = strconv.Itoa(len(f.Args))
	case "0", "BASH_SOURCE":
		text = f.Name
	case "PWD":
		text = cmp.Or(f.Cwd, text)
	case "CLAUDE_PROJECT_DIR":
		text = f.M.Call.Cwd
	case "HOME":
		text = "~"
	case "CLAUDE_CODE_EXECPATH":
		text = "claude"
	case "CLAUDE_PID", "PPID": // the client starts the shell itself
		if text = f.M.Call.PID; text == "" {
			return scalar(shellword.Unknown), false
		}
	case "IFS":
		text = " \t\n"
	case "TMPDIR":
		text = "/tmp"
	case "SHELL", "BASH":
		text = "/bin/bash"
	case "?", "$", "!", "-", "_":
	default:
		n, err := strconv.Atoi(name)
		switch {
		case err != nil || n < 1:
			return scalar(shellword.Unknown), false
		case n <= len(f.Args):
			text = f.Args[n-1]
		default:
			text = ""
		}
	}
	return scalar(text), true
}
