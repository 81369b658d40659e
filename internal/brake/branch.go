package brake

import (
	"cmp"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"hooks/internal/guard"
	"hooks/internal/guard/shellword"
	"hooks/internal/loop"
	"hooks/internal/tracker"
)

// audited returns the arguments with which a program runs in a phase of an audit loop. An auditor's
// git ignores settings that alter what it shows, because a worker may have set them. A coder's git
// does not create a local branch when a remote branch of that name is checked out.
func audited(argv []string, phase string) []string {
	p := loop.Phase(phase)
	switch {
	case linkName(argv[0]) != "git":
		return argv
	case p == loop.Coding || p == loop.Fixing:
		return slices.Insert(slices.Clone(argv), 1, "-c", "checkout.guess=false")
	case !p.Audits():
		return argv
	}
	sub, _ := gitCommand(argv, "")
	if sub < len(argv) && shellword.Has("diff log show whatchanged blame reflog diff-tree "+
		"diff-index diff-files range-diff", argv[sub]) {
		argv = slices.Insert(slices.Clone(argv), sub+1, "--no-ext-diff", "--no-textconv")
	}
	return slices.Insert(slices.Clone(argv), 1, "--no-pager", "-c", "core.fsmonitor=",
		"-c", "diff.noprefix=false", "-c", "diff.mnemonicPrefix=false")
}

// gitCommand returns the index of git's command in its arguments, and the directory in which git
// works if it starts in dir.
func gitCommand(argv []string, dir string) (at int, _ string) {
	const valued = "-C -c --git-dir --work-tree --namespace --config-env --attr-source"
	for at = 1; at < len(argv) && (argv[at] == "" || argv[at][0] == '-'); at++ {
		name, value, joined := strings.Cut(argv[at], "=")
		if !joined && shellword.Has(valued, name) && at+1 < len(argv) {
			at++
			value = argv[at]
		}
		if shellword.Has("-C --git-dir --work-tree", name) {
			if dir = filepath.Join(dir, value); filepath.IsAbs(value) {
				dir = value
			}
		}
	}
	return at, dir
}

// strays refuses a coder's git command that changes a branch other than the loop's, another
// worktree, or a remote that is a local directory. It returns nil if git only reads or stays on the
// branch.
func (s Start) strays(g ground) *Refusal {
	text := guard.Call{Tool: "Bash", Cwd: s.Cwd, Command: shellword.Join(shellword.Lits(s.Argv...))}
	if g.branch == "" || s.Argv[0] != "git" || guard.ReadOnly(text) {
		return nil
	}
	own := tracker.Repo(s.Env, g.project)
	argv, dir := s.Argv, s.Cwd
	if at := s.Steers["GIT_DIR"]; at != "" {
		dir = at
	}
	at, dir := gitCommand(argv, dir)
	if at >= len(argv) {
		return nil
	}
	globals := argv[1:at]
	setting := func(key string) string { return s.gitSetting(own.Config, globals, key) }
	alias := setting("alias." + argv[at])
	if alias != "" {
		words := loop.SplitWords(strings.TrimPrefix(strings.TrimPrefix(alias, "!"), "git "))
		argv = slices.Concat(argv[:at], words, argv[at+1:])
	}
	there, why := tracker.Repo(s.Env, dir), ""
	text.Command = strings.TrimPrefix(alias, "!")
	hides := !strings.HasPrefix(text.Command, "git ") || strings.ContainsAny(alias, ";&|<>$`\n")
	if within(own.Dir, dir) && !within(g.project, dir) {
		there = own
	}
	switch shared := common(there.Dir) == common(own.Dir); {
	case (there.Top == "" || tracker.RealPath(there.Top) != tracker.RealPath(own.Top)) &&
		(shared || within(common(own.Dir), dir) || remote(own, dir)):
		why = "it works in " + dir
	case !shared:
	case s.Env("GIT_CONFIG_PARAMETERS") != "": // only git itself sets it
		why = "the settings in GIT_CONFIG_PARAMETERS are not seen"
	case alias != text.Command && hides && startsGit(text.Command):
		why = unseen
	case slices.ContainsFunc(argv, func(arg string) bool {
		return strings.Contains(arg, ":refs/heads/")
	}):
		why = "it writes into a local branch"
	default:
		why = moves(argv[at:], g.branch, there.Branch)
		if why == "" && argv[at] == "rebase" {
			why = s.hiddenSteps(argv[at+1:], setting("rebase.updateRefs"))
		}
	}
	if why == "" {
		return nil
	}
	return refuse(loop.AuditRule, s.shown(), why+", and the phase "+g.audits+" of an audit loop "+
		"stays on "+g.branch, "commit on "+g.branch+"; a person merges after the audit is clear")
}

// gitSetting returns the value of a git setting. Flags before git's command override the
// environment, which overrides the files.
func (s Start) gitSetting(files map[string]string, flags []string, key string) string {
	value := files[strings.ToLower(key)]
	count, _ := strconv.Atoi(s.Env("GIT_CONFIG_COUNT"))
	for i := range min(count, maxSettings) {
		if n := strconv.Itoa(i); strings.EqualFold(s.Env("GIT_CONFIG_KEY_"+n), key) {
			value = s.Env("GIT_CONFIG_VALUE_" + n)
		}
	}
	for i, arg := range flags {
		text, named := strings.CutPrefix(arg, "--config-env=")
		name, given, ok := strings.Cut(text, "=")
		switch {
		case !strings.EqualFold(name, key):
			continue
		case named || i > 0 && flags[i-1] == "--config-env":
			given = s.Env(given)
		case !ok:
			given = "true"
		}
		value = given
	}
	return value
}

// maxSettings is the maximum number of settings that are read from the environment.
const maxSettings = 1000

// common returns the git directory that a repository's worktrees share, given that of one worktree.
func common(dir string) string {
	shared, _, _ := strings.Cut(tracker.RealPath(dir), "/worktrees/")
	return shared
}

func within(folder, dir string) bool {
	rel, err := filepath.Rel(tracker.RealPath(folder), tracker.RealPath(dir))
	return err == nil && filepath.IsLocal(rel)
}

// remote reports whether dir is in a remote of the repository that is a local directory.
func remote(own tracker.Facts, dir string) bool {
	for _, url := range own.Remotes {
		if url = strings.TrimPrefix(url, "file://"); !filepath.IsAbs(url) {
			url = filepath.Join(own.Top, url)
		}
		if within(url, dir) {
			return true
		}
	}
	return false
}

// unseen is the reason for refusing shell text that git runs.
const unseen = "the git that it starts meets no link"

// moves explains how a git command changes a branch other than own, or returns an empty string if
// it does not. on is the branch that is checked out.
func moves(argv []string, own, on string) string {
	const valued = "-x --exec -s --strategy -X --strategy-option --onto -C"
	rebases := argv[0] == "rebase"
	var args []string
	for i := 1; i < len(argv); i++ {
		switch arg := argv[i]; {
		case arg == "" || arg[0] != '-':
			args = append(args, arg)
		case rebases && shellword.Has(valued, arg):
			i++
		}
	}
	has := func(flags string) bool {
		return slices.ContainsFunc(argv[1:], func(arg string) bool {
			return flagged(flags, arg)
		})
	}
	into := func(arg string) bool {
		_, to, ref := strings.Cut(arg, ":")
		return ref && to != "" && !strings.HasPrefix(to, "refs/")
	}
	const another = "it changes another branch"
	switch argv[0] {
	case "commit", "merge", "reset", "rebase", "cherry-pick", "revert", "am", "pull":
		before := 1 // words before the branch that rebase checks out
		if has("--root") {
			before = 0
		}
		switch {
		case on != "" && on != own:
			return "HEAD is on " + on
		case rebases && (has("--update-refs") ||
			len(args) > before && args[len(args)-1] != own):
			return another
		case rebases && startsGit(strings.Join(argv[1:], " ")):
			return unseen
		case argv[0] == "pull" && slices.ContainsFunc(args[min(1, len(args)):], into):
			return another
		}
	case "fetch":
		if has("--stdin") || slices.ContainsFunc(args[min(1, len(args)):], into) {
			return another
		}
	case "remote":
		if has("--mirror") {
			return "its fetch would change other branches"
		}
	case "update-ref":
		if has("--stdin") || slices.ContainsFunc(args, func(arg string) bool {
			return strings.HasPrefix(arg, "refs/heads/") && arg != "refs/heads/"+own
		}) {
			return another
		}
	case "branch":
		if len(args) > 0 && !has("-u --set-upstream-to --unset-upstream --edit-description") {
			return another
		}
	case "stash":
		if len(args) > 0 && args[0] == "branch" {
			return another
		}
	case "worktree":
		if len(args) > 0 && args[0] != "list" {
			return "it changes other worktrees"
		}
	case "checkout", "switch":
		if has("-b -B -c -C -t --create --force-create --orphan --track --guess") &&
			!slices.Contains(args[:min(1, len(args))], own) {
			return another
		}
	case "symbolic-ref":
		if len(args) > 1 {
			return another
		}
	case "bisect":
		if startsGit(strings.Join(argv[1:], " ")) {
			return unseen
		}
	case "fast-import", "filter-branch", "history", "receive-pack", "replay", "send-pack":
		return another
	}
	return ""
}

// hiddenSteps explains why the todo list of a rebase may change another branch, or returns an empty
// string if it cannot. args holds the arguments after "rebase"; updateRefs is the value of the
// setting rebase.updateRefs.
func (s Start) hiddenSteps(args []string, updateRefs string) string {
	steps := slices.ContainsFunc(args, func(arg string) bool {
		valued := strings.IndexAny(arg, "xXsCS") // the rest of the word is a value
		if valued > 0 && arg[1] != '-' {
			arg = arg[:valued]
		}
		return flagged("-i --interactive --edit-todo", arg)
	})
	switch {
	case steps && !shellword.Has(": true", s.Env("GIT_SEQUENCE_EDITOR")):
		return "the steps that an editor writes are not seen"
	case !shellword.Has("false no off 0", cmp.Or(strings.ToLower(updateRefs), "false")) &&
		!slices.Contains(args, "--no-update-refs"):
		return "rebase.updateRefs is set and --no-update-refs is not given"
	}
	return ""
}

// flagged reports whether an argument contains one of the flags: alone, joined with others, with
// its value, or abbreviated.
func flagged(flags, arg string) bool {
	name, _, _ := strings.Cut(arg, "=")
	return slices.ContainsFunc(strings.Fields(flags), func(flag string) bool {
		if strings.HasPrefix(flag, "--") {
			return len(name) > 3 && strings.HasPrefix(flag, name)
		}
		return len(arg) > 1 && arg[0] == '-' && arg[1] != '-' && strings.Contains(arg, flag[1:])
	})
}

// startsGit reports whether shell text that git runs may start a git that does more than read. Such
// a git bypasses the links, because git puts its own directory first in PATH.
func startsGit(text string) bool {
	return strings.Contains(text, "git ") &&
		!guard.ReadOnly(guard.Call{Tool: "Bash", Command: text})
}
