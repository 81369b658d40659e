package code

import (
	"cmp"
	"strings"

	"hooks/internal/guard/effect"
	"hooks/internal/guard/forges"
	"hooks/internal/guard/shell"
	"hooks/internal/guard/shellword"
)

// requester reports whether a call of that name may send a request.
func requester(name string) bool {
	return verb(name) != "" || shellword.Has(`request fetch Request urlopen ajax got axios graphql
NewRequest NewRequestWithContext superagent needle ky ofetch`, name)
}

// verb is the HTTP method that a name says, "" for none.
func verb(name string) string {
	if name = strings.ToUpper(name); shellword.Has("PUT POST PATCH DELETE", name) {
		return name
	}
	return ""
}

// request reads a call that may send a request: requests.put(url), fetch(url, {method: 'PUT'}),
// api('PUT', path).
func (p *program) request(name string, i int, words []string) {
	if !p.speaks || name == "" {
		return
	}
	how := last(name)
	q := forges.Request{Method: verb(how), Fields: p.fields(i), Argv: p.shown(name, i, words)}
	for _, s := range words {
		method, path, route := strings.Cut(s, " ")
		switch route = route && strings.HasPrefix(path, "/"); { // "PUT /repos/…"
		case verb(s) != "" || strings.EqualFold(s, "GET"):
			q.Method = strings.ToUpper(s)
		case route && (verb(method) != "" || method == "GET"):
			q.Method, q.URL = method, path
		case strings.Contains(s, "mutation") && strings.Contains(s, "{"):
			q.Body = s
		case q.URL == "" && (strings.Contains(s, "/") || s == shellword.Unknown):
			q.URL = s
		case q.Body == "":
			q.Body = s
		}
	}
	q.Method = strings.ToUpper(cmp.Or(effect.LeafText(q.Fields, "method", "type"), q.Method))
	q.URL = cmp.Or(effect.LeafText(q.Fields, "url", "uri", "path"), q.URL)
	for _, key := range []string{"body", "data", "json", "content", "params"} {
		if v := effect.LeafText(q.Fields, key); q.Body == "" && !shellword.Blank(v) {
			q.Body = v
		}
	}
	if strings.Contains(q.Body, "mutation") || shellword.Has("graphql query mutate", how) {
		query := cmp.Or(q.Body, effect.LeafText(q.Fields, "query"), shellword.Unknown)
		forges.GraphQL(p.f, query, q.Fields, q.Argv)
	}
	switch {
	case q.Method == "" && !requester(how):
		if strings.HasSuffix(q.URL, "/merge") || strings.Contains(q.URL, "/git/refs/") {
			p.paths = append(p.paths, q.URL)
		}
	case q.URL == "":
	case !shellword.Blank(q.URL):
		q.Method = cmp.Or(q.Method, map[bool]string{true: "GET", false: "POST"}[q.Body == ""])
		forges.Send(p.f, q)
	default:
		p.method = cmp.Or(q.Method, p.method)
		const clients = "request session client http axios fetch api"
		if requester(how) && !p.fed(i+1) && shellword.HasPart(strings.ToLower(name), clients) {
			forges.Send(p.f, q)
		}
	}
}

// send sends a path that a helper function is given, by the method that the helper uses.
func (p *program) send(method, path string) {
	forges.Send(p.f, forges.Request{Method: method, URL: path, Argv: shellword.Lits(method, path)})
}

// fields are the named values of a call, those of its objects too.
func (p *program) fields(i int) (out []effect.Field) {
	for j := i + 1; j < p.closes[i] && len(out) < 100 &&
		p.f.M.Burn(shellword.Btoi(j%16 == 0)); j++ {
		key := p.at(j)
		if key.kind != markTok && p.mark(j+1, ":=") && !p.mark(j+2, "=>") {
			value := strings.Join(p.words(j+2, p.element(j+2)), " ")
			out = append(out, effect.Field{Path: key.text, Value: shellword.ClipHole(value)})
		}
	}
	return out
}

// shown is a call as a person would write it.
func (p *program) shown(name string, i int, words []string) []shellword.Word {
	parts := words
	for _, fd := range p.fields(i) {
		parts = append(parts[:len(parts):len(parts)], fd.Path+"="+fd.Value)
	}
	text := shellword.Clip(name+"("+strings.Join(parts, ", ")+")", 300)
	return []shellword.Word{{Text: shellword.Ellipsis(text), Raw: true}}
}

// library reads a call of a forge's library: octokit.pulls.merge({…}), repo.get_pull(5).merge().
func (p *program) library(name string, i int, words []string) {
	if name == "" {
		return
	}
	fields := p.fields(i)
	field := func(names ...string) string { return effect.LeafText(fields, names...) }
	owner, how := "", strings.ToLower(strings.ReplaceAll(name, "_", ""))
	if dot := strings.LastIndexByte(how, '.'); dot >= 0 {
		owner, how = last(how[:dot]), how[dot+1:]
	}
	number, gotten := p.gotten(i)
	if len(words) == 1 {
		number = cmp.Or(shellword.Number(words[0]), number)
	}
	ofPR := shellword.Has(`pulls pull pullrequest pullrequests pr mr mergerequest mergerequests
pullrequestservice`, owner) || gotten && strings.HasPrefix(name, ".")
	a := effect.Act{SHA: field("sha")}
	a.PR = cmp.Or(shellword.Number(field("pull_number", "pullNumber", "number", "pr", "iid")),
		number)
	if o, r := field("owner"), field("repo"); o != "" && r != "" && !shellword.HasUnknown(o+r) {
		a.Repo = o + "/" + r
	}
	branch := ""
	switch how {
	case "merge", "accept":
		switch {
		case ofPR:
			a.Kind = effect.MergePR
		case shellword.Has("repo repos", owner):
			branch = cmp.Or(field("base"), strings.Join(words[:min(1, len(words))], ""))
		}
	case "mergepullrequest", "acceptmergerequest", "mergemergerequest":
		a.Kind = effect.MergePR
	case "enableautomerge", "enablepullrequestautomerge":
		a.Kind = effect.ArmAutoMerge
	case "createreview", "submitreview":
		event := strings.ToUpper(field("event") + strings.Join(words, " "))
		if strings.Contains(event, "APPROVE") {
			a.Kind = effect.ApprovePR
		}
	case "dismissreview":
		a.Kind = effect.DismissReview
	case "updatebranchprotection", "deletebranchprotection", "editprotection", "removeprotection",
		"createreporuleset", "updatereporuleset", "deletereporuleset":
		a.Kind = effect.RelaxProtection
	case "createpull", "createpullrequest", "createmergerequest":
		a.Kind = effect.OpenPR
	case "create":
		if shellword.Has("pulls pullrequests mergerequests", owner) {
			a.Kind = effect.OpenPR
		}
	case "updateref", "deleteref":
		branch = field("ref")
	case "createorupdatefilecontents":
		branch = cmp.Or(field("branch"), forges.DefaultBranch(p.f))
	case "updatefile", "createfile", "deletefile":
		branch = field("branch")
	case "push":
		ref, n := field("ref", "refspec"), len(words)
		if ref == "" && n > 0 && (shellword.Has("origin remote git", owner) || n > 1 &&
			words[0] == "origin" || strings.Contains(words[n-1], ":")) {
			ref = words[n-1]
		}
		_, branch = forges.SplitRefspec(ref)
	}
	branch = strings.TrimPrefix(strings.TrimPrefix(branch, "refs/"), "heads/")
	if branch != "" && !shellword.HasUnknown(branch) && forges.Protected(p.f, branch) == shell.Yes {
		a = effect.Act{Kind: effect.PushProtected, Ref: branch}
	}
	if a.Kind != "" {
		p.f.Act(a, p.shown(name, i, words))
	}
}

// gotten is the number of the PR that a call before token i gets: repo.get_pull(5).
func (p *program) gotten(i int) (number int, ok bool) {
	for j := i - 2; j > max(0, i-200); j-- {
		getter := strings.ToLower(strings.ReplaceAll(last(p.name(j)), "_", ""))
		if p.mark(j+1, "(") &&
			(shellword.Has("getpull getpullrequest getmergerequest pull", getter) ||
				getter == "get" && strings.Contains(p.name(j), "equests")) {
			return shellword.Number(strings.Join(p.words(j+2, p.closes[j+1]), "")), true
		}
	}
	return 0, false
}
