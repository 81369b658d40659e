package code

import (
	"cmp"
	"strings"

	"hooks/internal/guard/act"
	"hooks/internal/guard/forges"
	"hooks/internal/guard/shell"
	"hooks/internal/guard/word"
)

// requester reports whether a call may send a request whose method is among its arguments.
func requester(last string) bool {
	return httpVerb(last) != "" || word.Has(`request fetch Request urlopen ajax got axios graphql
NewRequest NewRequestWithContext superagent needle ky ofetch curl_init
rest_call`, last)
}

func httpVerb(last string) string {
	switch strings.ToLower(last) {
	case "put", "post", "patch", "delete":
		return strings.ToUpper(last)
	}
	return ""
}

// request reads a call that may send a request: requests.put(url), fetch(url, {method: 'PUT'}),
// api('PUT', path).
func (p *program) request(g *group) {
	if !p.speaks || g.name == "" || g.open == '{' {
		return
	}
	l := last(g.name)
	q := forges.Request{Method: httpVerb(l), Fields: p.pairs(g)}
	for _, e := range g.elems {
		if e.key == "" {
			p.position(&q, e)
		}
	}
	for _, fd := range q.Fields {
		setRequest(&q, fd.Path, fd.Value)
	}
	if q.URL != "" || q.Body != "" {
		q.Argv = p.shown(g)
	}
	if strings.Contains(q.Body, "mutation") || word.Has("graphql query mutate", l) {
		query := cmp.Or(q.Body, act.LeafText(q.Fields, "query"), word.Hole)
		forges.GraphQL(p.f, query, q.Fields, q.Argv)
	}
	switch {
	case q.Method == "" && !requester(l):
		if strings.HasSuffix(q.URL, "/merge") || strings.Contains(q.URL, "/git/refs/") {
			p.paths = append(p.paths, q.URL)
		}
	case q.URL == "":
	case word.Blank(q.URL):
		p.method = cmp.Or(q.Method, p.method)
		const clients = "request session client http axios fetch api curl"
		if requester(l) && !p.fed(g) && word.HasPart(strings.ToLower(g.name), clients) {
			forges.Send(p.f, q)
		}
	default:
		q.Method = cmp.Or(q.Method, map[bool]string{true: "GET", false: "POST"}[q.Body == ""])
		forges.Send(p.f, q)
	}
}

// position sorts an argument without a name into method, address and body.
func (p *program) position(q *forges.Request, e elem) {
	words, _ := p.words(e)
	for _, s := range words {
		switch {
		case word.Has("GET PUT POST PATCH DELETE", strings.ToUpper(s)):
			q.Method = strings.ToUpper(s)
		case isRoute(s):
			q.Method, q.URL, _ = strings.Cut(s, " ")
		case strings.Contains(s, "mutation") && strings.Contains(s, "{"):
			q.Body = s
		case q.URL == "" && (strings.Contains(s, "/") || s == word.Hole):
			q.URL = s
		case q.Body == "":
			q.Body = s
		}
	}
}

// isRoute reports whether a text is a route as Octokit takes it, like "PUT /repos/…".
func isRoute(s string) bool {
	verb, path, ok := strings.Cut(s, " ")
	return ok && word.Has("GET PUT POST PATCH DELETE", verb) && strings.HasPrefix(path, "/")
}

func setRequest(q *forges.Request, key, val string) {
	switch strings.ToLower(key) {
	case "method", "type":
		q.Method = strings.ToUpper(val)
	case "url", "uri", "path":
		q.URL = val
	case "body", "data", "json", "content", "params":
		if !word.Blank(val) && q.Body == "" {
			q.Body = val
		}
	}
}

// addresses sends what is left: paths that a helper function is given, by the method that it uses.
func (p *program) addresses() {
	for _, path := range p.paths {
		if p.method != "" {
			argv := word.Lits(p.method, path)
			forges.Send(p.f, forges.Request{Method: p.method, URL: path, Argv: argv})
		}
	}
}

// pairs are the named values of a call, its objects' too.
func (p *program) pairs(g *group) []act.Field {
	var out []act.Field
	for _, e := range g.elems {
		if e.key != "" && (g.open != '{' || !e.assigned) {
			out = append(out, act.Field{Path: e.key, Value: p.text(e)})
		}
		for _, pt := range e.parts {
			if pt.in != nil && len(out) < 100 && (pt.in.name == "" ||
				word.Has("JSON.stringify json.dumps", pt.in.name)) {
				out = append(out, p.pairs(pt.in)...)
			}
		}
	}
	return out
}

// shown is a call as a person would write it.
func (p *program) shown(g *group) []word.Word {
	var parts []string
	for _, fd := range p.pairs(g) {
		parts = append(parts, fd.Path+"="+fd.Value)
	}
	if len(parts) == 0 {
		parts = p.arglist(g)
	}
	text := strings.ReplaceAll(word.Clip(g.name+"("+strings.Join(parts, ", ")+")", 300), word.Hole,
		"…")
	return []word.Word{{Text: text, Raw: true}}
}

// library judges calls of the forges' libraries: octokit.pulls.merge({…}),
// repo.get_pull(5).merge().
func (p *program) library(e elem, i int) {
	g := e.parts[i].in
	if g.name == "" || !p.f.M.Spend(1) {
		return
	}
	name := strings.ToLower(strings.ReplaceAll(g.name, "_", ""))
	l := last(name)
	fields := p.pairs(g)
	a := act.Act{PR: word.Number(act.LeafText(fields, "pull_number", "pullNumber", "number", "pr",
		"iid", "index",
		"pull_request_id"))}
	number, ofPR := p.gotten(e, i, g.name)
	if a.PR == 0 {
		a.PR = word.Number(number)
	}
	if o, r := act.LeafText(fields, "owner"), act.LeafText(fields, "repo"); o != "" && r != "" &&
		!word.Unknown(o+r) {
		a.Repo = o + "/" + r
	}
	a.Kind, a.SHA = libraryKind(name, l, ofPR), act.LeafText(fields, "sha")
	switch a.Kind {
	case "":
		p.libraryBranch(name, g, fields)
		return
	case act.ApprovePR:
		event := cmp.Or(act.LeafText(fields, "event"), strings.Join(p.arglist(g), " "))
		if !strings.Contains(strings.ToUpper(event), "APPROVE") {
			return
		}
	}
	p.f.Act(a, p.shown(g))
}

// gotten is the number of the PR that a call is made on: repo.get_pull(5).merge(), or pr.merge() of
// such a pr.
func (p *program) gotten(e elem, i int, name string) (number string, ofPR bool) {
	from := e.parts[max(0, i-8):i]
	if on, _, ok := strings.Cut(name, "."); ok && on != "" && len(p.names[on]) > 0 {
		from = p.names[on][0].parts
	}
	for _, pt := range from {
		if pt.in == nil {
			continue
		}
		getter := strings.ToLower(strings.ReplaceAll(last(pt.in.name), "_", ""))
		if word.Has("getpull getpullrequest getpr pullrequest getmergerequest pull", getter) ||
			getter == "get" && strings.Contains(pt.in.name, "equests") {
			number = act.LeafText(p.pairs(pt.in), "number", "pull_number")
			if len(pt.in.elems) > 0 && number == "" {
				number = p.text(pt.in.elems[0])
			}
			ofPR = true
		}
	}
	return number, ofPR
}

// libraryKind judges a library call by its dotted name.
func libraryKind(name, last string, ofPR bool) act.Kind {
	owner := strings.TrimSuffix(name, "."+last)
	owner = owner[strings.LastIndexByte(owner, '.')+1:]
	pr := ofPR || word.Has(`pulls pull pullrequest pullrequests pr mr mergerequest mergerequests
pullrequestservice`, owner)
	switch last {
	case "merge", "acceptmergerequest", "accept", "mergepullrequest", "mergemergerequest":
		if pr || strings.Contains(last, "request") {
			return act.MergePR
		}
	case "enableautomerge", "enablepullrequestautomerge":
		return act.ArmAutoMerge
	case "createreview", "submitreview":
		return act.ApprovePR
	case "dismissreview":
		return act.DismissReview
	case "updatebranchprotection", "deletebranchprotection", "editprotection", "removeprotection",
		"createreporuleset", "updatereporuleset", "deletereporuleset":
		return act.RelaxProtection
	case "createpull", "createpullrequest", "createmergerequest":
		return act.OpenPR
	case "create":
		if word.Has("pulls pullrequests mergerequests", owner) {
			return act.OpenPR
		}
	}
	return ""
}

// libraryBranch judges library calls that move a branch.
func (p *program) libraryBranch(name string, g *group, fields []act.Field) {
	branch := ""
	switch l := last(name); {
	case l == "updateref" || l == "deleteref":
		branch = act.LeafText(fields, "ref")
	case word.Has("createorupdatefilecontents updatefile createfile deletefile", l):
		b, ok := act.Leaf(fields, "branch")
		if branch = b; !ok && l == "createorupdatefilecontents" {
			branch = forges.DefaultBranch(p.f)
		}
	case l == "merge" && (strings.HasSuffix(name, "repo.merge") ||
		strings.HasSuffix(name, "repos.merge")):
		branch = act.LeafText(fields, "base")
		if branch == "" && len(g.elems) > 0 {
			branch = p.text(g.elems[0])
		}
	case l == "push" && (word.HasPart(name, "git origin remote") || p.pushesRefs(g, fields)):
		words := p.arglist(g)
		if ref := act.LeafText(fields, "refspec", "refspecs", "remoteref", "ref"); ref != "" {
			words = []string{"origin", ref}
		}
		if strings.Contains(name, "origin") || len(words) == 1 && strings.Contains(words[0], ":") {
			words = append([]string{"origin"}, words...)
		}
		forges.Git(p.f.External(), append(word.Lits("git", "push"), word.Lits(words...)...))
		return
	}
	branch = strings.TrimPrefix(strings.TrimPrefix(branch, "refs/"), "heads/")
	if branch != "" && !word.Unknown(branch) && forges.Protected(p.f, branch) == shell.Yes {
		p.f.Act(act.Act{Kind: act.PushProtected, Ref: branch}, p.shown(g))
	}
}

// pushesRefs reports, by its arguments, whether a call pushes branches, whatever it is called on:
// "origin" before a branch, a branch behind a colon, a refspec by name. Lists are pushed to as
// well.
func (p *program) pushesRefs(g *group, fields []act.Field) bool {
	if act.LeafText(fields, "refspec", "refspecs", "remoteref") != "" ||
		act.LeafText(fields, "ref") != "" && act.LeafText(fields, "remote") != "" {
		return true
	}
	words := p.arglist(g)
	if len(words) == 1 {
		from, to := forges.SplitRefspec(words[0])
		return from != to && forges.MovesProtected(p.f, to) == shell.Yes
	}
	return len(words) > 1 && word.HasWord(word.Lits(words...), "origin")
}
