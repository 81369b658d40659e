package forges

import (
	"maps"
	"slices"
	"strings"

	"hooks/internal/guard/plain"
	"hooks/internal/guard/shellword"
)

const (
	// gitTexts lists the flags whose values git runs in a shell, and flags with the same beginning,
	// so that abbreviations resolve correctly.
	gitTexts = `--exec --exec-path --extcmd --upload-pack --receive-pack --open-files-in-pager
--config --config-env --tree-filter --index-filter --msg-filter --env-filter --commit-filter
--parent-filter --tag-name-filter -x -u -O`
	gitVariables = `GIT_SSH_COMMAND GIT_EDITOR GIT_SEQUENCE_EDITOR EDITOR VISUAL PAGER GIT_PAGER
MANPAGER BROWSER GIT_EXTERNAL_DIFF GIT_ASKPASS SSH_ASKPASS GIT_PROXY_COMMAND LESSOPEN`
	gitHookNames = `pre-commit prepare-commit-msg commit-msg post-commit pre-merge-commit
post-merge post-checkout pre-rebase post-rewrite applypatch-msg pre-applypatch post-applypatch`
)

// gitStarts reads the programs that a git command starts: the programs in its arguments, even if
// they run once per revision, submodule or repository, and, if git is about to start, the
// repository's hooks.
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

// gitEnv reads the environment variables whose values git runs as commands.
func gitEnv(f *plain.Frame) {
	for name := range strings.FieldsSeq(gitVariables) {
		if text := f.Env(name); text != "" {
			h := f.Child()
			h.Let(name, "") // a git command in the value would recurse
			h.Look("$"+name, text)
		}
	}
}

// gitSetting applies the setting KEY=VALUE, and reads VALUE as a command if git may run it. A key
// without a value is set to true.
func gitSetting(f *plain.Frame, g *gitRun, pair string) {
	key, value, ok := strings.Cut(pair, "=")
	if !ok {
		value = "true"
	}
	key = gitKey(key)
	g.config[key] = append(g.config[key], value)
	gitRuns(f, key, value)
}

// gitKey returns a setting's key as git prints it: section and name in lower case, the subsection
// as written.
func gitKey(key string) string {
	section, name := strings.IndexByte(key, '.'), strings.LastIndexByte(key, '.')
	if section < 0 {
		return strings.ToLower(key)
	}
	return strings.ToLower(key[:section]) + key[section:name] + strings.ToLower(key[name:])
}

// gitRuns reads the value of a setting as a command. Git runs only some settings, but the values of
// the others rarely look like a command that lands something. An alias is read when it is used. Git
// never runs branch settings, such as a branch's description.
func gitRuns(f *plain.Frame, key, val string) {
	if !strings.HasPrefix(key, "alias.") && !strings.HasPrefix(key, "branch.") {
		f.Look("git "+key, strings.TrimPrefix(val, "!"))
	}
}

// setting returns a git setting as this command sees it, or an empty string.
func setting(f *plain.Frame, g gitRun, key string) string {
	key = gitKey(key)
	if given := g.config[key]; len(given) > 0 {
		return given[len(given)-1]
	}
	return f.M.Repo().Config[key]
}

// settings returns all values of a git setting, with those from -c last. Values may be empty.
func settings(f *plain.Frame, g gitRun, key string) []string {
	key = gitKey(key)
	return append(strings.Split(f.M.Repo().Config[key], "\n"), g.config[key]...)
}

// gitHooks reads the hooks and settings that a started command may run. Git puts its own directory
// first in their PATH, so a git that they start bypasses the brake's links. If a command may run
// any of the commit and merge hooks, gitHooks reads all of them.
func gitHooks(f *plain.Frame, g gitRun, cmd string, args []shellword.Word) {
	f.M.Real = false // hooks may start git, which would recurse
	defer func() { f.M.Real = true }()
	repo := f.M.Repo()
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
	for _, key := range slices.Sorted(maps.Keys(repo.Config)) {
		gitRuns(f, key, repo.Config[key])
	}
	answer := asked(f, "rev-parse", "--path-format=absolute", "--git-path", "hooks")
	// git before 2.31 does not know --path-format and prints it on a line before the answer
	folder := answer[strings.LastIndexByte(answer, '\n')+1:]
	folders := append(g.config["core.hookspath"], folder)
	for name := range strings.FieldsSeq(names) {
		for _, folder := range folders {
			text, _ := f.Open(f.At(g.dir, folder) + "/" + name)
			f.Look("git hook "+name, text)
		}
	}
}

// gitExtension reads the script git-NAME in PATH if git is actually about to start. A git that the
// script starts bypasses the brake's links, like a git started by a hook.
func gitExtension(f *plain.Frame, g gitRun, name string) {
	for dir := range strings.SplitSeq(f.Env("PATH"), ":") {
		text, _ := f.Open(f.At(g.dir, dir) + "/git-" + name)
		if f.M.Real && text != "" && strings.IndexByte(text, 0) < 0 {
			f.Look("git "+name, text)
		}
	}
}
