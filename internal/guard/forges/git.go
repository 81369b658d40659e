package forges

import (
	"cmp"
	"slices"
	"strings"

	"hooks/internal/guard/plain"
	"hooks/internal/guard/shellword"
)

// gitRun is one git command line, with its own settings and working directory.
type gitRun struct {
	argv   []shellword.Word
	dir    string
	config map[string]string // by -c, over everything else
	depth  int
}

// Git reads a git command line.
func Git(f *plain.Frame, argv []shellword.Word) {
	g := gitRun{argv: argv, dir: place(f), config: map[string]string{}}
	gitEnv(f, &g)
	rest := gitGlobals(f, &g, argv[1:])
	gitCommand(f, g, rest)
}

// gitGlobals reads the flags before git's command.
func gitGlobals(f *plain.Frame, g *gitRun, args []shellword.Word) []shellword.Word {
	for i := 0; i < len(args); i++ {
		t := args[i].Text
		switch {
		case t == "-c" && i+1 < len(args):
			i++
			gitSetting(f, g, args[i].Text)
		case strings.HasPrefix(t, "--config-env="), t == "--config-env":
			if t == "--config-env" && i+1 < len(args) {
				i++
				t = "--config-env=" + args[i].Text
			}
			key, env, _ := strings.Cut(strings.TrimPrefix(t, "--config-env="), "=")
			gitSetting(f, g, key+"="+f.Env(env))
		case t == "-C" && i+1 < len(args):
			i++
			g.dir = at(f, g.dir, args[i].Text)
		case shellword.Has(`--git-dir --work-tree --namespace --exec-path --super-prefix
--attr-source`, t):
			i++
		case strings.HasPrefix(t, "--git-dir="):
			g.dir = at(f, g.dir, strings.TrimSuffix(strings.TrimSuffix(t[10:], ".git"), "/"))
		case len(t) > 1 && t[0] == '-':
		default:
			return args[i:]
		}
	}
	return nil
}

// at is a path as seen from a directory.
func at(f *plain.Frame, dir, p string) string {
	g := *f
	g.Cwd = dir
	if p == "" {
		return dir
	}
	return g.Resolve(p)
}

func gitCommand(f *plain.Frame, g gitRun, rest []shellword.Word) {
	if len(rest) == 0 {
		return
	}
	cmd := rest[0]
	if !cmd.Known() {
		f.OpaqueForge(shellword.Join(g.argv), "the git command is only known when it runs")
		return
	}
	args := rest[1:]
	if shellword.AsksHelp(args[:min(1, len(args))], "") { // later it may be another program's flag
		return
	}
	args = shellword.Unabbreviated(args, gitTexts)
	gitStarts(f, args)
	switch cmd.Text {
	case "push", "send-pack", "http-push":
		gitPush(f, g, args)
	case "config":
		for i := range args[:max(0, len(args)-1)] {
			gitRuns(f, strings.ToLower(args[i].Text), args[i+1].Text)
		}
	case "checkout", "switch":
		gitCheckout(f, g, args)
	case "branch":
		gitBranch(f, g, args)
	case "fetch", "pull":
		gitFetch(f, g, args)
	case "merge":
		useBranches(f, g, shellword.ParseFlags(args, "-m -s -X -F --file --into-name").Pos)
	case "cherry-pick":
		useBranches(f, g, shellword.ParseFlags(args, "-m -X").Pos)
	case "worktree":
		gitWorktree(f, g, args)
	case "clone":
		gitClone(f, g, args)
	case "symbolic-ref":
		if fl := shellword.ParseFlags(args, "-m"); fl.Arg(0).Text == "HEAD" && len(fl.Pos) > 1 {
			checkedOut(f, g.dir, strings.TrimPrefix(fl.Arg(1).Text, "refs/heads/"))
		}
	case "rebase":
		fl := shellword.ParseFlags(args, "--onto -s -X -x --exec")
		useBranches(f, g, append(fl.All("--onto"), fl.Pos...))
	case "bisect", "submodule", "for-each-repo":
		gitRunsText(f, g, cmd.Text, args)
	case "subtree":
		if len(args) > 0 && args[0].Text == "push" {
			f.Pushes(g.argv)
			fl := shellword.ParseFlags(args[1:], "-P --prefix -b --branch --onto")
			pushRefspecs(f, g, fl, fl.Arg(0), fl.Pos[min(1, len(fl.Pos)):])
		}
	case "rm", "mv", "restore":
		gitFiles(f, g, cmd.Text, args)
	case "reset":
		end := slices.Index(append(shellword.Texts(args), "--"), "--")
		pos := shellword.ParseFlags(args[:end], "").Pos
		useBranches(f, g, pos[:min(1, len(pos))])
	default:
		gitAlias(f, g, cmd.Text, args)
	}
	gitHooks(f, g, cmd.Text, args)
}

// gitTexts are the flags whose value git hands to a shell, and those that begin like them.
const gitTexts = `--exec --exec-path --extcmd --upload-pack --receive-pack --open-files-in-pager
--config --config-env --tree-filter --index-filter --msg-filter --env-filter --commit-filter
--parent-filter --tag-name-filter -x -u`

// gitStarts looks at words of any command that git hands to a shell.
func gitStarts(f *plain.Frame, args []shellword.Word) {
	for i, w := range args {
		flag, text, joined := strings.Cut(w.Text, "=")
		ext, remote := strings.CutPrefix(w.Text, "ext::")
		pager, opens := strings.CutPrefix(w.Text, "-O")
		switch {
		case joined && shellword.Has(gitTexts, flag):
		case i+1 < len(args) && shellword.Has(gitTexts, w.Text):
			flag, text = w.Text, args[i+1].Text
		case remote:
			flag, text = "ext::", ext
		case opens:
			flag, text = "-O", pager
		default:
			continue
		}
		f.Look("git "+flag, text)
	}
}

// gitAlias runs an alias. A command that git has built in cannot be one.
func gitAlias(f *plain.Frame, g gitRun, name string, args []shellword.Word) {
	text := setting(f, g, "alias."+name)
	switch {
	case strings.HasPrefix(name, "remote-"): // a helper of push: its orders are on standard input
		f.OpaqueForge(shellword.Join(g.argv), "what it pushes is only known when it runs")
		return
	case text == "":
		gitExtension(f, g, name)
		return
	case g.depth > 4:
		f.M.Shut("aliases of git within aliases")
		return
	}
	defer f.Through("git alias " + name)()
	if line, ok := strings.CutPrefix(text, "!"); ok {
		h := f.Child()
		h.Cwd = g.dir
		h.Run(line + " " + shellword.Quoted(args))
		return
	}
	parts := f.WordsOf(text)
	g.argv = append(append(shellword.Lits("git"), parts...), args...)
	g.depth++
	rest := gitGlobals(f, &g, append(parts, args...))
	gitCommand(f, g, rest)
}

// gitExtension reads the script git-NAME of a git that really starts: like a hook's, its git meets
// no link.
func gitExtension(f *plain.Frame, g gitRun, name string) {
	for dir := range strings.SplitSeq(f.Env("PATH"), ":") {
		text, _ := f.Open(at(f, g.dir, dir) + "/git-" + name)
		if f.M.Real && text != "" && strings.IndexByte(text, 0) < 0 {
			f.Landing(func(h *plain.Frame) { h.Within("git "+name, func() { h.Run(text) }) })
		}
	}
}

// gitClone reads the programs that a clone starts, and notes the branch that it checks out.
func gitClone(f *plain.Frame, g gitRun, args []shellword.Word) {
	fl := shellword.ParseFlags(args, `-b --branch -o --origin -u --depth -c --config --reference -j
--jobs --filter --template --separate-git-dir --shallow-since`)
	for _, w := range fl.All("-c", "--config") {
		gitSetting(f, &g, w.Text)
	}
	named := strings.TrimSuffix(shellword.ProgramName(fl.Arg(0).Text), ".git")
	dir := at(f, g.dir, cmp.Or(fl.Arg(1).Text, named))
	checkedOut(f, dir, cmp.Or(fl.Val("-b", "--branch"), DefaultBranch(f)))
}

func gitCheckout(f *plain.Frame, g gitRun, args []shellword.Word) {
	const creates = "-b -B -c -C --create --force-create --orphan"
	fl := shellword.ParseFlags(args, creates+" --conflict --pathspec-from-file")
	paths := false
	if i := slices.Index(shellword.Texts(args), "--"); i >= 0 {
		paths = true
		gitFiles(f, g, "restore", args[i+1:])
	}
	from := fl.Arg(0).Text
	if !paths {
		UseBranch(f, g.argv, from)
	}
	if b, ok := fl.Get(strings.Fields(creates)...); ok {
		UseBranch(f, g.argv, b.Text)
		checkedOut(f, g.dir, b.Text)
		return
	}
	switch {
	case fl.On("-d", "--detach"):
		checkedOut(f, g.dir, "")
	case from != "" && !paths && len(fl.Pos) == 1:
		checkedOut(f, g.dir, strings.TrimPrefix(from, "origin/"))
	}
}

// gitFiles judges git's commands that write or remove files that it knows. Those that take files
// which it ignores cost the loop nothing: its state is written again from the sealed record.
func gitFiles(f *plain.Frame, g gitRun, cmd string, args []shellword.Word) {
	h := *f
	h.Cwd = g.dir
	fl := shellword.ParseFlags(args, "-s --source")
	if cmd != "restore" && (fl.On("--cached") && !fl.On("--no-cached") || dry(fl)) {
		return
	}
	for _, w := range fl.Pos {
		h.Takes(w, shellword.Clip(shellword.Join(g.argv), 300), cmd != "restore")
	}
}

func gitBranch(f *plain.Frame, g gitRun, args []shellword.Word) {
	fl := shellword.ParseFlags(args,
		"-u --set-upstream-to -m -M --sort --contains --format --points-at")
	if len(fl.Pos) > 1 && !fl.On("-d", "-D", "--delete", "-l", "--list") {
		useBranches(f, g, fl.Pos)
	}
	if up, ok := fl.Get("-u", "--set-upstream-to"); ok {
		UseBranch(f, g.argv, up.Text)
	}
	to, renames := fl.Get("-m", "-M")
	if renames && (len(fl.Pos) == 0 || to.Text == branch(f, g.dir)) { // not of another branch
		checkedOut(f, g.dir, cmp.Or(fl.Arg(0).Text, to.Text))
	}
}

// gitFetch records the branches and PRs that a fetch or a pull names.
func gitFetch(f *plain.Frame, g gitRun, args []shellword.Word) {
	fl := shellword.ParseFlags(args, `--depth --deepen --shallow-since --shallow-exclude -o
--server-option -j --jobs --refmap --upload-pack --filter -s --strategy -X --strategy-option`)
	for _, w := range fl.Pos[min(1, len(fl.Pos)):] {
		from, _ := SplitRefspec(w.Text)
		UseBranch(f, g.argv, from)
	}
}

// useBranches records commits by whose branches a command moves another.
func useBranches(f *plain.Frame, g gitRun, commits []shellword.Word) {
	for _, w := range commits {
		for name := range strings.SplitSeq(w.Text, "..") {
			UseBranch(f, g.argv, strings.TrimPrefix(name, "."))
		}
	}
}

// EnterWorktree records the branch of a worktree that the client enters, by its name or its path.
func EnterWorktree(f *plain.Frame, argv []shellword.Word, name, dir string) {
	UseBranch(f, argv, name)
	if dir != "" {
		UseBranch(f, argv, branch(f, at(f, place(f), dir)))
	}
}

func gitWorktree(f *plain.Frame, g gitRun, args []shellword.Word) {
	if len(args) < 2 || args[0].Text != "add" {
		return
	}
	fl := shellword.ParseFlags(args[1:], "-b -B --reason")
	dir := at(f, g.dir, fl.Arg(0).Text)
	branch := shellword.ProgramName(fl.Arg(0).Text)
	switch b, ok := fl.Get("-b", "-B"); {
	case ok:
		branch = b.Text
	case fl.Arg(1).Text != "":
		branch = strings.TrimPrefix(fl.Arg(1).Text, "origin/")
	}
	UseBranch(f, g.argv, branch)
	UseBranch(f, g.argv, fl.Arg(1).Text)
	checkedOut(f, dir, branch)
}

// gitRunsText reads commands that git runs for every revision, submodule or repository.
func gitRunsText(f *plain.Frame, g gitRun, cmd string, args []shellword.Word) {
	defer f.Through("git " + cmd)()
	h := f.Child()
	h.Cwd = g.dir
	switch each := slices.Index(shellword.Texts(args), "foreach"); {
	case cmd == "bisect" && len(args) > 1 && args[0].Text == "run":
		h.Exec(args[1:])
	case cmd == "submodule" && each >= 0:
		h.Run(shellword.JoinText(shellword.Command(args[each+1:], "")))
	case cmd == "for-each-repo":
		Git(f, append(shellword.Lits("git"), shellword.Command(args, "--config")...))
	}
}

// Checkout returns the branch that is checked out in the frame's directory.
func Checkout(f *plain.Frame) string { return cmp.Or(branch(f, place(f)), shellword.Unknown) }
