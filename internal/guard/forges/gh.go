package forges

import (
	"path"
	"strconv"
	"strings"

	"hooks/internal/guard/act"
	"hooks/internal/guard/shell"
	"hooks/internal/guard/word"
)

const ghValued = "-R --repo --hostname --config-dir"

// GH reads a command line of GitHub's client.
func GH(f *shell.Frame, argv []word.Word) {
	group, rest, ok := word.Subcommand(argv[1:], ghValued)
	if !ok {
		ghUnknown(f, argv, group)
		return
	}
	_, aliased := ghAliased(f, group.Text)
	if !aliased && word.AsksHelp(argv, ghHelpValued(group.Text, rest)) {
		return
	}
	switch group.Text {
	case "pr":
		ghPR(f, argv, rest)
	case "api":
		ghAPI(f, argv, rest)
	case "issue":
		ghIssue(f, argv, rest)
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
		sub, _, _ := word.Subcommand(rest, ghValued)
		if word.Has("create edit delete update import", sub.Text) {
			f.Act(act.Act{Kind: act.RelaxProtection}, argv)
		}
	case "codespace", "cs":
		ghCodespace(f, rest)
	case "co":
		prCheckout(f)
	default:
		text, ok := ghAliased(f, group.Text)
		switch {
		case ok:
			ghExpand(f, group.Text, text, rest)
		case group.Text != "" && !word.Has(ghOwn, group.Text):
			ghExtended(f, argv, group.Text)
		}
	}
}

// ghOwn are gh's own commands that land nothing.
const ghOwn = `release run auth attestation browse cache completion gist gpg-key help label org
project search secret ssh-key status variable version preview copilot agent-task accessibility
actions environment reference skill licenses`

// ghHelpValued are the flags of a command that take a value: behind any other a -h asks for help.
func ghHelpValued(group string, rest []word.Word) string {
	switch sub, _, _ := word.Subcommand(rest, ghValued); {
	case group == "pr" && sub.Text == "merge":
		return ghMergeValued
	case group == "pr" && sub.Text == "review":
		return ghReviewValued
	}
	return ghPRValued + " " + ghAPIValued
}

// ghUnknown is gh with a command that is only known when it runs.
func ghUnknown(f *shell.Frame, argv []word.Word, group word.Word) {
	if group.Text != "pr" || !GenericForge(f, argv) {
		f.OpaqueForge(word.Join(argv), "the gh command is only known when it runs")
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
func ghExpand(f *shell.Frame, name, text string, rest []word.Word) {
	defer f.Through("gh alias " + name)()
	if line, ok := strings.CutPrefix(text, "!"); ok {
		g := f.Child()
		g.Args, g.Name = word.Texts(rest), "sh"
		g.Run(line)
		return
	}
	filled := text
	for i := range rest {
		filled = word.Swap(filled, "$"+strconv.Itoa(i+1), word.Quoted(rest[i:i+1]))
	}
	if filled == text {
		filled += " " + word.Quoted(rest)
	}
	f.Child().Run("gh " + filled)
}

// ghExtended is an extension, which cannot be read. Common ones only show or tidy the local clone.
func ghExtended(f *shell.Frame, argv []word.Word, name string) {
	switch {
	case word.Has(harmlessExtensions, name):
	case word.MergeWord(name) || strings.Contains(name, "merge") &&
		!strings.Contains(name, "conflict"):
		f.Act(act.Act{Kind: act.MergePR, PR: firstNumber(argv[1:])}, argv)
	default:
		f.OpaqueForge(word.Join(argv), "a gh alias or extension that is not known here")
	}
}

const harmlessExtensions = `dash poi notify eco markdown-preview screensaver user-status contribs
branch s i f f1 graph tidy stars changelog models milestone sub-issue actions-cache classroom`

func firstNumber(args []word.Word) int {
	for _, w := range args {
		if n := word.Number(w.Text); n > 0 {
			return n
		}
	}
	return 0
}

func ghAlias(f *shell.Frame, argv, rest []word.Word) {
	sub, rest, _ := word.Subcommand(rest, ghValued)
	fl := word.ParseFlags(rest, "")
	input := word.Hole
	if f.Stdin != nil {
		input = f.Stdin.Text
	}
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
		if word.Blank(input) {
			f.OpaqueForge(word.Join(argv), "the aliases it brings in are not known here")
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
func setAlias(f *shell.Frame, argv []word.Word, name, text string) {
	f.M.GHAliases[name] = text
	if word.Blank(text) {
		f.OpaqueForge(word.Join(argv), "what the alias stands for is only known when it runs")
		return
	}
	args := []word.Word{word.Lit(word.Hole)}
	plant(f, argv, func(g *shell.Frame) {
		if ghExpand(g, name, text, args); word.ProgramName(argv[0].Text) == "glab" {
			Glab(g, append(append(word.Lits("glab"), g.WordsOf(text)...), args...))
		}
	})
}

// plant reads the text that an alias or a setting would run later. If that merges, setting it is
// an act.
func plant(f *shell.Frame, argv []word.Word, run func(g *shell.Frame)) {
	if f.Would(run) {
		f.Act(act.Act{Kind: act.PlantMerge}, argv)
	}
}

func ghConfig(f *shell.Frame, argv, rest []word.Word) {
	sub, rest, _ := word.Subcommand(rest, "-h --host")
	if sub.Text != "set" {
		return
	}
	fl := word.ParseFlags(rest, "-h --host")
	key, val := fl.Arg(0).Text, fl.Arg(1).Text
	if name, ok := strings.CutPrefix(strings.Replace(key, "aliases.", "alias.", 1), "alias."); ok {
		setAlias(f, argv, name, val)
		return
	}
	if word.Has("editor pager browser", key) {
		f.Look("gh "+key, val)
	}
}

func ghExtension(f *shell.Frame, argv, rest []word.Word) {
	sub, rest, _ := word.Subcommand(rest, "--pin")
	fl := word.ParseFlags(rest, "--pin")
	switch name := strings.TrimPrefix(word.ProgramName(fl.Arg(0).Text), "gh-"); sub.Text {
	case "exec":
		if text, ok := f.M.GHAliases[name]; ok {
			ghExpand(f, name, text, fl.Pos[1:])
			return
		}
		ghExtended(f, argv, name)
	case "install":
		switch {
		case word.Has(harmlessExtensions, name):
		case strings.Contains(name, "merge"):
			f.Act(act.Act{Kind: act.PlantMerge}, argv)
		default:
			f.OpaqueForge(word.Join(argv), "a gh extension that is not known here")
		}
	}
}

func ghCodespace(f *shell.Frame, rest []word.Word) {
	fl := word.ParseFlags(rest, "-c --codespace -R --repo --repo-owner --profile --server-port")
	if fl.Arg(0).Text == "ssh" {
		text := word.JoinText(fl.Pos[1:])
		f.Within("gh codespace ssh", func() { f.Child().ShellText(text, "gh codespace") })
	}
}

func ghWorkflow(f *shell.Frame, argv, rest []word.Word) {
	sub, rest, _ := word.Subcommand(rest, ghValued)
	if sub.Text == "run" {
		fl := word.ParseFlags(rest, "-f -F -r --raw-field --field --ref -R --repo")
		Workflow(f, fl.Arg(0).Text, argv)
	}
}

// Workflow judges a started workflow: by its file where that can be read, else by its name.
func Workflow(f *shell.Frame, name string, argv []word.Word) {
	if name == "" {
		return
	}
	if word.Blank(name) {
		f.OpaqueForge(word.Join(argv), "the workflow it starts is only known when it runs")
		return
	}
	a := act.Act{Kind: act.RunMergingWorkflow, Ref: name, PR: inputNumber(argv)}
	if text, ok := workflowText(f, name); ok {
		if MergingText(text) {
			f.Act(a, argv)
		}
		return
	}
	parts := word.NameWords(strings.TrimSuffix(strings.TrimSuffix(name, ".yml"), ".yaml"))
	switch {
	case word.AnyOf(parts, "merge automerge land bors ship"):
		if !word.AnyOf(parts, "conflict conflicts check") {
			f.Act(a, argv)
		}
	case word.Number(name) > 0:
		f.OpaqueForge(word.Join(argv), "a workflow that is only known by its number")
	}
}

// workflowText is the text of a workflow by its file, or by the name under which it is shown.
func workflowText(f *shell.Frame, name string) (string, bool) {
	folder := path.Join(f.M.Call.Cwd, ".github/workflows")
	if ext := path.Ext(name); ext == ".yml" || ext == ".yaml" {
		text, from := f.Open(folder + "/" + word.ProgramName(name))
		return text, from != shell.Nowhere
	}
	list, ok := f.M.Files.(act.Folders)
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
func inputNumber(argv []word.Word) int {
	for _, w := range argv {
		name, val, _ := strings.Cut(strings.ToLower(w.Text), "=")
		n := word.Number(val)
		if n > 0 && (word.HasPart(name, "pr pull") || name == "number") {
			return n
		}
	}
	return 0
}

func ghRepo(f *shell.Frame, argv, rest []word.Word) {
	sub, rest, _ := word.Subcommand(rest, ghValued)
	switch sub.Text {
	case "clone":
		fl := word.ParseFlags(rest, "-u --upstream-remote-name")
		gitClone(f, gitRun{argv: argv, dir: place(f), config: map[string]string{}}, fl.Pos)
	case "edit":
		fl := word.ParseFlags(rest, `-d --description -h --homepage --default-branch --visibility
--add-topic --remove-topic`)
		if _, ok := fl.Get("--default-branch"); ok || fl.On("--enable-auto-merge") {
			f.Act(act.Act{Kind: act.RelaxProtection, Repo: repoName(fl.Arg(0).Text)}, argv)
		}
	case "sync":
		fl := word.ParseFlags(rest, "-b --branch -s --source")
		branch, ok := fl.Get("-b", "--branch")
		if !ok {
			branch = word.Lit(DefaultBranch(f))
		}
		if len(fl.Pos) > 0 && Protected(f, branch.Text) != shell.No {
			repo := repoName(fl.Arg(0).Text)
			f.Act(act.Act{Kind: act.PushProtected, Ref: branch.Text, Repo: repo}, argv)
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
	if len(parts) < 2 || word.Unknown(s) || parts[0] == "" {
		return ""
	}
	return parts[0] + "/" + parts[1]
}
