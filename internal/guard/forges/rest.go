// Package forges reads the command lines and requests that reach a forge or move a branch: gh,
// glab, tea and their kin, git, curl, REST by method and path, GraphQL by its mutations, comments
// and labels that order a bot.
package forges

import (
	"cmp"
	"maps"
	"net/netip"
	"net/url"
	"path"
	"slices"
	"strings"

	"hooks/internal/guard/effect"
	"hooks/internal/guard/plain"
	"hooks/internal/guard/shellword"
)

// Request is one HTTP request that a call would send, by whatever client.
type Request struct {
	Method string // upper case, with a hole where unknown; "" by whether anything is sent
	URL    string
	Body   string           // as sent; a hole when unknown, "" none
	Fields []effect.Field   // parameters given one by one
	Argv   []shellword.Word // the command, for the act's text
	Led    bool             // to another host than the URL's
}

// leaves are the request's parameters: query, fields, body. The last one of a name counts.
func (q Request) leaves() []effect.Field {
	var out []effect.Field
	if _, query, ok := strings.Cut(q.URL, "?"); ok {
		out = append(out, shellword.FormLeaves(query)...)
	}
	out = append(out, q.Fields...)
	body, _ := shellword.JSONLeaves(q.Body)
	return slices.Concat(out, body, shellword.FormLeaves(q.Body))
}

// head returns the commit that the merge request requires as the PR's head. Only the field of the
// request's own forge counts, at the top of the body, because a forge ignores a field that it does
// not know and merges whatever the PR is at. head returns an empty string if the field has two
// values.
func (q Request) head() (sha string) {
	name, fields := "sha", q.Fields
	if q.Method == "POST" { // only Gitea's
		name = "head_commit_id"
	}
	switch body := strings.TrimSpace(q.Body); {
	case strings.HasPrefix(body, "{"):
		fields, _ = shellword.JSONLeaves(body)
	case body != "":
		fields = shellword.FormLeaves(body)
	}
	for _, fd := range fields {
		switch {
		case !strings.EqualFold(fd.Path, name):
		case fd.Path != name, sha != "" && sha != fd.Value:
			return ""
		default:
			sha = fd.Value
		}
	}
	return sha
}

// orDefault returns the request with the method that clients use by default.
func (q Request) orDefault() Request {
	switch {
	case q.Method != "":
	case len(q.Fields) > 0 || q.Body != "":
		q.Method = "POST"
	default:
		q.Method = "GET"
	}
	return q
}

// route is a request's path in parts: lower case for matching, and as written.
type route struct {
	segs, raw []string
}

func routeOf(address string) route {
	address, _, _ = strings.Cut(address, "?")
	address, _, _ = strings.Cut(address, "#")
	if _, rest, ok := strings.Cut(address, "://"); ok {
		address = "/" + afterHost(rest)
	}
	address = shellword.Percent20(shellword.Percent20(address))
	clean := strings.Trim(path.Clean("/"+address), "/")
	return route{strings.Split(strings.ToLower(clean), "/"), strings.Split(clean, "/")}
}

func afterHost(rest string) string {
	_, p, _ := strings.Cut(rest, "/")
	return p
}

// index returns the position of the first segment that is one of the names, or -1.
func (r route) index(names string) int {
	for i, s := range r.segs {
		if shellword.Has(names, s) {
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

// repo returns owner/name if the path names both, or an empty string.
func (r route) repo() string {
	i := r.index("repos repositories")
	if i < 0 || i+2 >= len(r.raw) {
		return ""
	}
	name := r.raw[i+1] + "/" + r.raw[i+2]
	if strings.ContainsAny(name, "{}:$"+shellword.Unknown) {
		return ""
	}
	return name
}

// Send judges a request by its path's shape, whatever the host.
func Send(f *plain.Frame, q Request) {
	q = q.orDefault()
	if q.Method == "GET" || q.Method == "HEAD" || q.Method == "OPTIONS" {
		return
	}
	if localServer(f, q) {
		return
	}
	if _, whole := shellword.JSONLeaves(q.Body); !whole {
		f.M.Bounded("a request of more values than are read", q.URL, q.Body)
	}
	r := routeOf(q.URL)
	if last := r.seg(len(r.segs) - 1); last == "graphql" || last == "graphql.json" {
		graphqlRequest(f, q)
		return
	}
	if sendPR(f, q, r) || sendBranch(f, q, r) || sendRules(f, q, r) ||
		sendDispatch(f, q, r) {
		return
	}
	sendUnknown(f, q, r)
}

// localServer reports whether a request goes to this machine, as tests make them. It is no forge,
// unless the project's own is there or the request is led elsewhere.
func localServer(f *plain.Frame, q Request) bool {
	return !q.Led && local(q.URL) && !strings.HasPrefix(f.Cwd, shellword.Unknown) &&
		!slices.ContainsFunc(slices.Collect(maps.Values(f.M.Repo().Remotes)), local)
}

// local reports whether an address is on this machine.
func local(address string) bool {
	if !strings.Contains(address, "://") {
		address = "//" + address
	}
	u, err := url.Parse(strings.Replace(address, ":"+shellword.Unknown, ":0", 1))
	if err != nil {
		return false
	}
	host := strings.ToLower(u.Hostname())
	ip, _ := netip.ParseAddr(host)
	return ip.IsLoopback() || ip.IsUnspecified() || host == "localhost" ||
		strings.HasSuffix(host, ".localhost")
}

func reqAct(f *plain.Frame, q Request, r route, a effect.Act) {
	a.Repo = cmp.Or(a.Repo, r.repo())
	if a.Ref == "" && a.PR == 0 {
		a.Ref = strings.Join(r.raw, "/")
	}
	f.Act(a, q.Argv)
}

const prNouns = "pulls pull pullrequests pull-requests merge_requests merge-requests mergerequests"

// sendPR judges requests on one PR: merge, edit, review, label, comment.
func sendPR(f *plain.Frame, q Request, r route) bool {
	i := r.index(prNouns)
	if i < 0 {
		i = r.index("issues")
	}
	if i < 0 {
		return false
	}
	leaves := q.leaves()
	leaf := func(names ...string) string { return effect.LeafText(leaves, names...) }
	a := effect.Act{PR: shellword.Number(r.seg(i + 1)), Repo: r.repo()}
	if strings.Contains(r.seg(i+1), shellword.Unknown) {
		a.Ref = q.URL
	}
	noun, action, deletes := r.segs[i], r.seg(i+2), q.Method == "DELETE"
	if a.PR > 0 && (shellword.Has(prNouns, noun) || r.index("repos") >= 0) { // not GitLab's issues
		f.Use(a, q.Argv)
	}
	arms := shellword.Has(`
		merge_when_pipeline_succeeds auto-merge auto_merge enable_auto_merge automerge
merge-queue merge_queue queue`, action) || r.index("merge_trains") >= 0 && i < len(r.segs)-1
	switch {
	case q.Method == "PUT" && shellword.HasUnknown(action):
		f.OpaqueForge(shellword.Join(q.Argv), "what it does to the PR is only known when it runs")
	case i == len(r.segs)-1:
		if shellword.Has(prNouns, noun) && q.Method == "POST" {
			reqAct(f, q, r, effect.Act{Kind: effect.OpenPR})
			Labels(f, leaves, effect.Act{}, q.Argv)
		}
		return true
	case arms && !deletes:
		a.Kind, a.Auto = effect.ArmAutoMerge, true
	case action == "": // GitLab arms by a flag, labels arm bots
		a.Auto = shellword.IsTrue(leaf("merge_when_pipeline_succeeds", "auto_merge"))
		if a.Auto {
			a.Kind = effect.ArmAutoMerge
		}
		Labels(f, leaves, a, q.Argv)
	case action == "merge" && noun != "issues" && !deletes:
		a.Kind = effect.MergePR
		a.SHA = q.head()
		if shellword.IsTrue(leaf("merge_when_checks_succeed")) ||
			shellword.IsTrue(leaf("auto_merge")) ||
			shellword.IsTrue(leaf("merge_when_pipeline_succeeds")) {
			a.Kind, a.Auto = effect.ArmAutoMerge, true
		}
		a.Admin = shellword.IsTrue(leaf("force_merge", "bypass"))
	case r.seg(len(r.segs)-1) == "dismissals":
		a.Kind = effect.DismissReview
	case action == "reviews" && !deletes:
		event := leaf("event", "state")
		switch {
		case strings.HasPrefix(strings.ToUpper(event), "APPROVE") || shellword.HasUnknown(event):
			a.Kind = effect.ApprovePR
		case shellword.HasUnknown(q.Body) && event == "":
			f.OpaqueForge(shellword.Join(q.Argv),
				"a review whose verdict is only known when it runs")
		default:
			a.Kind = effect.Comment
		}
		a.Review = event != "" && !strings.EqualFold(event, "PENDING")
	case action == "approve", action == "approvals" && q.Method == "POST":
		if !deletes {
			a.Kind = effect.ApprovePR
		}
	case action == "approval_rules", action == "approvals":
		a.Kind = effect.RelaxProtection
	case deletes:
	case action == "labels":
		Labels(f, leaves, a, q.Argv)
	case shellword.Has("comments notes discussions threads", action):
		Comment(f, leaf("body", "content", "raw", "text", "note"), a, q.Argv)
	}
	if a.Kind != "" {
		reqAct(f, q, r, a)
	}
	return true
}

// sendBranch judges requests that move a branch: refs, file contents, commits, branch merges.
func sendBranch(f *plain.Frame, q Request, r route) bool {
	leaves := q.leaves()
	leaf := func(names ...string) string { return effect.LeafText(leaves, names...) }
	last := r.seg(len(r.segs) - 1)
	inRepo := r.index("repos repositories projects") >= 0 ||
		strings.HasPrefix(r.segs[0], shellword.Unknown)
	inTree := r.index("repository") >= 0
	switch branches := r.index("branches"); {
	case last == "merges" && inRepo:
		branchAct(f, q, r, leaf("base"))
	case last == "merge-upstream" && inRepo:
		branchAct(f, q, r, leaf("branch"))
	case r.index("refs ref") >= 0 && inRepo:
		name := leaf("ref", "name")
		if i := r.index("heads branches"); i > 0 && i+1 < len(r.raw) {
			name = strings.Join(r.raw[i+1:], "/")
		}
		if (name != "" || r.index("tags") <= 0) && !strings.HasPrefix(name, "refs/tags/") {
			branchAct(f, q, r, name)
		}
	case r.index("contents src") >= 0 && inRepo && q.Method != "PATCH",
		inTree && r.index("projects") >= 0 && r.index("files commits") >= 0:
		branch, ok := effect.Leaf(leaves, "new_branch", "branch")
		if !ok && !shellword.HasUnknown(q.Body) { // as the forges take it
			branch = DefaultBranch(f)
		}
		branchAct(f, q, r, branch)
	case inTree && branches >= 0 && q.Method == "DELETE":
		branchAct(f, q, r, strings.Join(r.raw[branches+1:], "/"))
	case last == "rename" && branches >= 0:
		branchAct(f, q, r, r.seg(len(r.segs)-2))
		branchAct(f, q, r, leaf("new_name"))
	default:
		return false
	}
	return true
}

func branchAct(f *plain.Frame, q Request, r route, branch string) {
	if branch != "" || shellword.HasUnknown(q.Body) {
		movesBranch(f, effect.Act{Repo: r.repo()}, branch, q.Argv)
	}
}

// movesBranch judges what an API moves a branch by.
func movesBranch(f *plain.Frame, a effect.Act, branch string, argv []shellword.Word) {
	branch = strings.TrimPrefix(strings.TrimPrefix(branch, "refs/"), "heads/")
	switch Protected(f, branch) {
	case Yes:
		a.Kind, a.Ref = effect.PushProtected, branch
		f.Act(a, argv)
	case Maybe:
		f.OpaqueForge(shellword.Join(argv), "the branch it moves is only known when it runs")
	case No:
		a.Ref = branch
		f.Use(a, argv)
	}
}

// sendRules judges requests that change the rules of a branch or of a repository.
func sendRules(f *plain.Frame, q Request, r route) bool {
	if r.index("protection") > 0 || r.index(`rulesets protected_branches branch_protections
push_rule approval_rules protected_tags`) >= 0 {
		reqAct(f, q, r, effect.Act{Kind: effect.RelaxProtection})
		return true
	}
	if i := r.index("repos projects"); i < 0 || len(r.segs) > i+3 {
		return false
	}
	for _, fd := range q.leaves() {
		if Relaxes(fd) {
			reqAct(f, q, r, effect.Act{Kind: effect.RelaxProtection, Ref: fd.Path + "=" + fd.Value})
			return true
		}
	}
	return false
}

// Relaxes reports whether a setting of a repository opens the way for merges.
func Relaxes(fd effect.Field) bool {
	key, off := strings.ToLower(fd.Path), strings.EqualFold(fd.Value, "false")
	return !off && shellword.Has(`allow_auto_merge default_branch approvals_before_merge
allow_merge_on_skipped_pipeline`, key) || off && strings.HasPrefix(key, "only_allow_merge")
}

// sendDispatch judges a started workflow.
func sendDispatch(f *plain.Frame, q Request, r route) bool {
	if r.seg(len(r.segs)-1) != "dispatches" {
		return false
	}
	name := effect.LeafText(q.leaves(), "event_type")
	if i := r.index("workflows"); i >= 0 && i+1 < len(r.raw) {
		name = r.raw[i+1]
	}
	Workflow(f, name, q.Argv)
	return true
}

// sendUnknown judges a request of whose path only a part is known.
func sendUnknown(f *plain.Frame, q Request, r route) {
	puts := q.Method == "PUT" || shellword.HasUnknown(q.Method)
	of := r.seg(len(r.segs) - 2)
	switch {
	case puts && r.seg(len(r.segs)-1) == "merge" && strings.HasSuffix(of, shellword.Unknown):
		reqAct(f, q, r, effect.Act{Kind: effect.MergePR, Ref: q.URL})
	case shellword.Blank(strings.Join(r.segs, "")) &&
		(puts || q.Method == "PATCH" || shellword.Blank(q.Body)):
		const reason = "the address it changes something at is only known when it runs"
		f.Opaque(shellword.Join(q.Argv), reason)
	}
}
