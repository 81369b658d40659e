// Package code reads programs of other languages for what they would run, request or write. It
// knows a language by its quotes, its comments and the calls that start a process.
package code

import (
	"path"
	"strings"

	"hooks/internal/guard/shell"
	"hooks/internal/guard/shellword"
)

// Language gives an interpreter's language and its flags that take a program's text.
func Language(name string) (lang, flags string) {
	switch {
	case strings.HasPrefix(name, "python") ||
		shellword.Has("py pypy pypy3 ipython jython xonsh", name):
		return "python", "-c"
	case shellword.Has("node nodejs deno bun tsx ts-node zx qjs esno", name):
		return "node", "-e --eval --print eval"
	case strings.HasPrefix(name, "php"):
		return "php", "-r"
	case strings.HasPrefix(name, "perl"), strings.HasPrefix(name, "ruby"),
		strings.HasPrefix(name, "lua"), shellword.Has(`jruby elixir groovy Rscript R julia scala
guile emacs osascript swift jshell erl ghc racket sbcl clojure bb.clj`, name):
		return name, "-e --eval -E --expr"
	case shellword.Has("pwsh powershell cmd", strings.ToLower(name)):
		return "powershell", ""
	}
	return "", ""
}

// valued are other flags of interpreters that take a value.
const valued = "-m -W -X -r --require --import --loader -C --env-file"

// Interpret reads an interpreter's command line. flags are those that take a program's text.
func Interpret(f *shell.Frame, lang, flags string, argv []shellword.Word) {
	rest := shellword.Command(argv[1:], flags+" "+valued, 0)
	fl := shellword.ParseFlags(argv[1:len(argv)-len(rest)], flags+" "+valued)
	for len(rest) > 1 && shellword.Has("run x", rest[0].Text) {
		rest = rest[1:]
	}
	if lang == "node" {
		for _, w := range fl.All("-r", "--require", "--import") {
			File(f.External(), lang, []shellword.Word{w})
		}
	}
	text, ok := fl.Get(strings.Fields(flags)...)
	if len(rest) > 0 && lang == "node" && (fl.On("-p") || rest[0].Text == "eval") {
		text, ok = rest[len(rest)-1], true
	}
	module, isModule := fl.Get("-m")
	switch {
	case ok:
		Text(f, lang, text.Text, shellword.Join(argv))
	case isModule && lang == "python":
		file := strings.ReplaceAll(module.Text, ".", "/") + ".py"
		if _, from := f.Open(file); from != shell.Nowhere {
			File(f, lang, append(shellword.Lits(file), rest...))
			return
		}
		f.M.World.Inner(f, "python -m", rest)
	case len(rest) > 0 && !shellword.Has("- /dev/stdin", rest[0].Text):
		File(f, lang, rest)
	case f.Stdin != nil:
		input := f.Stdin.Text
		f.Stdin = nil
		Text(f, lang, input, "… | "+shellword.Join(argv))
	}
}

// Text reads a program's text. how is the command.
func Text(f *shell.Frame, lang, text, how string) {
	switch {
	case !shellword.Blank(text):
		Read(f, lang, text)
	case !shellword.BlankSoft(text):
		f.Opaque(how, "the program it would run is only known when it runs")
	}
}

// File reads the program that the first word names.
func File(f *shell.Frame, lang string, args []shellword.Word) {
	name := args[0].Text
	text, from := f.Open(name)
	if from == shell.Nowhere && lang == "node" && !strings.Contains(path.Base(name), ".") {
		text, from = f.Open(name + ".js")
	}
	if from != shell.Nowhere {
		f.InFile(name, from)
		Text(f, lang, text, shellword.Join(args))
		return
	}
	if shellword.MergeWord(shellword.ProgramName(name)) {
		f.Opaque(shellword.Join(args), "a program that cannot be read and is named after a merge")
	}
	f.M.World.Inner(f, name, args[1:])
}
