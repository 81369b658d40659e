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

// mcp reads a call of a tool that is known by its shape only: the words of its name and its fields,
// whatever its server.
func mcp(f *plain.Frame, c Call) {
	t, cut := shapeOf(c)
	if len(cut) > 0 {
		f.M.Bounded("arguments of more values than are read", cut...)
	}
	inner := t.dispatched()
	if !t.reads() {
		t.words = append(t.verb(), t.words...)
	}
	t.judge(f)
	for _, in := range inner {
		in.judge(f)
	}
}

// shapeOf returns the shape of a call, arguments that are given as JSON text included. cut holds
// those texts of which not every value was read.
func shapeOf(c Call) (t toolShape, cut []string) {
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
	return toolShape{call: c, words: shellword.NameWords(toolName(c.Tool)), fields: fields}, cut
}

// toolShape is a tool by its name's words and its input.
type toolShape struct {
	call   Call
	words  []string
	fields []Field
}

// judge reads a tool's shape: the files it writes, the text it runs, the requests it sends, and the
// words of its name.
func (t toolShape) judge(f *plain.Frame) {
	toolFiles(f, t)
	toolRuns(f, t)
	toolSends(f, t)
	if t.reads() || toolClick(f, t) || toolMerge(f, t) || toolReview(f, t) || toolBranch(f, t) {
		return
	}
	toolTalk(f, t)
}

// text is the value of the first of the fields that the tool is given.
func (t toolShape) text(names ...string) string { return effect.LeafText(t.fields, names...) }

func (t toolShape) hasWord(list string) bool { return shellword.AnyOf(t.words, list) }

// toolName is the part behind mcp__server__.
func toolName(tool string) string {
	if i := strings.LastIndex(tool, "__"); strings.HasPrefix(tool, "mcp__") && i > 4 {
		return tool[i+2:]
	}
	return tool
}

// lastKey is the last part of a field's path in lower case.
func lastKey(path string) string {
	return strings.ToLower(path[strings.LastIndexByte(path, '.')+1:])
}

// verb are the words of the field that names the action: {"action": "merge"}.
func (t toolShape) verb() []string {
	for _, fd := range t.fields {
		plain := len(fd.Value) < 40 && !strings.ContainsAny(fd.Value, " /\n") &&
			!strings.Contains(fd.Path, ".")
		if plain && !shellword.Has("GET PUT POST PATCH DELETE", strings.ToUpper(fd.Value)) &&
			shellword.Has("action operation op method verb subcommand sub_command command mutation",
				lastKey(fd.Path)) {
			return shellword.NameWords(fd.Value)
		}
	}
	return nil
}

// dispatched are the tools that a gateway is asked to call:
// {"tool": "merge_pull_request", "arguments": {…}}.
func (t toolShape) dispatched() (inner []toolShape) {
	if t.reads() || !t.hasWord("call execute invoke exec tool tools run use batch mutation") {
		return nil
	}
	for _, fd := range t.fields {
		words := shellword.NameWords(toolName(fd.Value))
		if len(words) < 2 || len(fd.Value) > 80 || strings.ContainsAny(fd.Value, " \n") ||
			!shellword.Has(`tool tool_name toolname tool_slug tool_id action action_id name function
operation`, lastKey(fd.Path)) {
			continue
		}
		in := toolShape{call: t.call, words: words}
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

// reads reports whether a tool only looks, by the first word of its name that shows it.
func (t toolShape) reads() bool {
	if len(t.words) == 0 || strings.EqualFold(t.text("method"), "get") {
		return true
	}
	for i, w := range t.words {
		if shellword.Has(`
			get list search read view show describe fetch find check is has count query
download compare diff watch status inspect lookup resolve`, w) {
			return i == 0 || i == 1 && !shellword.Has("merge accept approve push", t.words[0])
		}
	}
	return false
}

const prKeys = `pull_number pullNumber pull_request_number pullRequestNumber pr_number prNumber pr
pull_request_id pullRequestId merge_request_iid mergeRequestIid mr_iid mrIid iid index number
issue_number issueNumber issue_iid pull_id pullId prId id`

// act is an act on the PR and in the repository that the fields name.
func (t toolShape) act(kind Kind) Act {
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

// does records an act of the call.
func (t toolShape) does(f *plain.Frame, kind Kind) bool {
	f.Act(t.act(kind), label(t.call))
	return true
}

// moves records that a call moves a protected branch.
func (t toolShape) moves(f *plain.Frame, branch string) bool {
	a := t.act(effect.PushProtected)
	a.Ref, a.PR = branch, 0
	f.Act(a, label(t.call))
	return true
}

// ofForge reports whether a tool is a forge's, and not one that merges documents or branches of
// something else.
func (t toolShape) ofForge() bool {
	forge := func(fd Field) bool {
		key := fd.Path[strings.LastIndexByte(fd.Path, '.')+1:]
		return !shellword.Has("id index number", key) && shellword.Has(prKeys+`
			 owner repo repository
repo_slug project_id projectId head base merge_method mergeMethod commit_title strategy
source_branch target_branch sourceBranch targetBranch repository_id repositoryId`, key)
	}
	return slices.ContainsFunc(t.fields, forge) || t.hasWord(`pull pr prs mr request requests github
gitlab gitea branch branches forge queue`) || shellword.HasPart(strings.ToLower(t.call.Tool),
		"git bitbucket azure forgejo __gh__ __glab__")
}

// toolMerge judges a name with merge as its verb.
func toolMerge(f *plain.Frame, t toolShape) bool {
	said := t.verbs()
	says := func(list string) bool { return shellword.AnyOf(said, list) }
	status := strings.ToLower(t.text("status", "state", "state_event"))
	merged := shellword.Has("completed merged", status)
	base := t.text("base", "target_branch", "targetBranch")
	switch into := cmp.Or(base, t.text("into", "target")); {
	case says("disable cancel dequeue"):
		return false
	case t.nounPR() && !merged && shellword.IsTrue(t.text("merge_when_pipeline_succeeds",
		"auto_merge", "autoComplete", "auto_complete", "setAutoComplete",
		"mergeWhenPipelineSucceeds")), says("automerge enqueue autocomplete"),
		says("auto queue") && says("merge"), says("auto") && says("complete"):
		return t.does(f, effect.ArmAutoMerge)
	case says("merge"), t.nounPR() && says("accept land complete"):
		switch {
		case !t.ofForge() || t.otherMerge():
			return false
		case into != "" && !t.nounPR() && forges.Protected(f, into) == forges.No:
			return true
		case base != "" && !t.nounPR():
			return t.moves(f, base)
		}
		return t.does(f, effect.MergePR)
	case t.nounPR() && merged:
		return t.does(f, effect.MergePR)
	}
	return false
}

// verbs are the name's words without the noun "merge request" and its kin.
func (t toolShape) verbs() []string {
	line := strings.ReplaceAll(strings.Join(t.words, " "), "merge train", "enqueue")
	for noun := range strings.FieldsSeq("request conflict status base method commit diff setting") {
		line = strings.ReplaceAll(line, "merge "+noun, "")
	}
	return strings.Fields(strings.ReplaceAll(line, "mergerequest", ""))
}

func (t toolShape) nounPR() bool {
	return t.hasWord("pull pulls pr prs mr mrs pullrequest mergerequest") ||
		strings.Contains(strings.Join(t.words, " "), "merge request")
}

// otherMerge reports whether a tool merges things that no forge has.
func (t toolShape) otherMerge() bool {
	return !t.nounPR() && t.hasWord(`pdf pdfs cell cells document documents doc docs file files
dataframe dataframes dataset datasets table tables video videos audio image images contact contacts
layer layers sheet sheets node nodes entity entities memory memories record records calendar config
configs json yaml duplicate duplicates issue issues`)
}

// toolReview judges reviews, protections, workflows.
func toolReview(f *plain.Frame, t toolShape) bool {
	event := strings.ToUpper(t.text("event", "verdict", "review_event", "reviewEvent"))
	voted := strings.HasPrefix(event, "APPROVE") ||
		shellword.IsTrue(t.text("approve", "approved"))
	const changes = "update delete remove create set edit disable put patch unprotect modify"
	switch {
	case t.hasWord("unapprove revoke"):
	case t.hasWord("approve") && !t.hasWord("deployment") && t.ofForge(),
		t.hasWord("review vote reviewer") && voted:
		return t.does(f, effect.ApprovePR)
	case t.hasWord("dismiss") && t.hasWord("review"):
		return t.does(f, effect.DismissReview)
	case t.hasWord("protection ruleset rulesets protected unprotect") && t.hasWord(changes),
		t.hasWord("repo repository project") && t.hasWord("update edit set patch modify") &&
			slices.ContainsFunc(t.fields, forges.Relaxes):
		return t.does(f, effect.RelaxProtection)
	case t.hasWord("workflow workflows dispatch dispatches action actions") &&
		t.hasWord("run trigger dispatch start create"):
		name := t.text("workflow_id", "workflowId", "workflow", "workflow_file", "event_type",
			"eventType", "name")
		forges.Workflow(f, name, label(t.call))
		return true
	}
	return false
}

// toolBranch judges writes aimed at a branch.
func toolBranch(f *plain.Frame, t toolShape) bool {
	moves := t.hasWord("push commit commits upload cherry revert rebase sync") ||
		t.hasWord("file files contents ref reference refs") &&
			t.hasWord("create update delete write put edit replace set patch remove upsert") ||
		t.hasWord("branch branches ref") && t.hasWord("update delete reset move force rename sync")
	opens := t.nounPR() && t.hasWord("create open new")
	if opens || !moves || t.hasWord("push") && t.hasWord("notification message alert") {
		return false
	}
	remote := t.text("owner") != "" && t.text("repo") != "" ||
		t.text("project_id", "projectId") != ""
	branch, ok := effect.Leaf(t.fields, "branch", "branch_name", "branchName", "target_branch",
		"targetBranch", "ref", "reference", "refspec", "base", "to", "refUpdates.name")
	_, target := forges.SplitRefspec(branch)
	switch {
	case ok:
		forges.Moves(f, Act{Repo: t.act("").Repo}, target, label(t.call))
	case !ok && t.hasWord("push") && strings.Contains(strings.ToLower(t.call.Tool), "git"):
		words := "git push " + t.text("remote")
		if shellword.IsTrue(t.text("all")) {
			words += " --all"
		}
		g := f.Child()
		if dir := t.text("repo_path", "path", "cwd", "directory"); strings.HasPrefix(dir, "/") {
			g.Cwd = dir
		}
		forges.Git(g, shellword.Lits(strings.Fields(words)...))
		return true
	case !ok && t.hasWord("file files contents commit") && remote:
		return t.moves(f, forges.DefaultBranch(f))
	}
	return false
}

// toolTalk judges comments, labels and new PRs.
func toolTalk(f *plain.Frame, t toolShape) {
	if a := t.act(effect.UseBranch); a.PR > 0 && t.nounPR() {
		f.Use(a, label(t.call))
	}
	switch {
	case t.nounPR() && t.hasWord("create open new") &&
		!t.hasWord("review comment note thread branch"):
		t.does(f, effect.OpenPR)
	case t.hasWord("comment comments note notes reply discussion thread"):
		body := t.text("body", "comment", "content", "text", "note", "message")
		forges.Comment(f, body, t.act(effect.Comment), label(t.call))
	case t.hasWord("review"):
		a := t.act(effect.Comment)
		event := t.text("event", "verdict", "review_event", "reviewEvent")
		a.Review = event != "" && !strings.EqualFold(event, "PENDING")
		f.Act(a, label(t.call))
	}
	if t.hasWord("label labels issue pull pr mr") || t.nounPR() {
		a := t.act(effect.ArmAutoMerge)
		a.Auto = false
		forges.Labels(f, t.fields, a, label(t.call))
	}
}

// label is a call as a person would write it: the tool with its short leaves.
func label(c Call) []shellword.Word {
	var parts []string
	for _, fd := range c.Fields {
		if len(parts) < 6 {
			value := strings.ReplaceAll(fd.Value, "\n", " ")
			parts = append(parts, fd.Path+": "+shellword.Clip(value, 60))
		}
	}
	return []shellword.Word{{Text: c.Tool + "(" + strings.Join(parts, ", ") + ")", Raw: true}}
}
