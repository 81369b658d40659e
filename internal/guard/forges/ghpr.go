package forges

import (
	"cmp"
	"strings"

	"hooks/internal/guard/effect"
	"hooks/internal/guard/plain"
	"hooks/internal/guard/shellword"
)

const (
	ghPRValued = `-R --repo -b --body -F --body-file -t --subject --title -A --author-email
--match-head-commit --hostname -B --base -H --head -l --label -a --assignee -r --reviewer -m
--milestone -p --project -T --template --recover --add-label --remove-label --add-assignee
--remove-assignee --add-reviewer --remove-reviewer --add-project --remove-project --branch`
	ghMergeValued = `-R --repo -b --body -F --body-file -t --subject -A --author-email
--match-head-commit --hostname`
	ghReviewValued = "-R --repo -b --body -F --body-file --hostname"
)

// ghPR reads gh pr …
func ghPR(f *plain.Frame, argv, rest []shellword.Word) {
	sub, rest, ok := shellword.Subcommand(rest, ghPRValued)
	if !ok {
		f.OpaqueForge(shellword.Join(argv), "the gh command is only known when it runs")
		return
	}
	switch sub.Text {
	case "merge":
		ghMerge(f, argv, rest)
	case "review":
		ghReview(f, argv, rest)
	case "revert":
		f.Act(effect.Act{Kind: effect.OpenPR}, argv)
	default:
		fl := shellword.ParseFlags(rest, ghPRValued+" -c --comment")
		if !prCommand(f, argv, sub.Text, fl) {
			talk(f, argv, sub.Text, fl)
		}
	}
}

// prCheckout leaves the place on the branch of a PR, which is no protected one.
func prCheckout(f *plain.Frame, argv []shellword.Word, a effect.Act) {
	usePR(f, argv, a)
	checkedOut(f, place(f), "pull-request")
}

// usePR records that a command works on a PR, or on the branch that names it.
func usePR(f *plain.Frame, argv []shellword.Word, a effect.Act) {
	if a.PR > 0 {
		f.Use(a, argv)
		return
	}
	UseBranch(f, argv, a.Ref)
}

// place is the shell's directory, or the call's where that is not known.
func place(f *plain.Frame) string { return cmp.Or(f.Cwd, f.M.Call.Cwd) }

func ghMerge(f *plain.Frame, argv, rest []shellword.Word) {
	fl := shellword.ParseFlags(rest, ghMergeValued)
	if fl.On("--disable-auto") && !fl.On("--admin") {
		return
	}
	a := prTarget(f, fl)
	a.Kind = effect.MergePR
	a.SHA = fl.Val("--match-head-commit")
	if shellword.HasUnknown(a.SHA) {
		a.SHA = ""
	}
	a.Auto, a.Admin = fl.On("--auto"), fl.On("--admin")
	if a.Auto && !a.Admin {
		a.Kind = effect.ArmAutoMerge
	}
	f.Act(a, argv)
}

// prTarget is the PR that a command's first word names by a number, a URL or a branch. Without one
// it is that of the current branch.
func prTarget(f *plain.Frame, fl shellword.Flags) effect.Act {
	a := effect.Act{Repo: cmp.Or(repoFlag(fl), repoName(f.Env("GH_REPO")))}
	w := fl.Arg(0)
	switch {
	case w.Text == "":
		if name := branch(f, place(f)); !shellword.HasUnknown(name) {
			a.Ref = name
		}
	case shellword.Number(w.Text) > 0:
		a.PR = shellword.Number(w.Text)
	default:
		a.PR, a.Repo, a.Ref = PullURL(w, a.Repo)
	}
	return a
}

// PullURL reads https://host/owner/name/pull/5. Other text is returned as the reference.
func PullURL(w shellword.Word, repo string) (pr int, name, ref string) {
	if !w.Known() {
		return 0, repo, w.Show()
	}
	parts := strings.Split(strings.TrimSuffix(w.Text, "/"), "/")
	for i, p := range parts {
		const nouns = "pull pulls merge_requests pull-requests pullrequests"
		of := parts[:i]
		if i > 0 && of[i-1] == "-" { // GitLab's
			of = of[:i-1]
		}
		if n := len(of); shellword.Has(nouns, p) && i+1 < len(parts) && n > 1 {
			number, _, _ := strings.Cut(strings.ReplaceAll(parts[i+1], "?", "#"), "#")
			return shellword.Number(number), of[n-2] + "/" + of[n-1], w.Text
		}
	}
	return 0, repo, w.Text
}

func repoFlag(fl shellword.Flags) string { return repoName(fl.Val("-R", "--repo")) }

func ghReview(f *plain.Frame, argv, rest []shellword.Word) {
	fl := shellword.ParseFlags(rest, ghReviewValued)
	a := prTarget(f, fl)
	a.Kind = effect.Comment
	if fl.On("-a", "--approve") {
		a.Kind = effect.ApprovePR
		f.Act(a, argv)
		return
	}
	if fl.Late && !fl.On("-c", "--comment", "-r", "--request-changes") {
		f.OpaqueForge(shellword.Join(argv), "a review whose verdict is only known when it runs")
		return
	}
	a.Review = true
	Comment(f, bodyOf(f, fl), a, argv)
}

// bodyOf is the text of a comment, from its flag or its file.
func bodyOf(f *plain.Frame, fl shellword.Flags) string {
	if w, ok := fl.Get("-b", "--body", "-m", "--message"); ok {
		return w.Text
	}
	if w, ok := fl.Get("-F", "--body-file"); ok {
		return f.FileText(w.Text)
	}
	return ""
}

// talk reads the comments and labels of issues and PRs, as gh and glab have them.
func talk(f *plain.Frame, argv []shellword.Word, sub string, fl shellword.Flags) {
	switch a := prTarget(f, fl); sub {
	case "comment", "note":
		Comment(f, bodyOf(f, fl), a, argv)
	case "edit", "update":
		labelWords(f, effect.SetLabel, fl.All("--add-label", "-l", "--label"), a, argv)
		labelWords(f, effect.DropLabel, fl.All("--remove-label", "-u", "--unlabel"), a, argv)
	case "close":
		if c, ok := fl.Get("-c", "--comment"); ok {
			Comment(f, c.Text, a, argv)
		}
	}
}

const ghAPIValued = `-X --method -f --raw-field -F --field -H --header --input -q --jq -t --template
-p --preview --cache --hostname -R --repo`

// ghAPI reads gh api …
func ghAPI(f *plain.Frame, argv, rest []shellword.Word) {
	fl := shellword.ParseFlags(rest, ghAPIValued)
	api(f, argv, fl, f.FileText(cmp.Or(fl.Val("--input"), "/dev/null")))
}

// api judges the request that gh api and its kin would send.
func api(f *plain.Frame, argv []shellword.Word, fl shellword.Flags, body string) {
	method := strings.ToUpper(fl.Val("-X", "--method"))
	q := Request{Method: method, URL: fl.Arg(0).Text, Body: body, Argv: argv}
	for _, w := range fl.All("-f", "--raw-field", "-F", "--field", "--Field") {
		k, v, _ := strings.Cut(w.Text, "=")
		q.Fields = append(q.Fields, effect.Field{Path: k, Value: dataText(f, v)})
	}
	switch q = q.orDefault(); {
	case shellword.Blank(q.URL) && (fl.Late || q.Method != "GET"):
		f.OpaqueForge(shellword.Join(argv),
			"the path of the gh api call is only known when it runs")
	default:
		Send(f, q)
	}
}
