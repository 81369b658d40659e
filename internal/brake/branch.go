package brake

import (
	"path/filepath"
	"slices"
	"strings"

	"hooks/internal/guard"
	"hooks/internal/guard/shellword"
	"hooks/internal/loop"
	"hooks/internal/tracker"
)

// gitCommand is the index of git's command in its arguments; dir is where it then works.
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

// strays returns the refusal of a coder's git that changes another branch than the loop's, another
// worktree, or the bare repository of a remote on this machine. It is nil if git stays or looks.
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
	key := "alias." + strings.ToLower(argv[at])
	alias := own.Config[key]
	for _, arg := range argv[:at] { // as -c has it
		if name, value, _ := strings.Cut(arg, "="); strings.ToLower(name) == key {
			alias = value
		}
	}
	if alias != "" {
		words := loop.SplitWords(strings.TrimPrefix(strings.TrimPrefix(alias, "!"), "git "))
		argv = slices.Concat(argv[:at], words, argv[at+1:])
	}
	there, why := tracker.Repo(s.Env, dir), ""
	if within(own.Dir, dir) && !within(g.project, dir) {
		there = own
	}
	switch shared := common(there.Dir) == common(own.Dir); {
	case (there.Top == "" || tracker.RealPath(there.Top) != tracker.RealPath(own.Top)) &&
		(shared || within(common(own.Dir), dir) || remote(own, dir)):
		why = "it works in " + dir
	case !shared:
	case slices.ContainsFunc(argv, func(arg string) bool {
		return strings.Contains(arg, ":refs/heads/")
	}):
		why = "it writes into a local branch"
	default:
		why = moves(argv[at:], g.branch, there.Branch)
	}
	if why == "" {
		return nil
	}
	return refuse(loop.AuditRule, s.shown(), why+", and the phase "+g.audits+" of an audit loop "+
		"stays on "+g.branch, "commit on "+g.branch+"; a person merges after the audit is clear")
}

// common is the folder that the worktrees of a repository share, by git's folder of one of them.
func common(dir string) string {
	shared, _, _ := strings.Cut(tracker.RealPath(dir), "/worktrees/")
	return shared
}

func within(folder, dir string) bool {
	rel, err := filepath.Rel(tracker.RealPath(folder), tracker.RealPath(dir))
	return err == nil && filepath.IsLocal(rel)
}

// remote reports whether a folder is in a repository's remote on this machine.
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

// moves is why a command of git changes another branch than own, where git has a branch checked
// out; "" if it does not.
func moves(argv []string, own, on string) string {
	args := slices.DeleteFunc(slices.Clone(argv[1:]), func(arg string) bool {
		return strings.HasPrefix(arg, "-")
	})
	has := func(flags string) bool {
		return slices.ContainsFunc(argv[1:], func(arg string) bool {
			return shellword.Has(flags, arg)
		})
	}
	into := func(arg string) bool {
		_, to, ref := strings.Cut(arg, ":")
		return ref && to != "" && !strings.HasPrefix(to, "refs/")
	}
	const another = "it changes another branch"
	switch argv[0] {
	case "commit", "merge", "reset", "rebase", "cherry-pick", "revert", "am", "pull":
		if on != "" && on != own {
			return "HEAD is on " + on
		} else if argv[0] == "rebase" && len(args) > 1 && args[len(args)-1] != own &&
			!has("-x --exec -s -X --onto") {
			return another
		} else if argv[0] == "pull" && slices.ContainsFunc(args[min(1, len(args)):], into) {
			return another
		}
	case "fetch":
		if slices.ContainsFunc(args[min(1, len(args)):], into) {
			return another
		}
	case "update-ref":
		if has("--stdin") || slices.ContainsFunc(args, func(arg string) bool {
			return strings.HasPrefix(arg, "refs/heads/") && arg != "refs/heads/"+own
		}) {
			return another
		}
	case "branch":
		if has("-f -M -C -D -d -m --force --move --copy --delete") {
			return another
		}
	case "checkout", "switch", "worktree":
		if has("-B -C --force-create") && !slices.Contains(args, own) {
			return another
		}
	case "symbolic-ref":
		if len(args) > 1 {
			return another
		}
	case "fast-import", "receive-pack", "send-pack":
		return another
	}
	return ""
}
