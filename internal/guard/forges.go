package guard

import (
	"cmp"
	"strings"
)

// glab reads a command line of GitLab's client.
func (f *frame) glab(argv []word) {
	group, rest, ok := subcommand(argv[1:], "-R --repo -g --group --host")
	if !ok {
		f.opaqueForge(joinWords(argv), "the glab command is only known when it runs")
		return
	}
	if asksHelp(argv) {
		return
	}
	switch group.text {
	case "mr":
		f.glabMR(argv, rest)
	case "api":
		f.ghAPI(argv, rest)
	case "alias":
		f.ghAlias(argv, rest)
	case "issue":
		f.glabIssue(argv, rest)
	default:
		if text, ok := f.m.ghAliases[group.text]; ok {
			f.child().run("glab " + text + " " + quoted(rest))
		}
	}
}

func (f *frame) glabIssue(argv, rest []word) {
	sub, rest, _ := subcommand(rest, "-R --repo")
	fl := parseFlags(rest, glabValued)
	switch sub.text {
	case "note":
		f.comment(fl.val("-m", "--message"), f.prTarget(fl), argv)
	case "update":
		f.labelWords(fl.all("-l", "--label"), f.prTarget(fl), argv)
		f.labelled(DropLabel, fl.all("-u", "--unlabel"), f.prTarget(fl), argv)
	}
}

const glabValued = `-R --repo -m --message --squash-message --sha -l --label -u --unlabel -b --target-branch -t --title -d --description
-a --assignee --reviewer --milestone --source-branch`

func (f *frame) glabMR(argv, rest []word) {
	sub, rest, ok := subcommand(rest, "-R --repo")
	if !ok {
		f.opaqueForge(joinWords(argv), "the glab command is only known when it runs")
		return
	}
	fl := parseFlags(rest, glabValued)
	a := f.prTarget(fl)
	switch sub.text {
	case "merge", "accept":
		a.Kind, a.SHA = MergePR, fl.val("--sha")
		a.Auto = fl.on("--auto-merge", "--when-pipeline-succeeds")
		f.act(a, argv)
	case "approve":
		a.Kind = ApprovePR
		f.act(a, argv)
	case "create", "new", "for":
		f.act(Act{Kind: OpenPR}, argv)
		f.labelWords(fl.all("-l", "--label"), Act{}, argv)
	case "update":
		f.labelWords(fl.all("-l", "--label"), a, argv)
		f.labelled(DropLabel, fl.all("-u", "--unlabel"), a, argv)
	case "note", "comment":
		f.comment(fl.val("-m", "--message"), a, argv)
	case "checkout":
		f.prCheckout()
	}
}

// hub is git with more commands; what it does not know it hands on.
func (f *frame) hub(argv []word) {
	sub, rest, _ := subcommand(argv[1:], "-C -c")
	switch sub.text {
	case "api":
		f.ghAPI(argv, rest)
	case "merge":
		fl := parseFlags(rest, "-m -s -X")
		if pr, repo, ref := prURL(fl.arg(0), ""); pr > 0 {
			f.act(Act{Kind: MergePR, PR: pr, Repo: repo, Ref: ref}, argv)
		}
	case "pr":
		if !f.genericForge(argv) {
			f.prCheckout()
		}
	case "pull-request":
		f.act(Act{Kind: OpenPR}, argv)
	default:
		f.git(append(lits("git"), argv[1:]...))
	}
}

// tea is Gitea's client.
func (f *frame) tea(argv []word) {
	group, rest, _ := subcommand(argv[1:], "-r --repo -l --login -R --remote -o --output")
	if asksHelp(argv) {
		return
	}
	switch group.text {
	case "pulls", "pull", "pr", "prs":
		sub, rest, _ := subcommand(rest, "-r --repo -l --login -R --remote -o --output")
		fl := parseFlags(rest, "-r --repo -l --login -R --remote -o --output -s --style -t --title -m --message -L --labels -d --description")
		a := f.prTarget(fl)
		switch sub.text {
		case "merge", "m":
			a.Kind = MergePR
			f.act(a, argv)
		case "approve", "lgtm", "a":
			a.Kind = ApprovePR
			f.act(a, argv)
		case "create", "c":
			f.act(Act{Kind: OpenPR}, argv)
		}
	case "comment", "c":
		fl := parseFlags(rest, "-r --repo -l --login -R --remote -o --output")
		f.comment(joinText(fl.pos[min(1, len(fl.pos)):]), f.prTarget(fl), argv)
	case "api":
		f.ghAPI(argv, rest)
	}
}

const azValued = `--id --status --organization --org --project -p --repository -r --vote --auto-complete --merge-commit-message --squash
--delete-source-branch --bypass-policy --bypass-policy-reason --name --object-id --new-object-id --old-object-id
--method -m --url --uri -u --body -b --headers --resource --area --route-parameters --http-method --in-file --query -o
--output --source-branch --target-branch -t -s --title --description -d --branch`

// az is Azure's client: its repos and rest commands, and devops invoke.
func (f *frame) az(argv []word) {
	if asksHelp(argv) {
		return
	}
	fl := parseFlags(argv[1:], azValued)
	cmd := strings.Join(texts(fl.pos), " ")
	a := Act{PR: number(fl.val("--id"))}
	if a.PR == 0 && fl.val("--id") != "" {
		w, _ := fl.get("--id")
		a.Ref = w.show()
	}
	switch {
	case strings.HasPrefix(cmd, "repos pr update"):
		f.azUpdate(fl, a, argv)
	case strings.HasPrefix(cmd, "repos pr set-vote"):
		if strings.HasPrefix(fl.val("--vote"), "approve") {
			a.Kind = ApprovePR
			f.act(a, argv)
		}
	case strings.HasPrefix(cmd, "repos pr create"):
		f.act(Act{Kind: OpenPR}, argv)
		if isTrue(fl.val("--auto-complete")) {
			f.act(Act{Kind: ArmAutoMerge, Auto: true}, argv)
		}
	case strings.HasPrefix(cmd, "repos policy") && !strings.HasSuffix(cmd, "list") && !strings.HasSuffix(cmd, "show"):
		f.act(Act{Kind: RelaxProtection}, argv)
	case strings.HasPrefix(cmd, "repos ref") && has("create delete update", fl.arg(2).text):
		if f.movesProtected(fl.val("--name")) == yes {
			f.act(Act{Kind: PushProtected, Ref: fl.val("--name")}, argv)
		}
	case cmd == "rest":
		f.send(request{method: strings.ToUpper(cmp.Or(fl.val("--method", "-m"), "GET")), url: fl.val("--url", "--uri", "-u"), body: f.dataText(fl.val("--body", "-b")), argv: argv})
	case cmd == "devops invoke":
		f.azInvoke(fl, argv)
	}
}

func (f *frame) azUpdate(fl flags, a Act, argv []word) {
	a.Admin = isTrue(fl.val("--bypass-policy"))
	switch {
	case strings.EqualFold(fl.val("--status"), "completed"):
		a.Kind = MergePR
	case isTrue(fl.val("--auto-complete")):
		a.Kind, a.Auto = ArmAutoMerge, true
	case unknown(fl.val("--status")):
		f.opaqueForge(joinWords(argv), "the status it sets is only known when it runs")
		return
	default:
		return
	}
	f.act(a, argv)
}

// azInvoke calls a REST resource by name; the body stands in a file.
func (f *frame) azInvoke(fl flags, argv []word) {
	method := strings.ToUpper(cmp.Or(fl.val("--http-method"), "GET"))
	resource := strings.ToLower(fl.val("--resource"))
	id := ""
	for _, w := range argv {
		if v, ok := strings.CutPrefix(w.text, "pullRequestId="); ok {
			id = v
		}
	}
	f.send(request{method: method, url: "_apis/git/" + resource + "/" + id, body: f.fileText(fl.val("--in-file")), argv: argv})
}

// aws knows CodeCommit's merges.
func (f *frame) aws(argv []word) {
	sub, rest, _ := subcommand(argv[1:], "--profile --region --output --query --endpoint-url")
	if sub.text != "codecommit" {
		return
	}
	op, rest, _ := subcommand(rest, "--profile --region")
	fl := parseFlags(rest, "--pull-request-id --repository-name --branch-name --target-branch --destination-commit-specifier --approval-state --revision-id --source-commit-specifier --source-commit-id")
	a := Act{PR: number(fl.val("--pull-request-id"))}
	switch {
	case strings.HasPrefix(op.text, "merge-pull-request"):
		a.Kind = MergePR
	case strings.HasPrefix(op.text, "merge-branches"):
		a.Kind, a.Ref = PushProtected, cmp.Or(fl.val("--target-branch"), fl.val("--destination-commit-specifier"))
		if f.protected(a.Ref) == no {
			return
		}
	case op.text == "update-pull-request-approval-state" && strings.EqualFold(fl.val("--approval-state"), "APPROVE"):
		a.Kind = ApprovePR
	case has("put-file delete-file create-commit", op.text) && f.protected(fl.val("--branch-name")) == yes:
		a.Kind, a.Ref = PushProtected, fl.val("--branch-name")
	case op.text == "override-pull-request-approval-rules", strings.HasPrefix(op.text, "delete-pull-request-approval-rule"), strings.HasPrefix(op.text, "delete-approval-rule"):
		a.Kind = RelaxProtection
	default:
		return
	}
	f.act(a, argv)
}

// otherForge reads clients that are known by name and little else.
func (f *frame) otherForge(name string, argv []word) {
	if f.genericForge(argv) || asksHelp(argv) {
		return
	}
	sub, rest, _ := subcommand(argv[1:], "-R --repo -r")
	a := Act{Kind: MergePR, PR: firstNumber(rest)}
	switch {
	case name == "arc" && has("land", sub.text), has("spr ghstack av", name) && has("land merge", sub.text), name == "gt" && sub.text == "merge",
		name == "git-town" && sub.text == "ship", name == "lab" && has("merge", sub.text), has("gs git-spice", name) && sub.text == "merge":
		f.act(a, argv)
	case name == "gt" && has("submit s ss", sub.text):
		if fl := parseFlags(rest, ""); fl.on("--merge-when-ready", "-m") {
			a.Kind, a.Auto = ArmAutoMerge, true
			f.act(a, argv)
		}
	case name == "jj" && sub.text == "git":
		f.jjPush(argv, rest)
	case name == "sl" && sub.text == "push":
		if fl := parseFlags(rest, "--to -r --rev"); f.protected(fl.val("--to")) == yes {
			f.act(Act{Kind: PushProtected, Ref: fl.val("--to")}, argv)
		}
	}
}

func (f *frame) jjPush(argv, rest []word) {
	fl := parseFlags(rest, "-b --bookmark --branch --remote -c --change -r --revisions")
	if fl.arg(0).text != "push" || fl.on("--dry-run") {
		return
	}
	if fl.on("--all") {
		f.act(Act{Kind: PushProtected, Ref: "every bookmark"}, argv)
	}
	for _, w := range fl.all("-b", "--bookmark", "--branch") {
		if f.protected(strings.TrimPrefix(w.text, "glob:")) == yes {
			f.act(Act{Kind: PushProtected, Ref: w.text}, argv)
		}
	}
}

// genericForge recognises "<any client> pr merge 5" by its shape.
func (f *frame) genericForge(argv []word) bool {
	args := argv[1:]
	for i := 0; i+1 < len(args) && i < 4; i++ {
		if !has("pr prs pull pulls pull-request pull-requests pullrequest mr merge-request merge-requests change", args[i].text) {
			if strings.HasPrefix(args[i].text, "-") || i > 0 && strings.HasPrefix(args[i-1].text, "-") {
				continue
			}
			return false
		}
		rest := command(args[i+1:], "-R --repo -r", 0)
		if len(rest) == 0 || asksHelp(rest) {
			return false
		}
		a := Act{PR: firstNumber(rest[1:])}
		if len(rest) > 1 && a.PR == 0 {
			a.PR, a.Repo, a.Ref = prURL(rest[1], "")
		}
		switch rest[0].text {
		case "merge", "accept", "land", "complete":
			a.Kind = MergePR
		case "approve", "lgtm":
			a.Kind = ApprovePR
		case "automerge", "auto-merge", "enqueue":
			a.Kind, a.Auto = ArmAutoMerge, true
		default:
			return false
		}
		f.act(a, argv)
		return true
	}
	return false
}
