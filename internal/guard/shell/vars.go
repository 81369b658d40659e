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
	vals  []string // the elements of an array, the value of a scalar, none if it is unset
	array bool
	out   bool // exported: other programs see it
}

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

// or is a variable that is one of two: of two arrays the first, of two scalars something unknown.
func (v variable) or(o variable) variable {
	switch {
	case v.array || v.same(o):
		return v
	case o.array:
		return o
	}
	v.vals = []string{shellword.Unknown}
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

// Value is the value of a scalar, as far as it is set.
func (f *Frame) Value(name string) (string, bool) {
	v := f.vars[name]
	if len(v.vals) == 0 || v.array {
		return "", false
	}
	return v.vals[0], true
}

// Env is the value of a scalar, "" where it is unknown.
func (f *Frame) Env(name string) string {
	if text, _ := f.Value(name); !shellword.HasUnknown(text) {
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
		if !ok {
			w = scalar("")
		}
		out[name] = w.or(v)
	}
	for name, w := range b {
		if _, ok := a[name]; !ok {
			out[name] = w.or(scalar(""))
		}
	}
	return out
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
