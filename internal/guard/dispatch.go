package guard

import (
	"maps"
	"path"
	"slices"
	"strings"
)

// argv runs a command whose words are expanded: a function, an alias, a builtin or a program.
func (f *frame) argv(argv []word) string {
	out := clipHole(f.dispatch(argv))
	f.m.spend(len(out) / 64)
	return out
}

func (f *frame) dispatch(argv []word) string {
	if len(argv) == 0 || !f.m.spend(1) {
		return ""
	}
	f.status = maybe
	w := argv[0]
	if fn, ok := f.funcs[w.text]; ok {
		return f.callFunction(fn, argv)
	}
	if text, ok := f.aliases[w.text]; ok && (w.src == "" || w.src == w.text) {
		return f.callAlias(text, argv)
	}
	if !w.known() {
		return f.unknownName(argv)
	}
	if w.pat != "" {
		return f.globbedName(argv)
	}
	return f.named(argv)
}

// named runs a program by its name's last part; a path may be a file that this call wrote.
func (f *frame) named(argv []word) string {
	f.nest++ // names may lead to each other in a circle
	defer func() { f.nest-- }()
	if f.nest > maxNesting || !f.m.spend(1) {
		f.m.giveUp("nested too deeply")
		return hole
	}
	w := argv[0]
	name := programName(w.text)
	if strings.Contains(w.text, "/") {
		if v, ok := f.m.fs[f.resolve(w.text)]; ok && !v.gone {
			return f.runFresh(w.text, v, argv)
		}
	}
	if out, ok := f.builtin(name, argv); ok {
		return out
	}
	return f.m.world.Program(f, name, argv)
}

// runWritten runs a script of that name that this call wrote somewhere: the PATH may lead there.
func (f *frame) runWritten(name string, argv []word) (out string, ok bool) {
	for _, p := range slices.Sorted(maps.Keys(f.m.fs)) {
		v := f.m.fs[p]
		if path.Base(p) == name && (v.text != "" || v.link != "") && v.sink == nil && !v.gone && path.Base(v.link) != name {
			return f.runFresh(p, v, argv), true
		}
	}
	return "", false
}

func (f *frame) runFresh(p string, v vfile, argv []word) string {
	switch {
	case v.sink != nil:
		return ""
	case v.link != "":
		return f.named(append([]word{lit(v.link)}, argv[1:]...))
	}
	f.runFile(p, argv[1:], argv[0].text)
	return hole
}

func (f *frame) callFunction(fn function, argv []word) string {
	defer f.through(argv[0].text + "()")()
	args := f.args
	f.args = texts(argv[1:])
	out := fn.body(f)
	f.args, f.left = args, false
	return out
}

func (f *frame) callAlias(text string, argv []word) string {
	defer f.through("alias " + argv[0].text)()
	saved := f.aliases
	f.aliases = maps.Clone(saved)
	delete(f.aliases, argv[0].text) // an alias does not call itself
	out := f.run(text + " " + quoted(argv[1:]))
	f.aliases = saved
	return out
}

// globbedName runs a command whose name is a pattern, as in /usr/bin/g[h]: every program of interest that it matches.
func (f *frame) globbedName(argv []word) string {
	pat := argv[0].pat[strings.LastIndex(argv[0].pat, "/")+1:]
	for _, name := range []string{"gh", "git", "glab", "hub", "tea", "az", "curl", "wget", "bash", "sh", "env", "python3", "node"} {
		if globMatch(pat, name) {
			f.m.world.Program(f, name, append([]word{lit(name)}, argv[1:]...))
		}
	}
	return hole
}

// unknownName judges a command whose name is not known by what stands behind it.
func (f *frame) unknownName(argv []word) string {
	w := argv[0]
	if blankSoft(w.text) {
		return hole
	}
	if i := strings.LastIndexByte(w.text, '/'); i >= 0 && i+1 < len(w.text) && !unknown(w.text[i+1:]) {
		return f.named(append([]word{{text: w.text[i+1:], src: w.src}}, argv[1:]...))
	}
	if f.m.world.Guess(f, argv) {
		return hole
	}
	f.opaque(joinWords(argv), "the command's name is only known when it runs")
	return hole
}
