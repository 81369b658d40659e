package program

import (
	"strings"

	"hooks/internal/guard/code"
	"hooks/internal/guard/shell"
	"hooks/internal/guard/shellword"
)

// runLauncher runs what starts a program of a package: npx and its kin, go run. ok is false for any
// other command line.
func runLauncher(f *shell.Frame, name string, argv []shellword.Word) (ok bool) {
	if !shellword.Has("go npx bunx npm pnpm yarn bun corepack", name) {
		return false
	}
	sub := shellword.ParseFlags(argv[1:], "-C --prefix --dir").Arg(0).Text
	switch {
	case name == "go" && sub == "run":
		goRun(f, argv[2:])
		return true
	case shellword.Has("npx bunx", name):
		argv = argv[1:]
	case name != "go" && shellword.Has("exec x dlx", sub):
		argv = argv[2:]
	case name == "corepack":
		argv = argv[1:]
	default:
		return false
	}
	defer f.Through(name)()
	g := f.External()
	const valued = "-p --package -w --workspace"
	if text, ok := shellword.ParseFlags(argv, valued+" -c --call").Get("-c", "--call"); ok {
		g.Run(text.Text)
	} else if rest := shellword.Command(argv, valued, 0); len(rest) > 0 {
		g.Exec(rest)
	}
	return true
}

// goRun is go run: a file that is read, or a program known by its last part.
func goRun(f *shell.Frame, args []shellword.Word) {
	rest := shellword.Command(args, "-C -mod -tags -ldflags -exec -o -p", 0)
	if len(rest) == 0 {
		return
	}
	defer f.Through("go run")()
	name, _, _ := strings.Cut(shellword.ProgramName(rest[0].Text), "@")
	switch {
	case strings.HasSuffix(name, ".go"):
		code.File(f.External(), "go", rest)
	case shellword.Has("gh glab hub tea hooks", name):
		f.External().Named(append(shellword.Lits(name), rest[1:]...))
	}
}
