package guard

import (
	"path"
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
	return f.program(name, argv)
}

// programName is a command's name without its directory, its .exe and its Nix source.
func programName(text string) string {
	name := path.Base(strings.ReplaceAll(text, `\`, "/"))
	if _, after, ok := strings.Cut(name, "#"); ok {
		name = after
	}
	if len(name) > 4 && strings.EqualFold(name[len(name)-4:], ".exe") {
		name = name[:len(name)-4]
	}
	return name
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
	undo, ok := f.through(argv[0].text + "()")
	defer undo()
	if !ok {
		return ""
	}
	args := f.args
	f.args = texts(argv[1:])
	out := fn.body(f)
	f.args, f.left = args, false
	return out
}

func (f *frame) callAlias(text string, argv []word) string {
	undo, ok := f.through("alias " + argv[0].text)
	defer undo()
	if !ok {
		return ""
	}
	saved := f.aliases
	f.aliases = copyMap(saved)
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
			f.program(name, append([]word{lit(name)}, argv[1:]...))
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
	before := len(f.m.read.Acts)
	f.guess(argv)
	if len(f.m.read.Acts) > before || f.harmlessUnknown(argv) {
		return hole
	}
	f.opaque(joinWords(argv), "the command's name is only known when it runs")
	return hole
}

func blankSoft(text string) bool {
	return strings.Trim(text, soft+" \n\t") == "" && strings.Contains(text, soft)
}

// guess reads the words behind an unknown name as if the name were gh, git or a wrapper: only what would be an act
// under any of them counts.
func (f *frame) guess(argv []word) {
	if len(argv) < 2 {
		return
	}
	quiet := f.quiet
	f.quiet = true
	defer func() { f.quiet = quiet }()
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
	if f.forge(name, argv) || f.writer(name, argv) {
		return f.output1(name, argv)
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

// output1 is what a forge or file command prints, where that matters: the branch that git names.
func (f *frame) output1(name string, argv []word) string {
	if name == "git" {
		return f.gitOutput(argv)
	}
	return hole
}

// forge runs the command line tools of forges and the tools that speak HTTP.
func (f *frame) forge(name string, argv []word) bool {
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
	if p, v, ok := f.freshProgram(name); ok {
		return f.runFresh(p, v, argv)
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
	f.inner(name, argv[1:])
	if strings.Contains(argv[0].text, "/") && mergeWord(name) && !unknown(name) {
		f.opaque(joinWords(argv), "a script that cannot be read and is named after a merge")
	}
	return hole
}

// runnable are the programs that a command line behind an unknown program is looked through for.
const runnable = `gh git glab hub tea az aws bb bkt fj curl wget http xh sudo env bash sh zsh dash xargs timeout nohup python python3
node perl ruby eval hooks find parallel script tmux screen ssh docker podman kubectl expect watch npx`

// freshProgram is a script of that name that this call wrote somewhere: the PATH may lead there.
func (f *frame) freshProgram(name string) (string, vfile, bool) {
	for p, v := range f.m.fs {
		if path.Base(p) == name && (v.text != "" || v.link != "") && v.sink == nil && !v.gone && path.Base(v.link) != name {
			return p, v, true
		}
	}
	return "", vfile{}, false
}

// inner looks for a command line that an unknown program would run: "retry 3 gh pr merge 5". Only acts count.
func (f *frame) inner(name string, args []word) {
	quiet := f.quiet
	f.quiet = true
	defer func() { f.quiet = quiet }()
	for i, w := range args {
		n := programName(w.text)
		if dataProgram(n) && w.text == n && !has("gem port code", n) {
			return
		}
		if _, wraps := wrapSpec(n); !wraps && !has(runnable, n) || w.text != n && !strings.Contains(w.text, "/") && !strings.Contains(w.text, "#") {
			continue
		}
		rest := args[i:]
		if len(rest) > 1 && rest[1].text == "--" {
			rest = append([]word{w}, rest[2:]...)
		}
		if undo, ok := f.through(name); ok {
			f.child().argv(rest)
			undo()
		} else {
			undo()
		}
		return
	}
}

// dataProgram tells programs that never run their arguments.
func dataProgram(name string) bool {
	return has(`echo printf cat grep egrep fgrep rg ag ack ls head tail wc sort uniq cut tr sed jq yq diff cmp comm less more bat
man tldr info whatis apropos which whereis type help brew apt apt-get dnf yum pacman apk pip pip3 gem port snap nix-env
npm pnpm yarn say notify-send logger wall figlet cowsay toilet mail sendmail slack ntfy code cursor open xdg-open
mkdir touch rm cp mv ln chmod chown stat file basename dirname realpath readlink date sleep seq yes true false
gofmt go cargo rustc javac mvn gradle pytest eslint prettier black ruff tsc shellcheck shfmt actionlint markdownlint vale
codespell aspell commitlint cspell tree du df ps kill export gpg sha256sum md5sum pbcopy xclip wl-copy qmd llm`, name)
}

// mergeWord tells whether a script's name says that it merges PRs or lands on the main branch.
func mergeWord(name string) bool {
	parts := nameWords(name)
	if contains(parts, "automerge") || contains(parts, "land") && len(parts) < 3 {
		return true
	}
	return contains(parts, "merge") && (contains(parts, "pr") || contains(parts, "prs") || contains(parts, "main") || contains(parts, "master") ||
		contains(parts, "auto") || contains(parts, "pull") || len(parts) == 1 || len(parts) == 2 && contains([]string{"sh", "py", "js", "rb"}, parts[1]))
}
