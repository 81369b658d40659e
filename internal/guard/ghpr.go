package guard

import "strings"

const ghPRValued = `-R --repo -b --body -F --body-file -t --subject --title -A --author-email --match-head-commit --hostname -B --base -H
--head -l --label -a --assignee -r --reviewer -m --milestone -p --project -T --template --recover --add-label
--remove-label --add-assignee --remove-assignee --add-reviewer --remove-reviewer --add-project --remove-project
--branch`

// ghPR reads gh pr …
func (f *frame) ghPR(argv, rest []word) {
	sub, rest, ok := subcommand(rest, ghPRValued)
	if !ok {
		f.ghUnknown(argv, sub)
		return
	}
	switch sub.text {
	case "merge":
		f.ghMerge(argv, rest)
	case "review":
		f.ghReview(argv, rest)
	case "comment":
		fl := parseFlags(rest, ghPRValued)
		f.comment(f.bodyOf(fl), f.prTarget(fl), argv)
	case "create", "new":
		fl := parseFlags(rest, ghPRValued)
		if !fl.on("--dry-run") {
			f.act(Act{Kind: OpenPR, Repo: repoFlag(fl)}, argv)
			f.labelWords(fl.all("-l", "--label"), Act{}, argv)
		}
	case "edit":
		fl := parseFlags(rest, ghPRValued)
		f.labelWords(fl.all("--add-label"), f.prTarget(fl), argv)
		f.labelled(DropLabel, fl.all("--remove-label"), f.prTarget(fl), argv)
	case "close":
		fl := parseFlags(rest, "-c --comment -R --repo")
		if c, ok := fl.get("-c", "--comment"); ok {
			f.comment(c.text, f.prTarget(fl), argv)
		}
	case "checkout", "co":
		f.prCheckout()
	case "revert":
		f.act(Act{Kind: OpenPR}, argv)
	}
}

// prCheckout leaves the place on the branch of some PR, which is no protected one.
func (f *frame) prCheckout() { f.checkedOut(f.place(), "pull-request") }

// place is where the shell stands, the call's own place when it is not known.
func (f *frame) place() string {
	if f.cwd == "" {
		return f.m.call.Cwd
	}
	return f.cwd
}

func (f *frame) ghMerge(argv, rest []word) {
	fl := parseFlags(rest, "-R --repo -b --body -F --body-file -t --subject -A --author-email --match-head-commit --hostname")
	if fl.on("--disable-auto") && !fl.on("--admin") {
		return
	}
	a := f.prTarget(fl)
	a.Kind = MergePR
	a.SHA = fl.val("--match-head-commit")
	if unknown(a.SHA) {
		a.SHA = ""
	}
	a.Auto, a.Admin = fl.on("--auto"), fl.on("--admin")
	if a.Auto && !a.Admin {
		a.Kind = ArmAutoMerge
	}
	f.act(a, argv)
}

// prTarget is the PR that a command's first word names: a number, a URL, a branch; none is the current branch's.
func (f *frame) prTarget(fl flags) Act {
	a := Act{Repo: repoFlag(fl)}
	if a.Repo == "" {
		a.Repo = repoName(f.envText("GH_REPO"))
	}
	w := fl.arg(0)
	switch {
	case w.text == "":
		if names, _ := f.branches(f.place()); len(names) == 1 {
			a.Ref = names[0]
		}
	case number(w.text) > 0:
		a.PR = number(w.text)
	default:
		a.PR, a.Repo, a.Ref = prURL(w, a.Repo)
	}
	return a
}

// prURL reads https://host/owner/name/pull/5; other text is a reference as it stands.
func prURL(w word, repo string) (pr int, name, ref string) {
	if !w.known() {
		return 0, repo, w.show()
	}
	parts := strings.Split(strings.TrimSuffix(w.text, "/"), "/")
	for i, p := range parts {
		if has("pull pulls merge_requests pull-requests pullrequests", p) && i+1 < len(parts) && i >= 2 {
			n, _, _ := strings.Cut(parts[i+1], "#")
			n, _, _ = strings.Cut(n, "?")
			if parts[i-1] == "-" {
				i--
			}
			return number(n), parts[i-2] + "/" + parts[i-1], w.text
		}
	}
	return 0, repo, w.text
}

func repoFlag(fl flags) string { return repoName(fl.val("-R", "--repo")) }

func (f *frame) ghReview(argv, rest []word) {
	fl := parseFlags(rest, "-R --repo -b --body -F --body-file --hostname")
	a := f.prTarget(fl)
	a.Kind = Comment
	if fl.on("-a", "--approve") {
		a.Kind = ApprovePR
		f.act(a, argv)
		return
	}
	if fl.late && !fl.on("-c", "--comment", "-r", "--request-changes") {
		f.opaqueForge(joinWords(argv), "a review whose verdict is only known when it runs")
		return
	}
	f.comment(f.bodyOf(fl), a, argv)
}

// bodyOf is the text of a comment, from its flag or its file.
func (f *frame) bodyOf(fl flags) string {
	if w, ok := fl.get("-b", "--body", "-m", "--message"); ok {
		return w.text
	}
	if w, ok := fl.get("-F", "--body-file"); ok {
		return f.fileText(w.text)
	}
	return ""
}

func (f *frame) ghIssue(argv, rest []word) {
	sub, rest, _ := subcommand(rest, ghPRValued)
	fl := parseFlags(rest, ghPRValued+" -c --comment")
	switch sub.text {
	case "comment":
		f.comment(f.bodyOf(fl), f.prTarget(fl), argv)
	case "edit":
		f.labelWords(fl.all("--add-label"), f.prTarget(fl), argv)
		f.labelled(DropLabel, fl.all("--remove-label"), f.prTarget(fl), argv)
	case "close":
		if c, ok := fl.get("-c", "--comment"); ok {
			f.comment(c.text, f.prTarget(fl), argv)
		}
	}
}

const ghAPIValued = "-X --method -f --raw-field -F --field -H --header --input -q --jq -t --template -p --preview --cache --hostname -R --repo"

// ghAPI reads gh api …
func (f *frame) ghAPI(argv, rest []word) {
	fl := parseFlags(rest, ghAPIValued)
	q := request{url: fl.arg(0).text, argv: argv}
	for _, w := range fl.all("-f", "--raw-field", "-F", "--field") {
		k, v, _ := strings.Cut(w.text, "=")
		if file, ok := strings.CutPrefix(v, "@"); ok {
			v = f.fileText(file)
		}
		q.fields = append(q.fields, Field{k, v})
	}
	if w, ok := fl.get("--input"); ok {
		q.body = f.fileText(w.text)
	}
	q.method = apiMethod(fl, q)
	if fl.late && blank(q.url) {
		f.opaqueForge(joinWords(argv), "the gh api call is only known when it runs")
		return
	}
	f.sendAPI(q, fl)
}

func apiMethod(fl flags, q request) string {
	if w, ok := fl.get("-X", "--method"); ok {
		if !w.known() {
			return hole
		}
		return strings.ToUpper(w.text)
	}
	if len(q.fields) > 0 || q.body != "" {
		return "POST"
	}
	return "GET"
}

func (f *frame) sendAPI(q request, fl flags) {
	before, opaque := len(f.m.read.Acts), len(f.m.read.Opaque)
	if strings.Trim(q.url, "/") == "graphql" {
		f.graphqlRequest(q)
		return
	}
	f.send(q)
	if blank(q.url) && q.method != "GET" && len(f.m.read.Acts) == before && len(f.m.read.Opaque) == opaque {
		f.opaqueForge(joinWords(q.argv), "the path of the gh api call is only known when it runs")
	}
}
