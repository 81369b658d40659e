// Package forges reads the command lines and requests that reach a forge or move a branch: gh, glab, tea and their kin,
// git, curl, REST by method and path, GraphQL by its mutations, comments and labels that order a bot.
package forges

import (
	"path"
	"strings"

	"hooks/internal/guard/act"
	"hooks/internal/guard/shell"
	"hooks/internal/guard/word"
)

// Request is one HTTP request that a call would send, by whatever client.
type Request struct {
	Method string // upper case; a hole when unknown
	URL    string
	Body   string      // as sent; a hole when unknown, "" none
	Fields []act.Field // parameters given one by one
	Argv   []word.Word // the command, for the act's text
	Led    bool        // to another host than the URL's
}

// leaves are the request's parameters: query, fields, body. What stands last counts.
func (q Request) leaves() []act.Field {
	var out []act.Field
	if _, query, ok := strings.Cut(q.URL, "?"); ok {
		out = append(out, word.FormLeaves(query)...)
	}
	out = append(out, q.Fields...)
	out = append(out, word.JSONLeaves(q.Body)...)
	return append(out, word.FormLeaves(q.Body)...)
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
	url = word.Percent20(word.Percent20(url))
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
		if word.Has(names, s) {
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
	if strings.ContainsAny(name, "{}:$"+word.Hole) {
		return ""
	}
	return name
}

// Send judges a request by its path's shape, whatever the host.
func Send(f *shell.Frame, q Request) {
	if q.Method == "GET" || q.Method == "HEAD" || q.Method == "OPTIONS" {
		return
	}
	if localServer(f, q) {
		return
	}
	if _, whole := word.JSONLeavesWhole(q.Body); !whole {
		f.M.Bounded("a request of more values than are read", q.URL, q.Body)
	}
	r := routeOf(q.URL)
	if last := r.seg(len(r.segs) - 1); last == "graphql" || last == "graphql.json" {
		graphqlRequest(f, q)
		return
	}
	if sendPR(f, q, r) || sendBranch(f, q, r) || sendRules(f, q, r) || sendMisc(f, q, r) {
		return
	}
	sendUnknown(f, q, r)
}

const leadsElsewhere = "-x --proxy --preproxy --socks --connect-to --resolve --unix-socket"

// localServer reports whether a request goes to this machine, as tests make them: no forge, unless
// the project's own is there or the request is led elsewhere.
func localServer(f *shell.Frame, q Request) bool {
	if q.Led || !local(q.URL) || strings.HasPrefix(f.Cwd, word.Hole) { // another machine's
		return false
	}
	for _, w := range q.Argv {
		for _, flag := range strings.Fields(leadsElsewhere) {
			if strings.HasPrefix(w.Text, flag) {
				return false
			}
		}
	}
	const proxies = "http_proxy https_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY"
	for v := range strings.FieldsSeq(proxies) {
		if f.Known(v) {
			return false
		}
	}
	for _, url := range f.M.Repo().Remotes {
		if local(url) {
			return false
		}
	}
	return true
}

// local reports whether an address is on this machine.
func local(url string) bool {
	_, rest, ok := strings.Cut(url, "://")
	if !ok {
		rest = url
	}
	host := rest
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		host = rest[:i]
	}
	host = strings.ToLower(host[strings.LastIndexByte(host, '@')+1:])
	if strings.HasPrefix(host, "[::1]") {
		return true
	}
	host, _, _ = strings.Cut(host, ":")
	digits := strings.Trim(host, "0123456789.") == ""
	return word.Has("localhost 0.0.0.0", host) || strings.HasSuffix(host, ".localhost") ||
		digits && strings.HasPrefix(host, "127.")
}

func reqAct(f *shell.Frame, q Request, r route, a act.Act) {
	if a.Repo == "" {
		a.Repo = r.repo()
	}
	if a.Ref == "" && a.PR == 0 {
		a.Ref = strings.Join(r.raw, "/")
	}
	f.Act(a, q.Argv)
}

const prNouns = "pulls pull pullrequests pull-requests merge_requests merge-requests mergerequests"

// sendPR judges requests on one PR: merge, review, label, comment.
func sendPR(f *shell.Frame, q Request, r route) bool {
	i := r.index(prNouns)
	if i < 0 {
		i = r.index("issues changes")
		if i < 0 {
			return false
		}
	}
	a := act.Act{PR: word.Number(r.seg(i + 1)), Repo: r.repo()}
	if strings.Contains(r.seg(i+1), word.Hole) {
		a.Ref = q.urlShown()
	}
	leaves := q.leaves()
	action := r.seg(i + 2)
	switch {
	case i == len(r.segs)-1:
		if r.segs[i] != "issues" && r.segs[i] != "changes" && q.Method == "POST" {
			reqAct(f, q, r, act.Act{Kind: act.OpenPR})
			Labels(f, leaves, act.Act{}, q.Argv)
		}
		return r.segs[i] != "changes"
	case r.index("merge_trains") >= 0 && q.Method != "DELETE":
		a.Kind, a.Auto = act.ArmAutoMerge, true
		reqAct(f, q, r, a)
	case action == "":
		editPR(f, q, r, a, leaves)
	case action == "merge" && r.segs[i] != "issues" && q.Method != "DELETE", action == "submit" && r.segs[i] == "changes":
		mergeRequest(f, q, r, a, leaves)
	case word.Has("merge_when_pipeline_succeeds auto-merge auto_merge enable_auto_merge automerge merge-queue merge_queue queue", action) && q.Method != "DELETE":
		a.Kind, a.Auto = act.ArmAutoMerge, true
		reqAct(f, q, r, a)
	default:
		reviewPR(f, q, r, a, i, leaves)
	}
	return true
}

func (q Request) urlShown() string {
	for _, w := range q.Argv {
		if w.Text == q.URL && w.Src != "" {
			return w.Src
		}
	}
	return q.URL
}

func mergeRequest(f *shell.Frame, q Request, r route, a act.Act, leaves []act.Field) {
	a.Kind = act.MergePR
	a.SHA = act.LeafText(leaves, "sha", "head_commit_id", "head_sha", "lastMergeSourceCommit")
	for _, name := range []string{"merge_when_checks_succeed", "merge_when_pipeline_succeeds", "auto_merge"} {
		if word.IsTrue(act.LeafText(leaves, name)) {
			a.Kind, a.Auto = act.ArmAutoMerge, true
		}
	}
	a.Admin = word.IsTrue(act.LeafText(leaves, "force_merge", "bypass"))
	reqAct(f, q, r, a)
}

// editPR judges a change of the PR itself: Azure merges by status, GitLab arms by a flag, labels arm bots.
func editPR(f *shell.Frame, q Request, r route, a act.Act, leaves []act.Field) {
	status := strings.ToLower(act.LeafText(leaves, "status"))
	_, armed := act.Leaf(leaves, "autoCompleteSetBy", "autoCompleteSetBy.id")
	for _, fd := range leaves {
		armed = armed || strings.HasPrefix(fd.Path, "autoCompleteSetBy")
	}
	switch {
	case status == "completed":
		a.Kind = act.MergePR
		reqAct(f, q, r, a)
	case r.index("_apis") >= 0 && word.Blank(q.Body): // Azure merges by a field of the body
		f.OpaqueForge(word.Join(q.Argv), "the status it sets is only known when it runs")
	case armed || word.IsTrue(act.LeafText(leaves, "merge_when_pipeline_succeeds", "auto_merge")):
		a.Kind, a.Auto = act.ArmAutoMerge, true
		reqAct(f, q, r, a)
	}
	Labels(f, leaves, a, q.Argv)
}

func reviewPR(f *shell.Frame, q Request, r route, a act.Act, i int, leaves []act.Field) {
	action, sub := r.seg(i+2), r.seg(len(r.segs)-1)
	switch {
	case sub == "dismissals":
		a.Kind = act.DismissReview
	case action == "reviews":
		a.Kind = act.Comment
		event := act.LeafText(leaves, "event", "state")
		a.Review = event != "" && !strings.EqualFold(event, "PENDING")
		if strings.HasPrefix(strings.ToUpper(event), "APPROVE") || word.Unknown(event) {
			a.Kind = act.ApprovePR
		} else if word.Unknown(q.Body) && event == "" {
			f.OpaqueForge(word.Join(q.Argv), "a review whose verdict is only known when it runs")
			return
		}
		if q.Method == "DELETE" {
			return
		}
	case action == "approve" || action == "approvals" && q.Method == "POST":
		a.Kind = act.ApprovePR
		if q.Method == "DELETE" {
			return
		}
	case action == "approval_rules" || action == "approvals":
		a.Kind = act.RelaxProtection
	case action == "reviewers" || action == "vote":
		if v := act.LeafText(leaves, "vote"); v != "10" && v != "5" && !strings.EqualFold(act.LeafText(leaves, "status"), "approved") {
			return
		}
		a.Kind = act.ApprovePR
	case action == "labels":
		if q.Method != "DELETE" {
			Labels(f, leaves, a, q.Argv)
		}
		return
	case word.Has("comments notes discussions threads", action):
		if q.Method != "DELETE" {
			Comment(f, act.LeafText(leaves, "body", "content", "raw", "text", "note"), a, q.Argv)
		}
		return
	default:
		return
	}
	reqAct(f, q, r, a)
}

// sendBranch judges requests that move a branch: refs, file contents, commits, branch merges.
func sendBranch(f *shell.Frame, q Request, r route) bool {
	leaves := q.leaves()
	last := r.seg(len(r.segs) - 1)
	inRepo := r.index("repos repositories projects") >= 0 || strings.HasPrefix(r.segs[0], word.Hole)
	switch {
	case last == "merges" && inRepo:
		branchAct(f, q, r, act.LeafText(leaves, "base"), q.Body)
	case word.Has("merge-upstream", last) && inRepo:
		branchAct(f, q, r, act.LeafText(leaves, "branch"), q.Body)
	case r.index("refs ref") >= 0 && inRepo:
		refRequest(f, q, r, leaves)
	case r.index("contents src") >= 0 && inRepo && (q.Method != "PATCH"):
		branchOrDefault(f, q, r, leaves)
	case r.index("repository") >= 0 && r.index("projects") >= 0 && r.index("files commits") >= 0:
		branchOrDefault(f, q, r, leaves)
	case r.index("repository") >= 0 && r.index("branches") >= 0 && q.Method == "DELETE":
		branchAct(f, q, r, strings.Join(r.raw[r.index("branches")+1:], "/"), "")
	case last == "rename" && r.index("branches") >= 0:
		branchAct(f, q, r, r.seg(len(r.segs)-2), q.Body)
		branchAct(f, q, r, act.LeafText(leaves, "new_name"), q.Body)
	case last == "pushes" && r.index("_apis") >= 0:
		branchAct(f, q, r, act.LeafText(leaves, "name"), q.Body)
	default:
		return false
	}
	return true
}

// refRequest is a change of git/refs/heads/X, or a new ref named in the body.
func refRequest(f *shell.Frame, q Request, r route, leaves []act.Field) {
	i := r.index("heads branches")
	name := ""
	if i > 0 && i+1 < len(r.raw) {
		name = strings.Join(r.raw[i+1:], "/")
	} else {
		name = act.LeafText(leaves, "ref", "name")
	}
	if name == "" && r.index("tags") > 0 {
		return
	}
	if strings.HasPrefix(name, "refs/tags/") {
		return
	}
	branchAct(f, q, r, name, q.Body)
}

// branchOrDefault takes a missing branch parameter as the default branch, as the forges do.
func branchOrDefault(f *shell.Frame, q Request, r route, leaves []act.Field) {
	branch, ok := act.Leaf(leaves, "branch", "new_branch")
	if nb, ok2 := act.Leaf(leaves, "new_branch"); ok2 {
		branch = nb
	}
	if !ok && !word.Unknown(q.Body) {
		branch = DefaultBranch(f)
	}
	branchAct(f, q, r, branch, q.Body)
}

func branchAct(f *shell.Frame, q Request, r route, branch, body string) {
	branch = strings.TrimPrefix(branch, "refs/heads/")
	branch = strings.TrimPrefix(branch, "heads/")
	switch Protected(f, branch) {
	case shell.Yes:
		reqAct(f, q, r, act.Act{Kind: act.PushProtected, Ref: branch})
	case shell.Maybe:
		if branch != "" || word.Unknown(body) {
			f.OpaqueForge(word.Join(q.Argv), "the branch it moves is only known when it runs")
		}
	}
}

// sendRules judges requests that change what protects a branch.
func sendRules(f *shell.Frame, q Request, r route) bool {
	leaves := q.leaves()
	switch {
	case r.index("protection") > 0, r.index("rulesets protected_branches branch_protections branch-restrictions push_rule approval_rules protected_tags branch-permissions") >= 0,
		r.index("policy") >= 0 && r.index("configurations") >= 0:
		reqAct(f, q, r, act.Act{Kind: act.RelaxProtection})
		return true
	}
	i := r.index("repos projects")
	if i < 0 || len(r.segs) > i+3 {
		return false
	}
	for _, fd := range leaves {
		if Relaxes(fd) {
			reqAct(f, q, r, act.Act{Kind: act.RelaxProtection, Ref: fd.Path + "=" + fd.Value})
			return true
		}
	}
	return false
}

// Relaxes tells a setting of a repository that opens the way for merges.
func Relaxes(fd act.Field) bool {
	key := strings.ToLower(fd.Path)
	return word.Has("allow_auto_merge default_branch approvals_before_merge allow_merge_on_skipped_pipeline", key) && !strings.EqualFold(fd.Value, "false") ||
		strings.HasPrefix(key, "only_allow_merge") && strings.EqualFold(fd.Value, "false")
}

// sendMisc judges dispatches of workflows.
func sendMisc(f *shell.Frame, q Request, r route) bool {
	if r.seg(len(r.segs)-1) != "dispatches" {
		return false
	}
	name := act.LeafText(q.leaves(), "event_type")
	if i := r.index("workflows"); i >= 0 && i+1 < len(r.raw) {
		name = r.raw[i+1]
	}
	Workflow(f, name, q.Argv)
	return true
}

// sendUnknown judges a request whose path is only partly known.
func sendUnknown(f *shell.Frame, q Request, r route) {
	last := r.seg(len(r.segs) - 1)
	if !word.Unknown(q.URL) {
		return
	}
	switch {
	case last == "merge" && (q.Method == "PUT" || q.Method == word.Hole) && strings.HasSuffix(r.seg(len(r.segs)-2), word.Hole):
		reqAct(f, q, r, act.Act{Kind: act.MergePR, Ref: q.urlShown()})
	case word.Blank(q.URL) && (q.Method == "PUT" || q.Method == "PATCH" || q.Method == word.Hole || word.Unknown(q.Body) && word.Blank(q.Body)):
		f.Opaque(word.Join(q.Argv), "the address it changes something at is only known when it runs")
	}
}

// RawHTTP reads requests typed into a connection.
func RawHTTP(f *shell.Frame, text string) {
	head, body, _ := strings.Cut(strings.ReplaceAll(text, "\r\n", "\n"), "\n\n")
	line, _, _ := strings.Cut(head, "\n")
	parts := strings.Fields(line)
	if len(parts) < 2 || !word.Has("PUT POST PATCH DELETE", parts[0]) {
		return
	}
	Send(f, Request{Method: parts[0], URL: parts[1], Body: strings.TrimSpace(body), Argv: word.Lits(parts...)})
}
