package guard

import "strings"

// flags is a command line taken apart: positional words, and flag values by name as written ("-R", "--repo").
type flags struct {
	pos  []word
	vals map[string][]word
	// late is true when an unknown unquoted word could hold flags or positional words of its own.
	late bool
}

// parseFlags takes a command line apart. valued lists the flags that take a value, shorts as "-R", longs as "--repo".
// Everything else with a dash is a switch; shorts may be joined ("-sd", "-dm", "-Ro/r").
func parseFlags(argv []word, valued string) flags {
	fl := flags{vals: map[string][]word{}}
	for i := 0; i < len(argv); i++ {
		w := argv[i]
		fl.late = fl.late || w.split
		switch {
		case w.text == "--":
			fl.pos = append(fl.pos, argv[i+1:]...)
			return fl
		case strings.HasPrefix(w.text, "--"):
			i += fl.long(w, argv[i+1:], valued)
		case len(w.text) > 1 && w.text[0] == '-':
			i += fl.short(w, argv[i+1:], valued)
		default:
			fl.pos = append(fl.pos, w)
		}
	}
	return fl
}

// long reads a --flag, with its value in the same word or in the next; it returns the words taken besides.
func (fl *flags) long(w word, rest []word, valued string) int {
	if name, val, ok := strings.Cut(w.text, "="); ok {
		fl.add(name, word{text: val, src: w.src})
		return 0
	}
	if has(valued, w.text) && len(rest) > 0 {
		fl.add(w.text, rest[0])
		return 1
	}
	fl.add(w.text, lit("true"))
	return 0
}

func (fl *flags) short(w word, rest []word, valued string) int {
	for j := 1; j < len(w.text); j++ {
		name := "-" + w.text[j:j+1]
		if !has(valued, name) {
			fl.add(name, lit("true"))
			continue
		}
		if val := strings.TrimPrefix(w.text[j+1:], "="); val != "" {
			fl.add(name, word{text: val, src: w.src})
			return 0
		}
		if len(rest) > 0 {
			fl.add(name, rest[0])
			return 1
		}
	}
	return 0
}

func (fl *flags) add(name string, val word) {
	fl.vals[name] = append(fl.vals[name], val)
}

// on tells whether one of the switches is set and not switched off with =false.
func (fl flags) on(names ...string) bool {
	for _, n := range names {
		if vs := fl.vals[n]; len(vs) > 0 && !has("false 0 no off", vs[len(vs)-1].text) {
			return true
		}
	}
	return false
}

// get is the last value of the first of the names that was given.
func (fl flags) get(names ...string) (word, bool) {
	for _, n := range names {
		if vs := fl.vals[n]; len(vs) > 0 {
			return vs[len(vs)-1], true
		}
	}
	return word{}, false
}

// val is get's text, "" when absent.
func (fl flags) val(names ...string) string {
	w, _ := fl.get(names...)
	return w.text
}

// all are the values of all the names, in the order of the names.
func (fl flags) all(names ...string) []word {
	var out []word
	for _, n := range names {
		out = append(out, fl.vals[n]...)
	}
	return out
}

// arg is the i-th positional word, empty when there are fewer.
func (fl flags) arg(i int) word {
	if i < len(fl.pos) {
		return fl.pos[i]
	}
	return word{}
}
