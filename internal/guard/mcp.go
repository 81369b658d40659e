package guard

import (
	"cmp"
	"slices"
	"strings"

	"hooks/internal/guard/effect"
	"hooks/internal/guard/forges"
	"hooks/internal/guard/plain"
	"hooks/internal/guard/shellword"
)

// tool is a call of an unknown tool. It is judged by the words of its name and by its fields,
// whatever its server.
type tool struct {
	*plain.Frame
	call   Call
	words  []string
	fields []Field
}

// mcp reads a call of a tool that is not built into the client.
func mcp(f *plain.Frame, c Call) {
	t, cut := shapeOf(c)
	if t.Frame = f; len(cut) > 0 {
		f.M.Bounded("arguments of more values than are read", cut...)
	}
	inner := t.dispatched()
	if !t.reads() {
		t.words = append(t.verb(), t.words...)
	}
	for _, t := range append([]tool{t}, inner...) {
		t.writes()
		t.runs()
		t.sends()
		if !t.reads() && !t.clicks() && !t.merges() && !t.reviews() && !t.moves() {
			t.talks()
		}
	}
}

// shapeOf returns the call as a tool, with the values inside JSON arguments as fields. cut holds
// the JSON texts that were not read completely.
func shapeOf(c Call) (t tool, cut []string) {
	fields := c.Fields[:len(c.Fields):len(c.Fields)]
	for _, fd := range c.Fields {
		if len(fd.Value) < 2 || fd.Value[0] != '{' {
			continue
		}
		leaves, whole := shellword.JSONLeaves(fd.Value)
		if !whole {
			cut = append(cut, fd.Value)
		}
		for _, leaf := range leaves {
			fields = append(fields, Field{Path: fd.Path + "." + leaf.Path, Value: leaf.Value})
		}
	}
	named := func(fd Field) bool { return fd.Path == "command" }
	if c.Command != "" && !slices.ContainsFunc(fields, named) {
		fields = append(fields, Field{Path: "command", Value: c.Command})
	}
	return tool{call: c, words: shellword.NameWords(toolName(c.Tool)), fields: fields}, cut
}

// toolName returns a tool's name without mcp__server__.
func toolName(name string) string {
	if i := strings.LastIndex(name, "__"); strings.HasPrefix(name, "mcp__") && i > 4 {
		return name[i+2:]
	}
	return name
}

// lastKey returns the last part of a field's path in lower case.
func lastKey(path string) string {
	return strings.ToLower(path[strings.LastIndexByte(path, '.')+1:])
}

// text returns the value of the first of the named fields that the call has.
func (t tool) text(names ...string) string { return effect.LeafText(t.fields, names...) }

// on reports whether the first of the named fields that the call has is true.
func (t tool) on(names ...string) bool { return shellword.IsTrue(t.text(names...)) }

func (t tool) has(list string) bool { return shellword.AnyOf(t.words, list) }

// verb returns the words of the field that names the action, as in {"action": "merge"}.
func (t tool) verb() []string {
	for _, fd := range t.fields {
		if len(fd.Value) < 40 && !strings.ContainsAny(fd.Value, " /\n") &&
			!strings.Contains(fd.Path, ".") &&
			!shellword.Has("GET PUT POST PATCH DELETE", strings.ToUpper(fd.Value)) &&
			shellword.Has("action operation op method verb subcommand sub_command command mutation",
				lastKey(fd.Path)) {
			return shellword.NameWords(fd.Value)
		}
	}
	return nil
}

// dispatched returns the tools that a gateway is asked to call, as in
// {"tool": "merge_pull_request", "arguments": {…}}.
func (t tool) dispatched() (inner []tool) {
	if t.reads() || !t.has("call execute invoke exec tool tools run use batch mutation") {
		return nil
	}
	for _, fd := range t.fields {
		words := shellword.NameWords(toolName(fd.Value))
		if len(words) < 2 || len(fd.Value) > 80 || strings.ContainsAny(fd.Value, " \n") ||
			!shellword.Has(`tool tool_name toolname tool_slug tool_id action action_id name function
operation`, lastKey(fd.Path)) {
			continue
		}
		in := t
		in.words, in.fields = words, nil
		beside := fd.Path[:strings.LastIndexByte(fd.Path, '.')+1]
		for _, other := range t.fields {
			if strings.HasPrefix(other.Path, beside) {
				in.fields = append(in.fields, other)
			}
		}
		inner = append(inner, in)
	}
	return inner
}

// reads reports whether a tool only reads, judged by the first words of its name.
func (t tool) reads() bool {
	if len(t.words) == 0 || strings.EqualFold(t.text("method"), "get") {
		return true
	}
	i := slices.IndexFunc(t.words, func(w string) bool {
		return shellword.Has(`get list search read view show describe fetch find check is has count
query download compare diff watch status inspect lookup resolve`, w)
	})
	return i == 0 || i == 1 && !shellword.Has("merge accept approve push", t.words[0])
}

const prKeys = `pull_number pullNumber pull_request_number pullRequestNumber pr_number prNumber pr
pull_request_id pullRequestId merge_request_iid mergeRequestIid mr_iid mrIid iid index number
issue_number issueNumber issue_iid pull_id pullId prId id`

// act returns an act on the PR and the repository that the fields name.
func (t tool) act(kind Kind) Act {
	a := Act{Kind: kind, Auto: kind == effect.ArmAutoMerge}
	a.PR = shellword.Number(t.text(strings.Fields(prKeys)...))
	owner := t.text("owner", "workspace", "org")
	name := t.text("repo", "repository", "repo_slug", "repository_name")
	switch {
	case owner != "" && name != "":
		a.Repo = owner + "/" + name
	case strings.Count(name, "/") == 1:
		a.Repo = name
	}
	a.SHA = t.text("sha", "head_sha", "expected_head_sha", "expectedHeadSha", "expectedHeadOid")
	url := t.text("url", "pull_request_url", "pr_url", "web_url")
	if a.PR == 0 && url != "" {
		a.PR, _, a.Ref = forges.PullURL(shellword.Lit(url), "")
	}
	return a
}

// does records an act of the call and returns true.
func (t tool) does(kind Kind) bool {
	t.Act(t.act(kind), t.label())
	return true
}

// movesTo judges a branch that the call moves and returns true.
func (t tool) movesTo(branch string) bool {
	forges.Moves(t.Frame, Act{Repo: t.act("").Repo}, branch, t.label())
	return true
}

// ofForge reports whether a tool belongs to a forge. Other tools also merge documents or branches.
func (t tool) ofForge() bool {
	forge := func(fd Field) bool {
		key := fd.Path[strings.LastIndexByte(fd.Path, '.')+1:]
		return !shellword.Has("id index number", key) && shellword.Has(prKeys+` owner repo
repository repo_slug project_id projectId head base merge_method mergeMethod commit_title strategy
source_branch target_branch sourceBranch targetBranch repository_id repositoryId`, key)
	}
	return slices.ContainsFunc(t.fields, forge) || t.has(`pull pr prs mr request requests github
gitlab gitea branch branches forge queue`) || shellword.HasPart(strings.ToLower(t.call.Tool),
		"git bitbucket azure forgejo __gh__ __glab__")
}

// ofPR reports whether a tool's name mentions a PR.
func (t tool) ofPR() bool {
	return t.has("pull pulls pr prs mr mrs pullrequest mergerequest") ||
		strings.Contains(strings.Join(t.words, " "), "merge request")
}

// merges judges tools that merge or arm a merge. It reports whether the call needs no other check.
func (t tool) merges() bool {
	line := strings.ReplaceAll(strings.Join(t.words, " "), "merge train", "enqueue")
	for noun := range strings.FieldsSeq("request conflict status base method commit diff setting") {
		line = strings.ReplaceAll(line, "merge "+noun, "")
	}
	said := strings.Fields(strings.ReplaceAll(line, "mergerequest", ""))
	says := func(list string) bool { return shellword.AnyOf(said, list) }
	status := strings.ToLower(t.text("status", "state", "state_event"))
	merged := shellword.Has("completed merged", status)
	base := t.text("base", "target_branch", "targetBranch")
	switch into := cmp.Or(base, t.text("into", "target")); {
	case says("disable cancel dequeue"):
		return false
	case t.ofPR() && !merged && t.on("merge_when_pipeline_succeeds", "auto_merge", "autoComplete",
		"auto_complete", "setAutoComplete", "mergeWhenPipelineSucceeds"),
		says("automerge enqueue autocomplete"), says("auto queue") && says("merge"),
		says("auto") && says("complete"):
		return t.does(effect.ArmAutoMerge)
	case says("merge"), t.ofPR() && says("accept land complete"):
		switch {
		case !t.ofForge() || !t.ofPR() && t.has(otherMerges):
			return false
		case into != "" && !t.ofPR() && forges.Protected(t.Frame, into) == forges.No:
			return true
		case base != "" && !t.ofPR():
			return t.movesTo(base)
		}
		return t.does(effect.MergePR)
	}
	return t.ofPR() && merged && t.does(effect.MergePR)
}

// otherMerges lists things that tools merge outside of a forge.
const otherMerges = `pdf pdfs cell cells document documents doc docs file files dataframe dataframes
dataset datasets table tables video videos audio image images contact contacts layer layers sheet
sheets node nodes entity entities memory memories record records calendar config configs json yaml
duplicate duplicates issue issues`

// reviews judges tools for reviews, branch protection and workflows, and reports whether the tool
// is one of these.
func (t tool) reviews() bool {
	event := strings.ToUpper(t.text("event", "verdict", "review_event", "reviewEvent"))
	const changes = "update delete remove create set edit disable put patch unprotect modify"
	switch {
	case t.has("unapprove revoke"):
	case t.has("approve") && !t.has("deployment") && t.ofForge(),
		t.has("review vote reviewer") &&
			(strings.HasPrefix(event, "APPROVE") || t.on("approve", "approved")):
		return t.does(effect.ApprovePR)
	case t.has("dismiss") && t.has("review"):
		return t.does(effect.DismissReview)
	case t.has("protection ruleset rulesets protected unprotect") && t.has(changes),
		t.has("repo repository project") && t.has("update edit set patch modify") &&
			slices.ContainsFunc(t.fields, forges.Relaxes):
		return t.does(effect.RelaxProtection)
	case t.has("workflow workflows dispatch dispatches action actions") &&
		t.has("run trigger dispatch start create"):
		name := t.text("workflow_id", "workflowId", "workflow", "workflow_file", "event_type",
			"eventType", "name")
		forges.Workflow(t.Frame, name, t.label())
		return true
	}
	return false
}

// moves judges tools that write to a branch and reports whether the tool is one of these.
func (t tool) moves() bool {
	moves := t.has("push commit commits upload cherry revert rebase sync") ||
		t.has("file files contents ref reference refs") &&
			t.has("create update delete write put edit replace set patch remove upsert") ||
		t.has("branch branches ref") && t.has("update delete reset move force rename sync")
	opens := t.ofPR() && t.has("create open new")
	if opens || !moves || t.has("push") && t.has("notification message alert") {
		return false
	}
	remote := t.text("owner") != "" && t.text("repo") != "" ||
		t.text("project_id", "projectId") != ""
	branch := t.text("branch", "branch_name", "branchName", "target_branch",
		"targetBranch", "ref", "reference", "refspec", "base", "to", "refUpdates.name")
	_, target := forges.SplitRefspec(branch)
	switch {
	case target != "":
		t.movesTo(target)
	case t.has("push") && strings.Contains(strings.ToLower(t.call.Tool), "git"):
		words := "git push " + t.text("remote")
		if t.on("all") {
			words += " --all"
		}
		g := t.Child()
		if dir := t.text("repo_path", "path", "cwd", "directory"); strings.HasPrefix(dir, "/") {
			g.Cwd = dir
		}
		forges.Git(g, shellword.Lits(strings.Fields(words)...))
		return true
	case t.has("file files contents commit") && remote:
		return t.movesTo(forges.DefaultBranch(t.Frame))
	}
	return false
}

// talks judges tools for comments, labels and new PRs.
func (t tool) talks() {
	if a := t.act(effect.UseBranch); a.PR > 0 && t.ofPR() {
		t.Use(a, t.label())
	}
	switch {
	case t.ofPR() && t.has("create open new") && !t.has("review comment note thread branch"):
		t.does(effect.OpenPR)
	case t.has("comment comments note notes reply discussion thread"):
		body := t.text("body", "comment", "content", "text", "note", "message")
		forges.Comment(t.Frame, body, t.act(effect.Comment), t.label())
	case t.has("review"):
		a := t.act(effect.Comment)
		event := t.text("event", "verdict", "review_event", "reviewEvent")
		a.Review = event != "" && !strings.EqualFold(event, "PENDING")
		t.Act(a, t.label())
	}
	if t.has("label labels issue pull pr mr") || t.ofPR() {
		forges.Labels(t.Frame, t.fields, t.act(""), t.label())
	}
}

// clicks records a merge and returns true if the tool clicks on a forge's merge button.
func (t tool) clicks() bool {
	clicks, runs := t.has("click tap press submit"), t.has("evaluate run code script")
	for _, fd := range t.fields {
		text := strings.ToLower(strings.TrimSpace(fd.Value))
		const marks = "merge pull request,squash and merge,rebase and merge,confirm merge," +
			"confirm squash,confirm rebase,enable auto-merge,merge when ready,merge request," +
			"bypass rules and merge"
		for mark := range strings.SplitSeq(marks, ",") {
			if clicks && strings.HasPrefix(text, mark) && len(text) < len(mark)+20 ||
				runs && strings.Contains(text, ".click(") && strings.Contains(text, mark) {
				return t.does(effect.MergePR)
			}
		}
	}
	return false
}

// label returns the call for display: the tool's name with its first fields, shortened.
func (t tool) label() []shellword.Word { return label(t.call) }

func label(c Call) []shellword.Word {
	var parts []string
	for _, fd := range c.Fields[:min(6, len(c.Fields))] {
		value := strings.ReplaceAll(fd.Value, "\n", " ")
		parts = append(parts, fd.Path+": "+shellword.Clip(value, 60))
	}
	return []shellword.Word{{Text: c.Tool + "(" + strings.Join(parts, ", ") + ")", Raw: true}}
}
