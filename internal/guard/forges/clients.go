package forges

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"

	"hooks/internal/guard/effect"
	"hooks/internal/guard/plain"
	"hooks/internal/guard/shellword"
)

const (
	apiFlags = `-X --method -f --raw-field -F --field -H --header --input -q --jq -t --template
-p --preview --cache --hostname -R --repo`
	teaFlags = `-r --repo -l --login -R --remote -o --output -s --style -t --title -m --message
-L --labels -d --description`
)

// valuedFlags lists the flags that take a value, by command. The first row whose command is a
// prefix applies, because the same letter may be a switch in one command and take a value in
// another.
var valuedFlags = [...]struct{ command, flags string }{
	{"gh pr merge ", `-R --repo -b --body -F --body-file -t --subject -A --author-email
--match-head-commit --hostname`},
	{"gh pr review ", "-R --repo -b --body -F --body-file --hostname"},
	{"gh api ", apiFlags},
	{"gh codespace ", "-c --codespace -R --repo --repo-owner --profile"},
	{"gh workflow ", "-f -F -r --raw-field --field --ref -R --repo"},
	{"gh repo clone ", "-u --upstream-remote-name"},
	{"gh repo edit ", `-d --description -h --homepage --default-branch --visibility --add-topic
--remove-topic`},
	{"gh repo sync ", "-b --branch -s --source"},
	{"gh ", `-R --repo -b --body -F --body-file -t --subject --title -A --author-email
--match-head-commit --hostname -B --base -H --head -l --label -a --assignee -r --reviewer -m
--milestone -p --project -T --template --recover --add-label --remove-label --add-assignee
--remove-assignee --add-reviewer --remove-reviewer --add-project --remove-project --branch
--config-dir --pin -c --comment`},
	{"glab mr merge ", "-R --repo -m --message --squash-message --sha"},
	{"glab mr accept ", "-R --repo -m --message --squash-message --sha"},
	{"glab api ", apiFlags},
	{"glab repo clone ", "-g --group"},
	{"glab ", `-R --repo -g --group --host -m --message --squash-message --sha -l --label -u
--unlabel -b --target-branch -t --title -d --description -a --assignee --reviewer --milestone
--source-branch`},
	{"tea api ", teaFlags + " -X --method -f --field -F --Field -H --header --data"},
	{"tea ", teaFlags + " --state -f --fields -p --page --limit --lm"},
	{"hub api ", apiFlags},
	{"hub ", `-C -c --git-dir --work-tree --namespace --exec-path -R --repo -b -h -m --message -F
--file -s -X`},
}

func valued(words ...string) string {
	command := strings.Join(words, " ") + " "
	for _, row := range valuedFlags {
		if strings.HasPrefix(command, row.command) {
			return row.flags
		}
	}
	return ""
}

// ghCommands lists gh's usual commands by group. A gh alias or extension has a different name,
// because it cannot replace a command. The newest commands are missing, because they could be
// aliases in an older gh.
var ghCommands = [...]struct{ groups, commands string }{
	{"pr", `checkout checks close comment create diff edit list lock ls merge new ready reopen
review status unlock update-branch view`},
	{"issue", `close comment create delete develop edit list lock ls new pin reopen status transfer
unlock unpin view`},
	{"repo", `archive clone create delete edit fork list ls new rename set-default sync unarchive
view`},
	{"release", "create delete delete-asset download edit list ls new upload view"},
	{"run", "cancel delete download list ls rerun view watch"},
	{"workflow", "disable enable list ls run view"},
	{"label", "clone create delete edit list ls"},
	{"project", `close copy create delete edit field-create field-delete field-list item-add
item-archive item-create item-delete item-edit item-list link list ls unlink view`},
	{"search", "code commits issues prs repos"},
	{"gist", "clone create delete edit list ls new rename view"},
	{"auth", "git-credential login logout refresh setup-git status switch token"},
	{"secret", "delete list ls remove set"},
	{"variable", "delete get list ls remove set"},
	{"cache", "delete list ls"},
	{"alias", "delete import list ls set"},
	{"config", "clear-cache get list ls set"},
	{"org ssh-key gpg-key", "list ls"},
	{"attestation", "download verify"},
	{"codespace cs", "code cp create delete edit list logs ls ports rebuild ssh stop view"},
	{"ruleset rs", "check list ls view"},
	{"extension extensions ext", "browse create list ls remove search upgrade"},
	{"api browse completion help status version", ""}, // these groups have no commands
}

// glabGroups lists glab's command groups. A glab alias has a different name.
const glabGroups = `alias api auth changelog check-update ci cluster completion config deploy-key
duo help incident issue iteration job label milestone mr opentofu pipe pipeline project release repo
schedule search securefile snippet ssh-key stack token user variable version`

// named reports whether a command is built into gh or glab. Any other name may be an alias or an
// extension, which could do anything. named accepts all tea and hub commands.
func named(client, group, command string) bool {
	switch {
	case group == "" || client == "tea" || client == "hub":
		return true
	case client == "glab":
		return shellword.Has(glabGroups, group)
	}
	for _, row := range ghCommands {
		if shellword.Has(row.groups, group) {
			return command == "" || row.commands == "" || shellword.Has(row.commands, command)
		}
	}
	return false
}

// Client reads a gh, glab, tea or hub command line. The clients share verbs, but not command
// groups.
func Client(f *plain.Frame, name string, argv []shellword.Word) {
	if name == "tea" {
		argv = teaSpelling(argv)
	}
	group, rest, ok := subcommand(name, argv[1:], valued(name))
	sub, args, known := subcommand(name, rest, valued(name, group.Text))
	flags := valued(name, group.Text, sub.Text)
	fl := shellword.ParseFlags(args, flags)
	is := func(groups string) bool { return shellword.Has(groups, name+"-"+group.Text) }
	const onPRs = "gh-pr glab-mr tea-pulls tea-pull tea-pr tea-prs hub-pr"
	switch {
	case !ok, !known && is(onPRs):
		f.OpaqueForge(shellword.Join(argv), "the "+name+" command is only known at run time")
	case slices.ContainsFunc(argv, func(w shellword.Word) bool {
		return strings.HasPrefix(w.Text, "--help=") || strings.HasPrefix(w.Text, "-h=")
	}):
		f.OpaqueForge(shellword.Join(argv), "--help has a value, so the command may still run")
	case !named(name, group.Text, sub.Text):
		reason := "an unknown command, alias or extension of " + name
		f.OpaqueForge(shellword.Join(argv), reason)
	case shellword.AsksHelp(argv, flags+" "+valued(name)):
	case is(onPRs):
		judgeVerb(f, argv, sub.Text, "pull request", fl)
	case is("gh-issue glab-issue"):
		if name == "gh" && shellword.Has("edit close reopen lock unlock", sub.Text) {
			usePR(f, argv, prTarget(f, fl)) // on GitHub, PRs are issues too
		}
		if !shellword.Has("create new", sub.Text) {
			judgeVerb(f, argv, sub.Text, "issue", fl)
		}
	case is("gh-api glab-api tea-api hub-api"):
		api(f, argv, shellword.ParseFlags(rest, flags))
	case is("gh-repo glab-repo glab-project"):
		repoVerb(f, argv, sub.Text, fl)
	case is("gh-codespace gh-cs"): // ssh COMMAND
		f.Through("gh codespace").Run(shellword.JoinText(fl.Pos))
	case is("gh-workflow"):
		if sub.Text == "run" {
			Workflow(f, fl.Arg(0).Text, argv)
		}
	case is("tea-comment tea-c"):
		fl = shellword.ParseFlags(rest, flags)
		Comment(f, shellword.JoinText(fl.Pos[min(1, len(fl.Pos)):]), prTarget(f, fl), argv)
	case is("tea-branches tea-branch tea-b"):
		if shellword.Has("unprotect u", sub.Text) {
			f.Act(effect.Act{Kind: effect.RelaxProtection}, argv)
		}
	case name == "hub":
		hub(f, argv, group.Text, rest)
	}
}

// subcommand returns the next subcommand and all other words. Before a subcommand, gh and glab
// treat the word after any flag as its value, even after a switch: "gh pr --squash 5 merge" merges
// 5.
func subcommand(
	name string, args []shellword.Word, valued string,
) (sub shellword.Word, rest []shellword.Word, ok bool) {
	flags := valued
	for _, w := range args {
		flag := strings.HasPrefix(w.Text, "--") || len(w.Text) == 2 && w.Text[0] == '-'
		if flag && !shellword.Has("-- --help -h", w.Text) {
			flags += " " + w.Text
		}
	}
	if name == "gh" || name == "glab" {
		sub, rest, ok = shellword.Subcommand(args, flags)
	}
	if len(rest) > 0 || sub.Text != "" {
		return sub, rest, ok
	}
	return shellword.Subcommand(args, valued)
}

// hub reads a hub command line. It passes git's own commands to Git.
func hub(f *plain.Frame, argv []shellword.Word, command string, rest []shellword.Word) {
	switch command {
	case "merge":
		pr, repo, ref := PullURL(shellword.ParseFlags(rest, valued("hub")).Arg(0), "")
		if pr > 0 {
			f.Act(effect.Act{Kind: effect.MergePR, PR: pr, Repo: repo, Ref: ref}, argv)
		}
	case "pull-request":
		f.Act(effect.Act{Kind: effect.OpenPR}, argv)
	default:
		Git(f, append(shellword.Lits("git"), argv[1:]...))
	}
}

// teaSpelling normalizes tea's flags to one dash before a letter and two before a name, because tea
// accepts either form for both.
func teaSpelling(argv []shellword.Word) []shellword.Word {
	out := slices.Clone(argv)
	for i, w := range out {
		bare := strings.TrimLeft(w.Text, "-")
		if name, _, _ := strings.Cut(bare, "="); bare != "" && bare != w.Text {
			out[i].Text = "--"[:min(2, len(name))] + bare
		}
	}
	return out
}

// judgeVerb judges a command on a PR or an issue as a Tool. The verb and the noun become the words
// of the tool's name, and the flags become its fields.
func judgeVerb(f *plain.Frame, argv []shellword.Word, verb, noun string, fl shellword.Flags) {
	t := Tool{Frame: f, Name: "git", Argv: argv, On: prTarget(f, fl)}
	set := func(name string, values ...shellword.Word) {
		for _, w := range values {
			t.Fields = append(t.Fields, effect.Field{Path: name, Value: w.Text})
		}
	}
	on, words, yes := t.On, "", shellword.Lit("true")
	switch verb {
	case "merge", "accept", "m":
		if fl.On("--disable-auto") && !fl.On("--admin") {
			return
		}
		words = "merge"
		if head, _ := fl.Get("--match-head-commit", "--sha"); head.Known() {
			t.On.SHA = head.Text
		}
		if fl.On("--admin") {
			set("bypass", yes)
		}
	case "approve", "lgtm", "a":
		words = "approve"
	case "reject", "review":
		words = "review"
		set("body", bodyOf(f, fl))
		switch {
		case fl.On("-a", "--approve"):
			set("event", shellword.Lit("APPROVE"))
		case verb == "review" && fl.Late && !fl.On("-c", "--comment", "-r", "--request-changes"):
			const reason = "a review whose verdict is only known at run time"
			f.OpaqueForge(shellword.Join(argv), reason)
			return
		default:
			set("event", shellword.Lit("COMMENT"))
		}
	case "create", "new", "for", "c", "revert":
		if fl.On("--dry-run") {
			return
		}
		words, t.On = "create", effect.Act{Repo: repoFlag(fl)}
		set("labels", fl.All("-l", "--label")...)
	case "checkout", "co": // a PR's branch is never protected
		usePR(f, argv, on)
		f.CheckedOut(f.Place(), "pull-request")
	case "comment", "note":
		words = "comment"
		set("body", bodyOf(f, fl))
	case "edit", "update":
		words = "update"
		set("labels", fl.All("--add-label", "-l", "--label")...)
		labelWords(f, effect.DropLabel, fl.All("--remove-label", "-u", "--unlabel"), on, argv)
	case "close":
		if comment, ok := fl.Get("-c", "--comment"); ok {
			words = "comment"
			set("body", comment)
		}
	}
	if noun != "issue" &&
		shellword.Has("close reopen ready update-branch rebase edit update lock unlock", verb) {
		usePR(f, argv, on)
	}
	if fl.On("--auto", "--auto-merge", "--when-pipeline-succeeds") && !fl.On("--admin") {
		set("auto_merge", yes)
	}
	if words != "" {
		t.Words = strings.Fields(words + " " + noun)
		t.Judge()
	}
}

// bodyOf returns the text of a comment, from a flag or a file.
func bodyOf(f *plain.Frame, fl shellword.Flags) shellword.Word {
	if w, ok := fl.Get("-b", "--body", "-m", "--message"); ok {
		return w
	}
	return shellword.Lit(f.FileText(cmp.Or(fl.Val("-F", "--body-file"), "/dev/null")))
}

// usePR records that a command works on a PR, or on its branch if the number is unknown.
func usePR(f *plain.Frame, argv []shellword.Word, a effect.Act) {
	if a.PR > 0 {
		f.Use(a, argv)
		return
	}
	UseBranch(f, argv, a.Ref)
}

// prTarget returns an act on the PR that the first positional word names by number, URL or branch.
// If there is no such word, the act is on the current branch's PR.
func prTarget(f *plain.Frame, fl shellword.Flags) effect.Act {
	a := effect.Act{Repo: cmp.Or(repoFlag(fl), repoName(f.Env("GH_REPO")))}
	w := fl.Arg(0)
	switch {
	case w.Text == "":
		if name := f.Branch(f.Place()); !shellword.HasUnknown(name) {
			a.Ref = name
		}
	case shellword.Number(w.Text) > 0:
		a.PR = shellword.Number(w.Text)
	default:
		a.PR, a.Repo, a.Ref = PullURL(w, a.Repo)
	}
	return a
}

// PullURL parses a PR URL, such as https://host/owner/name/pull/5. For any other text, pr is 0 and
// name is repo. ref is the text of w, for display.
func PullURL(w shellword.Word, repo string) (pr int, name, ref string) {
	if !w.Known() {
		return 0, repo, w.Show()
	}
	// Compile this here, because few calls name a PR by URL. GitLab puts "-" before the noun.
	const form = `([^/]+/[\w.][^/]*)/(?:-/)?(?:pulls?|merge_requests|pull-?requests)/(\d+)`
	if parts := regexp.MustCompile(form).FindStringSubmatch(w.Text); parts != nil {
		return shellword.Number(parts[2]), parts[1], w.Text
	}
	return 0, repo, w.Text
}

func repoFlag(fl shellword.Flags) string { return repoName(fl.Val("-R", "--repo")) }

// repoName returns owner/name for a repository in any form that gh and glab accept, or an empty
// string for any other text. A GitLab owner may have several parts.
func repoName(s string) string {
	s = strings.TrimSuffix(strings.TrimSuffix(s, "/"), ".git")
	if _, rest, ok := strings.Cut(s, "://"); ok {
		s = afterHost(rest)
	} else if host, rest, _ := strings.Cut(s, "/"); strings.Contains(host, ".") &&
		strings.Contains(rest, "/") {
		s = rest
	}
	if strings.Index(s, "/") < 1 || shellword.HasUnknown(s) {
		return ""
	}
	return s
}

// repoVerb judges a command on a whole repository.
func repoVerb(f *plain.Frame, argv []shellword.Word, verb string, fl shellword.Flags) {
	a := effect.Act{Repo: repoName(fl.Arg(0).Text)}
	switch verb {
	case "clone":
		gitClone(f, newGit(f, argv), fl.Pos)
	case "edit", "update":
		_, moves := fl.Get("--default-branch", "--defaultBranch")
		if moves || fl.On("--enable-auto-merge") {
			a.Kind = effect.RelaxProtection
			f.Act(a, argv)
		}
	case "sync":
		a.Kind, a.Ref = effect.PushProtected, cmp.Or(fl.Val("-b", "--branch"), DefaultBranch(f))
		if len(fl.Pos) > 0 && !Free(f, a.Ref) {
			f.Act(a, argv)
		}
	}
}

// api judges the request that a client's api command sends.
func api(f *plain.Frame, argv []shellword.Word, fl shellword.Flags) {
	q := Request{
		Method: strings.ToUpper(fl.Val("-X", "--method")), URL: fl.Arg(0).Text, Argv: argv,
		Body: f.FileText(cmp.Or(fl.Val("--input"), "/dev/null")),
	}
	if data, ok := fl.Get("-d", "--data"); ok {
		q.Body = dataText(f, data.Text)
	}
	for _, w := range fl.All("-f", "--raw-field", "-F", "--field", "--Field") {
		k, v, _ := strings.Cut(w.Text, "=")
		q.Fields = append(q.Fields, effect.Field{Path: k, Value: dataText(f, v)})
	}
	switch q = q.orDefault(); {
	case shellword.Blank(q.URL) && (fl.Late || q.Method != "GET"):
		f.OpaqueForge(shellword.Join(argv), "the path of the API call is only known at run time")
	default:
		Send(f, q)
	}
}

// Workflow judges the workflow that a command starts, by the workflow's file, or by its name if the
// file cannot be read.
func Workflow(f *plain.Frame, name string, argv []shellword.Word) {
	parts := shellword.NameWords(strings.TrimSuffix(strings.TrimSuffix(name, ".yml"), ".yaml"))
	// a workflow named "Land it" is usually in land-it.yml
	shown := strings.Join(shellword.NameWords(name), "-")
	text, known := "", false
	for _, file := range []string{shellword.ProgramName(name), shown + ".yml", shown + ".yaml"} {
		if !known {
			text, known = f.Open(path.Join(f.M.Call.Cwd, ".github/workflows", file))
		}
	}
	switch {
	case known && !merges(text):
	case known, shellword.AnyOf(parts, "merge automerge land bors ship") &&
		!shellword.AnyOf(parts, "conflict conflicts check"):
		f.Act(effect.Act{Kind: effect.RunMergingWorkflow, Ref: name}, argv)
	case shellword.Blank(name), shellword.Number(name) > 0:
		f.OpaqueForge(shellword.Join(argv), "the workflow's file is unknown")
	}
}

// merges reports whether a workflow with this text merges.
func merges(text string) bool {
	line := strings.Join(strings.Fields(strings.ToLower(text)), "_")
	return shellword.HasPart(line, `pulls.merge /merge automerge auto-merge auto_merge mergemethod
mergepullrequest enqueuepullrequest merge-action gh_pr_merge git_merge_`) ||
		strings.Contains(line, "git_push") &&
			shellword.HasPart(line, ":main origin_main origin_master")
}
