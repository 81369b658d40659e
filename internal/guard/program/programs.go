package program

import (
	"strings"

	"hooks/internal/guard/code"
	"hooks/internal/guard/forges"
	"hooks/internal/guard/powershell"
	"hooks/internal/guard/shell"
	"hooks/internal/guard/word"
)

// guess reads the words behind an unknown name as if the name were gh, git or a wrapper: only what would be an act
// under any of them counts.
func guess(f *shell.Frame, argv []word.Word) {
	if len(argv) < 2 {
		return
	}
	switch {
	case hooksElsewhere(argv):
		hooks(f, argv)
	case word.Has("pr mr pull-request merge-request pulls", argv[1].Text):
		forges.GenericForge(f, argv)
		forges.GH(f, append(word.Lits("gh"), argv[1:]...))
	case argv[1].Text == "push":
		forges.Git(f, append(word.Lits("git"), argv[1:]...))
	case argv[1].Text == "api":
		forges.GH(f, append(word.Lits("gh"), argv[1:]...))
	case word.Has("gh git glab bash sh sudo env curl", word.ProgramName(argv[1].Text)):
		f.Exec(argv[1:])
	}
}

// harmlessUnknown reports whether an unknown name is the usual way to name a tool: $CC, $EDITOR, or
// a name followed by what no forge command takes.
func harmlessUnknown(f *shell.Frame, argv []word.Word) bool {
	name := strings.Trim(argv[0].Src, `"${}`)
	if i := strings.IndexAny(name, ":-["); i > 0 {
		name = name[:i]
	}
	if conventional(name) && !f.Known(name) {
		return true
	}
	for _, w := range argv[1:] {
		t := w.Text
		switch {
		case !w.Known() && !strings.HasPrefix(t, "-"):
		case word.Has("pr mr api push repo alias merge issue workflow -R --repo --auto --admin --squash --merge --rebase", t):
			return false
		case strings.HasPrefix(t, "-"), strings.Contains(t, ".") && !strings.Contains(t, "://"), strings.HasPrefix(t, "/"):
			return true
		case len(t) > 2 && word.Number(t) == 0 && !strings.Contains(t, "/"):
			return true
		}
	}
	return false
}

// program runs a program by name.
func program(f *shell.Frame, name string, argv []word.Word) string {
	name = clientName(withoutGNU(name), argv[0].Text)
	halts(f, name, argv)
	inPlace(f, name, argv[1:])
	if out, ok := textTool(f, name, argv); ok {
		return out
	}
	if client(f, name, argv) || writer(f, name, argv) {
		return printed(f, name, argv)
	}
	if ownLanguage(f, name, argv[1:]) {
		return word.Hole
	}
	if out, ok := wrapper(f, name, argv); ok {
		return out
	}
	if word.Has(containers, name) {
		inner(f, name, argv[1:])
		return word.Hole
	}
	if word.IsShell(name) {
		return f.ShellProgram(name, argv)
	}
	if launcher(f, name, argv) || recipe(f, name, argv) {
		return word.Hole
	}
	if out, ok := interpreter(f, name, argv); ok {
		return out
	}
	return otherProgram(f, name, argv)
}

// containers run programs in another place.
const containers = `docker podman nerdctl docker-compose podman-compose kubectl oc lxc incus
multipass distrobox toolbox flatpak devcontainer wsl adb limactl colima crictl`

// withoutGNU is a GNU program's name without the g that it has beside another system's own: gsed, gxargs.
func withoutGNU(name string) string {
	if rest, ok := strings.CutPrefix(name, "g"); ok && word.Has("find xargs timeout time stdbuf watch tar cp mv install truncate make sed rm ln tee", rest) {
		return rest
	}
	return name
}

// printed is what a forge or file command prints, where that matters: the branch that git names.
func printed(f *shell.Frame, name string, argv []word.Word) string {
	if name == "git" {
		return forges.GitOutput(f, argv)
	}
	return word.Hole
}

// client runs the command line tools of forges and the tools that speak HTTP.
func client(f *shell.Frame, name string, argv []word.Word) bool {
	switch name {
	case "gh", "gh-cli":
		forges.GH(f, argv)
	case "git":
		forges.Git(f, argv)
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
	case "bb", "bkt", "fj", "forgejo-cli", "berg", "lab", "gt", "gcli", "jira", "arc", "spr", "ghstack", "av", "jj", "sl",
		"git-town", "bors", "mergify", "git-spice", "gs":
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
		hooks(f, argv)
	case "claude":
		claude(f, argv)
	case "pkill", "killall", "pgrep", "pidof", "skill", "taskkill":
		ends(f, name, argv)
	default:
		if strings.HasPrefix(name, "git-") {
			forges.Git(f, append(word.Lits("git", name[4:]), argv[1:]...))
			return true
		}
		return false
	}
	return true
}

// otherProgram is a program that nothing is known of: a script on disk, or something that may run what stands behind it.
func otherProgram(f *shell.Frame, name string, argv []word.Word) string {
	if strings.Contains(argv[0].Text, "/") && f.RunFile(argv[0].Text, argv[1:], argv[0].Text) {
		return word.Hole
	}
	if out, ok := f.RunWritten(name, argv); ok {
		return out
	}
	if hooksElsewhere(argv) {
		hooks(f, argv)
		return word.Hole
	}
	if word.DataProgram(name) {
		return word.Hole
	}
	if forges.GenericForge(f, argv) {
		return word.Hole
	}
	f.Quietly(func() { inner(f, name, argv[1:]) })
	if strings.Contains(argv[0].Text, "/") && word.MergeWord(name) && !word.Unknown(name) {
		f.Opaque(word.Join(argv), "a script that cannot be read and is named after a merge")
	}
	return word.Hole
}

// interpreter runs programs of other languages: their -c or -e text, their files, their input.
func interpreter(f *shell.Frame, name string, argv []word.Word) (out string, ok bool) {
	lang, flags := code.Language(name)
	if lang == "" {
		return "", false
	}
	nested(f, argv)
	defer f.Through(name)()
	g := f.External()
	switch lang {
	case "powershell":
		powershell.Pwsh(g, argv[1:])
	default:
		code.Interpret(g, lang, flags, argv)
	}
	return word.Hole, true
}

// conventional reports whether the name is one by which people name a program to run, not a way
// round: $CC, $EDITOR, $PYTHON.
func conventional(name string) bool {
	const names = `CC CXX CPP LD AR AS RANLIB STRIP EDITOR VISUAL PAGER BROWSER PYTHON PYTHON3 PY PIP
NODE NPM NPX YARN PNPM GO GOBIN CARGO RUSTC MAKE JAVA JAVAC MVN GRADLE RUBY BUNDLE PERL PHP COMPOSER
DOCKER KUBECTL HELM TERRAFORM LINTER FORMATTER`
	return word.Has(names, name) ||
		strings.HasSuffix(name, "_BIN") && !strings.HasPrefix(name, "GH")
}
