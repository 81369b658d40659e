package brake

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"hooks/internal/config"
	"hooks/internal/guard"
	"hooks/internal/guard/effect"
	"hooks/internal/guard/shellword"
	"hooks/internal/loop"
	"hooks/internal/safefile"
	"hooks/internal/tracker"
)

// Start describes a program that is about to start.
type Start struct {
	Argv    []string // begins with the link's name
	Cwd     string   // empty if unknown
	Environ []string
}

// Env returns the value of an environment variable, or an empty string if it is not set.
func (s Start) Env(name string) string {
	for _, kv := range s.Environ {
		if value, ok := strings.CutPrefix(kv, name+"="); ok {
			return value
		}
	}
	return ""
}

// readFile returns the contents of a file that the program may use. It implements effect.Files.
func (s Start) readFile(path string) (string, bool) {
	// Read one byte over the limit, to notice if the file is longer.
	return safefile.ReadHead(safefile.Absolute(s.Cwd, path), effect.MaxFile+1)
}

// judge returns a refusal if the program must not run. Otherwise it returns the program's acts. It
// omits the acts of programs that start through a link, because that link judges them. If the
// program merges, judge consumes the loop's pass.
func (s Start) judge(g ground) (acts []effect.Act, r *Refusal) {
	var unread error
	ofGit := s.Argv[0] == "git"
	_, start := s.git()
	facts := sync.OnceValue(func() (there tracker.Facts) {
		if ofGit {
			there = start.Repo(context.Background())
		} else {
			there = tracker.Repo(context.Background(), s.Cwd)
		}
		unread = there.Err
		return there
	})
	repo := sync.OnceValue(func() effect.Repo {
		r := Repo(facts())
		if ofGit {
			r.Ask = func(args ...string) string {
				answer, _ := start.Ask(context.Background(), args...)
				return answer
			}
		}
		return r
	})
	call := effect.Call{Tool: "Bash", Cwd: s.Cwd}
	reading := guard.ReadArgv(s.words(), s.Env, call, repo, s.readFile)
	acts = slices.DeleteFunc(slices.Clone(reading.Acts), func(a effect.Act) bool {
		program, _, _ := strings.Cut(a.Command, " ")
		return slices.Contains(Names[:], program) && throughLinks(repo, a.Via, a.Command)
	})
	opaque := slices.DeleteFunc(reading.Opaque, func(o effect.Opaque) bool {
		return throughLinks(repo, o.Via, o.Text)
	})
	why := reading.Unparsable
	if why == "" && len(opaque) > 0 {
		why = opaque[0].Reason
	}
	if why == "" && unread != nil {
		why = "git's configuration cannot be read: " + unread.Error()
	}
	switch merges := (effect.Reading{Acts: acts}).Merges(); {
	case why != "":
		return nil, refuse("unreadable", s.shown(), "it could be a merge: "+why,
			"write the command plainly, with a short body in the command or in a file")
	case len(merges) > 1:
		why = fmt.Sprintf("%d merges in one command", len(merges))
		return nil, refuse(string(merges[0].Kind), s.shown(), why, "merge one PR at a time")
	case len(merges) == 1:
		return acts, s.merge(g, merges[0])
	case g.unread && publishes(reading):
		return nil, s.unsealed()
	case g.phase.During != "" && publishes(reading):
		return nil, refuse(loop.AuditRule, s.shown(), "nothing is pushed during "+
			g.phase.During, "commit only; a person can push after "+g.phase.Until)
	}
	return acts, s.strays(g, facts)
}

// publishes reports whether the program pushes or opens a PR.
func publishes(r effect.Reading) bool {
	return r.Pushes != "" || slices.ContainsFunc(r.Acts, func(a effect.Act) bool {
		return a.Kind == effect.OpenPR
	})
}

// Repo converts facts about a repository to the form that package guard uses.
func Repo(at tracker.Facts) effect.Repo {
	return effect.Repo{
		Branch: at.Branch, Default: at.Default, Remotes: at.Remotes, Config: at.Config,
	}
}

// words returns the command line. For curl and wget it adds flags for the configuration files that
// the program would read by default.
func (s Start) words() []string {
	name, args := s.Argv[0], s.Argv[1:]
	home := s.Env("HOME")
	flag, files := "", []string(nil)
	switch {
	case name == "curl" && !slices.Contains(args[:min(1, len(args))], "-q"):
		flag, files = "-K", []string{filepath.Join(s.Env("CURL_HOME"), ".curlrc"),
			filepath.Join(s.Env("XDG_CONFIG_HOME"), "curlrc"),
			filepath.Join(home, ".curlrc"), filepath.Join(home, ".config", "curlrc")}
	case name == "wget":
		flag, files = "--config", []string{safefile.Absolute(s.Cwd, s.Env("SYSTEM_WGETRC")),
			safefile.Absolute(s.Cwd, s.Env("WGETRC")), filepath.Join(home, ".wgetrc")}
	}
	words := []string{name}
	for _, path := range files {
		if info, err := os.Stat(path); err == nil && !info.IsDir() && filepath.IsAbs(path) {
			words = append(words, flag, path)
		}
	}
	return append(words, args...)
}

// merge judges the command's only merging act. If a PR is merged or approved and the loop has a
// pass for that, merge consumes the pass and allows the act. It refuses any other act.
func (s Start) merge(g ground, a effect.Act) *Refusal {
	no := func(why, way string) *Refusal { return refuse(string(a.Kind), s.shown(), why, way) }
	switch {
	case a.Auto || a.Admin:
		return no("--auto and --admin bypass the approval",
			"merge the PR with `"+s.plainly(0)+"` once its checks have passed")
	case a.Kind != effect.MergePR && a.Kind != effect.ApprovePR:
		return no("in a loop only PRs may be merged, one at a time, through the merge gate",
			"open or update a PR and leave it to a person")
	case a.PR == 0:
		return no("it does not name a PR", "name the PR by its number, as in `"+s.plainly(0)+"`")
	case g.project == "":
		return s.unsealed()
	case g.ended:
		return no("the loop has ended, and no person has typed in its session since",
			"ask a person to type a prompt here first, or to merge in a terminal of their own")
	}
	if other := s.foreign(g, a); other != "" {
		return no("it targets "+other+", but the merge gate covers only the project's own PRs",
			"merge only PRs of the project's own repository")
	}
	switch ok, why, at := g.pass(g.links.home, g.links.session, a.Kind, a.PR, a.SHA); {
	case ok:
		return nil
	case at != "":
		return no(why, "run `"+tracker.MergeCommand(s.forge(), a.PR, at)+"`")
	default:
		return no(why, "run `"+s.plainly(a.PR)+"` as a separate Bash command, so that "+
			"the merge gate can ask")
	}
}

// unsealed returns the refusal for a loop whose sealed record cannot be read.
func (s Start) unsealed() *Refusal {
	return refuse("sealed-record", s.shown(), "the loop's record cannot be read",
		"leave it to a person, who can find the cause with `hooks doctor`")
}

// plainly returns the plain command that merges a PR. If pr is 0, the command contains N instead.
func (s Start) plainly(pr int) string {
	return tracker.MergeCommand(s.forge(), pr, "")
}

// forge returns the forge of the started client, or else the forge of the repository.
func (s Start) forge() string {
	if kind := tracker.ForgeOfClient(s.Argv[0]); kind != "" {
		return kind
	}
	return tracker.ForgeOf(tracker.Repo(context.Background(), s.Cwd).Base().Host)
}

// foreign returns the repository or host that a merge targets. It returns an empty string if one of
// the loop's runs began with that repository.
func (s Start) foreign(g ground, a effect.Act) string {
	redact := config.Of(g.config, g.project).Redact // the run's own tracker is stored redacted
	if len(g.runs) == 0 {                           // an older version began the run
		url := tracker.Repo(context.Background(), g.project).Base().URL
		g.runs = []loop.Tracker{{URL: redact(url)}}
	}
	_, start := s.git()
	host, target, here := s.host(), a.Repo, false
	switch {
	case target == "": // like gh, take the repository from git
		there := start.Repo(context.Background())
		here = there.Err == nil && there.Top != ""
		target = there.Base().String()
		if host != "" && !strings.HasPrefix(target, host+"/") {
			return "the host " + host
		}
	case strings.Contains(target, "/") && host != "":
		target = host + "/" + target
	}
	target = redact(target)
	for _, run := range g.runs {
		if a.Repo != "" && tracker.Named(target, tracker.Own(run)...) ||
			here && tracker.RepositoryAt(run.URL).String() == target {
			return ""
		}
	}
	return cmp.Or(a.Repo, "the repository of "+start.Works)
}

// host returns the host that the environment sets for the forge client, in lower case, or an empty
// string.
func (s Start) host() string {
	name := ""
	switch tracker.ForgeOfClient(s.Argv[0]) {
	case "github":
		name = s.Env("GH_HOST")
	case "gitlab":
		name = cmp.Or(s.Env("GITLAB_HOST"), s.Env("GL_HOST"), s.Env("GITLAB_URI"))
	}
	return cmp.Or(tracker.RepositoryAt(name).Host, strings.ToLower(name))
}

// shown returns the command for display, shortened and without secrets.
func (s Start) shown() string {
	return shellword.Clip(loop.Secrets(shellword.Join(shellword.Lits(s.Argv...))), 300)
}

// throughLinks reports whether part of a git command runs in a shell where programs start through
// links, which judge them. This is true of an alias with "!", a hook and rebase --exec. It is not
// true of a git command in them, because git puts its own directory first in PATH.
func throughLinks(repo func() effect.Repo, via []string, command string) bool {
	byGit, byShell := false, false
	for _, v := range via {
		name, isAlias := strings.CutPrefix(v, "git alias ")
		if strings.HasPrefix(v, "git ") || strings.HasPrefix(v, "$GIT_") {
			text := repo().Config["alias."+strings.ToLower(name)]
			byGit, byShell = true, byShell || !isAlias || strings.HasPrefix(text, "!")
		}
	}
	return byShell && !(byGit && strings.HasPrefix(command, "git "))
}
