// Package forges reads command lines and requests that reach a forge or move a branch: gh, glab,
// tea and hub, git, HTTP clients, REST requests by method and path, GraphQL mutations, and comments
// and labels that order a bot to merge.
package forges

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"hooks/internal/guard/effect"
	"hooks/internal/guard/plain"
	"hooks/internal/guard/shellword"
)

// Request is an HTTP request that a call sends with any client.
type Request struct {
	Method string // upper case, may contain Unknown; empty for the client's default
	URL    string
	Body   string           // as sent; may contain Unknown
	Fields []effect.Field   // parameters given as flags or tool fields
	Argv   []shellword.Word // the command, for display
	Led    bool             // may go to a host other than the URL's, for example a proxy
}

// orDefault sets a missing method as clients do: POST if there are fields or a body, else GET.
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

// route holds the segments of a request's path, in lower case and as written.
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
	low := strings.TrimSuffix(strings.ToLower(clean), ".json") // GitLab reads .json as a format
	return route{strings.Split(low, "/"), strings.Split(clean, "/")}
}

func afterHost(rest string) string {
	_, p, _ := strings.Cut(rest, "/")
	return p
}

// index returns the position of the first segment in names, or -1.
func (r route) index(names string) int {
	for i, s := range r.segs {
		if shellword.Has(names, s) {
			return i
		}
	}
	return -1
}

// seg returns the i-th segment, or an empty string if there is none. A negative i counts from the
// end.
func (r route) seg(i int) string {
	if i < 0 {
		i += len(r.segs)
	}
	if i < 0 || i >= len(r.segs) {
		return ""
	}
	return r.segs[i]
}

func (r route) has(names string) bool { return r.index(names) >= 0 }

// repo returns the owner/name or the GitLab project number in the path, or an empty string.
func (r route) repo() string {
	i, end := r.index("repos repositories"), 0
	if end = i + 3; i < 0 {
		i, end = r.index("projects"), r.index("merge_requests merge_trains")
	}
	if i < 0 || end > len(r.raw) || end < i+2 {
		return ""
	}
	name := strings.Join(r.raw[i+1:end], "/")
	if strings.ContainsAny(name, "{}:$"+shellword.Unknown) {
		return ""
	}
	return name
}

// sending is a request being judged.
type sending struct {
	Request
	route
	*plain.Frame
	body   []effect.Field // parameters in the body
	fields []effect.Field // all parameters; if a name occurs more than once, the last one counts
}

// Send judges a request by its method and path, whatever its host. It ignores requests that only
// read, and requests to servers on this machine.
func Send(f *plain.Frame, q Request) {
	q = q.orDefault()
	if shellword.Has("GET HEAD OPTIONS", q.Method) || localServer(f, q) {
		return
	}
	body, whole := shellword.JSONLeaves(q.Body)
	if !whole {
		f.M.Bounded("a request with more values than the guard reads", q.URL, q.Body)
	}
	_, query, _ := strings.Cut(q.URL, "?")
	body = append(body, shellword.FormLeaves(q.Body)...)
	all := slices.Concat(shellword.FormLeaves(query), q.Fields, body)
	s := sending{q, routeOf(q.URL), f, body, all}
	switch {
	case s.seg(-1) == "graphql":
		graphqlRequest(f, q, s.fields)
	case s.onPR(), s.onBranch(), s.onRules():
	case s.seg(-1) == "dispatches":
		name := s.leaf("event_type")
		if i := s.index("workflows"); i >= 0 && i+1 < len(s.raw) {
			name = s.raw[i+1]
		}
		Workflow(f, name, q.Argv)
	default:
		s.unknown()
	}
}

// head returns the head commit that a request to merge a PR requires. It returns an empty string if
// the request requires none or contains two values. Only a top-level field with the exact name
// counts, because a forge ignores any other field and would merge any head.
func (s sending) head() string {
	name, fields := "sha", s.Fields
	if s.Method == "POST" { // only Gitea merges by POST
		name = "head_commit_id"
	}
	if strings.TrimSpace(s.Body) != "" {
		fields = s.body
	}
	fields = slices.DeleteFunc(slices.Clone(fields), func(fd effect.Field) bool {
		return !strings.EqualFold(fd.Path, name)
	})
	if len(fields) != 1 || fields[0].Path != name {
		return ""
	}
	return fields[0].Value
}

func (s sending) leaf(names ...string) string { return effect.LeafText(s.fields, names...) }

// does records an act, with the repository named in the path as its target.
func (s sending) does(a effect.Act) {
	a.Repo = s.repo()
	if a.Ref == "" && a.PR == 0 {
		a.Ref = strings.Join(s.raw, "/")
	}
	s.Act(a, s.Argv)
}

func (s sending) opaque(reason string) { s.OpaqueForge(shellword.Join(s.Argv), reason) }

// localServer reports whether a request certainly goes to a server on this machine and not to a
// forge. It returns false if a project remote is local or a flag may redirect the request.
func localServer(f *plain.Frame, q Request) bool {
	if q.Led || strings.HasPrefix(f.Cwd, shellword.Unknown) {
		return false
	}
	for _, remote := range f.M.Repo().Remotes {
		if shellword.HasPart(strings.ToLower(remote), "localhost 127. 0.0.0.0 [") {
			return false
		}
	}
	const port = `:(\d+|` + shellword.Unknown + `)` // HTTPie accepts a port alone
	const server = `^((https?://)?(localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\])(` + port + `)?|` +
		port + `)(/|$)`
	// Compile the pattern here, because few calls send a request that changes something.
	local, _ := regexp.MatchString(server, q.URL)
	return local
}

const prNouns = "pulls pull pullrequests pull-requests merge_requests merge-requests mergerequests"

// onPR judges requests on PRs and issues: merge, edit, review, label, comment. It reports whether
// the path names a PR or an issue.
func (s sending) onPR() bool {
	i := s.index(prNouns)
	ofPR := i >= 0
	if !ofPR {
		i = s.index("issues")
	}
	if i < 0 {
		return false
	}
	a := effect.Act{
		PR: shellword.Number(s.seg(i + 1)), Repo: s.repo(), Ref: strings.Join(s.raw, "/"),
	}
	if !strings.Contains(a.Repo, "/") { // a number, which may denote the run's own repository
		a.Repo = ""
	}
	switch {
	case shellword.HasUnknown(s.seg(i + 1)):
		a.Ref = s.URL
	case a.PR > 0:
		a.Ref = ""
	}
	if a.PR > 0 && (ofPR || s.has("repos")) { // issues on GitLab are not PRs
		s.Use(a, s.Argv)
	}
	action, deletes, words := "", s.Method == "DELETE", ""
	if i+2 < len(s.segs) {
		action = s.segs[i+2]
	}
	switch {
	case s.Method == "PUT" && shellword.HasUnknown(action):
		s.opaque("its effect on the PR is only known at run time")
	case i == len(s.segs)-1:
		if ofPR && s.Method == "POST" {
			words = "create pull request"
		}
	case shellword.Has("approval_rules approvals", action) && (deletes || s.Method != "POST"),
		action == "approval_rules":
		words = "update protection"
	case deletes && s.seg(-1) != "dismissals":
	case s.has("merge_trains") || shellword.Has(`auto-merge auto_merge merge_when_pipeline_succeeds
enable_auto_merge automerge merge-queue merge_queue queue`, action):
		words = "enqueue"
	case s.seg(-1) == "dismissals":
		words = "dismiss review"
	case action == "":
		words = "update issue"
		if ofPR {
			words = "update pull request"
		}
	case action == "merge" && ofPR:
		words, a.SHA = "merge pull request", s.head()
	case action == "reviews" && shellword.HasUnknown(s.Body) && s.leaf("event", "state") == "":
		s.opaque("a review whose verdict is only known at run time")
	case shellword.Has("approve approvals", action):
		words = "approve"
	case shellword.Has("reviews labels", action):
		words = strings.TrimSuffix(action, "s")
	case shellword.Has("comments notes discussions threads", action):
		words = "comment"
	}
	if words != "" {
		t := Tool{s.Frame, "git", strings.Fields(words), s.fields, s.Argv, a}
		if t.Has("merge enqueue approve") {
			t.On.Repo = s.repo()
		}
		t.Judge()
	}
	return true
}

// onBranch judges requests that move a branch: refs, file contents, commits and branch merges. It
// reports whether s is such a request.
func (s sending) onBranch() bool {
	last := s.seg(-1)
	inRepo := s.has("repos repositories projects") ||
		strings.HasPrefix(s.segs[0], shellword.Unknown)
	inTree := s.has("repository")
	switch branches := s.index("branches"); {
	case last == "merges" && inRepo:
		s.moves(s.leaf("base"))
	case last == "merge-upstream" && inRepo:
		s.moves(s.leaf("branch"))
	case s.has("refs ref") && inRepo:
		name := s.leaf("ref", "name")
		if i := s.index("heads branches"); i > 0 && i+1 < len(s.raw) {
			name = strings.Join(s.raw[i+1:], "/")
		}
		if name != "" || !s.has("tags") {
			s.moves(name)
		}
	case s.has("contents src") && inRepo && s.Method != "PATCH",
		inTree && s.has("projects") && s.has("files commits"):
		branch, ok := effect.Leaf(s.fields, "new_branch", "branch")
		if !ok && !shellword.HasUnknown(s.Body) { // forges use the default branch
			branch = DefaultBranch(s.Frame)
		}
		s.moves(branch)
	case inTree && branches >= 0 && s.Method == "DELETE":
		s.moves(strings.Join(s.raw[branches+1:], "/"))
	case last == "rename" && branches >= 0:
		s.moves(s.seg(-2))
		s.moves(s.leaf("new_name"))
	default:
		return false
	}
	return true
}

func (s sending) moves(branch string) {
	if branch != "" || shellword.HasUnknown(s.Body) {
		Moves(s.Frame, effect.Act{Repo: s.repo()}, branch, s.Argv)
	}
}

// onRules judges requests that change the rules of a branch or a repository. It reports whether s
// is such a request.
func (s sending) onRules() bool {
	a := effect.Act{Kind: effect.RelaxProtection}
	if s.index("protection") > 0 || s.has(`rulesets protected_branches branch_protections push_rule
approval_rules protected_tags`) {
		s.does(a)
		return true
	}
	if i := s.index("repos projects"); i < 0 || len(s.segs) > i+3 {
		return false
	}
	i := slices.IndexFunc(s.fields, Relaxes)
	if i >= 0 {
		a.Ref = s.fields[i].Path + "=" + s.fields[i].Value
		s.does(a)
	}
	return i >= 0
}

// Relaxes reports whether a repository setting makes merging easier.
func Relaxes(fd effect.Field) bool {
	key := strings.Join(shellword.NameWords(fd.Path), "_")
	off := strings.EqualFold(fd.Value, "false")
	return !off && shellword.Has(`allow_auto_merge default_branch approvals_before_merge
allow_merge_on_skipped_pipeline`, key) || off && strings.HasPrefix(key, "only_allow_merge")
}

// unknown judges a request whose path matches no other rule, because parts of it may be unknown.
func (s sending) unknown() {
	puts := s.Method == "PUT" || shellword.HasUnknown(s.Method)
	switch {
	case puts && s.seg(-1) == "merge" && strings.HasSuffix(s.seg(-2), shellword.Unknown):
		s.does(effect.Act{Kind: effect.MergePR, Ref: s.URL})
	case shellword.Blank(strings.Join(s.segs, "")) &&
		(puts || s.Method == "PATCH" || shellword.Blank(s.Body)):
		const reason = "the request's URL is only known at run time"
		s.Opaque(shellword.Join(s.Argv), reason)
	}
}
