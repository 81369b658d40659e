package brake

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"

	"hooks/internal/guard"
	"hooks/internal/guard/effect"
	"hooks/internal/guard/shellword"
	"hooks/internal/loop"
	"hooks/internal/safefile"
	"hooks/internal/tracker"
)

// in returns the program's arguments with the git settings that the phase requires. In a read-only
// phase, git ignores settings that alter its output or start programs, because a worker may have
// set them. In a writing phase, checking out a remote branch creates no local branch, and a rebase
// moves no other branch. The added settings follow the command's own, so that they take precedence.
func (s Start) in(phase loop.Confined) []string {
	at, _ := s.git()
	argv, settings := s.Argv, []string(nil)
	switch {
	case argv[0] != "git" || at >= len(argv):
		return argv
	case phase.Writes:
		settings = []string{"-c", "checkout.guess=false", "-c", "rebase.updateRefs=false"}
	case phase.Reads:
		settings = []string{"--no-pager", "-c", "core.fsmonitor=", "-c", "diff.noprefix=false",
			"-c", "diff.mnemonicPrefix=false"}
		if shellword.Has("diff log show whatchanged blame reflog diff-tree diff-index diff-files "+
			"range-diff", argv[at]) {
			argv = slices.Insert(slices.Clone(argv), at+1, "--no-ext-diff", "--no-textconv")
		}
	}
	return slices.Insert(slices.Clone(argv), at, settings...)
}

// git returns the index of the git subcommand in the arguments, and how git is started. If the
// program is not git, at is 1, and start describes a git process that the program would start.
func (s Start) git() (at int, start tracker.GitStart) {
	start = tracker.GitStart{Dir: s.Cwd, Env: s.Environ, Works: s.Cwd}
	gitDir, workTree := s.Env("GIT_DIR"), s.Env("GIT_WORK_TREE")
	for at = 1; ; {
		flag, value, n := shellword.GitFlag(s.Argv[at:])
		switch flag {
		case "-C":
			start.Works = safefile.Absolute(start.Works, value)
		case "--git-dir":
			gitDir = value
		case "--work-tree":
			workTree = value
		}
		if n == 0 || s.Argv[0] != "git" {
			start.Works = safefile.Absolute(start.Works, cmp.Or(gitDir, workTree))
			return at, start
		}
		if shellword.Has("-C --git-dir --work-tree --bare -c --config-env", flag) {
			start.Flags = append(start.Flags, s.Argv[at:at+n]...)
		}
		at += n
	}
}

// strays refuses a git command that changes a branch other than the phase's, another worktree, or a
// remote that is a local directory. It returns nil if the program is not git, if the phase has no
// branch, or if the command only reads or stays on the phase's branch.
func (s Start) strays(g ground, facts func() tracker.Facts) *Refusal {
	line := shellword.Join(shellword.Lits(s.Argv...))
	text := effect.Call{Tool: "Bash", Cwd: s.Cwd, Command: line}
	at, start := s.git()
	branch := g.phase.Branch
	if branch == "" || s.Argv[0] != "git" || guard.ReadOnly(text) || at >= len(s.Argv) {
		return nil
	}
	own := tracker.Repo(context.Background(), g.project)
	there, dir, why := facts(), start.Works, ""
	if within(own.Dir, dir) && !within(g.project, dir) {
		there.Top, there.Dir = own.Top, own.Dir
	}
	switch shared := common(there.Dir) == common(own.Dir); {
	case (there.Top == "" || tracker.RealPath(there.Top) != tracker.RealPath(own.Top)) &&
		(shared || within(common(own.Dir), dir) || remote(own, dir)):
		why = "it works in " + dir
	case shared:
		head, _ := start.Ask(context.Background(), "symbolic-ref", "HEAD")
		on := strings.TrimPrefix(head, tracker.Heads)
		why = s.strayed(s.Argv[at:], branch, on, there.Config)
	}
	if why == "" {
		return nil
	}
	return refuse(loop.AuditRule, s.shown(), why+", but "+g.phase.During+" stays on branch "+branch,
		"commit on "+branch+"; a person can merge after "+g.phase.Until)
}

// strayed is like moves, but also rejects an alias, and a fetch configured to write to a local
// branch. It rejects even an alias that git ignores because it has the name of a git command.
func (s Start) strayed(argv []string, own, on string, config map[string]string) (why string) {
	name := "alias." + argv[0]
	if cmp.Or(config[strings.ToLower(name)], config[name+".command"]) != "" {
		return "it is an alias, so it may change another branch (type its command instead)"
	}
	for key, value := range config {
		fetches := strings.HasPrefix(key, "remote.") && strings.HasSuffix(key, ".fetch")
		if fetches && strings.Contains(value, ":refs/heads/") &&
			shellword.Has("fetch pull remote", argv[0]) {
			return "it writes into a local branch"
		}
	}
	return s.moves(argv, own, on)
}

// common returns the git directory that all worktrees of a repository share. dir is the git
// directory of any of these worktrees.
func common(dir string) string {
	shared, _, _ := strings.Cut(tracker.RealPath(dir), "/worktrees/")
	return shared
}

func within(folder, dir string) bool {
	rel, err := filepath.Rel(tracker.RealPath(folder), tracker.RealPath(dir))
	return err == nil && filepath.IsLocal(rel)
}

// remote reports whether dir is inside a local directory that the repository has as a remote.
func remote(own tracker.Facts, dir string) bool {
	for _, url := range own.Remotes {
		if within(safefile.Absolute(own.Top, strings.TrimPrefix(url, "file://")), dir) {
			return true
		}
	}
	return false
}

// unseen is the reason for refusing `git bisect run`.
const unseen = "the git commands that it starts would not be checked"

// staying maps each git command that can change another branch to its harmless flags. These neither
// change another branch nor make a rebase run a program.
var staying = map[string]string{
	"branch":   "-q --quiet -u --set-upstream-to --unset-upstream --edit-description",
	"checkout": "-q --quiet -f --force --ours --theirs",
	"fetch":    "-q --quiet -p --prune --all --tags --no-tags --depth --unshallow",
	"rebase": `-q --quiet -f -qf --force-rebase --no-update-refs --autostash --continue --skip
--abort --quit`,
	"remote":     "-v --verbose",
	"subtree":    "-q --quiet -P --prefix",
	"switch":     "-q --quiet -f --force",
	"update-ref": "-m -d --no-deref",
}

// moves explains how a git command changes or could change another worktree, or a branch other than
// own. It returns an empty string if there is no such change. argv begins with the git subcommand;
// on is the checked-out branch.
func (s Start) moves(argv []string, own, on string) string {
	const another = "it changes another branch"
	const settings = "-u --set-upstream-to --unset-upstream --edit-description" // flags
	command, args, sets := argv[0], []string(nil), false
	stays, watched := staying[command]
	for _, arg := range argv[1:] {
		name, _, _ := strings.Cut(arg, "=")
		switch {
		case len(arg) < 2 || arg[0] != '-':
			args = append(args, arg)
		case watched && arg != "--" && !shellword.Has(stays, name):
			return "with " + arg + " it could change another branch"
		}
		sets = sets || shellword.Has(settings, name)
	}
	first := ""
	if len(args) > 0 {
		first = args[0]
	}
	into := func(arg string) bool {
		_, to, ref := strings.Cut(arg, ":")
		return ref && to != "" && !strings.HasPrefix(to, "refs/")
	}
	foreign := func(arg string) bool {
		place, _, _ := strings.Cut(arg, "/") // such as main-worktree/HEAD
		return shellword.Has("main-worktree worktrees", place) ||
			strings.HasPrefix(arg, "refs/heads/") && arg != "refs/heads/"+own
	}
	switch {
	case strings.Contains(strings.Join(s.Argv, " "), ":refs/heads/"):
		return "it writes into a local branch"
	case on != "" && on != own &&
		shellword.Has("commit merge reset rebase cherry-pick revert am pull subtree update-ref",
			command):
		return "HEAD is on " + on
	case command == "rebase" && len(args) > 1,
		shellword.Has("fetch pull", command) && slices.ContainsFunc(args[min(1, len(args)):], into),
		command == "update-ref" && slices.ContainsFunc(args, foreign),
		command == "branch" && len(args) > 0 && !sets,
		command == "stash" && first == "branch",
		command == "worktree" && first != "" && first != "list",
		command == "symbolic-ref" && len(args) > 1,
		shellword.Has("fast-import filter-branch history receive-pack replay send-pack", command):
		return another
	case command == "bisect" && first == "run":
		return unseen
	}
	return ""
}
