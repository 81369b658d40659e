package forges

import (
	"cmp"
	"slices"
	"strings"

	"hooks/internal/guard/effect"
	"hooks/internal/guard/shell"
	"hooks/internal/guard/shellword"
)

const (
	glabValued = `-R --repo -m --message --squash-message --sha -l --label -u --unlabel -b
--target-branch -t --title -d --description -a --assignee --reviewer --milestone --source-branch`
	glabMergeValued = "-R --repo -m --message --squash-message --sha" // whose -d is a switch
)

// Glab reads a command line of GitLab's client.
func Glab(f *shell.Frame, argv []shellword.Word) {
	group, rest, ok := shellword.Subcommand(argv[1:], "-R --repo -g --group --host")
	sub, args, known := shellword.Subcommand(rest, "-R --repo")
	if !ok || group.Text == "mr" && !known {
		f.OpaqueForge(shellword.Join(argv), "the glab command is only known when it runs")
		return
	}
	valued := glabValued
	if group.Text == "mr" && shellword.Has("merge accept", sub.Text) {
		valued = glabMergeValued
	}
	if shellword.AsksHelp(argv, valued+" "+ghAPIValued) {
		return
	}
	fl := shellword.ParseFlags(args, valued)
	switch group.Text {
	case "mr":
		if !prCommand(f, argv, sub.Text, fl) {
			talk(f, argv, sub.Text, fl)
		}
	case "issue":
		talk(f, argv, sub.Text, fl)
	case "api":
		ghAPI(f, argv, rest)
	case "alias":
		ghAlias(f, argv, rest)
	case "repo", "project":
		if sub.Text == "clone" {
			run := gitRun{argv: argv, dir: place(f), config: map[string]string{}}
			gitClone(f, run, shellword.ParseFlags(args, "-g --group").Pos)
		}
		if fl.On("--defaultBranch") {
			f.Act(effect.Act{Kind: effect.RelaxProtection}, argv)
		}
	default:
		if text, ok := f.M.GHAliases[group.Text]; ok {
			f.Child().Run("glab " + text + " " + shellword.Quoted(rest))
		}
	}
}

// prCommand reads a command on a PR by its verb, as gh, glab and tea have them, and reports whether
// it is one that it knows.
func prCommand(f *shell.Frame, argv []shellword.Word, verb string, fl shellword.Flags) bool {
	a := prTarget(f, fl)
	switch verb {
	case "merge", "accept", "m":
		a.Kind, a.SHA = effect.MergePR, fl.Val("--sha")
		a.Auto = fl.On("--auto-merge", "--when-pipeline-succeeds")
	case "approve", "lgtm", "a":
		a.Kind = effect.ApprovePR
	case "reject":
		a.Kind, a.Review = effect.Comment, true
	case "create", "new", "for", "c":
		if fl.On("--dry-run") {
			return true
		}
		f.Act(effect.Act{Kind: effect.OpenPR, Repo: repoFlag(fl)}, argv)
		labelWords(f, fl.All("-l", "--label"), effect.Act{}, argv)
		if !fl.On("--auto-merge") {
			return true
		}
		a = effect.Act{Kind: effect.ArmAutoMerge, Auto: true}
	case "checkout", "co":
		prCheckout(f, argv, a)
		return true
	case "close", "reopen", "ready", "update-branch", "rebase", "edit", "update", "lock", "unlock":
		usePR(f, argv, a)
		return false
	default:
		return false
	}
	f.Act(a, argv)
	return true
}

// Hub is git with more commands. It hands the others on to git.
func Hub(f *shell.Frame, argv []shellword.Word) {
	sub, rest, _ := shellword.Subcommand(argv[1:], "-C -c")
	switch sub.Text {
	case "api":
		ghAPI(f, argv, rest)
	case "merge":
		fl := shellword.ParseFlags(rest, "-m -s -X")
		if pr, repo, ref := PullURL(fl.Arg(0), ""); pr > 0 {
			f.Act(effect.Act{Kind: effect.MergePR, PR: pr, Repo: repo, Ref: ref}, argv)
		}
	case "pr":
		if !GenericForge(f, argv) {
			a := effect.Act{}
			if shellword.HasWord(rest, "checkout") {
				a.PR = firstNumber(rest)
			}
			prCheckout(f, argv, a)
		}
	case "pull-request":
		f.Act(effect.Act{Kind: effect.OpenPR}, argv)
	default:
		Git(f, append(shellword.Lits("git"), argv[1:]...))
	}
}

const (
	teaValued    = "-r --repo -l --login -R --remote -o --output"
	teaPRValued  = teaValued + " -s --style -t --title -m --message -L --labels -d --description"
	teaAPIValued = teaValued + " -X --method -f --field -F --Field -H --header -d --data"
)

// teaFlags spells the flags of tea with one dash for a letter and two for a name: tea takes any
// of them with either.
func teaFlags(argv []shellword.Word) []shellword.Word {
	out := append([]shellword.Word(nil), argv...)
	for i, w := range out {
		bare := strings.TrimLeft(w.Text, "-")
		name, _, _ := strings.Cut(bare, "=")
		switch {
		case bare == "" || len(w.Text) == len(bare):
		case len(name) == 1:
			out[i].Text = "-" + bare
		case shellword.Has(teaPRValued+" "+teaAPIValued, "--"+name):
			out[i].Text = "--" + bare
		}
	}
	return out
}

// Tea is Gitea's client, which Debian names tea-cli.
func Tea(f *shell.Frame, argv []shellword.Word) {
	argv = teaFlags(argv)
	group, rest, _ := shellword.Subcommand(argv[1:], teaAPIValued)
	if shellword.AsksHelp(argv, teaValued+" -s -t -m -L -d") {
		return
	}
	switch group.Text {
	case "pulls", "pull", "pr", "prs":
		sub, rest, _ := shellword.Subcommand(rest, teaPRValued)
		prCommand(f, argv, sub.Text, shellword.ParseFlags(rest, teaPRValued))
	case "comment", "c":
		fl := shellword.ParseFlags(rest, teaValued)
		Comment(f, shellword.JoinText(fl.Pos[min(1, len(fl.Pos)):]), prTarget(f, fl), argv)
	case "api":
		fl := shellword.ParseFlags(rest, teaAPIValued)
		api(f, argv, fl, dataText(f, fl.Val("-d", "--data")))
	case "branches", "branch", "b":
		if sub := shellword.ParseFlags(rest, teaValued).Arg(0).Text; shellword.Has("unprotect u",
			sub) {
			f.Act(effect.Act{Kind: effect.RelaxProtection}, argv)
		}
	}
}

const azValued = `--id --status --organization --org --project -p --repository -r --vote
--auto-complete --merge-commit-message --squash --delete-source-branch --bypass-policy
--bypass-policy-reason --name --object-id --new-object-id --old-object-id --method -m --url --uri -u
--body -b --headers --resource --area --route-parameters --http-method --in-file --query -o --output
--source-branch --target-branch -t -s --title --description -d --branch`

// azSwitches gives a true to the flags that have nothing but another flag behind them, because az
// lets their value be left out.
func azSwitches(args []shellword.Word) []shellword.Word {
	out := slices.Clone(args)
	for i, w := range out {
		bare := i+1 == len(out) || strings.HasPrefix(args[i+1].Text, "-")
		if bare && strings.HasPrefix(w.Text, "--") && !strings.Contains(w.Text, "=") {
			out[i] = shellword.Lit(w.Text + "=true")
		}
	}
	return out
}

// Az is Azure's client: its repos and rest commands, and devops invoke.
func Az(f *shell.Frame, argv []shellword.Word) {
	if shellword.AsksHelp(argv, "") { // a value of az begins with no dash
		return
	}
	fl := shellword.ParseFlags(azSwitches(shellword.Unabbreviated(argv[1:], azValued)), azValued)
	words := shellword.Texts(fl.Pos)
	cmd := strings.Join(words[:min(3, len(words))], " ")
	verb := ""
	for i := 1; i < len(argv) && !strings.HasPrefix(argv[i].Text, "-"); i++ {
		verb = argv[i].Text
	}
	id, _ := fl.Get("--id")
	a := effect.Act{PR: shellword.Number(id.Text)}
	if a.PR == 0 {
		a.Ref = id.Show()
	}
	switch {
	case cmd == "repos pr update":
		a.Admin = shellword.IsTrue(fl.Val("--bypass-policy"))
		switch status := fl.Val("--status"); {
		case strings.EqualFold(status, "completed"):
			a.Kind = effect.MergePR
		case shellword.IsTrue(fl.Val("--auto-complete")):
			a.Kind, a.Auto = effect.ArmAutoMerge, true
		case shellword.HasUnknown(status):
			f.OpaqueForge(shellword.Join(argv), "the status it sets is only known when it runs")
		}
	case cmd == "repos pr set-vote" && strings.HasPrefix(fl.Val("--vote"), "approve"):
		a.Kind = effect.ApprovePR
	case cmd == "repos pr create":
		f.Act(effect.Act{Kind: effect.OpenPR}, argv)
		if shellword.IsTrue(fl.Val("--auto-complete")) {
			a = effect.Act{Kind: effect.ArmAutoMerge, Auto: true}
		}
	case strings.HasPrefix(cmd, "repos policy") && !shellword.Has("list show", verb):
		a = effect.Act{Kind: effect.RelaxProtection}
	case strings.HasPrefix(cmd, "repos ref") &&
		shellword.Has("create delete update", fl.Arg(2).Text):
		if MovesProtected(f, fl.Val("--name")) == shell.Yes {
			a = effect.Act{Kind: effect.PushProtected, Ref: fl.Val("--name")}
		}
	case cmd == "rest":
		method := strings.ToUpper(cmp.Or(fl.Val("--method", "-m"), "GET"))
		body := dataText(f, fl.Val("--body", "-b"))
		url := fl.Val("--url", "--uri", "-u")
		Send(f, Request{Method: method, URL: url, Body: body, Argv: argv})
	case cmd == "devops invoke":
		azInvoke(f, fl, argv)
	}
	if a.Kind != "" {
		f.Act(a, argv)
	}
}

// azInvoke calls a REST resource by its name. The body is in a file.
func azInvoke(f *shell.Frame, fl shellword.Flags, argv []shellword.Word) {
	method := strings.ToUpper(cmp.Or(fl.Val("--http-method"), "GET"))
	url := "_apis/git/" + strings.ToLower(fl.Val("--resource")) + "/"
	for _, w := range argv {
		if id, ok := strings.CutPrefix(w.Text, "pullRequestId="); ok {
			url += id
		}
	}
	if strings.EqualFold(fl.Val("--area"), "policy") && method != "GET" {
		f.Act(effect.Act{Kind: effect.RelaxProtection}, argv)
		return
	}
	body := f.FileText(fl.Val("--in-file"))
	Send(f, Request{Method: method, URL: url, Body: body, Argv: argv})
}

// AWS knows CodeCommit's merges.
func AWS(f *shell.Frame, argv []shellword.Word) {
	sub, rest, _ := shellword.Subcommand(argv[1:],
		"--profile --region --output --query --endpoint-url")
	op, rest, _ := shellword.Subcommand(rest, "--profile --region")
	if sub.Text != "codecommit" {
		return
	}
	fl := shellword.ParseFlags(rest, `
		--pull-request-id --repository-name --branch-name --target-branch
--destination-commit-specifier --approval-state --revision-id --source-commit-specifier
--source-commit-id`)
	a := effect.Act{PR: shellword.Number(fl.Val("--pull-request-id"))}
	branch := cmp.Or(fl.Val("--target-branch"), fl.Val("--destination-commit-specifier"),
		fl.Val("--branch-name"))
	switch name := op.Text; {
	case strings.HasPrefix(name, "merge-pull-request"):
		a.Kind = effect.MergePR
	case strings.HasPrefix(name, "merge-branches") && Protected(f, branch) != shell.No,
		shellword.Has("put-file delete-file create-commit", name) &&
			Protected(f, branch) == shell.Yes:
		a.Kind, a.Ref = effect.PushProtected, branch
	case name == "update-pull-request-approval-state" &&
		strings.EqualFold(fl.Val("--approval-state"), "APPROVE"):
		a.Kind = effect.ApprovePR
	case name == "override-pull-request-approval-rules",
		strings.HasPrefix(name, "delete-pull-request-approval-rule"),
		strings.HasPrefix(name, "delete-approval-rule"):
		a.Kind = effect.RelaxProtection
	default:
		return
	}
	f.Act(a, argv)
}

// lands reports whether a command of a stacking or review tool lands a change. The tools are
// programs of their own and commands of git.
func lands(program, command string) bool {
	return shellword.Has(`git/land git/ship arc/land spr/land spr/merge ghstack/land ghstack/merge
av/land av/merge gt/merge lab/merge pr/land pr/merge town/ship git-town/ship gs/merge
git-spice/merge machete/merge-pr phabricator/land`, program+"/"+command)
}

// OtherForge reads clients that are known by name and little else.
func OtherForge(f *shell.Frame, name string, argv []shellword.Word) {
	if GenericForge(f, argv) || shellword.AsksHelp(argv, "-R --repo -r") {
		return
	}
	sub, rest, _ := shellword.Subcommand(argv[1:], "-R --repo -r")
	a := effect.Act{Kind: effect.MergePR, PR: firstNumber(rest)}
	switch {
	case lands(name, sub.Text):
		f.Act(a, argv)
	case name == "gt" && shellword.Has("submit s ss", sub.Text):
		if fl := shellword.ParseFlags(rest, ""); fl.On("--merge-when-ready", "-m") {
			a.Kind, a.Auto = effect.ArmAutoMerge, true
			f.Act(a, argv)
		}
	case name == "jj" && sub.Text == "git":
		jjPush(f, argv, rest)
	case name == "sl" && sub.Text == "push":
		if fl := shellword.ParseFlags(rest, "--to -r --rev"); Protected(f,
			fl.Val("--to")) == shell.Yes {
			f.Act(effect.Act{Kind: effect.PushProtected, Ref: fl.Val("--to")}, argv)
		}
	}
}

func jjPush(f *shell.Frame, argv, rest []shellword.Word) {
	fl := shellword.ParseFlags(rest, "-b --bookmark --branch --remote -c --change -r --revisions")
	if fl.Arg(0).Text != "push" || fl.On("--dry-run") {
		return
	}
	if fl.On("--all") {
		f.Act(effect.Act{Kind: effect.PushProtected, Ref: "every bookmark"}, argv)
	}
	for _, w := range fl.All("-b", "--bookmark", "--branch") {
		if Protected(f, strings.TrimPrefix(w.Text, "glob:")) == shell.Yes {
			f.Act(effect.Act{Kind: effect.PushProtected, Ref: w.Text}, argv)
		}
	}
}

// GenericForge recognises "<any client> pr merge 5" by its shape.
func GenericForge(f *shell.Frame, argv []shellword.Word) bool {
	args := argv[1:]
	i := 0
	for i < len(args) && !shellword.Has(`pr prs pull pulls pull-request pull-requests pullrequest mr
merge-request merge-requests change`, args[i].Text) {
		flag := strings.HasPrefix(args[i].Text, "-") ||
			i > 0 && strings.HasPrefix(args[i-1].Text, "-")
		if i++; !flag || i > 3 {
			return false
		}
	}
	rest := shellword.Command(args[min(i+1, len(args)):], "-R --repo -r", 0)
	if len(rest) == 0 ||
		shellword.AsksHelp(rest, "-R --repo -r -b -m -t --body --message --title") {
		return false
	}
	a := effect.Act{PR: firstNumber(rest[1:])}
	if len(rest) > 1 && a.PR == 0 {
		a.PR, a.Repo, a.Ref = PullURL(rest[1], "")
	}
	switch rest[0].Text {
	case "merge", "accept", "land", "complete":
		a.Kind = effect.MergePR
	case "approve", "lgtm":
		a.Kind = effect.ApprovePR
	case "automerge", "auto-merge", "enqueue":
		a.Kind, a.Auto = effect.ArmAutoMerge, true
	default:
		return false
	}
	f.Act(a, argv)
	return true
}
