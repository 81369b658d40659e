package shell

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"hooks/internal/guard/word"
)

// variable is what a shell variable may hold: one value, or several when branches set it differently.
type variable struct {
	alts  []string // a scalar's possible values
	list  []string // an array's
	array bool
	ref   string // nameref
	out   bool   // exported: other programs see it
}

// function is a shell function with the text it was written in.
type function struct {
	body     func(f *Frame) string
	exported bool
}

func scalar(v string) variable { return variable{alts: []string{v}} }

func (v variable) same(o variable) bool {
	return v.array == o.array && v.ref == o.ref &&
		slices.Equal(v.alts, o.alts) && slices.Equal(v.list, o.list)
}

// Set gives a scalar one value.
func (f *Frame) Set(name, value string) {
	v, ok := f.vars[name]
	if ok && v.ref != "" && v.ref != name {
		name = v.ref
	}
	v = scalar(word.ClipHole(value))
	v.out = f.vars[name].out || f.exportAll
	f.vars[name] = v
}

// Let gives a variable of another language a value.
func (f *Frame) Let(name, value string) { f.vars[name] = scalar(value) }

// First is the first value that a variable may hold, as far as it is set.
func (f *Frame) First(name string) (string, bool) {
	v, ok := f.vars[name]
	if !ok || len(v.alts) == 0 {
		return "", false
	}
	return v.alts[0], true
}

// Export marks a variable as seen by other programs.
func (f *Frame) Export(name string) {
	if v, ok := f.vars[name]; ok {
		v.out = true
		f.vars[name] = v
	}
}

// joinVars is what holds after either of two branches ran.
func (f *Frame) joinVars(a, b map[string]variable) map[string]variable {
	if len(a) == 0 && len(b) == 0 {
		return b
	}
	f.M.Spend((len(a) + len(b)) / 4)
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

// or is v with the values of o besides; arrays keep v's.
func (v variable) or(o variable) variable {
	if v.array || o.array {
		if v.array {
			return v
		}
		return o
	}
	alts := append([]string(nil), v.alts...)
	for _, s := range o.alts {
		if !slices.Contains(alts, s) {
			alts = append(alts, s)
		}
	}
	if len(alts) > 6 {
		alts = append(alts[:5], word.Hole)
	}
	v.alts = alts
	return v
}

// lookup is a variable's value for reading: scalar text, or a list for arrays and "@". known is false for variables
// that only the environment could hold.
func (f *Frame) lookup(name string) (v variable, known bool) {
	for range 8 {
		v, known = f.vars[name]
		if !known || v.ref == "" || v.ref == name {
			break
		}
		name = v.ref
	}
	if v.ref != "" { // a longer chain, or a circle
		return scalar(word.Hole), true
	}
	if known {
		return v, true
	}
	return f.special(name)
}

func (f *Frame) special(name string) (variable, bool) {
	switch name {
	case "@", "*":
		return variable{list: f.Args, array: true}, true
	case "#":
		return scalar(strconv.Itoa(len(f.Args))), true
	case "0", "BASH_SOURCE":
		return scalar(f.Name), true
	case "PWD":
		if f.Cwd == "" {
			return scalar(word.Hole), true
		}
		return scalar(f.Cwd), true
	case "CLAUDE_PROJECT_DIR":
		return scalar(f.M.Call.Cwd), true
	case "HOME":
		return scalar("~"), true
	case "CLAUDE_CODE_EXECPATH":
		return scalar("claude"), true
	case "CLAUDE_PID", "PPID": // the client starts the shell itself
		if f.M.Call.PID != "" {
			return scalar(f.M.Call.PID), true
		}
	case "IFS":
		return scalar(" \t\n"), true
	case "TMPDIR":
		return scalar("/tmp"), true
	case "SHELL", "BASH":
		return scalar("/bin/bash"), true
	case "?", "$", "!", "-", "_":
		return scalar(word.Hole), true
	}
	if n, ok := digits(name); ok {
		if n > len(f.Args) {
			return scalar(""), true
		}
		return scalar(f.Args[n-1]), true
	}
	return scalar(word.Hole), false
}

// Conventional reports whether the name is one by which people name a program to run, not a way
// round: $CC, $EDITOR, $PYTHON.
func Conventional(name string) bool {
	return word.Has(`CC CXX CPP LD AR AS RANLIB STRIP EDITOR VISUAL PAGER BROWSER PYTHON PYTHON3 PY PIP NODE NPM NPX YARN PNPM GO
GOBIN CARGO RUSTC MAKE JAVA JAVAC MVN GRADLE RUBY BUNDLE PERL PHP COMPOSER DOCKER KUBECTL HELM TERRAFORM LINTER
FORMATTER`, name) ||
		strings.HasSuffix(name, "_BIN") && !strings.HasPrefix(name, "GH")
}

// Env is a variable's one known value, "" otherwise.
func (f *Frame) Env(name string) string {
	if v, ok := f.vars[name]; ok && v.alts1Known() {
		return v.alts[0]
	}
	return ""
}

// digits reads the number of a positional parameter.
func digits(name string) (int, bool) {
	if name == "" || len(name) > 4 {
		return 0, false
	}
	n := 0
	for _, c := range name {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, n > 0
}
