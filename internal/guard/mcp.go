package guard

import (
	"slices"
	"strings"
)

// mcp reads a call of a tool that is known by its shape only: the words of its name and its fields, whatever its server.
func (f *frame) mcp(c Call) {
	t := toolShape{call: c, words: nameWords(toolName(c.Tool)), fields: c.Fields}
	if c.Command != "" && !slices.Contains(t.keys(), "command") {
		t.fields = append(t.fields[:len(t.fields):len(t.fields)], Field{"command", c.Command})
	}
	f.toolFiles(t)
	f.toolRuns(t)
	f.toolSends(t)
	if t.reads() {
		return
	}
	if f.toolClick(t) || f.toolMerge(t) || f.toolReview(t) || f.toolBranch(t) {
		return
	}
	f.toolTalk(t)
}

// toolShape is a tool by its name's words and its input.
type toolShape struct {
	call   Call
	words  []string
	fields []Field
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
	for _, w := range t.words {
		if has(list, w) {
			return true
		}
	}
	return false
}

// reads tells tools that only look: the first word says so, and none says otherwise.
func (t toolShape) reads() bool {
	if len(t.words) == 0 {
		return true
	}
	if strings.EqualFold(leafText(t.fields, "method"), "get") {
		return true
	}
	for i, w := range t.words {
		if has("get list search read view show describe fetch find check is has count query download compare diff watch status inspect lookup resolve", w) {
			return i == 0 || i == 1 && !has("merge accept approve push", t.words[0])
		}
	}
	return false
}

const prKeys = `pull_number pullNumber pull_request_number pullRequestNumber pr_number prNumber pr pull_request_id pullRequestId
merge_request_iid mergeRequestIid mr_iid mrIid iid index number issue_number issueNumber issue_iid pull_id pullId prId
id`

// act is the act's PR and repository as the fields tell.
func (t toolShape) act(kind Kind) Act {
	a := Act{Kind: kind, PR: number(leafText(t.fields, strings.Fields(prKeys)...))}
	owner, name := leafText(t.fields, "owner", "workspace", "org"), leafText(t.fields, "repo", "repository", "repo_slug", "repository_name")
	switch {
	case owner != "" && name != "":
		a.Repo = owner + "/" + name
	case strings.Count(name, "/") == 1:
		a.Repo = name
	}
	a.SHA = leafText(t.fields, "sha", "head_sha", "expected_head_sha", "expectedHeadSha", "expectedHeadOid")
	if a.PR == 0 {
		if url := leafText(t.fields, "url", "pull_request_url", "pr_url", "web_url"); url != "" {
			a.PR, _, a.Ref = prURL(lit(url), "")
		}
	}
	return a
}

// forgeShaped tells a forge's tool from one that merges documents, cells or branches of something else.
func (t toolShape) forgeShaped() bool {
	for _, fd := range t.fields {
		key := fd.Path[strings.LastIndexByte(fd.Path, '.')+1:]
		if key != "id" && key != "index" && key != "number" &&
			has(prKeys+`owner repo repository repo_slug project_id projectId head base merge_method mergeMethod commit_title strategy
source_branch target_branch sourceBranch targetBranch repository_id repositoryId`, key) {
			return true
		}
	}
	return t.hasWord("pull pr prs mr request requests github gitlab gitea branch branches forge queue")
}

// toolMerge judges a name with merge as its verb.
func (f *frame) toolMerge(t toolShape) bool {
	verbs := t.verbs()
	server := strings.ToLower(t.call.Tool)
	ofForge := t.forgeShaped() || strings.Contains(server, "git") || strings.Contains(server, "bitbucket") || strings.Contains(server, "azure") || strings.Contains(server, "forgejo")
	status := strings.ToLower(leafText(t.fields, "status", "state", "state_event"))
	switch {
	case slices.Contains(verbs, "disable") || slices.Contains(verbs, "cancel") || slices.Contains(verbs, "dequeue"):
		return false
	case slices.Contains(verbs, "automerge") || slices.Contains(verbs, "auto") && slices.Contains(verbs, "merge") ||
		slices.Contains(verbs, "enqueue") || slices.Contains(verbs, "queue") && slices.Contains(verbs, "merge") || slices.Contains(verbs, "autocomplete") ||
		slices.Contains(verbs, "auto") && slices.Contains(verbs, "complete"):
		f.toolAct(t, ArmAutoMerge)
	case slices.Contains(verbs, "merge") || slices.Contains(verbs, "accept") && t.nounPR() || slices.Contains(verbs, "land") && t.nounPR() || slices.Contains(verbs, "complete") && t.nounPR():
		if !ofForge || t.otherMerge() {
			return false
		}
		if base := leafText(t.fields, "base", "target_branch", "targetBranch", "into", "target"); base != "" && !t.nounPR() && f.protected(base) == no {
			return true
		}
		if base := leafText(t.fields, "base", "target_branch", "targetBranch"); base != "" && !t.nounPR() {
			a := t.act(PushProtected)
			a.Ref = base
			f.act(a, t.call.label())
			return true
		}
		f.toolAct(t, MergePR)
	case status == "completed" && t.nounPR(), status == "merged" && t.nounPR():
		f.toolAct(t, MergePR)
	case t.nounPR() &&
		(isTrue(leafText(t.fields, "merge_when_pipeline_succeeds", "auto_merge", "autoComplete", "auto_complete", "setAutoComplete", "mergeWhenPipelineSucceeds")) ||
			leafText(t.fields, "autoCompleteSetBy", "autoCompleteSetById") != ""):
		f.toolAct(t, ArmAutoMerge)
	default:
		return false
	}
	return true
}

// verbs are the name's words without the noun "merge request".
func (t toolShape) verbs() []string {
	var out []string
	for i := 0; i < len(t.words); i++ {
		if t.words[i] == "merge" && i+1 < len(t.words) && has(`request requests conflict conflicts status base method commit commits diff diffs train trains settings`, t.words[i+1]) {
			if has("train trains", t.words[i+1]) {
				out = append(out, "enqueue")
			}
			i++
			continue
		}
		if has("mergerequest mergerequests", t.words[i]) {
			continue
		}
		out = append(out, t.words[i])
	}
	return out
}

func (t toolShape) nounPR() bool {
	if t.hasWord("pull pr prs mr pullrequest mergerequest") {
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

func (f *frame) toolAct(t toolShape, kind Kind) {
	a := t.act(kind)
	a.Auto = kind == ArmAutoMerge
	f.act(a, t.call.label())
}

// toolReview judges reviews, protections, workflows.
func (f *frame) toolReview(t toolShape) bool {
	event := strings.ToUpper(leafText(t.fields, "event", "verdict", "review_event", "reviewEvent", "vote"))
	switch {
	case t.hasWord("unapprove revoke"):
		return false
	case t.hasWord("approve") && !t.hasWord("deployment"), t.hasWord("review vote reviewer") && (strings.HasPrefix(event, "APPROVE") || event == "10"):
		f.toolAct(t, ApprovePR)
	case t.hasWord("dismiss") && t.hasWord("review"):
		f.toolAct(t, DismissReview)
	case t.hasWord("protection ruleset rulesets protected unprotect") && t.hasWord("update delete remove create set edit disable put patch unprotect modify"):
		f.toolAct(t, RelaxProtection)
	case t.hasWord("workflow workflows dispatch dispatches action actions") && t.hasWord("run trigger dispatch start create"):
		f.workflow(leafText(t.fields, "workflow_id", "workflowId", "workflow", "workflow_file", "event_type", "eventType", "name"), t.call.label())
	default:
		return false
	}
	return true
}

// toolBranch judges writes aimed at a branch.
func (f *frame) toolBranch(t toolShape) bool {
	if t.hasWord("push") && t.hasWord("notification message alert") {
		return false
	}
	moves := t.hasWord("push commit upload cherry revert rebase sync") ||
		t.hasWord("file files contents ref reference refs") &&
			t.hasWord("create update delete write put edit replace set patch remove upsert") ||
		t.hasWord("branch branches ref") && t.hasWord("update delete reset move force rename sync")
	opens := t.nounPR() && t.hasWord("create open new")
	if opens || !moves {
		return false
	}
	branch, ok := leaf(t.fields, "branch", "branch_name", "branchName", "target_branch", "targetBranch", "ref", "reference", "refspec", "base", "to", "refUpdates.name")
	switch {
	case ok && f.movesProtected(refTarget(branch)) == yes:
		a := t.act(PushProtected)
		a.Ref, a.PR = branch, 0
		f.act(a, t.call.label())
	case !ok && t.hasWord("push") && strings.Contains(strings.ToLower(t.call.Tool), "git"):
		f.toolPush(t)
	case !ok && t.hasWord("file files contents commit") && (leafText(t.fields, "owner") != "" && leafText(t.fields, "repo") != "" || leafText(t.fields, "project_id", "projectId") != ""):
		a := t.act(PushProtected)
		a.Ref, a.PR = f.defaultBranch(), 0
		f.act(a, t.call.label())
	default:
		return false
	}
	return true
}

func refTarget(branch string) string {
	_, to := splitRefspec(branch)
	return to
}

// toolPush is a push of the local clone by a tool: its words as git's.
func (f *frame) toolPush(t toolShape) {
	argv := lits("git", "push")
	if isTrue(leafText(t.fields, "all")) {
		argv = append(argv, lit("--all"))
	}
	if remote := leafText(t.fields, "remote"); remote != "" {
		argv = append(argv, lit(remote))
	}
	g := f.child()
	if dir := leafText(t.fields, "repo_path", "path", "cwd", "directory"); strings.HasPrefix(dir, "/") {
		g.cwd = dir
	}
	g.git(argv)
}

// toolTalk judges comments, labels and new PRs.
func (f *frame) toolTalk(t toolShape) {
	switch {
	case t.nounPR() && t.hasWord("create open new") && !t.hasWord("review comment note thread branch"):
		f.toolAct(t, OpenPR)
	case t.hasWord("comment comments note notes reply discussion thread"):
		f.comment(leafText(t.fields, "body", "comment", "content", "text", "note", "message"), t.act(Comment), t.call.label())
	case t.hasWord("review"):
		f.toolAct(t, Comment)
	}
	if t.hasWord("label labels issue pull pr mr") || t.nounPR() {
		f.labels(numberless(t.fields), t.act(ArmAutoMerge), t.call.label())
	}
}

// numberless turns labels.0 into labels.
func numberless(fields []Field) []Field {
	out := make([]Field, len(fields))
	for i, fd := range fields {
		out[i] = fd
		if j := strings.LastIndexByte(fd.Path, '.'); j > 0 && number(fd.Path[j+1:]+"0") > 0 || strings.HasSuffix(fd.Path, ".0") {
			out[i].Path = fd.Path[:strings.LastIndexByte(fd.Path, '.')]
		}
	}
	return out
}

// label is a call as a person would write it: the tool with its short leaves.
func (c Call) label() []word {
	var parts []string
	for _, fd := range c.Fields {
		if len(parts) < 6 {
			parts = append(parts, fd.Path+": "+clip(strings.ReplaceAll(fd.Value, "\n", " "), 60))
		}
	}
	return []word{{text: c.Tool + "(" + strings.Join(parts, ", ") + ")", raw: true}}
}
