package guard

import (
	"path"
	"strings"
)

// request is one HTTP request that a call would send, by whatever client.
type request struct {
	method string // upper case; a hole when unknown
	url    string
	body   string  // as sent; a hole when unknown, "" none
	fields []Field // parameters given one by one
	argv   []word  // the command, for the act's text
}

// leaves are the request's parameters: fields, body, query.
func (q request) leaves() []Field {
	out := append([]Field(nil), q.fields...)
	out = append(out, jsonLeaves(q.body)...)
	out = append(out, formLeaves(q.body)...)
	if _, query, ok := strings.Cut(q.url, "?"); ok {
		out = append(out, formLeaves(query)...)
	}
	return out
}

// route is a request's path in parts: lower case for matching, and as written.
type route struct {
	segs, raw []string
}

func routeOf(url string) route {
	url, _, _ = strings.Cut(url, "?")
	url, _, _ = strings.Cut(url, "#")
	if _, rest, ok := strings.Cut(url, "://"); ok {
		url = "/" + afterHost(rest)
	}
	url = percent20(percent20(url))
	clean := strings.Trim(path.Clean("/"+url), "/")
	return route{strings.Split(strings.ToLower(clean), "/"), strings.Split(clean, "/")}
}

func afterHost(rest string) string {
	_, p, _ := strings.Cut(rest, "/")
	return p
}

// index is where the first of the names stands, -1 nowhere.
func (r route) index(names string) int {
	for i, s := range r.segs {
		if has(names, s) {
			return i
		}
	}
	return -1
}

func (r route) seg(i int) string {
	if i < 0 || i >= len(r.segs) {
		return ""
	}
	return r.segs[i]
}

// repo is owner/name where the path names both.
func (r route) repo() string {
	i := r.index("repos repositories")
	if i < 0 || i+2 >= len(r.raw) {
		return ""
	}
	name := r.raw[i+1] + "/" + r.raw[i+2]
	if strings.ContainsAny(name, "{}:$"+hole) {
		return ""
	}
	return name
}

// send judges a request by its path's shape, whatever the host.
func (f *frame) send(q request) {
	if q.method == "GET" || q.method == "HEAD" || q.method == "OPTIONS" {
		return
	}
	r := routeOf(q.url)
	if last := r.seg(len(r.segs) - 1); last == "graphql" || last == "graphql.json" {
		f.graphqlRequest(q)
		return
	}
	if f.sendPR(q, r) || f.sendBranch(q, r) || f.sendRules(q, r) || f.sendMisc(q, r) {
		return
	}
	f.sendUnknown(q, r)
}

func (f *frame) reqAct(q request, r route, a Act) {
	if a.Repo == "" {
		a.Repo = r.repo()
	}
	if a.Ref == "" && a.PR == 0 {
		a.Ref = strings.Join(r.raw, "/")
	}
	f.act(a, q.argv)
}

const prNouns = "pulls pull pullrequests pull-requests merge_requests merge-requests mergerequests"

// sendPR judges requests on one PR: merge, review, label, comment.
func (f *frame) sendPR(q request, r route) bool {
	i := r.index(prNouns)
	if i < 0 {
		i = r.index("issues changes")
		if i < 0 {
			return false
		}
	}
	a := Act{PR: number(r.seg(i + 1)), Repo: r.repo()}
	if strings.Contains(r.seg(i+1), hole) {
		a.Ref = q.urlShown()
	}
	leaves := q.leaves()
	action := r.seg(i + 2)
	switch {
	case i == len(r.segs)-1:
		if r.segs[i] != "issues" && r.segs[i] != "changes" && q.method == "POST" {
			f.reqAct(q, r, Act{Kind: OpenPR})
			f.labels(leaves, Act{}, q.argv)
		}
		return r.segs[i] != "changes"
	case action == "":
		f.editPR(q, r, a, leaves)
	case action == "merge" && r.segs[i] != "issues" && q.method != "DELETE", action == "submit" && r.segs[i] == "changes":
		f.mergeRequest(q, r, a, leaves)
	case has("merge_when_pipeline_succeeds auto-merge auto_merge enable_auto_merge automerge merge-queue merge_queue queue", action) && q.method != "DELETE":
		a.Kind, a.Auto = ArmAutoMerge, true
		f.reqAct(q, r, a)
	default:
		f.reviewPR(q, r, a, i, leaves)
	}
	return true
}

func (q request) urlShown() string {
	for _, w := range q.argv {
		if w.text == q.url && w.src != "" {
			return w.src
		}
	}
	return q.url
}

func (f *frame) mergeRequest(q request, r route, a Act, leaves []Field) {
	a.Kind = MergePR
	a.SHA = leafText(leaves, "sha", "head_commit_id", "head_sha", "lastMergeSourceCommit")
	for _, name := range []string{"merge_when_checks_succeed", "merge_when_pipeline_succeeds", "auto_merge"} {
		if isTrue(leafText(leaves, name)) {
			a.Kind, a.Auto = ArmAutoMerge, true
		}
	}
	a.Admin = isTrue(leafText(leaves, "force_merge", "bypass"))
	f.reqAct(q, r, a)
}

// editPR judges a change of the PR itself: Azure merges by status, GitLab arms by a flag, labels arm bots.
func (f *frame) editPR(q request, r route, a Act, leaves []Field) {
	status := strings.ToLower(leafText(leaves, "status"))
	_, armed := leaf(leaves, "autoCompleteSetBy", "autoCompleteSetBy.id")
	for _, fd := range leaves {
		armed = armed || strings.HasPrefix(fd.Path, "autoCompleteSetBy")
	}
	switch {
	case status == "completed":
		a.Kind = MergePR
		f.reqAct(q, r, a)
	case armed || isTrue(leafText(leaves, "merge_when_pipeline_succeeds", "auto_merge")):
		a.Kind, a.Auto = ArmAutoMerge, true
		f.reqAct(q, r, a)
	}
	f.labels(leaves, a, q.argv)
}

func (f *frame) reviewPR(q request, r route, a Act, i int, leaves []Field) {
	action, sub := r.seg(i+2), r.seg(len(r.segs)-1)
	switch {
	case sub == "dismissals":
		a.Kind = DismissReview
	case action == "reviews":
		a.Kind = Comment
		if event := leafText(leaves, "event", "state"); strings.HasPrefix(strings.ToUpper(event), "APPROVE") || unknown(event) {
			a.Kind = ApprovePR
		} else if unknown(q.body) && event == "" {
			f.opaqueForge(joinWords(q.argv), "a review whose verdict is only known when it runs")
			return
		}
		if q.method == "DELETE" {
			return
		}
	case action == "approve" || action == "approvals" && q.method == "POST":
		a.Kind = ApprovePR
		if q.method == "DELETE" {
			return
		}
	case action == "approval_rules" || action == "approvals":
		a.Kind = RelaxProtection
	case action == "reviewers" || action == "vote":
		if v := leafText(leaves, "vote"); v != "10" && v != "5" && !strings.EqualFold(leafText(leaves, "status"), "approved") {
			return
		}
		a.Kind = ApprovePR
	case action == "labels":
		if q.method != "DELETE" {
			f.labels(leaves, a, q.argv)
		}
		return
	case has("comments notes discussions threads", action):
		if q.method != "DELETE" {
			f.comment(leafText(leaves, "body", "content", "raw", "text", "note"), a, q.argv)
		}
		return
	default:
		return
	}
	f.reqAct(q, r, a)
}

// sendBranch judges requests that move a branch: refs, file contents, commits, branch merges.
func (f *frame) sendBranch(q request, r route) bool {
	leaves := q.leaves()
	last := r.seg(len(r.segs) - 1)
	inRepo := r.index("repos repositories projects") >= 0 || strings.HasPrefix(r.segs[0], hole)
	switch {
	case last == "merges" && inRepo:
		f.branchAct(q, r, leafText(leaves, "base"), q.body)
	case has("merge-upstream", last) && inRepo:
		f.branchAct(q, r, leafText(leaves, "branch"), q.body)
	case r.index("merge_trains") >= 0:
		f.reqAct(q, r, Act{Kind: ArmAutoMerge, Auto: true, PR: number(last)})
	case r.index("refs ref") >= 0 && inRepo:
		f.refRequest(q, r, leaves)
	case r.index("contents src") >= 0 && inRepo && (q.method != "PATCH"):
		f.branchOrDefault(q, r, leaves)
	case r.index("repository") >= 0 && r.index("projects") >= 0 && r.index("files commits") >= 0:
		f.branchOrDefault(q, r, leaves)
	case r.index("repository") >= 0 && r.index("branches") >= 0 && q.method == "DELETE":
		f.branchAct(q, r, strings.Join(r.raw[r.index("branches")+1:], "/"), "")
	case last == "pushes" && r.index("_apis") >= 0:
		f.branchAct(q, r, leafText(leaves, "name"), q.body)
	default:
		return false
	}
	return true
}

// refRequest is a change of git/refs/heads/X, or a new ref named in the body.
func (f *frame) refRequest(q request, r route, leaves []Field) {
	i := r.index("heads branches")
	name := ""
	if i > 0 && i+1 < len(r.raw) {
		name = strings.Join(r.raw[i+1:], "/")
	} else {
		name = leafText(leaves, "ref", "name")
	}
	if name == "" && r.index("tags") > 0 {
		return
	}
	if strings.HasPrefix(name, "refs/tags/") {
		return
	}
	f.branchAct(q, r, name, q.body)
}

// branchOrDefault takes a missing branch parameter as the default branch, as the forges do.
func (f *frame) branchOrDefault(q request, r route, leaves []Field) {
	branch, ok := leaf(leaves, "branch", "new_branch")
	if nb, ok2 := leaf(leaves, "new_branch"); ok2 {
		branch = nb
	}
	if !ok && !unknown(q.body) {
		branch = f.defaultBranch()
	}
	f.branchAct(q, r, branch, q.body)
}

func (f *frame) branchAct(q request, r route, branch, body string) {
	branch = strings.TrimPrefix(branch, "refs/heads/")
	branch = strings.TrimPrefix(branch, "heads/")
	switch f.protected(branch) {
	case yes:
		f.reqAct(q, r, Act{Kind: PushProtected, Ref: branch})
	case maybe:
		if branch != "" || unknown(body) {
			f.opaqueForge(joinWords(q.argv), "the branch it moves is only known when it runs")
		}
	}
}

// sendRules judges requests that change what protects a branch.
func (f *frame) sendRules(q request, r route) bool {
	leaves := q.leaves()
	switch {
	case r.index("protection") > 0, r.index("rulesets protected_branches branch_protections branch-restrictions push_rule approval_rules protected_tags branch-permissions") >= 0,
		r.index("policy") >= 0 && r.index("configurations") >= 0:
		f.reqAct(q, r, Act{Kind: RelaxProtection})
		return true
	}
	i := r.index("repos projects")
	if i < 0 || len(r.segs) > i+3 {
		return false
	}
	for _, fd := range leaves {
		key := strings.ToLower(fd.Path)
		if has("allow_auto_merge default_branch approvals_before_merge allow_merge_on_skipped_pipeline", key) && !strings.EqualFold(fd.Value, "false") ||
			strings.HasPrefix(key, "only_allow_merge") && strings.EqualFold(fd.Value, "false") {
			f.reqAct(q, r, Act{Kind: RelaxProtection, Ref: fd.Path + "=" + fd.Value})
			return true
		}
	}
	return false
}

// sendMisc judges dispatches of workflows.
func (f *frame) sendMisc(q request, r route) bool {
	if r.seg(len(r.segs)-1) != "dispatches" {
		return false
	}
	name := leafText(q.leaves(), "event_type")
	if i := r.index("workflows"); i >= 0 && i+1 < len(r.raw) {
		name = r.raw[i+1]
	}
	f.workflow(name, q.argv)
	return true
}

// sendUnknown judges a request whose path is only partly known.
func (f *frame) sendUnknown(q request, r route) {
	last := r.seg(len(r.segs) - 1)
	if !unknown(q.url) {
		return
	}
	switch {
	case last == "merge" && (q.method == "PUT" || q.method == hole) && strings.HasSuffix(r.seg(len(r.segs)-2), hole):
		f.reqAct(q, r, Act{Kind: MergePR, Ref: q.urlShown()})
	case blank(q.url) && (q.method == "PUT" || q.method == "PATCH" || q.method == hole || unknown(q.body) && blank(q.body)):
		f.opaque(joinWords(q.argv), "the address it changes something at is only known when it runs")
	}
}

// rawHTTP reads requests typed into a connection.
func (f *frame) rawHTTP(text string) {
	head, body, _ := strings.Cut(strings.ReplaceAll(text, "\r\n", "\n"), "\n\n")
	line, _, _ := strings.Cut(head, "\n")
	parts := strings.Fields(line)
	if len(parts) < 2 || !has("PUT POST PATCH DELETE", parts[0]) {
		return
	}
	f.send(request{method: parts[0], url: parts[1], body: strings.TrimSpace(body), argv: lits(parts...)})
}
