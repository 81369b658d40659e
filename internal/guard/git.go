package guard

import (
	"strings"
)

// gitRun is one git command line: its own settings and where it runs.
type gitRun struct {
	argv   []word
	dir    string
	config map[string]string // by -c, over everything else
	depth  int
}

// git reads a git command line.
func (f *frame) git(argv []word) {
	g := gitRun{argv: argv, dir: f.place(), config: map[string]string{}}
	f.gitEnv(&g)
	rest := f.gitGlobals(&g, argv[1:])
	f.gitCommand(g, rest)
}

// gitEnv takes over settings given by GIT_CONFIG_COUNT and the place given by GIT_DIR or GIT_WORK_TREE.
func (f *frame) gitEnv(g *gitRun) {
	if n, ok := atoi(f.envText("GIT_CONFIG_COUNT")); ok {
		for i := range min(n, 20) {
			is := string(rune('0' + i%10))
			if i >= 10 {
				is = "1" + is
			}
			f.gitSetting(g, f.envText("GIT_CONFIG_KEY_"+is)+"="+f.envText("GIT_CONFIG_VALUE_"+is))
		}
	}
	if dir := f.envText("GIT_DIR"); dir != "" {
		g.dir = f.resolve(strings.TrimSuffix(strings.TrimSuffix(dir, ".git"), "/"))
	}
}

// gitGlobals reads the flags before git's command.
func (f *frame) gitGlobals(g *gitRun, args []word) []word {
	for i := 0; i < len(args); i++ {
		t := args[i].text
		switch {
		case t == "-c" && i+1 < len(args):
			i++
			f.gitSetting(g, args[i].text)
		case strings.HasPrefix(t, "--config-env="), t == "--config-env":
			if t == "--config-env" && i+1 < len(args) {
				i++
				t = "--config-env=" + args[i].text
			}
			key, env, _ := strings.Cut(strings.TrimPrefix(t, "--config-env="), "=")
			f.gitSetting(g, key+"="+f.envText(env))
		case t == "-C" && i+1 < len(args):
			i++
			g.dir = f.at(g.dir, args[i].text)
		case has("--git-dir --work-tree --namespace --exec-path --super-prefix --attr-source", t):
			i++
		case strings.HasPrefix(t, "--git-dir="):
			g.dir = f.at(g.dir, strings.TrimSuffix(strings.TrimSuffix(t[10:], ".git"), "/"))
		case len(t) > 1 && t[0] == '-':
		default:
			return args[i:]
		}
	}
	return nil
}

// at is a path as seen from a directory.
func (f *frame) at(dir, p string) string {
	g := *f
	g.cwd = dir
	if p == "" {
		return dir
	}
	return g.resolve(p)
}

// gitSetting is one key=value; what git would run because of it is looked at.
func (f *frame) gitSetting(g *gitRun, setting string) {
	key, val, ok := strings.Cut(setting, "=")
	if !ok {
		val = "true"
	}
	key = strings.ToLower(key)
	g.config[key] = val
	f.gitRuns(key, val)
}

// gitRuns looks at settings whose value git hands to a shell.
func (f *frame) gitRuns(key, val string) {
	if has(`core.pager core.editor core.sshcommand core.fsmonitor core.askpass sequence.editor diff.external core.gitproxy
web.browser credential.helper gpg.program interactive.difffilter`, key) ||
		strings.HasSuffix(key, ".command") || strings.HasSuffix(key, ".textconv") || strings.HasSuffix(key, ".clean") || strings.HasSuffix(key, ".smudge") ||
		strings.HasSuffix(key, ".cmd") || strings.HasSuffix(key, ".helper") || strings.HasPrefix(key, "pager.") || strings.HasSuffix(key, ".driver") {
		f.look("git "+key, strings.TrimPrefix(val, "!"))
	}
}

// setting is a git setting as this command sees it.
func (f *frame) setting(g gitRun, key string) string {
	key = strings.ToLower(key)
	if v, ok := g.config[key]; ok {
		return v
	}
	if v, ok := f.m.config[key]; ok {
		return v
	}
	return f.m.repo.Config[key]
}

func (f *frame) gitCommand(g gitRun, rest []word) {
	if len(rest) == 0 {
		return
	}
	cmd := rest[0]
	if !cmd.known() {
		if !blankSoft(cmd.text) {
			f.opaqueForge(joinWords(g.argv), "the git command is only known when it runs")
		}
		return
	}
	args := rest[1:]
	if asksHelp(args) {
		return
	}
	switch cmd.text {
	case "push", "send-pack", "http-push":
		f.gitPush(g, args)
	case "config":
		f.gitConfig(g, args)
	case "checkout", "switch", "branch", "worktree", "clone", "remote":
		f.gitPlace(g, cmd.text, args)
	case "rebase", "bisect", "submodule", "difftool", "for-each-repo", "filter-branch", "hook", "mergetool", "maintenance":
		f.gitRunsText(g, cmd.text, args)
	case "subtree":
		if len(args) > 0 && args[0].text == "push" {
			fl := parseFlags(args[1:], "-P --prefix -b --branch --onto")
			f.pushRefspecs(g, fl, fl.arg(0), fl.pos[min(1, len(fl.pos)):])
		}
	case "svn":
		if len(args) > 0 && args[0].text == "dcommit" {
			f.act(Act{Kind: PushProtected, Ref: "trunk"}, g.argv)
		}
	case "clean", "rm", "mv", "restore", "stash", "reset", "apply", "checkout-index":
		f.gitFiles(g, cmd.text, args)
	default:
		f.gitAlias(g, cmd.text, args)
	}
}

// gitAlias runs an alias; what git has built in cannot be one.
func (f *frame) gitAlias(g gitRun, name string, args []word) {
	text := f.setting(g, "alias."+name)
	if text == "" || g.depth > 4 {
		if text == "" {
			f.gitExtension(g, name, args)
		}
		return
	}
	defer f.through("git alias " + name)()
	if line, ok := strings.CutPrefix(text, "!"); ok {
		h := f.child()
		h.cwd = g.dir
		h.run(line + " " + quoted(args))
		return
	}
	parts := f.wordsOf(text)
	g.argv = append(append(lits("git"), parts...), args...)
	g.depth++
	rest := f.gitGlobals(&g, append(parts, args...))
	f.gitCommand(g, rest)
}

// gitExtension judges git-NAME programs that land changes: git land, git spr merge, git town ship.
func (f *frame) gitExtension(g gitRun, name string, args []word) {
	first := ""
	if len(args) > 0 {
		first = args[0].text
	}
	switch {
	case name == "land" || name == "ship", name == "town" && first == "ship", name == "spr" &&
		has("merge land", first), name == "pr" && has("merge land", first), name == "machete" &&
		first == "merge-pr", name == "phabricator" && first == "land":
		f.act(Act{Kind: MergePR, PR: firstNumber(args)}, g.argv)
	}
}

// gitConfig notes a setting for the rest of the call; an alias or a push rule that lands changes is an act itself.
func (f *frame) gitConfig(g gitRun, args []word) {
	fl := parseFlags(args, "-f --file --blob --type --default --value --comment")
	if fl.on("--get", "--get-all", "--get-regexp", "--list", "-l", "--unset", "--unset-all", "--remove-section") {
		return
	}
	pos := fl.pos
	if len(pos) > 0 && has("set add", pos[0].text) {
		pos = pos[1:]
	}
	if len(pos) < 2 || has("get unset list remove-section rename-section", pos[0].text) {
		return
	}
	key, val := strings.ToLower(pos[0].text), pos[1].text
	f.m.config[key] = val
	f.gitRuns(key, val)
	f.plantSetting(g, key, val)
}

func (f *frame) plantSetting(g gitRun, key, val string) {
	switch {
	case strings.HasPrefix(key, "alias."):
		if blank(val) {
			f.opaqueForge(joinWords(g.argv), "what the alias stands for is only known when it runs")
			return
		}
		f.plant(g.argv, func(h *frame) { h.git(lits("git", key[len("alias."):])) })
	case strings.HasPrefix(key, "remote.") && strings.HasSuffix(key, ".push"):
		if _, to := splitRefspec(val); f.movesProtected(to) == yes {
			f.act(Act{Kind: PlantMerge, Ref: val}, g.argv)
		}
	case key == "core.hookspath" || key == "include.path":
		return
	}
}

// gitPlace follows what is checked out where.
func (f *frame) gitPlace(g gitRun, cmd string, args []word) {
	switch cmd {
	case "checkout", "switch":
		f.gitCheckout(g, args)
	case "branch":
		f.gitBranch(g, args)
	case "worktree":
		f.gitWorktree(g, args)
	case "clone":
		fl := parseFlags(args, "-b --branch -o --origin -u --depth -c --config --reference -j --jobs --filter --template --separate-git-dir --shallow-since")
		dir := fl.arg(1).text
		if dir == "" {
			dir = strings.TrimSuffix(programName(fl.arg(0).text), ".git")
		}
		branch := fl.val("-b", "--branch")
		if branch == "" {
			branch = f.defaultBranch()
		}
		f.checkedOut(f.at(g.dir, dir), branch)
	case "remote":
		if len(args) > 2 && has("add set-url", args[0].text) {
			f.m.config["remote."+strings.ToLower(args[1].text)+".url"] = args[2].text
		}
	}
}

func (f *frame) gitCheckout(g gitRun, args []word) {
	fl := parseFlags(args, "-b -B -c -C --create --force-create --orphan --conflict --pathspec-from-file")
	paths := false
	for i, w := range args {
		if w.text == "--" {
			paths = true
			f.overwritten(g, args[i+1:])
		}
	}
	if b, ok := fl.get("-b", "-B", "-c", "-C", "--create", "--force-create", "--orphan"); ok {
		f.checkedOut(g.dir, b.text)
		if up := fl.arg(0).text; fl.on("-t", "--track") && up != "" {
			f.track(b.text, up)
		}
		return
	}
	w := fl.arg(0)
	switch {
	case fl.on("-d", "--detach"):
		f.checkedOut(g.dir, "")
	case w.text == "-":
		f.checkedOut(g.dir, hole)
	case w.text != "" && !paths && len(fl.pos) == 1:
		f.checkedOut(g.dir, strings.TrimPrefix(w.text, "origin/"))
	case w.text != "" && !paths:
		f.overwritten(g, fl.pos[1:])
	}
}

func (f *frame) gitBranch(g gitRun, args []word) {
	fl := parseFlags(args, "-u --set-upstream-to -m -M --sort --contains --format --points-at")
	up, ok := fl.get("-u", "--set-upstream-to")
	if !ok {
		return
	}
	name := fl.arg(0).text
	if name == "" {
		if names, _ := f.branches(g.dir); len(names) > 0 {
			name = names[0]
		}
	}
	f.track(name, up.text)
}

// track notes a branch's upstream.
func (f *frame) track(name, upstream string) {
	remote, branch, ok := strings.Cut(upstream, "/")
	if !ok {
		remote, branch = ".", upstream
	}
	f.m.config["branch."+strings.ToLower(name)+".remote"] = remote
	f.m.config["branch."+strings.ToLower(name)+".merge"] = "refs/heads/" + branch
}

func (f *frame) gitWorktree(g gitRun, args []word) {
	if len(args) < 2 || args[0].text != "add" {
		return
	}
	fl := parseFlags(args[1:], "-b -B --reason")
	dir := f.at(g.dir, fl.arg(0).text)
	branch := programName(fl.arg(0).text)
	switch b, ok := fl.get("-b", "-B"); {
	case ok:
		branch = b.text
	case fl.arg(1).text != "":
		branch = strings.TrimPrefix(fl.arg(1).text, "origin/")
	}
	f.checkedOut(dir, branch)
}

// gitRunsText reads commands that git runs for every commit, revision, submodule or file.
func (f *frame) gitRunsText(g gitRun, cmd string, args []word) {
	defer f.through("git " + cmd)()
	h := f.child()
	h.cwd = g.dir
	switch cmd {
	case "rebase":
		for _, w := range parseFlags(args, "-x --exec --onto -s -X").all("-x", "--exec") {
			h.run(w.text)
		}
	case "bisect":
		if len(args) > 1 && args[0].text == "run" {
			h.argv(args[1:])
		}
	case "submodule":
		for i, w := range args {
			if w.text == "foreach" {
				h.run(joinText(command(args[i+1:], "", 0)))
			}
		}
	case "difftool":
		if w, ok := parseFlags(args, "-x --extcmd -t --tool").get("-x", "--extcmd"); ok {
			h.run(w.text)
		}
	case "for-each-repo":
		f.git(append(lits("git"), command(args, "--config", 0)...))
	case "filter-branch":
		for name, ws := range parseFlags(args, "--tree-filter --index-filter --msg-filter --env-filter --commit-filter --parent-filter --tag-name-filter").vals {
			if strings.HasSuffix(name, "-filter") {
				h.run(ws[0].text)
			}
		}
	}
}

// gitOutput is what git prints where that names a branch or a commit.
func (f *frame) gitOutput(argv []word) string {
	text := joinText(argv[1:])
	switch {
	case text == "branch --show-current", text == "rev-parse --abbrev-ref HEAD", text == "name-rev --name-only HEAD",
		text == "symbolic-ref --short HEAD", text == "symbolic-ref --short -q HEAD", text == "symbolic-ref -q --short HEAD":
		if names, _ := f.branches(f.place()); len(names) == 1 {
			return names[0] + "\n"
		}
	case text == "rev-parse --show-toplevel":
		return f.place() + "\n"
	case text == "config user.name", text == "config user.email":
		return soft
	case strings.HasPrefix(text, "rev-parse") && !strings.Contains(text, "abbrev-ref") &&
		!strings.Contains(text, "symbolic"), strings.HasPrefix(text, "merge-base"), strings.HasPrefix(text, "log --format=%H"), strings.HasPrefix(text, "describe"):
		return soft + "\n"
	}
	return hole
}
