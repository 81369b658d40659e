package forges

import (
	"cmp"
	"slices"
	"strings"

	"hooks/internal/guard/plain"
	"hooks/internal/guard/shellword"
)

// gitRun is one git command line with its settings and working directory.
type gitRun struct {
	argv   []shellword.Word
	dir    string
	config map[string][]string // values set by -c, which override those in files
}

func newGit(f *plain.Frame, argv []shellword.Word) gitRun {
	return gitRun{argv: argv, dir: f.Place(), config: map[string][]string{}}
}

// branch returns the branch checked out in git's working directory.
func (g gitRun) branch(f *plain.Frame) string {
	if !f.M.Real {
		return f.Branch(g.dir)
	}
	name := asked(f, "symbolic-ref", "HEAD")
	return cmp.Or(strings.TrimPrefix(name, "refs/heads/"), shellword.Unknown)
}

// asked returns the output of Repo.Ask for args, or an empty string if Ask is nil.
func asked(f *plain.Frame, args ...string) string {
	if ask := f.M.Repo().Ask; ask != nil && f.M.Burn(100) {
		return ask(args...)
	}
	return ""
}

// Git reads a git command line.
func Git(f *plain.Frame, argv []shellword.Word) {
	g := newGit(f, argv)
	gitEnv(f)
	gitCommand(f, g, gitGlobals(f, &g, argv[1:]))
}

// gitSwitches lists the flags before git's command that take no value.
const gitSwitches = `-v --version -h --help --html-path --man-path --info-path --exec-path -p
--paginate -P --no-pager --no-replace-objects --no-lazy-fetch --no-optional-locks --no-advice --bare
--literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs`

// gitGlobals reads the flags before git's command and returns the command and the words after it.
func gitGlobals(f *plain.Frame, g *gitRun, args []shellword.Word) []shellword.Word {
	texts := shellword.Texts(args)
	for {
		flag, value, n := shellword.GitFlag(texts)
		switch {
		case n == 0:
			return args[len(args)-len(texts):]
		case flag == "-c":
			gitSetting(f, g, value)
		case flag == "-C":
			g.dir = f.At(g.dir, value)
		case n == 1 && !shellword.Has(gitSwitches, flag) && !strings.Contains(texts[0], "="):
			f.OpaqueForge(shellword.Join(g.argv), "an unknown git flag")
		}
		texts = texts[n:]
	}
}

func gitCommand(f *plain.Frame, g gitRun, rest []shellword.Word) {
	if len(rest) == 0 {
		return
	}
	cmd := rest[0]
	if !cmd.Known() {
		f.OpaqueForge(shellword.Join(g.argv), "the git command is only known at run time")
		return
	}
	args := rest[1:]
	// a later --help may be the value of a flag
	if len(args) > 0 && shellword.Has("-h --help", args[0].Text) {
		return
	}
	args = shellword.Unabbreviated(args, gitTexts)
	gitStarts(f, g, cmd.Text, args)
	if shellword.Has(usingBranches, cmd.Text) {
		useBranches(f, g, args)
	}
	switch cmd.Text {
	case "push", "send-pack", "http-push":
		gitPush(f, g, args)
	case "subtree":
		if len(args) > 0 && args[0].Text == "push" {
			gitPush(f, g, args[1:])
		}
	case "checkout", "switch":
		gitCheckout(f, g, args)
	case "branch":
		gitBranch(f, g, args)
	case "worktree":
		gitWorktree(f, g, args)
	case "clone":
		gitClone(f, g, args)
	case "symbolic-ref":
		if fl := shellword.ParseFlags(args, "-m"); fl.Arg(0).Text == "HEAD" && len(fl.Pos) > 1 {
			f.CheckedOut(g.dir, strings.TrimPrefix(fl.Arg(1).Text, "refs/heads/"))
		}
	case "rm", "mv", "restore":
		gitFiles(f, g, cmd.Text, args)
	case "merge", "cherry-pick", "rebase", "reset", "fetch", "pull", "config", "bisect",
		"submodule", "for-each-repo":
	default:
		gitAlias(f, g, cmd.Text, args)
	}
}

// gitAlias reads a command that gitCommand does not handle: an alias, an extension, or a built-in
// that cannot land anything.
func gitAlias(f *plain.Frame, g gitRun, name string, args []shellword.Word) {
	text := cmp.Or(setting(f, g, "alias."+name), setting(f, g, "alias."+name+".command"))
	switch {
	case strings.HasPrefix(name, "remote-"): // a push helper, which reads refs from standard input
		f.OpaqueForge(shellword.Join(g.argv), "the refs that it pushes are only known at run time")
		return
	case text == "":
		gitExtension(f, g, name)
		return
	}
	h := f.In(g.dir).Through("git alias " + name)
	if line, ok := strings.CutPrefix(text, "!"); ok {
		h.Run(line + " " + shellword.Quoted(args))
		return
	}
	parts := append(f.WordsOf(text), args...)
	g.argv = append(shellword.Lits("git"), parts...)
	gitCommand(h, g, gitGlobals(h, &g, parts))
}

// usingBranches lists the git commands that may use a branch, except checkout, whose operands are
// often files.
const usingBranches = "merge cherry-pick rebase reset fetch pull worktree"

// useBranches treats every operand and flag value before "--" as a possible branch, because it does
// not know which flags take a value. Recording a remote or a message by mistake is harmless.
func useBranches(f *plain.Frame, g gitRun, words []shellword.Word) {
	files := slices.Index(append(shellword.Texts(words), "--"), "--")
	for _, w := range words[:files] {
		text := w.Text
		if text != "" && text[0] == '-' {
			_, text, _ = strings.Cut(text, "=")
		}
		from, _ := SplitRefspec(text)
		for name := range strings.SplitSeq(from, "..") {
			UseBranch(f, g.argv, strings.TrimPrefix(name, "."))
		}
	}
}

// gitClone records the branch that a clone checks out and applies the settings in its flags.
func gitClone(f *plain.Frame, g gitRun, args []shellword.Word) {
	fl := shellword.ParseFlags(args, `-b --branch -o --origin -u --depth -c --config --reference -j
--jobs --filter --template --separate-git-dir --shallow-since`)
	for _, w := range fl.All("-c", "--config") {
		gitSetting(f, &g, w.Text)
	}
	named := strings.TrimSuffix(shellword.ProgramName(fl.Arg(0).Text), ".git")
	dir := f.At(g.dir, cmp.Or(fl.Arg(1).Text, named))
	f.CheckedOut(dir, cmp.Or(fl.Val("-b", "--branch"), DefaultBranch(f)))
}

func gitCheckout(f *plain.Frame, g gitRun, args []shellword.Word) {
	const creates = "-b -B -c -C --create --force-create --orphan"
	files := slices.Index(shellword.Texts(args), "--")
	if files >= 0 {
		gitFiles(f, g, "restore", args[files+1:])
		args = args[:files]
	}
	fl := shellword.ParseFlags(args, creates+" --conflict --pathspec-from-file")
	from, created := fl.Arg(0).Text, fl.Val(strings.Fields(creates)...)
	UseBranch(f, g.argv, from)
	switch {
	case created != "":
		UseBranch(f, g.argv, created)
		f.CheckedOut(g.dir, created)
	case fl.On("-d", "--detach"):
		f.CheckedOut(g.dir, "")
	case from != "" && files < 0 && len(fl.Pos) == 1:
		f.CheckedOut(g.dir, strings.TrimPrefix(from, "origin/"))
	}
}

// gitFiles judges git rm, mv and restore, which write or remove tracked files. Commands that
// remove ignored files (git clean) do no harm, because the loop restores its state from the sealed
// record.
func gitFiles(f *plain.Frame, g gitRun, cmd string, args []shellword.Word) {
	fl := shellword.ParseFlags(args, "-s --source")
	if cmd != "restore" && (fl.On("--cached") && !fl.On("--no-cached") || dry(fl)) {
		return
	}
	for _, w := range fl.Pos {
		f.In(g.dir).Takes(w, shellword.Clip(shellword.Join(g.argv), 300), cmd != "restore")
	}
}

func gitBranch(f *plain.Frame, g gitRun, args []shellword.Word) {
	fl := shellword.ParseFlags(args,
		"-u --set-upstream-to -m -M --sort --contains --format --points-at")
	if !fl.On("-d", "-D", "--delete") {
		useBranches(f, g, args)
	}
	to, renames := fl.Get("-m", "-M")
	if renames && (len(fl.Pos) == 0 || to.Text == g.branch(f)) { // renames the current branch
		f.CheckedOut(g.dir, cmp.Or(fl.Arg(0).Text, to.Text))
	}
}

func gitWorktree(f *plain.Frame, g gitRun, args []shellword.Word) {
	if len(args) < 2 || args[0].Text != "add" {
		return
	}
	fl := shellword.ParseFlags(args[1:], "-b -B --reason")
	dir, from := fl.Arg(0).Text, fl.Arg(1).Text
	branch := cmp.Or(fl.Val("-b", "-B"), strings.TrimPrefix(from, "origin/"),
		shellword.ProgramName(dir))
	UseBranch(f, g.argv, branch)
	f.CheckedOut(f.At(g.dir, dir), branch)
}
