package guard

import (
	"strings"
)

// guess reads the words behind an unknown name as if the name were gh, git or a wrapper: only what would be an act
// under any of them counts.
func (f *frame) guess(argv []word) {
	if len(argv) < 2 {
		return
	}
	switch {
	case hooksElsewhere(argv):
		f.hooks(argv)
	case has("pr mr pull-request merge-request pulls", argv[1].text):
		f.genericForge(argv)
		f.gh(append([]word{lit("gh")}, argv[1:]...))
	case argv[1].text == "push":
		f.git(append([]word{lit("git")}, argv[1:]...))
	case argv[1].text == "api":
		f.gh(append([]word{lit("gh")}, argv[1:]...))
	case has("gh git glab bash sh sudo env curl", programName(argv[1].text)):
		f.argv(argv[1:])
	}
}

// harmlessUnknown tells whether an unknown name is the usual way to name a tool: $CC, $EDITOR, or a name followed by
// what no forge command takes.
func (f *frame) harmlessUnknown(argv []word) bool {
	name := strings.Trim(argv[0].src, `"${}`)
	if i := strings.IndexAny(name, ":-["); i > 0 {
		name = name[:i]
	}
	if conventional(name) && !f.known(name) {
		return true
	}
	for _, w := range argv[1:] {
		t := w.text
		switch {
		case !w.known() && !strings.HasPrefix(t, "-"):
		case has("pr mr api push repo alias merge issue workflow -R --repo --auto --admin --squash --merge --rebase", t):
			return false
		case strings.HasPrefix(t, "-"), strings.Contains(t, ".") && !strings.Contains(t, "://"), strings.HasPrefix(t, "/"):
			return true
		case len(t) > 2 && number(t) == 0 && !strings.Contains(t, "/"):
			return true
		}
	}
	return false
}

// program runs a program by name.
func (f *frame) program(name string, argv []word) string {
	if out, ok := f.textTool(name, argv); ok {
		return out
	}
	if f.client(name, argv) || f.writer(name, argv) {
		return f.printed(name, argv)
	}
	if out, ok := f.wrapper(name, argv); ok {
		return out
	}
	if isShell(name) {
		return f.shellProgram(name, argv)
	}
	if out, ok := f.interpreter(name, argv); ok {
		return out
	}
	if f.recipe(name, argv) {
		return hole
	}
	return f.otherProgram(name, argv)
}

// printed is what a forge or file command prints, where that matters: the branch that git names.
func (f *frame) printed(name string, argv []word) string {
	if name == "git" {
		return f.gitOutput(argv)
	}
	return hole
}

// client runs the command line tools of forges and the tools that speak HTTP.
func (f *frame) client(name string, argv []word) bool {
	switch name {
	case "gh", "gh-cli":
		f.gh(argv)
	case "git":
		f.git(argv)
	case "hub":
		f.hub(argv)
	case "glab":
		f.glab(argv)
	case "tea":
		f.tea(argv)
	case "az":
		f.az(argv)
	case "aws":
		f.aws(argv)
	case "bb", "bkt", "fj", "forgejo-cli", "berg", "lab", "gt", "gcli", "jira", "arc", "spr", "ghstack", "av", "jj", "sl",
		"git-town", "bors", "mergify", "git-spice", "gs":
		f.otherForge(name, argv)
	case "curl", "curlie":
		f.curl(argv)
	case "wget", "wget2":
		f.wget(argv)
	case "http", "https", "xh", "xhs":
		f.httpie(argv)
	case "nc", "ncat", "netcat", "telnet", "socat", "openssl":
		if f.stdin != nil {
			f.rawHTTP(f.stdin.text)
		}
	case "hooks":
		f.hooks(argv)
	case "claude", "claude-code":
		f.claude(argv)
	case "pkill", "killall", "pgrep", "pidof", "skill":
		f.ends(name, argv)
	default:
		if strings.HasPrefix(name, "git-") {
			f.git(append([]word{lit("git"), lit(name[4:])}, argv[1:]...))
			return true
		}
		return false
	}
	return true
}

// otherProgram is a program that nothing is known of: a script on disk, or something that may run what stands behind it.
func (f *frame) otherProgram(name string, argv []word) string {
	if strings.Contains(argv[0].text, "/") && f.runFile(argv[0].text, argv[1:], argv[0].text) {
		return hole
	}
	if out, ok := f.runWritten(name, argv); ok {
		return out
	}
	if hooksElsewhere(argv) {
		f.hooks(argv)
		return hole
	}
	f.builds(argv)
	if dataProgram(name) {
		return hole
	}
	if f.genericForge(argv) {
		return hole
	}
	f.quietly(func() { f.inner(name, argv[1:]) })
	if strings.Contains(argv[0].text, "/") && mergeWord(name) && !unknown(name) {
		f.opaque(joinWords(argv), "a script that cannot be read and is named after a merge")
	}
	return hole
}

// interpreter runs programs of other languages: their -c or -e text, their files, their input.
func (f *frame) interpreter(name string, argv []word) (out string, ok bool) {
	lang, flags := languageFlags(name)
	if lang == "" {
		return "", false
	}
	defer f.through(name)()
	g := f.external()
	switch lang {
	case "powershell":
		g.pwsh(argv[1:])
	case "awk":
		return g.awk(argv[1:]), true
	default:
		g.interpret(lang, flags, argv)
	}
	return hole, true
}
