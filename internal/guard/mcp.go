package guard

import (
	"slices"
	"strings"

	"hooks/internal/guard/act"
	"hooks/internal/guard/forges"
	"hooks/internal/guard/shell"
	"hooks/internal/guard/word"
)

// mcp reads a call of a tool that is known by its shape only: the words of its name and its fields, whatever its server.
func mcp(f *shell.Frame, c Call) {
	t := toolShape{call: c, words: word.NameWords(toolName(c.Tool)), fields: opened(f, c.Fields)}
	if c.Command != "" && !slices.Contains(t.keys(), "command") {
		t.fields = append(t.fields[:len(t.fields):len(t.fields)], Field{Path: "command",
			Value: c.Command})
	}
	inner := t.dispatched()
	if verb := t.verb(); len(verb) > 0 && !t.reads() {
		t.words = append(verb, t.words...)
	}
	t.judge(f)
	for _, in := range inner {
		in.judge(f)
	}
}

// opened adds the leaves of arguments that are given as JSON text.
func opened(f *shell.Frame, fields []Field) []Field {
	out := fields[:len(fields):len(fields)]
	for _, fd := range fields {
		if len(fd.Value) > 1 && fd.Value[0] == '{' {
			leaves, whole := word.JSONLeavesWhole(fd.Value)
			if !whole {
				f.M.Bounded("arguments of more values than are read", fd.Value)
			}
			for _, leaf := range leaves {
				out = append(out, Field{Path: fd.Path + "." + leaf.Path, Value: leaf.Value})
			}
		}
	}
	return out
}

// lastKey is the last part of a field's path in lower case.
func lastKey(path string) string {
	return strings.ToLower(path[strings.LastIndexByte(path,
		'.')+1:])
}

// verb are the words of the field that says what a tool does: {"action": "merge"}.
func (t toolShape) verb() []string {
	for _, fd := range t.fields {
		plain := len(fd.Value) < 40 && !strings.ContainsAny(fd.Value, " /\n")
		if plain && !strings.Contains(fd.Path, ".") &&
			!word.Has("GET PUT POST PATCH DELETE", strings.ToUpper(fd.Value)) &&
			word.Has("action operation op method verb subcommand sub_command command mutation",
				lastKey(fd.Path)) {
			return word.NameWords(fd.Value)
		}
	}
	return nil
}

// judge reads a tool's shape: what it writes, runs and sends, and what its name says.
func (t toolShape) judge(f *shell.Frame) {
	toolFiles(f, t)
	toolRuns(f, t)
	toolSends(f, t)
	if t.reads() {
		return
	}
	if toolClick(f, t) || toolMerge(f, t) || toolReview(f, t) || toolBranch(f, t) {
		return
	}
	toolTalk(f, t)
}

// toolShape is a tool by its name's words and its input.
type toolShape struct {
	call   Call
	words  []string
	fields []Field
}

// dispatched are the tools that a gateway is asked to call: {"tool": "merge_pull_request", "arguments": {…}}.
func (t toolShape) dispatched() []toolShape {
	gateway := t.hasWord("call execute invoke exec tool tools run use batch mutation") && !t.reads()
	var inner []toolShape
	for _, fd := range t.fields {
		words := word.NameWords(toolName(fd.Value))
		named := len(words) > 1 && len(fd.Value) <= 80 && !strings.ContainsAny(fd.Value, " \n")
		if !gateway || !named ||
			!word.Has(`tool tool_name toolname tool_slug tool_id action action_id name function
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

// toolName is what stands behind mcp__server__.
func toolName(tool string) string {
	if i := strings.LastIndex(tool, "__"); strings.HasPrefix(tool, "mcp__") && i > 4 {
		return tool[i+2:]
	}
	return tool
}

func (t toolShape) keys() []string {
	var out []string
	for _, fd := range t.fields {
		out = append(out, fd.Path)
	}
	return out
}

func (t toolShape) hasWord(list string) bool {
	return word.AnyOf(t.words, list)
}

// reads tells tools that only look: the first word says so, and none says otherwise.
func (t toolShape) reads() bool {
	if len(t.words) == 0 {
		return true
	}
	if strings.EqualFold(act.LeafText(t.fields, "method"), "get") {
		return true
	}
	for i, w := range t.words {
		if word.Has("get list search read view show describe fetch find check is has count query download compare diff watch status inspect lookup resolve", w) {
			return i == 0 || i == 1 && !word.Has("merge accept approve push", t.words[0])
		}
	}
	return false
}

const prKeys = `pull_number pullNumber pull_request_number pullRequestNumber pr_number prNumber pr pull_request_id pullRequestId
merge_request_iid mergeRequestIid mr_iid mrIid iid index number issue_number issueNumber issue_iid pull_id pullId prId
id`

// act is the act's PR and repository as the fields tell.
func (t toolShape) act(kind Kind) Act {
	a := Act{Kind: kind, PR: word.Number(act.LeafText(t.fields, strings.Fields(prKeys)...))}
	owner := act.LeafText(t.fields, "owner", "workspace", "org")
	name := act.LeafText(t.fields, "repo", "repository", "repo_slug", "repository_name")
	switch {
	case owner != "" && name != "":
		a.Repo = owner + "/" + name
	case strings.Count(name, "/") == 1:
		a.Repo = name
	}
	a.SHA = act.LeafText(t.fields, "sha", "head_sha", "expected_head_sha", "expectedHeadSha",
		"expectedHeadOid")
	if a.PR == 0 {
		if url := act.LeafText(t.fields, "url", "pull_request_url", "pr_url", "web_url"); url != "" {
			a.PR, _, a.Ref = forges.PullURL(word.Lit(url), "")
		}
	}
	return a
}

// forgeShaped tells a forge's tool from one that merges documents, cells or branches of something else.
func (t toolShape) forgeShaped() bool {
	for _, fd := range t.fields {
		key := fd.Path[strings.LastIndexByte(fd.Path, '.')+1:]
		if key != "id" && key != "index" && key != "number" &&
			word.Has(prKeys+`owner repo repository repo_slug project_id projectId head base merge_method mergeMethod commit_title strategy
source_branch target_branch sourceBranch targetBranch repository_id repositoryId`, key) {
			return true
		}
	}
	return t.hasWord("pull pr prs mr request requests github gitlab gitea branch branches forge queue")
}

func (t toolShape) ofForge() bool {
	return t.forgeShaped() ||
		word.HasPart(strings.ToLower(t.call.Tool),
			"git bitbucket azure forgejo gitea gerrit phabricator __gh__ __glab__")
}

// toolMerge judges a name with merge as its verb.
func toolMerge(f *shell.Frame, t toolShape) bool {
	says := toolShape{words: t.verbs()}.hasWord
	server := strings.ToLower(t.call.Tool)
	status := strings.ToLower(act.LeafText(t.fields, "status", "state", "state_event"))
	switch {
	case says("disable cancel dequeue"):
		return false
	case t.nounPR() && t.armed() && !word.Has("completed merged", status):
		toolAct(f, t, act.ArmAutoMerge)
	case says("automerge enqueue autocomplete") || says("auto queue") && says("merge") ||
		says("auto") && says("complete"):
		toolAct(f, t, act.ArmAutoMerge)
	case says("merge") || t.nounPR() && says("accept land complete") || says("land") &&
		t.hasWord("revision diff change") ||
		says("submit") && t.hasWord("change") && strings.Contains(server, "gerrit"):
		if !t.ofForge() || t.otherMerge() {
			return false
		}
		if base := act.LeafText(t.fields, "base", "target_branch", "targetBranch", "into",
			"target"); base != "" && !t.nounPR() && forges.Protected(f, base) == shell.No {
			return true
		}
		if base := act.LeafText(t.fields, "base", "target_branch", "targetBranch"); base != "" &&
			!t.nounPR() {
			a := t.act(act.PushProtected)
			a.Ref = base
			f.Act(a, label(t.call))
			return true
		}
		toolAct(f, t, act.MergePR)
	case t.nounPR() && word.Has("completed merged", status):
		toolAct(f, t, act.MergePR)
	default:
		return false
	}
	return true
}

// armed reports whether the fields make a PR merge later.
func (t toolShape) armed() bool {
	return word.IsTrue(act.LeafText(t.fields, "merge_when_pipeline_succeeds", "auto_merge",
		"autoComplete", "auto_complete",
		"setAutoComplete", "mergeWhenPipelineSucceeds")) ||
		slices.ContainsFunc(t.fields, func(fd Field) bool {
			return strings.HasPrefix(fd.Path,
				"autoCompleteSetBy") && fd.Value != ""
		})
}

// verbs are the name's words without the noun "merge request".
func (t toolShape) verbs() []string {
	const others = `request requests conflict conflicts status base method commit commits diff diffs
train trains settings`
	var out []string
	for i := 0; i < len(t.words); i++ {
		if t.words[i] == "merge" && i+1 < len(t.words) && word.Has(others, t.words[i+1]) {
			if word.Has("train trains", t.words[i+1]) {
				out = append(out, "enqueue")
			}
			i++
			continue
		}
		if word.Has("mergerequest mergerequests", t.words[i]) {
			continue
		}
		out = append(out, t.words[i])
	}
	return out
}

func (t toolShape) nounPR() bool {
	if t.hasWord("pull pulls pr prs mr mrs pullrequest mergerequest") {
		return true
	}
	for i, w := range t.words {
		if w == "merge" && i+1 < len(t.words) && strings.HasPrefix(t.words[i+1], "request") {
			return true
		}
	}
	return false
}

// otherMerge tells merges of things that no forge has.
func (t toolShape) otherMerge() bool {
	return t.hasWord(`pdf pdfs cell cells document documents doc docs file files dataframe dataframes dataset datasets table tables video
videos audio image images contact contacts layer layers sheet sheets node nodes entity entities memory memories record
records calendar config configs json yaml duplicate duplicates issue issues`) && !t.nounPR()
}

func toolAct(f *shell.Frame, t toolShape, kind Kind) {
	a := t.act(kind)
	a.Auto = kind == act.ArmAutoMerge
	f.Act(a, label(t.call))
}

// toolReview judges reviews, protections, workflows.
func toolReview(f *shell.Frame, t toolShape) bool {
	event := act.LeafText(t.fields, "event", "verdict", "review_event", "reviewEvent", "vote")
	event = strings.ToUpper(event)
	voted := strings.HasPrefix(event, "APPROVE") || event == "10" ||
		word.IsTrue(act.LeafText(t.fields, "approve", "approved")) ||
		word.Number(act.LeafText(t.fields, "Code-Review")) == 2
	switch {
	case t.hasWord("unapprove revoke"):
		return false
	case t.hasWord("approve") && !t.hasWord("deployment") &&
		t.ofForge(), t.hasWord("review vote reviewer") && voted:
		toolAct(f, t, act.ApprovePR)
	case t.hasWord("dismiss") && t.hasWord("review"):
		toolAct(f, t, act.DismissReview)
	case t.hasWord("protection ruleset rulesets protected unprotect") &&
		t.hasWord("update delete remove create set edit disable put patch unprotect modify"):
		toolAct(f, t, act.RelaxProtection)
	case t.hasWord("repo repository project") && t.hasWord("update edit set patch modify") &&
		slices.ContainsFunc(t.fields, forges.Relaxes):
		toolAct(f, t, act.RelaxProtection)
	case t.hasWord("workflow workflows dispatch dispatches action actions") &&
		t.hasWord("run trigger dispatch start create"):
		forges.Workflow(f, act.LeafText(t.fields, "workflow_id", "workflowId", "workflow",
			"workflow_file", "event_type", "eventType", "name"), label(t.call))
	default:
		return false
	}
	return true
}

// toolBranch judges writes aimed at a branch.
func toolBranch(f *shell.Frame, t toolShape) bool {
	if t.hasWord("push") && t.hasWord("notification message alert") {
		return false
	}
	moves := t.hasWord("push commit commits upload cherry revert rebase sync") ||
		t.hasWord("file files contents ref reference refs") &&
			t.hasWord("create update delete write put edit replace set patch remove upsert") ||
		t.hasWord("branch branches ref") && t.hasWord("update delete reset move force rename sync")
	opens := t.nounPR() && t.hasWord("create open new")
	if opens || !moves {
		return false
	}
	remote := act.LeafText(t.fields, "owner") != "" && act.LeafText(t.fields, "repo") != ""
	numbered := act.LeafText(t.fields, "project_id", "projectId") != ""
	branch, ok := act.Leaf(t.fields, "branch", "branch_name", "branchName", "target_branch",
		"targetBranch", "ref", "reference", "refspec", "base", "to", "refUpdates.name")
	switch {
	case ok && forges.MovesProtected(f, refTarget(branch)) == shell.Yes:
		a := t.act(act.PushProtected)
		a.Ref, a.PR = branch, 0
		f.Act(a, label(t.call))
	case !ok && t.hasWord("push") && strings.Contains(strings.ToLower(t.call.Tool), "git"):
		toolPush(f, t)
	case !ok && t.hasWord("file files contents commit") && (remote || numbered):
		a := t.act(act.PushProtected)
		a.Ref, a.PR = forges.DefaultBranch(f), 0
		f.Act(a, label(t.call))
	default:
		return false
	}
	return true
}

func refTarget(branch string) string {
	_, to := forges.SplitRefspec(branch)
	return to
}

// toolPush is a push of the local clone by a tool: its words as git's.
func toolPush(f *shell.Frame, t toolShape) {
	argv := word.Lits("git", "push")
	if word.IsTrue(act.LeafText(t.fields, "all")) {
		argv = append(argv, word.Lit("--all"))
	}
	if remote := act.LeafText(t.fields, "remote"); remote != "" {
		argv = append(argv, word.Lit(remote))
	}
	g := f.Child()
	dir := act.LeafText(t.fields, "repo_path", "path", "cwd", "directory")
	if strings.HasPrefix(dir, "/") {
		g.Cwd = dir
	}
	forges.Git(g, argv)
}

// toolTalk judges comments, labels and new PRs.
func toolTalk(f *shell.Frame, t toolShape) {
	switch {
	case t.nounPR() && t.hasWord("create open new") && !t.hasWord("review comment note thread branch"):
		toolAct(f, t, act.OpenPR)
	case t.hasWord("comment comments note notes reply discussion thread"):
		forges.Comment(f, act.LeafText(t.fields, "body", "comment", "content", "text", "note",
			"message"), t.act(act.Comment), label(t.call))
	case t.hasWord("review"):
		a := t.act(act.Comment)
		event := act.LeafText(t.fields, "event", "verdict", "review_event", "reviewEvent")
		a.Review = event != "" && !strings.EqualFold(event, "PENDING")
		f.Act(a, label(t.call))
	}
	if t.hasWord("label labels issue pull pr mr") || t.nounPR() {
		forges.Labels(f, numberless(t.fields), t.act(act.ArmAutoMerge), label(t.call))
	}
}

// numberless turns labels.0 into labels.
func numberless(fields []Field) []Field {
	out := make([]Field, len(fields))
	for i, fd := range fields {
		out[i] = fd
		if j := strings.LastIndexByte(fd.Path, '.'); j > 0 && word.Number(fd.Path[j+1:]+"0") > 0 ||
			strings.HasSuffix(fd.Path, ".0") {
			out[i].Path = fd.Path[:strings.LastIndexByte(fd.Path, '.')]
		}
	}
	return out
}

// label is a call as a person would write it: the tool with its short leaves.
func label(c Call) []word.Word {
	var parts []string
	for _, fd := range c.Fields {
		if len(parts) < 6 {
			parts = append(parts, fd.Path+": "+word.Clip(strings.ReplaceAll(fd.Value, "\n", " "), 60))
		}
	}
	return []word.Word{{Text: c.Tool + "(" + strings.Join(parts, ", ") + ")", Raw: true}}
}
