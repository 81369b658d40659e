package forges

import (
	"cmp"
	"slices"
	"strings"

	"hooks/internal/guard/effect"
	"hooks/internal/guard/plain"
	"hooks/internal/guard/shellword"
)

// Tool is a call to an unknown tool or a GraphQL mutation. It is judged by the words in its name
// and by its fields, regardless of its server.
type Tool struct {
	*plain.Frame
	Name   string // the tool's name, including the server name
	Words  []string
	Fields []effect.Field
	Argv   []shellword.Word // the call, for display
	On     effect.Act       // the PR and the repository, if known without the fields
}

// mutation is the Name of every GraphQL mutation. The word git in it makes ofForge return true.
const mutation = "git mutation"

// Judge records the tool's effects on a forge.
func (t Tool) Judge() {
	if !t.merges() && !t.reviews() && !t.moves() {
		t.talks()
	}
}

// Text returns the value of the first named field that the call has.
func (t Tool) Text(names ...string) string { return effect.LeafText(t.Fields, names...) }

// on reports whether one of the named fields is true.
func (t Tool) on(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		return shellword.Has("true yes 1", strings.ToLower(t.Text(name)))
	})
}

// Has reports whether the list contains a word in the tool's name.
func (t Tool) Has(list string) bool { return shellword.AnyOf(t.Words, list) }

// Reads reports whether a tool only reads, judged by the first words of its name.
func (t Tool) Reads() bool {
	i := slices.IndexFunc(t.Words, func(w string) bool {
		return shellword.Has(`get list search read view show describe fetch find check is has count
query download compare diff watch status inspect lookup resolve`, w)
	})
	return len(t.Words) == 0 || i == 0 ||
		i == 1 && !shellword.Has("merge accept approve push", t.Words[0])
}

// prKeys lists the fields that identify a PR.
const prKeys = `pull_number pull_request_number pr_number pr pull_request_id merge_request_iid
mr_iid iid index number issue_number issue_iid pull_id pr_id id`

// act returns an act of a kind. The tool's fields identify its PR and repository.
func (t Tool) act(kind effect.Kind) effect.Act {
	a := t.On
	a.Kind, a.Auto = kind, kind == effect.ArmAutoMerge
	a.Admin = t.on("force_merge", "bypass")
	if a.PR > 0 || a.Ref != "" {
		return a
	}
	a.PR = shellword.Number(t.Text(strings.Fields(prKeys)...))
	owner := t.Text("owner", "workspace", "org")
	name := t.Text("repo", "repository", "repo_slug", "repository_name")
	switch {
	case owner != "" && name != "":
		a.Repo = owner + "/" + name
	case strings.Count(name, "/") == 1:
		a.Repo = name
	}
	a.SHA = t.Text("sha", "head_sha", "expected_head_sha", "expected_head_oid")
	url := t.Text("url", "pull_request_url", "pr_url", "web_url")
	if a.PR == 0 && url != "" {
		a.PR, _, a.Ref = PullURL(shellword.Lit(url), "")
	}
	if id := t.Text("pull_request_id", "subject_id", "ref_id"); a.PR == 0 && a.Ref == "" &&
		!shellword.HasUnknown(id) {
		a.Ref = id
	}
	return a
}

// Does records an act and returns true.
func (t Tool) Does(kind effect.Kind) bool {
	t.Act(t.act(kind), t.Argv)
	return true
}

// movesTo judges a branch that the call moves and returns true.
func (t Tool) movesTo(branch string) bool {
	Moves(t.Frame, effect.Act{Repo: t.act("").Repo}, branch, t.Argv)
	return true
}

// ofForge reports whether a tool probably works on a forge and not, for example, on documents.
func (t Tool) ofForge() bool {
	const keys = prKeys + ` owner repo repository repo_slug project_id head base merge_method
commit_title strategy source_branch target_branch repository_id`
	forge := func(key string) bool {
		_, named := effect.Leaf(t.Fields, key)
		return named && !shellword.Has("id index number", key)
	}
	return slices.ContainsFunc(strings.Fields(keys), forge) ||
		t.Has("pull pr prs mr request requests github gitlab gitea branch branches forge queue") ||
		shellword.HasPart(strings.ToLower(t.Name), "git bitbucket azure forgejo __gh__ __glab__")
}

// ofPR reports whether a tool's name mentions a PR.
func (t Tool) ofPR() bool {
	return t.Has("pull pulls pr prs mr mrs pullrequest mergerequest") ||
		strings.Contains(strings.Join(t.Words, " "), "merge request")
}

// merges judges tools that merge a PR or a branch, or arm a merge. It reports whether Judge can
// skip the other checks.
func (t Tool) merges() bool {
	line := strings.ReplaceAll(strings.Join(t.Words, " "), "merge train", "enqueue")
	for noun := range strings.FieldsSeq("request conflict status base method commit diff setting") {
		line = strings.ReplaceAll(line, "merge "+noun, "")
	}
	said := strings.Fields(strings.ReplaceAll(line, "mergerequest", ""))
	says := func(list string) bool { return shellword.AnyOf(said, list) }
	status := strings.ToLower(t.Text("status", "state", "state_event"))
	merged := shellword.Has("completed merged", status)
	base := t.Text("base", "target_branch")
	switch into := cmp.Or(base, t.Text("into", "target")); {
	case says("disable cancel dequeue"):
		return false
	case t.ofPR() && !merged && t.on("merge_when_pipeline_succeeds", "merge_when_checks_succeed",
		"auto_merge", "auto_complete", "set_auto_complete"),
		says("automerge enqueue autocomplete"), says("auto queue") && says("merge"),
		says("auto") && says("complete"):
		return t.Does(effect.ArmAutoMerge)
	case says("merge"), t.ofPR() && says("accept land complete"):
		switch {
		case !t.ofForge() || !t.ofPR() && t.Has(otherMerges):
			return false
		case into != "" && !t.ofPR() && Free(t.Frame, into):
			return true
		case base != "" && !t.ofPR():
			return t.movesTo(base)
		}
		return t.Does(effect.MergePR)
	}
	return t.ofPR() && merged && t.Does(effect.MergePR)
}

// otherMerges lists things that tools merge outside of a forge.
const otherMerges = `pdf pdfs cell cells document documents doc docs file files dataframe dataframes
dataset datasets table tables video videos audio image images contact contacts layer layers sheet
sheets node nodes entity entities memory memories record records calendar config configs json yaml
duplicate duplicates issue issues`

// reviews judges tools for reviews, branch protection and workflows. It reports whether the tool is
// one of these.
func (t Tool) reviews() bool {
	event := strings.ToUpper(t.Text("event", "verdict", "review_event", "state"))
	const changes = "update delete remove create set edit disable put patch unprotect modify"
	switch {
	case t.Has("unapprove revoke"):
	case t.Has("dismiss") && t.Has("review"):
		return t.Does(effect.DismissReview)
	case t.Has("approve") && !t.Has("deployment deployments") && t.ofForge(),
		t.Has("review vote reviewer") && (strings.HasPrefix(event, "APPROVE") ||
			shellword.HasUnknown(event) || t.on("approve", "approved")):
		return t.Does(effect.ApprovePR)
	case (t.Has("protection ruleset rulesets protected unprotect") ||
		t.Has("rule") && t.Has("branch approval")) && t.Has(changes),
		t.Has("repo repository project") && t.Has("update edit set patch modify") &&
			slices.ContainsFunc(t.Fields, Relaxes):
		return t.Does(effect.RelaxProtection)
	case t.Has("workflow workflows dispatch dispatches action actions") &&
		t.Has("run trigger dispatch start create"):
		name := t.Text("workflow_id", "workflow", "workflow_file", "event_type", "name")
		Workflow(t.Frame, name, t.Argv)
		return true
	}
	return false
}

// moves judges tools that write to a branch. It reports whether the tool is one of these.
func (t Tool) moves() bool {
	moves := t.Has("push commit commits upload cherry revert rebase sync") ||
		t.Has("file files contents ref reference refs") &&
			t.Has("create update delete write put edit replace set patch remove upsert") ||
		t.Has("branch branches ref") && t.Has("update delete reset move force rename sync")
	opens := t.ofPR() && t.Has("create open new")
	if opens || !moves || t.Has("push") && t.Has("notification message alert") {
		return false
	}
	remote := t.Text("owner") != "" && t.Text("repo") != "" || t.Text("project_id") != ""
	branch := t.Text("branch", "branch_name", "target_branch", "ref", "reference", "refspec",
		"base", "to")
	if t.Has("ref refs") {
		branch = cmp.Or(branch, t.Text("name"))
	}
	for _, fd := range t.Fields { // updateRefs moves several refs
		if t.Has("refs") && fd.Key() == "name" && fd.Value != branch {
			t.movesTo(fd.Value)
		}
	}
	_, target := SplitRefspec(branch)
	switch {
	case t.Has("update") && t.Has("ref") && (target == "" || t.Name == mutation):
		return t.Does(effect.PushProtected)
	case target != "":
		t.movesTo(target)
	case t.Name == mutation && t.Has("ref refs commit"): // an id does not reveal the branch
		return t.movesTo("")
	case t.Has("push") && strings.Contains(strings.ToLower(t.Name), "git"):
		words := "git push " + t.Text("remote")
		if t.on("all") {
			words += " --all"
		}
		g := t.Child()
		if dir := t.Text("repo_path", "path", "cwd", "directory"); strings.HasPrefix(dir, "/") {
			g.Cwd = dir
		}
		Git(g, shellword.Lits(strings.Fields(words)...))
		return true
	case t.Has("file files contents commit") && remote:
		return t.movesTo(DefaultBranch(t.Frame))
	}
	return false
}

// talks judges tools for comments, labels and new PRs.
func (t Tool) talks() {
	if a := t.act(effect.UseBranch); a.PR > 0 && t.ofPR() {
		t.Use(a, t.Argv)
	}
	switch {
	case t.ofPR() && t.Has("create open new revert") && !t.Has("review comment note thread branch"):
		t.Does(effect.OpenPR)
	case t.Has("ready minimize unresolve delete"):
	case t.Has("comment comments note notes reply discussion thread review"):
		a, event := t.act(effect.Comment), t.Text("event", "verdict", "review_event", "state")
		a.Review = t.Has("review") && event != "" && !strings.EqualFold(event, "PENDING")
		body := t.Text("body", "comment", "content", "raw", "text", "note", "message")
		Comment(t.Frame, body, a, t.Argv)
	}
	if t.Has("label labels issue pull pr mr") || t.ofPR() {
		Labels(t.Frame, t.Fields, t.act(""), t.Argv)
	}
}
