package shell

import (
	"maps"
	"path"
	"slices"
	"strings"

	"hooks/internal/guard/shellword"
)

// Exec runs a command whose words are expanded: a function, an alias, a builtin or a program.
func (f *Frame) Exec(argv []shellword.Word) string {
	out := shellword.ClipHole(f.dispatch(argv))
	f.M.Burn(len(out) / 64)
	return out
}

func (f *Frame) dispatch(argv []shellword.Word) string {
	if len(argv) == 0 || !f.M.Burn(1) {
		return ""
	}
	f.status = Maybe
	w := argv[0]
	if fn, ok := f.funcs[w.Text]; ok {
		return f.callFunction(fn, argv)
	}
	if text, ok := f.Aliases[w.Text]; ok && (w.Src == "" || w.Src == w.Text) {
		return f.callAlias(text, argv)
	}
	if !w.Known() || w.Pat != "" {
		return f.UnknownName(argv)
	}
	return f.Named(argv)
}

// Named runs a program by its name's last part; a path may be a file that this call wrote.
func (f *Frame) Named(argv []shellword.Word) string {
	f.nest++ // names may lead to each other in a circle
	defer func() { f.nest-- }()
	if f.nest > maxNesting || !f.M.Burn(1) {
		f.M.Abort(tooDeep)
		return shellword.Unknown
	}
	w := argv[0]
	name := shellword.ProgramName(w.Text)
	if strings.Contains(w.Text, "/") {
		if v, ok := f.M.fs[f.Resolve(w.Text)]; ok {
			return f.runFresh(w.Text, v, argv)
		}
	}
	if out, ok := f.builtin(name, argv); ok {
		return out
	}
	return f.M.World.Program(f, name, argv)
}

// RunWritten runs a script of that name that this call wrote somewhere: the PATH may lead there.
func (f *Frame) RunWritten(name string, argv []shellword.Word) (out string, ok bool) {
	for _, p := range slices.Sorted(maps.Keys(f.M.fs)) {
		v := f.M.fs[p]
		if path.Base(p) == name && (v.text != "" || v.link != "") && path.Base(v.link) != name {
			return f.runFresh(p, v, argv), true
		}
	}
	return "", false
}

func (f *Frame) runFresh(p string, v written, argv []shellword.Word) string {
	if v.link != "" {
		return f.Named(append(shellword.Lits(v.link), argv[1:]...))
	}
	f.RunFile(p, argv[1:], argv[0].Text)
	return shellword.Unknown
}

func (f *Frame) callFunction(fn function, argv []shellword.Word) string {
	label, calls := argv[0].Text+"()", 0
	for _, v := range f.via {
		calls += shellword.Btoi(v == label)
	}
	if calls > maxSelfCalls && f.nothingNew(argv[1:]) {
		return shellword.Unknown
	}
	defer f.Through(label)()
	args, entered, src := f.Args, f.entered, f.src
	f.Args, f.entered, f.src = shellword.Texts(argv[1:]), f.copyVars(), fn.src
	out := f.stmt(fn.body)
	f.Args, f.entered, f.src, f.left = args, entered, src, false
	return out
}

// nothingNew reports whether a function that calls itself would find nothing new: words that are
// not known, or the words and variables of the last call.
func (f *Frame) nothingNew(args []shellword.Word) bool {
	unknown := func(w shellword.Word) bool { return !w.Known() || strings.Contains(w.Text, "*") }
	if slices.ContainsFunc(args, unknown) {
		return true
	}
	return slices.Equal(shellword.Texts(args), f.Args) && len(changedVars(f.entered, f.vars)) == 0
}

func (f *Frame) callAlias(text string, argv []shellword.Word) string {
	defer f.Through("alias " + argv[0].Text)()
	saved := f.Aliases
	f.Aliases = maps.Clone(saved)
	delete(f.Aliases, argv[0].Text) // an alias does not call itself
	out := f.Run(text + " " + shellword.Quoted(argv[1:]))
	f.Aliases = saved
	return out
}

// UnknownName judges a command by its arguments, because its name is unknown or a pattern.
func (f *Frame) UnknownName(argv []shellword.Word) string {
	w := argv[0]
	if shellword.BlankSoft(w.Text) {
		return shellword.Unknown
	}
	name := w.Text[strings.LastIndexByte(w.Text, '/')+1:]
	if name != "" && !shellword.HasUnknown(name) && !strings.ContainsAny(name, "*?[") {
		return f.Named(append([]shellword.Word{{Text: name, Src: w.Src}}, argv[1:]...))
	}
	if !f.M.World.Guess(f, argv) {
		f.Opaque(shellword.Join(argv), "the command's name is only known when it runs")
	}
	return shellword.Unknown
}
