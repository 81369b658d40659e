package forges

import (
	"cmp"
	"path"
	"strings"

	"hooks/internal/guard/effect"
	"hooks/internal/guard/plain"
	"hooks/internal/guard/shellword"
)

const ghValued = "-R --repo --hostname --config-dir"

// GH reads a command line of GitHub's client.
func GH(f *plain.Frame, argv []shellword.Word) {
	group, rest, ok := shellword.Subcommand(argv[1:], ghValued)
	if !ok {
		f.OpaqueForge(shellword.Join(argv), "the gh command is only known when it runs")
		return
	}
	alias, aliased := f.M.Repo().Aliases[group.Text]
	if !aliased && shellword.AsksHelp(argv) {
		return
	}
	switch group.Text {
	case "pr":
		ghPR(f, argv, rest)
	case "api":
		ghAPI(f, argv, rest)
	case "issue":
		sub, rest, _ := shellword.Subcommand(rest, ghPRValued)
		fl := shellword.ParseFlags(rest, ghPRValued+" -c --comment")
		if shellword.Has("edit close reopen lock unlock", sub.Text) { // GitHub's PRs are issues too
			usePR(f, argv, prTarget(f, fl))
		}
		talk(f, argv, sub.Text, fl)
	case "extension", "extensions", "ext":
		ghExtension(f, argv, rest)
	case "codespace", "cs": // codespace ssh COMMAND
		pos := shellword.ParseFlags(rest, "-c --codespace -R --repo --repo-owner --profile").Pos
		f.Within("gh codespace", func() {
			f.Child().Run(shellword.JoinText(pos[min(1, len(pos)):]))
		})
	case "workflow":
		if sub, rest, _ := shellword.Subcommand(rest, ghValued); sub.Text == "run" {
			fl := shellword.ParseFlags(rest, "-f -F -r --raw-field --field --ref -R --repo")
			Workflow(f, fl.Arg(0).Text, argv)
		}
	case "repo":
		ghRepo(f, argv, rest)
	case "ruleset", "rs", "rulesets":
		sub, _, _ := shellword.Subcommand(rest, ghValued)
		if shellword.Has("create edit delete update import", sub.Text) {
			f.Act(effect.Act{Kind: effect.RelaxProtection}, argv)
		}
	case "co":
		prCheckout(f, argv, prTarget(f, shellword.ParseFlags(rest, ghPRValued)))
	default:
		switch {
		case aliased:
			ghExpand(f, group.Text, alias, rest)
		case group.Text != "" && !shellword.Has(ghOwn, group.Text):
			ghExtended(f, argv, group.Text)
		}
	}
}

// ghOwn are gh's own commands that land nothing.
const ghOwn = `alias config
release run auth attestation browse cache completion gist gpg-key help label
org project search secret ssh-key status variable version preview copilot agent-task accessibility
actions environment reference skill licenses`

// ghExpand runs an alias: "!…" in a shell, anything else as gh's arguments. Its $1 is a hole.
func ghExpand(f *plain.Frame, name, text string, rest []shellword.Word) {
	defer f.Through("gh alias " + name)()
	if line, ok := strings.CutPrefix(text, "!"); ok {
		f.Child().Run(line)
		return
	}
	f.Child().Run("gh " + text + " " + shellword.Quoted(rest))
}

// ghExtended is an extension, which cannot be read. Common ones only show or tidy the local clone.
func ghExtended(f *plain.Frame, argv []shellword.Word, name string) {
	if !shellword.Has(harmlessExtensions, name) {
		f.OpaqueForge(shellword.Join(argv), "a gh alias or extension that is not known here")
	}
}

const harmlessExtensions = `dash poi notify eco markdown-preview screensaver user-status contribs
branch s i f f1 graph tidy stars changelog models milestone sub-issue actions-cache classroom`

func ghExtension(f *plain.Frame, argv, rest []shellword.Word) {
	sub, rest, _ := shellword.Subcommand(rest, "--pin")
	if shellword.Has("exec install", sub.Text) {
		name := shellword.ProgramName(shellword.ParseFlags(rest, "--pin").Arg(0).Text)
		ghExtended(f, argv, strings.TrimPrefix(name, "gh-"))
	}
}

// Workflow judges a started workflow: by its file where that can be read, else by its name.
func Workflow(f *plain.Frame, name string, argv []shellword.Word) {
	if name == "" {
		return
	}
	if shellword.Blank(name) {
		f.OpaqueForge(shellword.Join(argv), "the workflow it starts is only known when it runs")
		return
	}
	a := effect.Act{Kind: effect.RunMergingWorkflow, Ref: name}
	shown := strings.Join(shellword.NameWords(name), "-") // "Land it" is in land-it.yml as a rule
	for _, file := range []string{shellword.ProgramName(name), shown + ".yml", shown + ".yaml"} {
		if text, ok := f.Open(path.Join(f.M.Call.Cwd, ".github/workflows", file)); ok {
			if MergingText(text) {
				f.Act(a, argv)
			}
			return
		}
	}
	parts := shellword.NameWords(strings.TrimSuffix(strings.TrimSuffix(name, ".yml"), ".yaml"))
	switch {
	case shellword.AnyOf(parts, "merge automerge land bors ship"):
		if !shellword.AnyOf(parts, "conflict conflicts check") {
			f.Act(a, argv)
		}
	case shellword.Number(name) > 0:
		f.OpaqueForge(shellword.Join(argv), "a workflow that is only known by its number")
	}
}

// MergingText reports whether the text of a workflow or a file of recipes merges.
func MergingText(text string) bool {
	t := strings.ToLower(text)
	for _, mark := range []string{
		"gh pr merge", "pulls.merge", "/merge", "automerge", "auto-merge", "auto_merge",
		"mergepullrequest", "enqueuepullrequest", "mergemethod", "merge-action", "git merge ",
	} {
		if strings.Contains(t, mark) {
			return true
		}
	}
	return strings.Contains(t, "git push") && (strings.Contains(t, ":main") ||
		strings.Contains(t, "origin main") || strings.Contains(t, "origin master"))
}

func ghRepo(f *plain.Frame, argv, rest []shellword.Word) {
	sub, rest, _ := shellword.Subcommand(rest, ghValued)
	switch sub.Text {
	case "clone":
		fl := shellword.ParseFlags(rest, "-u --upstream-remote-name")
		gitClone(f, gitRun{argv: argv, dir: place(f), config: map[string]string{}}, fl.Pos)
	case "edit":
		fl := shellword.ParseFlags(rest, `
			-d --description -h --homepage --default-branch --visibility
--add-topic --remove-topic`)
		if _, ok := fl.Get("--default-branch"); ok || fl.On("--enable-auto-merge") {
			f.Act(effect.Act{Kind: effect.RelaxProtection, Repo: repoName(fl.Arg(0).Text)}, argv)
		}
	case "sync":
		fl := shellword.ParseFlags(rest, "-b --branch -s --source")
		branch := cmp.Or(fl.Val("-b", "--branch"), DefaultBranch(f))
		if len(fl.Pos) > 0 && Protected(f, branch) != No {
			repo := repoName(fl.Arg(0).Text)
			f.Act(effect.Act{Kind: effect.PushProtected, Ref: branch, Repo: repo}, argv)
		}
	}
}

// repoName returns the owner/name of a repository argument that gh accepts, or an empty string for
// other text.
func repoName(s string) string {
	s = strings.TrimSuffix(s, ".git")
	if _, rest, ok := strings.Cut(s, "://"); ok {
		s = afterHost(rest)
	}
	parts := strings.Split(s, "/")
	if len(parts) == 3 && strings.Contains(parts[0], ".") {
		parts = parts[1:]
	}
	if len(parts) < 2 || shellword.HasUnknown(s) || parts[0] == "" {
		return ""
	}
	return parts[0] + "/" + parts[1]
}
