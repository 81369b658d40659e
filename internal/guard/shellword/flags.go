package shellword

import "strings"

// Flags is a parsed command line: positional words, and flag values by name as written ("-R",
// "--repo").
type Flags struct {
	Pos  []Word
	Vals map[string][]Word
	// Late reports whether an unknown unquoted word may expand to flags or positional words.
	Late bool
}

// ParseFlags parses a command line. valued lists the flags that take a value, such as "-R --repo".
// Every other flag is a switch. Short flags may be joined ("-sd", "-Ro/r").
func ParseFlags(argv []Word, valued string) Flags {
	fl := Flags{Vals: map[string][]Word{}}
	for len(argv) > 0 {
		w := argv[0]
		fl.Late = fl.Late || w.Split
		switch {
		case w.Text == "--":
			fl.Pos = append(fl.Pos, argv[1:]...)
			return fl
		case len(w.Text) > 1 && w.Text[0] == '-':
			argv = argv[fl.take(argv, valued):]
		default:
			fl.Pos = append(fl.Pos, w)
			argv = argv[1:]
		}
	}
	return fl
}

// take reads the flags in the first word and returns the number of words read. The last flag's
// value is in the same word or in the next one.
func (fl Flags) take(argv []Word, valued string) int {
	w := argv[0]
	name, val, joined := strings.Cut(w.Text, "=")
	if w.Text[1] != '-' { // short flags; the first one with a value takes the rest
		rest := w.Text[1:]
		for name = "-" + rest[:1]; len(rest) > 1 && !Has(valued, name); name = "-" + rest[:1] {
			fl.add(name, Lit("true"))
			rest = rest[1:]
		}
		val = strings.TrimPrefix(rest[1:], "=")
		joined = val != ""
	}
	switch {
	case joined:
		fl.add(name, Word{Text: val, Src: w.Src})
	case Has(valued, name) && len(argv) > 1:
		fl.add(name, argv[1])
		return 2
	default:
		fl.add(name, Lit("true"))
	}
	return 1
}

// Unabbreviated expands each abbreviated long flag, which git, curl and wget accept, to the first
// flag in longs with that prefix. A flag that is itself in longs is unchanged.
func Unabbreviated(argv []Word, longs string) []Word {
	out := append([]Word(nil), argv...)
	for i, w := range out {
		name, val, valued := strings.Cut(w.Text, "=")
		if name == "--" {
			break
		}
		if !strings.HasPrefix(name, "--") || Has(longs, name) {
			continue
		}
		for _, long := range strings.Fields(longs) {
			if strings.HasPrefix(long, name) {
				if out[i].Text = long; valued {
					out[i].Text += "=" + val
				}
				break
			}
		}
	}
	return out
}

func (fl Flags) add(name string, val Word) {
	if fl.Vals != nil {
		fl.Vals[name] = append(fl.Vals[name], val)
	}
}

// On reports whether one of the switches is set and its last value is not false, 0, no or off.
func (fl Flags) On(names ...string) bool {
	for _, n := range names {
		if vs := fl.Vals[n]; len(vs) > 0 && !Has("false 0 no off", vs[len(vs)-1].Text) {
			return true
		}
	}
	return false
}

// Get returns the last value of the first named flag that is set.
func (fl Flags) Get(names ...string) (Word, bool) {
	for _, n := range names {
		if vs := fl.Vals[n]; len(vs) > 0 {
			return vs[len(vs)-1], true
		}
	}
	return Word{}, false
}

// Val is like Get but returns only the text, or an empty string if no named flag is set.
func (fl Flags) Val(names ...string) string {
	w, _ := fl.Get(names...)
	return w.Text
}

// All returns the values of all the names, in the order of the names.
func (fl Flags) All(names ...string) []Word {
	var out []Word
	for _, n := range names {
		out = append(out, fl.Vals[n]...)
	}
	return out
}

// Arg returns the i-th positional word, or an empty Word if there are fewer.
func (fl Flags) Arg(i int) Word {
	if i < len(fl.Pos) {
		return fl.Pos[i]
	}
	return Word{}
}
