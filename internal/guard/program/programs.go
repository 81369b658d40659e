package program

import (
	"strings"

	"hooks/internal/guard/code"
	"hooks/internal/guard/forges"
	"hooks/internal/guard/powershell"
	"hooks/internal/guard/shell"
	"hooks/internal/guard/shellword"
)

// guess reads the words behind an unknown name as if it were gh, git or a wrapper.
func guess(f *shell.Frame, argv []shellword.Word) {
	if len(argv) < 2 {
		return
	}
	as := func(name string) []shellword.Word { return append(shellword.Lits(name), argv[1:]...) }
	switch first := argv[1].Text; {
	case hooksElsewhere(argv):
		judgeHooks(f, argv)
	case shellword.Has("pr mr pull-request merge-request pulls", first):
		forges.GenericForge(f, argv)
		forges.GH(f, as("gh"))
	case first == "push":
		forges.Git(f, as("git"))
	case first == "api":
		forges.GH(f, as("gh"))
	case shellword.Has("gh git glab bash sh sudo env curl", shellword.ProgramName(first)):
		f.Exec(argv[1:])
	}
}

// harmlessUnknown reports whether an unknown name is the usual way to name a tool, such as $CC and
// $EDITOR, or a name followed by what no forge command takes.
func harmlessUnknown(f *shell.Frame, argv []shellword.Word) bool {
	const tools = `CC CXX CPP LD AR AS RANLIB STRIP EDITOR VISUAL PAGER BROWSER PYTHON PYTHON3 PY
PIP NODE NPM NPX YARN PNPM GO GOBIN CARGO RUSTC MAKE JAVA JAVAC MVN GRADLE RUBY BUNDLE PERL PHP
COMPOSER DOCKER KUBECTL HELM TERRAFORM LINTER FORMATTER`
	const forge = `pr mr api push repo alias merge issue workflow -R --repo --auto --admin --squash
--merge --rebase`
	name := strings.Trim(argv[0].Src, `"${}`)
	if i := strings.IndexAny(name, ":-["); i > 0 {
		name = name[:i]
	}
	binary := strings.HasSuffix(name, "_BIN") && !strings.HasPrefix(name, "GH")
	if (shellword.Has(tools, name) || binary) && !f.Known(name) {
		return true
	}
	for _, w := range argv[1:] {
		t := w.Text
		flag, slash := strings.HasPrefix(t, "-"), strings.Contains(t, "/")
		file := strings.Contains(t, ".") && !strings.Contains(t, "://") ||
			strings.HasPrefix(t, "/")
		switch {
		case !w.Known() && !flag:
		case shellword.Has(forge, t):
			return false
		case flag, file, len(t) > 2 && shellword.Number(t) == 0 && !slash:
			return true
		}
	}
	return false
}

// runProgram runs a program by name and gives what it prints.
func runProgram(f *shell.Frame, name string, argv []shellword.Word) string {
	name = clientName(withoutGNU(name), argv[0].Text)
	args := argv[1:]
	judgeSignal(f, name, argv)
	if out, ok := runTextTool(f, name, args); ok {
		return out
	}
	if out, ok := runWrapper(f, name, args); ok {
		return out
	}
	switch {
	case name == "git":
		forges.Git(f, argv)
		return forges.GitOutput(f, argv)
	case shellword.IsShell(name):
		return f.ShellProgram(name, argv)
	case runClient(f, name, argv), judgeWriter(f, name, args), judgeOwnLanguage(f, name, args),
		runLauncher(f, name, argv), runRecipe(f, name, argv), runInterpreter(f, name, argv):
	default:
		otherProgram(f, name, argv)
	}
	return shellword.Unknown
}

// withoutGNU is a GNU program's name without the g that it has beside another system's own.
func withoutGNU(name string) string {
	const tools = `find xargs timeout time stdbuf watch tar cp mv install truncate make sed rm ln
tee`
	if rest, ok := strings.CutPrefix(name, "g"); ok && shellword.Has(tools, rest) {
		return rest
	}
	return name
}

// runClient runs the command line tools of forges and the tools that speak HTTP.
func runClient(f *shell.Frame, name string, argv []shellword.Word) bool {
	switch name {
	case "gh", "gh-cli":
		forges.GH(f, argv)
	case "hub":
		forges.Hub(f, argv)
	case "glab":
		forges.Glab(f, argv)
	case "tea", "tea-cli":
		forges.Tea(f, argv)
	case "az":
		forges.Az(f, argv)
	case "aws":
		forges.AWS(f, argv)
	case "bb", "bkt", "fj", "forgejo-cli", "berg", "lab", "gt", "gcli", "jira", "arc", "spr",
		"ghstack", "av", "jj", "sl", "git-town", "bors", "mergify", "git-spice", "gs":
		forges.OtherForge(f, name, argv)
	case "curl", "curlie":
		forges.Curl(f, argv)
	case "wget", "wget2":
		forges.Wget(f, argv)
	case "http", "https", "xh", "xhs":
		forges.HTTPie(f, argv)
	case "nc", "ncat", "netcat", "telnet", "socat", "openssl":
		if f.Stdin != nil {
			forges.RawHTTP(f, f.Stdin.Text)
		}
	case "hooks":
		judgeHooks(f, argv)
	case "claude":
		judgeClaude(f, argv)
	case "pkill", "killall", "pgrep", "pidof", "skill", "taskkill":
		judgeKill(f, name, argv)
	default:
		if strings.HasPrefix(name, "git-") {
			forges.Git(f, append(shellword.Lits("git", name[4:]), argv[1:]...))
			return true
		}
		return false
	}
	return true
}

// runInterpreter runs programs of other languages: their -c or -e text, their files, their input.
// ok is false for any other program.
func runInterpreter(f *shell.Frame, name string, argv []shellword.Word) (ok bool) {
	lang, flags := code.Language(name)
	if lang == "" {
		return false
	}
	findClient(f, argv)
	defer f.Through(name)()
	if lang == "powershell" {
		powershell.Pwsh(f.External(), argv[1:])
	} else {
		code.Interpret(f.External(), lang, flags, argv)
	}
	return true
}

// otherProgram judges an unknown program: a script on disk, or one that may run its arguments.
func otherProgram(f *shell.Frame, name string, argv []shellword.Word) {
	path := strings.Contains(argv[0].Text, "/")
	if path && f.RunFile(argv[0].Text, argv[1:], argv[0].Text) {
		return
	}
	if _, ok := f.RunWritten(name, argv); ok {
		return
	}
	switch {
	case hooksElsewhere(argv):
		judgeHooks(f, argv)
		return
	case shellword.DataProgram(name), forges.GenericForge(f, argv):
		return
	}
	f.Quietly(func() { runInner(f, name, argv[1:], false) })
	if path && shellword.MergeWord(name) && !shellword.HasUnknown(name) {
		f.Opaque(shellword.Join(argv), "a script that cannot be read and is named after a merge")
	}
}
