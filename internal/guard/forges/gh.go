package forges

import (
	"cmp"
	"path"
	"strconv"
	"strings"

	"hooks/internal/guard/effect"
	"hooks/internal/guard/shell"
	"hooks/internal/guard/shellword"
)

const ghValued = "-R --repo --hostname --config-dir"

// GH reads a command line of GitHub's client.
func GH(f *shell.Frame, argv []shellword.Word) {
	group, rest, ok := shellword.Subcommand(argv[1:], ghValued)
	if !ok {
		ghUnknown(f, argv, group)
		return
	}
	_, aliased := ghAliased(f, group.Text)
	if !aliased && shellword.AsksHelp(argv, ghHelpValued(group.Text, rest)) {
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
	case "alias":
		ghAlias(f, argv, rest)
	case "config":
		ghConfig(f, argv, rest)
	case "extension", "extensions", "ext":
		ghExtension(f, argv, rest)
	case "workflow":
		ghWorkflow(f, argv, rest)
	case "repo":
		ghRepo(f, argv, rest)
	case "ruleset", "rs", "rulesets":
		sub, _, _ := shellword.Subcommand(rest, ghValued)
		if shellword.Has("create edit delete update import", sub.Text) {
			f.Act(effect.Act{Kind: effect.RelaxProtection}, argv)
		}
	case "codespace", "cs":
		ghCodespace(f, rest)
	case "co":
		prCheckout(f, argv, prTarget(f, shellword.ParseFlags(rest, ghPRValued)))
	default:
		text, ok := ghAliased(f, group.Text)
		switch {
		case ok:
			ghExpand(f, group.Text, text, rest)
		case group.Text != "" && !shellword.Has(ghOwn, group.Text):
			ghExtended(f, argv, group.Text)
		}
	}
}

// ghOwn are gh's own commands that land nothing.
const ghOwn = `release run auth attestation browse cache completion gist gpg-key help label org
project search secret ssh-key status variable version preview copilot agent-task accessibility
actions environment reference skill licenses`

// ghHelpValued are the flags of a command that take a value: behind any other a -h asks for help.
func ghHelpValued(group string, rest []shellword.Word) string {
	switch sub, _, _ := shellword.Subcommand(rest, ghValued); {
	case group == "pr" && sub.Text == "merge":
		return ghMergeValued
	case group == "pr" && sub.Text == "review":
		return ghReviewValued
	}
	return ghPRValued + " " + ghAPIValued
}

// ghUnknown is gh with a command that is only known when it runs.
func ghUnknown(f *shell.Frame, argv []shellword.Word, group shellword.Word) {
	if group.Text != "pr" || !GenericForge(f, argv) {
		f.OpaqueForge(shellword.Join(argv), "the gh command is only known when it runs")
	}
}

// ghAliased is the text of an alias of gh.
func ghAliased(f *shell.Frame, name string) (text string, ok bool) {
	if text, ok = f.M.GHAliases[name]; !ok {
		text, ok = f.M.Repo().Aliases[name]
	}
	return text, ok
}

// ghExpand runs an alias: "!…" in a shell, anything else as gh's arguments. $1 is replaced, other
// words follow.
func ghExpand(f *shell.Frame, name, text string, rest []shellword.Word) {
	defer f.Through("gh alias " + name)()
	if line, ok := strings.CutPrefix(text, "!"); ok {
		g := f.Child()
		g.Args, g.Name = shellword.Texts(rest), "sh"
		g.Run(line)
		return
	}
	filled := text
	for i := range rest {
		filled = shellword.Swap(filled, "$"+strconv.Itoa(i+1), shellword.Quoted(rest[i:i+1]))
	}
	if filled == text {
		filled += " " + shellword.Quoted(rest)
	}
	f.Child().Run("gh " + filled)
}

// ghExtended is an extension, which cannot be read. Common ones only show or tidy the local clone.
func ghExtended(f *shell.Frame, argv []shellword.Word, name string) {
	switch {
	case shellword.Has(harmlessExtensions, name):
	case shellword.MergeWord(name) || strings.Contains(name, "merge") &&
		!strings.Contains(name, "conflict"):
		f.Act(effect.Act{Kind: effect.MergePR, PR: firstNumber(argv[1:])}, argv)
	default:
		f.OpaqueForge(shellword.Join(argv), "a gh alias or extension that is not known here")
	}
}

const harmlessExtensions = `dash poi notify eco markdown-preview screensaver user-status contribs
branch s i f f1 graph tidy stars changelog models milestone sub-issue actions-cache classroom`

func firstNumber(args []shellword.Word) int {
	for _, w := range args {
		if n := shellword.Number(w.Text); n > 0 {
			return n
		}
	}
	return 0
}

func ghAlias(f *shell.Frame, argv, rest []shellword.Word) {
	sub, rest, _ := shellword.Subcommand(rest, ghValued)
	fl := shellword.ParseFlags(rest, "")
	input := f.Input()
	switch name, text := fl.Arg(0).Text, fl.Arg(1).Text; sub.Text {
	case "set":
		if text == "-" {
			text = strings.TrimSpace(input)
		}
		if fl.On("-s", "--shell") && !strings.HasPrefix(text, "!") {
			text = "!" + text
		}
		setAlias(f, argv, name, text)
	case "import":
		if name != "" {
			input = f.FileText(name)
		}
		if shellword.Blank(input) {
			f.OpaqueForge(shellword.Join(argv), "the aliases it brings in are not known here")
			return
		}
		for line := range strings.SplitSeq(input, "\n") {
			name, value, ok := strings.Cut(strings.TrimSpace(line), ":")
			if ok && !strings.HasPrefix(name, "#") {
				setAlias(f, argv, name, strings.Trim(strings.TrimSpace(value), `'"`))
			}
		}
	}
}

// setAlias notes an alias; one that merges is an act of its own, for a later call could use it.
func setAlias(f *shell.Frame, argv []shellword.Word, name, text string) {
	f.M.GHAliases[name] = text
	if shellword.Blank(text) {
		f.OpaqueForge(shellword.Join(argv), "what the alias stands for is only known when it runs")
		return
	}
	args := []shellword.Word{shellword.Lit(shellword.Unknown)}
	plant(f, argv, func(g *shell.Frame) {
		if ghExpand(g, name, text, args); shellword.ProgramName(argv[0].Text) == "glab" {
			Glab(g, append(append(shellword.Lits("glab"), g.WordsOf(text)...), args...))
		}
	})
}

// plant reads the text that an alias or a setting would run later. If that merges, setting it is
// an act.
func plant(f *shell.Frame, argv []shellword.Word, run func(g *shell.Frame)) {
	if f.Would(run) {
		f.Act(effect.Act{Kind: effect.PlantMerge}, argv)
	}
}

func ghConfig(f *shell.Frame, argv, rest []shellword.Word) {
	sub, rest, _ := shellword.Subcommand(rest, "-h --host")
	if sub.Text != "set" {
		return
	}
	fl := shellword.ParseFlags(rest, "-h --host")
	key, val := fl.Arg(0).Text, fl.Arg(1).Text
	if name, ok := strings.CutPrefix(strings.Replace(key, "aliases.", "alias.", 1), "alias."); ok {
		setAlias(f, argv, name, val)
		return
	}
	if shellword.Has("editor pager browser", key) {
		f.Look("gh "+key, val)
	}
}

func ghExtension(f *shell.Frame, argv, rest []shellword.Word) {
	sub, rest, _ := shellword.Subcommand(rest, "--pin")
	fl := shellword.ParseFlags(rest, "--pin")
	switch name := strings.TrimPrefix(shellword.ProgramName(fl.Arg(0).Text), "gh-"); sub.Text {
	case "exec":
		if text, ok := f.M.GHAliases[name]; ok {
			ghExpand(f, name, text, fl.Pos[1:])
			return
		}
		ghExtended(f, argv, name)
	case "install":
		switch {
		case shellword.Has(harmlessExtensions, name):
		case strings.Contains(name, "merge"):
			f.Act(effect.Act{Kind: effect.PlantMerge}, argv)
		default:
			f.OpaqueForge(shellword.Join(argv), "a gh extension that is not known here")
		}
	}
}

func ghCodespace(f *shell.Frame, rest []shellword.Word) {
	fl := shellword.ParseFlags(rest,
		"-c --codespace -R --repo --repo-owner --profile --server-port")
	if fl.Arg(0).Text == "ssh" {
		text := shellword.JoinText(fl.Pos[1:])
		f.Within("gh codespace ssh", func() { f.Child().ShellText(text, "gh codespace") })
	}
}

func ghWorkflow(f *shell.Frame, argv, rest []shellword.Word) {
	sub, rest, _ := shellword.Subcommand(rest, ghValued)
	if sub.Text == "run" {
		fl := shellword.ParseFlags(rest, "-f -F -r --raw-field --field --ref -R --repo")
		Workflow(f, fl.Arg(0).Text, argv)
	}
}

// Workflow judges a started workflow: by its file where that can be read, else by its name.
func Workflow(f *shell.Frame, name string, argv []shellword.Word) {
	if name == "" {
		return
	}
	if shellword.Blank(name) {
		f.OpaqueForge(shellword.Join(argv), "the workflow it starts is only known when it runs")
		return
	}
	a := effect.Act{Kind: effect.RunMergingWorkflow, Ref: name, PR: inputNumber(argv)}
	if text, ok := workflowText(f, name); ok {
		if MergingText(text) {
			f.Act(a, argv)
		}
		return
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

// workflowText is the text of a workflow by its file, or by the name under which it is shown.
func workflowText(f *shell.Frame, name string) (string, bool) {
	folder := path.Join(f.M.Call.Cwd, ".github/workflows")
	if ext := path.Ext(name); ext == ".yml" || ext == ".yaml" {
		text, from := f.Open(folder + "/" + shellword.ProgramName(name))
		return text, from != shell.Nowhere
	}
	list, ok := f.M.Files.(effect.Folders)
	if !ok {
		return "", false
	}
	for _, file := range list.List(folder) {
		text, _ := f.Open(folder + "/" + file)
		for line := range strings.SplitSeq(text, "\n") {
			shown, ok := strings.CutPrefix(line, "name:")
			if ok && strings.Trim(strings.TrimSpace(shown), `"'`) == name {
				return text, true
			}
		}
	}
	return "", false
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

// inputNumber is the PR number among a workflow's inputs: -f pr=5.
func inputNumber(argv []shellword.Word) int {
	for _, w := range argv {
		name, val, _ := strings.Cut(strings.ToLower(w.Text), "=")
		n := shellword.Number(val)
		if n > 0 && (shellword.HasPart(name, "pr pull") || name == "number") {
			return n
		}
	}
	return 0
}

func ghRepo(f *shell.Frame, argv, rest []shellword.Word) {
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
		if len(fl.Pos) > 0 && Protected(f, branch) != shell.No {
			repo := repoName(fl.Arg(0).Text)
			f.Act(effect.Act{Kind: effect.PushProtected, Ref: branch, Repo: repo}, argv)
		}
	}
}

// repoName is owner/name of a repository as gh takes it, "" for other text.
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
