package program

import (
	"strings"

	"hooks/internal/guard/code"
	"hooks/internal/guard/shell"
	"hooks/internal/guard/word"
)

// runLauncher runs what starts a program of a package: npx and its kin, go run. ok is false for any
// other command line.
func runLauncher(f *shell.Frame, name string, argv []word.Word) (ok bool) {
	if !word.Has("go npx bunx npm pnpm yarn bun corepack", name) {
		return false
	}
	sub := word.ParseFlags(argv[1:], "-C --prefix --dir").Arg(0).Text
	switch {
	case name == "go" && sub == "run":
		goRun(f, argv[2:])
		return true
	case word.Has("npx bunx", name):
		argv = argv[1:]
	case name != "go" && word.Has("exec x dlx", sub):
		argv = argv[2:]
	case name == "corepack":
		argv = argv[1:]
	default:
		return false
	}
	defer f.Through(name)()
	g := f.External()
	if text, ok := word.FlagText(argv, "-c --call"); ok {
		g.Run(text)
	} else if rest := word.Command(argv, "-p --package -w --workspace", 0); len(rest) > 0 {
		g.Exec(rest)
	}
	return true
}

// goRun is go run: a file that is read, or a program known by its last part.
func goRun(f *shell.Frame, args []word.Word) {
	rest := word.Command(args, "-C -mod -tags -ldflags -exec -o -p", 0)
	if len(rest) == 0 {
		return
	}
	defer f.Through("go run")()
	name, _, _ := strings.Cut(word.ProgramName(rest[0].Text), "@")
	switch {
	case strings.HasSuffix(name, ".go"):
		code.File(f.External(), "go", rest)
	case word.Has("gh glab hub tea hooks", name):
		f.External().Named(append(word.Lits(name), rest[1:]...))
	}
}
