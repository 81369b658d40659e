package forges

import (
	"cmp"
	"strings"

	"hooks/internal/guard/act"
	"hooks/internal/guard/shell"
	"hooks/internal/guard/word"
)

// Glab reads a command line of GitLab's client.
func Glab(f *shell.Frame, argv []word.Word) {
	group, rest, ok := word.Subcommand(argv[1:], "-R --repo -g --group --host")
	if !ok {
		f.OpaqueForge(word.Join(argv), "the glab command is only known when it runs")
		return
	}
	valued := glabValued + " " + ghAPIValued
	sub, _, _ := word.Subcommand(rest, "-R --repo")
	if group.Text == "mr" && word.Has("merge accept", sub.Text) {
		valued = glabMergeValued
	}
	if word.AsksHelp(argv, valued) {
		return
	}
	switch group.Text {
	case "mr":
		glabMR(f, argv, rest)
	case "api":
		ghAPI(f, argv, rest)
	case "alias":
		ghAlias(f, argv, rest)
	case "issue":
		glabIssue(f, argv, rest)
	case "repo", "project":
		if sub, rest, _ := word.Subcommand(rest, ""); sub.Text == "clone" {
			run := gitRun{argv: argv, dir: place(f), config: map[string]string{}}
			gitClone(f, run, word.ParseFlags(rest, "-g --group").Pos)
		}
		if word.ParseFlags(rest, "").On("--defaultBranch") {
			f.Act(act.Act{Kind: act.RelaxProtection}, argv)
		}
	default:
		if text, ok := f.M.GHAliases[group.Text]; ok {
			f.Child().Run("glab " + text + " " + word.Quoted(rest))
		}
	}
}

func glabIssue(f *shell.Frame, argv, rest []word.Word) {
	sub, rest, _ := word.Subcommand(rest, "-R --repo")
	fl := word.ParseFlags(rest, glabValued)
	glabTalk(f, argv, sub.Text, fl, prTarget(f, fl))
}

// glabTalk reads what issues and merge requests have in common: notes and labels.
func glabTalk(f *shell.Frame, argv []word.Word, sub string, fl word.Flags, a act.Act) {
	switch sub {
	case "note", "comment":
		Comment(f, fl.Val("-m", "--message"), a, argv)
	case "update":
		labelWords(f, fl.All("-l", "--label"), a, argv)
		labelled(f, act.DropLabel, fl.All("-u", "--unlabel"), a, argv)
	}
}

const glabValued = `-R --repo -m --message --squash-message --sha -l --label -u --unlabel -b --target-branch -t --title -d --description
-a --assignee --reviewer --milestone --source-branch`

const glabMergeValued = "-R --repo -m --message --squash-message --sha"

func glabMR(f *shell.Frame, argv, rest []word.Word) {
	sub, rest, ok := word.Subcommand(rest, "-R --repo")
	if !ok {
		f.OpaqueForge(word.Join(argv), "the glab command is only known when it runs")
		return
	}
	valued := glabValued
	if word.Has("merge accept", sub.Text) { // its -d is a switch
		valued = glabMergeValued
	}
	fl := word.ParseFlags(rest, valued)
	a := prTarget(f, fl)
	switch sub.Text {
	case "merge", "accept":
		a.Kind, a.SHA = act.MergePR, fl.Val("--sha")
		a.Auto = fl.On("--auto-merge", "--when-pipeline-succeeds")
		f.Act(a, argv)
	case "approve":
		a.Kind = act.ApprovePR
		f.Act(a, argv)
	case "create", "new", "for":
		f.Act(act.Act{Kind: act.OpenPR}, argv)
		labelWords(f, fl.All("-l", "--label"), act.Act{}, argv)
		if fl.On("--auto-merge") {
			f.Act(act.Act{Kind: act.ArmAutoMerge, Auto: true}, argv)
		}
	case "checkout":
		prCheckout(f)
	default:
		glabTalk(f, argv, sub.Text, fl, a)
	}
}

// Hub is git with more commands; what it does not know it hands on.
func Hub(f *shell.Frame, argv []word.Word) {
	sub, rest, _ := word.Subcommand(argv[1:], "-C -c")
	switch sub.Text {
	case "api":
		ghAPI(f, argv, rest)
	case "merge":
		fl := word.ParseFlags(rest, "-m -s -X")
		if pr, repo, ref := PullURL(fl.Arg(0), ""); pr > 0 {
			f.Act(act.Act{Kind: act.MergePR, PR: pr, Repo: repo, Ref: ref}, argv)
		}
	case "pr":
		if !GenericForge(f, argv) {
			prCheckout(f)
		}
	case "pull-request":
		f.Act(act.Act{Kind: act.OpenPR}, argv)
	default:
		Git(f, append(word.Lits("git"), argv[1:]...))
	}
}

const (
	teaValued    = "-r --repo -l --login -R --remote -o --output"
	teaPRValued  = teaValued + " -s --style -t --title -m --message -L --labels -d --description"
	teaAPIValued = teaValued + " -X --method -f --field -F --Field -H --header -d --data"
)

// teaFlags spells the flags of tea with one dash for a letter and two for a name: tea takes any
// of them with either.
func teaFlags(argv []word.Word) []word.Word {
	out := append([]word.Word(nil), argv...)
	for i, w := range out {
		bare := strings.TrimLeft(w.Text, "-")
		name, _, _ := strings.Cut(bare, "=")
		switch {
		case bare == "" || len(w.Text) == len(bare):
		case len(name) == 1:
			out[i].Text = "-" + bare
		case word.Has(teaPRValued+" "+teaAPIValued, "--"+name):
			out[i].Text = "--" + bare
		}
	}
	return out
}

// teaAPI reads tea api …, whose -d is the body.
func teaAPI(f *shell.Frame, argv, rest []word.Word) {
	fl := word.ParseFlags(rest, teaAPIValued)
	q := apiRequest(f, fl, argv)
	if w, ok := fl.Get("-d", "--data"); ok {
		q.Body = dataText(f, w.Text)
	}
	apiCall(f, fl, q)
}

// Tea is Gitea's client, which Debian names tea-cli.
func Tea(f *shell.Frame, argv []word.Word) {
	argv = teaFlags(argv)
	group, rest, _ := word.Subcommand(argv[1:], teaAPIValued)
	if word.AsksHelp(argv, teaValued+" -s -t -m -L -d") {
		return
	}
	switch group.Text {
	case "pulls", "pull", "pr", "prs":
		sub, rest, _ := word.Subcommand(rest, teaPRValued)
		fl := word.ParseFlags(rest, teaPRValued)
		a := prTarget(f, fl)
		switch sub.Text {
		case "merge", "m":
			a.Kind = act.MergePR
			f.Act(a, argv)
		case "approve", "lgtm", "a":
			a.Kind = act.ApprovePR
			f.Act(a, argv)
		case "reject":
			a.Kind, a.Review = act.Comment, true
			f.Act(a, argv)
		case "create", "c":
			f.Act(act.Act{Kind: act.OpenPR}, argv)
		}
	case "comment", "c":
		fl := word.ParseFlags(rest, teaValued)
		Comment(f, word.JoinText(fl.Pos[min(1, len(fl.Pos)):]), prTarget(f, fl), argv)
	case "api":
		teaAPI(f, argv, rest)
	case "branches", "branch", "b":
		if sub := word.ParseFlags(rest, teaValued).Arg(0).Text; word.Has("unprotect u", sub) {
			f.Act(act.Act{Kind: act.RelaxProtection}, argv)
		}
	}
}

const azValued = `--id --status --organization --org --project -p --repository -r --vote --auto-complete --merge-commit-message --squash
--delete-source-branch --bypass-policy --bypass-policy-reason --name --object-id --new-object-id --old-object-id
--method -m --url --uri -u --body -b --headers --resource --area --route-parameters --http-method --in-file --query -o
--output --source-branch --target-branch -t -s --title --description -d --branch`

// azSwitches gives a true to the flags that have nothing but another flag behind them: what they take may be left out.
func azSwitches(args []word.Word) []word.Word {
	var out []word.Word
	for i, w := range args {
		if i+1 == len(args) || strings.HasPrefix(args[i+1].Text, "-") {
			if strings.HasPrefix(w.Text, "--") && !strings.Contains(w.Text, "=") {
				w = word.Lit(w.Text + "=true")
			}
		}
		out = append(out, w)
	}
	return out
}

// azLooks reports whether a command lists or shows: its words stand before its flags.
func azLooks(argv []word.Word) bool {
	last := ""
	for _, w := range argv[1:] {
		if strings.HasPrefix(w.Text, "-") {
			break
		}
		last = w.Text
	}
	return last == "list" || last == "show"
}

// Az is Azure's client: its repos and rest commands, and devops invoke.
func Az(f *shell.Frame, argv []word.Word) {
	if word.AsksHelp(argv, "") { // a value of az begins with no dash
		return
	}
	fl := word.ParseFlags(azSwitches(word.Unabbreviated(argv[1:], azValued)), azValued)
	cmd := strings.Join(word.Texts(fl.Pos), " ")
	a := act.Act{PR: word.Number(fl.Val("--id"))}
	if a.PR == 0 && fl.Val("--id") != "" {
		w, _ := fl.Get("--id")
		a.Ref = w.Show()
	}
	switch {
	case strings.HasPrefix(cmd, "repos pr update"):
		azUpdate(f, fl, a, argv)
	case strings.HasPrefix(cmd, "repos pr set-vote"):
		if strings.HasPrefix(fl.Val("--vote"), "approve") {
			a.Kind = act.ApprovePR
			f.Act(a, argv)
		}
	case strings.HasPrefix(cmd, "repos pr create"):
		f.Act(act.Act{Kind: act.OpenPR}, argv)
		if word.IsTrue(fl.Val("--auto-complete")) {
			f.Act(act.Act{Kind: act.ArmAutoMerge, Auto: true}, argv)
		}
	case strings.HasPrefix(cmd, "repos policy") && !azLooks(argv):
		f.Act(act.Act{Kind: act.RelaxProtection}, argv)
	case strings.HasPrefix(cmd, "repos ref") && word.Has("create delete update", fl.Arg(2).Text):
		if MovesProtected(f, fl.Val("--name")) == shell.Yes {
			f.Act(act.Act{Kind: act.PushProtected, Ref: fl.Val("--name")}, argv)
		}
	case cmd == "rest":
		Send(f, Request{Method: strings.ToUpper(cmp.Or(fl.Val("--method", "-m"), "GET")), URL: fl.Val("--url", "--uri", "-u"), Body: dataText(f, fl.Val("--body", "-b")), Argv: argv})
	case cmd == "devops invoke":
		azInvoke(f, fl, argv)
	}
}

func azUpdate(f *shell.Frame, fl word.Flags, a act.Act, argv []word.Word) {
	a.Admin = word.IsTrue(fl.Val("--bypass-policy"))
	switch {
	case strings.EqualFold(fl.Val("--status"), "completed"):
		a.Kind = act.MergePR
	case word.IsTrue(fl.Val("--auto-complete")):
		a.Kind, a.Auto = act.ArmAutoMerge, true
	case word.Unknown(fl.Val("--status")):
		f.OpaqueForge(word.Join(argv), "the status it sets is only known when it runs")
		return
	default:
		return
	}
	f.Act(a, argv)
}

// azInvoke calls a REST resource by name; the body stands in a file.
func azInvoke(f *shell.Frame, fl word.Flags, argv []word.Word) {
	method := strings.ToUpper(cmp.Or(fl.Val("--http-method"), "GET"))
	resource := strings.ToLower(fl.Val("--resource"))
	id := ""
	for _, w := range argv {
		if v, ok := strings.CutPrefix(w.Text, "pullRequestId="); ok {
			id = v
		}
	}
	if strings.EqualFold(fl.Val("--area"), "policy") && method != "GET" {
		f.Act(act.Act{Kind: act.RelaxProtection}, argv)
		return
	}
	Send(f, Request{Method: method, URL: "_apis/git/" + resource + "/" + id, Body: f.FileText(fl.Val("--in-file")), Argv: argv})
}

// AWS knows CodeCommit's merges.
func AWS(f *shell.Frame, argv []word.Word) {
	sub, rest, _ := word.Subcommand(argv[1:], "--profile --region --output --query --endpoint-url")
	if sub.Text != "codecommit" {
		return
	}
	op, rest, _ := word.Subcommand(rest, "--profile --region")
	fl := word.ParseFlags(rest, "--pull-request-id --repository-name --branch-name --target-branch --destination-commit-specifier --approval-state --revision-id --source-commit-specifier --source-commit-id")
	a := act.Act{PR: word.Number(fl.Val("--pull-request-id"))}
	switch {
	case strings.HasPrefix(op.Text, "merge-pull-request"):
		a.Kind = act.MergePR
	case strings.HasPrefix(op.Text, "merge-branches"):
		a.Kind, a.Ref = act.PushProtected, cmp.Or(fl.Val("--target-branch"), fl.Val("--destination-commit-specifier"))
		if Protected(f, a.Ref) == shell.No {
			return
		}
	case op.Text == "update-pull-request-approval-state" && strings.EqualFold(fl.Val("--approval-state"), "APPROVE"):
		a.Kind = act.ApprovePR
	case word.Has("put-file delete-file create-commit", op.Text) && Protected(f, fl.Val("--branch-name")) == shell.Yes:
		a.Kind, a.Ref = act.PushProtected, fl.Val("--branch-name")
	case op.Text == "override-pull-request-approval-rules", strings.HasPrefix(op.Text, "delete-pull-request-approval-rule"), strings.HasPrefix(op.Text, "delete-approval-rule"):
		a.Kind = act.RelaxProtection
	default:
		return
	}
	f.Act(a, argv)
}

// lands tells the commands of stacking and review tools that land a change, as programs of their own and as git's.
func lands(program, command string) bool {
	return word.Has(`git/land git/ship arc/land spr/land spr/merge ghstack/land ghstack/merge av/land av/merge gt/merge lab/merge pr/land
pr/merge town/ship git-town/ship gs/merge git-spice/merge machete/merge-pr phabricator/land`, program+"/"+command)
}

// OtherForge reads clients that are known by name and little else.
func OtherForge(f *shell.Frame, name string, argv []word.Word) {
	if GenericForge(f, argv) || word.AsksHelp(argv, "-R --repo -r") {
		return
	}
	sub, rest, _ := word.Subcommand(argv[1:], "-R --repo -r")
	a := act.Act{Kind: act.MergePR, PR: firstNumber(rest)}
	switch {
	case lands(name, sub.Text):
		f.Act(a, argv)
	case name == "gt" && word.Has("submit s ss", sub.Text):
		if fl := word.ParseFlags(rest, ""); fl.On("--merge-when-ready", "-m") {
			a.Kind, a.Auto = act.ArmAutoMerge, true
			f.Act(a, argv)
		}
	case name == "jj" && sub.Text == "git":
		jjPush(f, argv, rest)
	case name == "sl" && sub.Text == "push":
		if fl := word.ParseFlags(rest, "--to -r --rev"); Protected(f, fl.Val("--to")) == shell.Yes {
			f.Act(act.Act{Kind: act.PushProtected, Ref: fl.Val("--to")}, argv)
		}
	}
}

func jjPush(f *shell.Frame, argv, rest []word.Word) {
	fl := word.ParseFlags(rest, "-b --bookmark --branch --remote -c --change -r --revisions")
	if fl.Arg(0).Text != "push" || fl.On("--dry-run") {
		return
	}
	if fl.On("--all") {
		f.Act(act.Act{Kind: act.PushProtected, Ref: "every bookmark"}, argv)
	}
	for _, w := range fl.All("-b", "--bookmark", "--branch") {
		if Protected(f, strings.TrimPrefix(w.Text, "glob:")) == shell.Yes {
			f.Act(act.Act{Kind: act.PushProtected, Ref: w.Text}, argv)
		}
	}
}

// GenericForge recognises "<any client> pr merge 5" by its shape.
func GenericForge(f *shell.Frame, argv []word.Word) bool {
	args := argv[1:]
	for i := 0; i+1 < len(args) && i < 4; i++ {
		if !word.Has("pr prs pull pulls pull-request pull-requests pullrequest mr merge-request merge-requests change", args[i].Text) {
			if strings.HasPrefix(args[i].Text, "-") || i > 0 && strings.HasPrefix(args[i-1].Text, "-") {
				continue
			}
			return false
		}
		rest := word.Command(args[i+1:], "-R --repo -r", 0)
		if len(rest) == 0 || word.AsksHelp(rest, "-R --repo -r -b -m -t --body --message --title") {
			return false
		}
		a := act.Act{PR: firstNumber(rest[1:])}
		if len(rest) > 1 && a.PR == 0 {
			a.PR, a.Repo, a.Ref = PullURL(rest[1], "")
		}
		switch rest[0].Text {
		case "merge", "accept", "land", "complete":
			a.Kind = act.MergePR
		case "approve", "lgtm":
			a.Kind = act.ApprovePR
		case "automerge", "auto-merge", "enqueue":
			a.Kind, a.Auto = act.ArmAutoMerge, true
		default:
			return false
		}
		f.Act(a, argv)
		return true
	}
	return false
}
