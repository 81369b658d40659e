package forges

import (
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"hooks/internal/guard/plain"
	"hooks/internal/guard/shellword"
)

const (
	// gitTexts lists the flags whose values git runs in a shell, and flags that begin like one of
	// them, so that an abbreviation resolves correctly.
	gitTexts = `--exec --exec-path --extcmd --upload-pack --receive-pack --open-files-in-pager
--config --config-env --tree-filter --index-filter --msg-filter --env-filter --commit-filter
--parent-filter --tag-name-filter -x -u -O`
	gitVariables = `GIT_SSH_COMMAND GIT_EDITOR GIT_SEQUENCE_EDITOR EDITOR VISUAL PAGER GIT_PAGER
MANPAGER BROWSER GIT_EXTERNAL_DIFF GIT_ASKPASS SSH_ASKPASS GIT_PROXY_COMMAND LESSOPEN`
	gitHookNames = `pre-commit prepare-commit-msg commit-msg post-commit pre-merge-commit
post-merge post-checkout pre-rebase post-rewrite applypatch-msg pre-applypatch post-applypatch`
)

// gitStarts reads the programs that a git command starts: from its arguments, for each revision,
// submodule or repository, and from the repository's hooks.
func gitStarts(f *plain.Frame, g gitRun, cmd string, args []shellword.Word) {
	fl := shellword.ParseFlags(args, gitTexts)
	for _, w := range fl.All(strings.Fields(gitTexts)...) {
		f.Look("git "+cmd, w.Text)
	}
	for i, w := range args {
		if remote, ok := strings.CutPrefix(w.Text, "ext::"); ok {
			f.Look("git ext::", remote)
		}
		if cmd == "config" && i+1 < len(args) {
			gitRuns(f, strings.ToLower(w.Text), args[i+1].Text)
		}
	}
	h := f.In(g.dir)
	switch each := slices.Index(shellword.Texts(args), "foreach"); {
	case cmd == "bisect" && len(args) > 1 && args[0].Text == "run":
		h.Through("git bisect").Exec(args[1:])
	case cmd == "submodule" && each >= 0:
		text := shellword.JoinText(shellword.Command(args[each+1:], ""))
		h.Through("git submodule").Run(text)
	case cmd == "for-each-repo":
		rest := append(shellword.Lits("git"), shellword.Command(args, "--config")...)
		Git(h.Through("git for-each-repo"), rest)
	}
	if f.M.Real {
		gitHooks(h, g, cmd, args)
	}
}

// gitEnv applies the git settings in the environment and the directory of GIT_DIR, and reads the
// variables that git runs as commands.
func gitEnv(f *plain.Frame, g *gitRun) {
	if n, err := strconv.Atoi(f.Env("GIT_CONFIG_COUNT")); err == nil {
		for i := 0; i < n && f.M.Burn(2); i++ {
			is := strconv.Itoa(i)
			gitSetting(f, g, f.Env("GIT_CONFIG_KEY_"+is)+"="+f.Env("GIT_CONFIG_VALUE_"+is))
		}
	}
	for _, w := range f.WordsOf(f.Env("GIT_CONFIG_PARAMETERS")) {
		gitSetting(f, g, w.Text)
	}
	for name := range strings.FieldsSeq(gitVariables) {
		if text := f.Env(name); text != "" {
			h := f.Child()
			h.Let(name, "") // a git command in the value would recurse
			h.Look("$"+name, text)
		}
	}
	if dir := f.Env("GIT_DIR"); dir != "" {
		g.dir = f.Resolve(strings.TrimSuffix(strings.TrimSuffix(dir, ".git"), "/"))
	}
}

// gitSetting applies one key=value and reads the command that git may run because of it.
func gitSetting(f *plain.Frame, g *gitRun, setting string) {
	key, val, ok := strings.Cut(setting, "=")
	if !ok {
		val = "true"
	}
	key = strings.ToLower(key)
	g.config[key] = val
	if key == "include.path" {
		f.OpaqueForge("git -c "+setting, "a file of settings that is not read")
	}
	gitRuns(f, key, val)
}

// gitRuns reads the value of a setting as a command. Git runs only some settings, but the values
// of the others never look like a command that lands something. An alias counts when it is used.
func gitRuns(f *plain.Frame, key, val string) {
	if !strings.HasPrefix(key, "alias.") {
		f.Look("git "+key, strings.TrimPrefix(val, "!"))
	}
}

// setting returns a git setting as this command sees it, or an empty string.
func setting(f *plain.Frame, g gitRun, key string) string {
	key = strings.ToLower(key)
	if v, ok := g.config[key]; ok {
		return v
	}
	return f.M.Repo().Config[key]
}

// gitHooks reads the hooks and settings that a started command may run. Git puts its own directory
// first in their PATH, so a git that they start bypasses the brake's links. The reading is coarse:
// a command that runs one of the commit and merge hooks counts as running all of them.
func gitHooks(f *plain.Frame, g gitRun, cmd string, args []shellword.Word) {
	f.M.Real = false // hooks may start git, which would recurse
	defer func() { f.M.Real = true }()
	config, folder := f.M.Repo().Config, hooksFolder(f, g)
	names := "reference-transaction post-index-change pre-auto-gc "
	switch {
	case cmd == "hook": // hook run NAME
		names += shellword.ParseFlags(args, "--to-stdin").Arg(1).Text
	case cmd == "push":
		names += "pre-push"
	case shellword.Has(`commit merge pull checkout switch worktree rebase cherry-pick revert am`,
		cmd):
		names += gitHookNames
	}
	for _, key := range slices.Sorted(maps.Keys(config)) {
		gitRuns(f, key, config[key])
	}
	for name := range strings.FieldsSeq(names) {
		text, _ := f.Open(folder + "/" + name)
		f.Look("git hook "+name, text)
	}
}

// gitExtension reads the script git-NAME in PATH if git is actually about to start. As in a hook,
// a git that the script starts bypasses the brake's links.
func gitExtension(f *plain.Frame, g gitRun, name string) {
	for dir := range strings.SplitSeq(f.Env("PATH"), ":") {
		text, _ := f.Open(f.At(g.dir, dir) + "/git-" + name)
		if f.M.Real && text != "" && strings.IndexByte(text, 0) < 0 {
			f.Look("git "+name, text)
		}
	}
}

// hooksFolder returns the directory of a repository's hooks. A linked worktree uses the hooks of
// its main repository.
func hooksFolder(f *plain.Frame, g gitRun) string {
	if p := setting(f, g, "core.hookspath"); p != "" {
		return f.At(g.dir, p)
	}
	for d := g.dir; ; d = path.Dir(d) {
		if git := f.GitDir(d); git != "" {
			common, _, _ := strings.Cut(git, "/worktrees/")
			return common + "/hooks"
		}
		if path.Dir(d) == d || f.M.ReadsLeft() <= 20 {
			return f.At(g.dir, ".git/hooks")
		}
	}
}
