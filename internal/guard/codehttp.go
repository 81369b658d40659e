package guard

import (
	"cmp"
	"strings"
)

// request judges a call that may send an HTTP request: requests.put(url), fetch(url, {method: 'PUT'}).
func (p *program) request(name, last string, args []arg) {
	method := httpVerb(last)
	if method == "" && !has(`request fetch Request urlopen ajax got axios send open execute graphql query mutate NewRequest
NewRequestWithContext new http superagent needle ky ofetch call rest_call curl_init`, last) {
		return
	}
	q := request{method: method}
	for _, a := range args {
		p.requestArg(&q, a)
	}
	if last == "graphql" || last == "mutate" || last == "query" {
		q.url, q.method = cmp.Or(q.url, "graphql"), "POST"
		p.f.graphql(cmp.Or(q.body, hole), q.fields, p.shown(name, args))
		return
	}
	if q.method == "" {
		q.method = "GET"
		if q.body != "" {
			q.method = "POST"
		}
	}
	q.argv = p.shown(name, args)
	if q.url != "" {
		p.f.send(q)
	}
}

func httpVerb(last string) string {
	switch strings.ToLower(last) {
	case "put", "post", "patch", "delete":
		return strings.ToUpper(last)
	}
	return ""
}

// requestArg sorts one argument into method, address and body.
func (p *program) requestArg(q *request, a arg) {
	for _, pair := range a.val.pairs {
		p.requestPair(q, pair.Path, pair.Value)
	}
	if len(a.val.pairs) > 0 && a.key == "" {
		return
	}
	if a.key != "" {
		p.requestPair(q, a.key, a.val.text())
		return
	}
	for _, s := range a.val.items {
		switch {
		case has("GET PUT POST PATCH DELETE", strings.ToUpper(s)):
			q.method = strings.ToUpper(s)
		case isRoute(s):
			verb, path, _ := strings.Cut(s, " ")
			q.method, q.url = verb, path
		case strings.Contains(s, "mutation") && strings.Contains(s, "{"):
			q.body = s
		case q.url == "" && (strings.Contains(s, "/") || s == hole):
			q.url = s
		case q.body == "":
			q.body = s
		}
	}
}

// isRoute tells "PUT /repos/…", as Octokit takes it.
func isRoute(s string) bool {
	verb, path, ok := strings.Cut(s, " ")
	return ok && has("GET PUT POST PATCH DELETE", verb) && strings.HasPrefix(path, "/")
}

func (p *program) requestPair(q *request, key, val string) {
	switch strings.ToLower(key) {
	case "method", "type":
		q.method = strings.ToUpper(val)
	case "url", "uri", "path":
		q.url = val
	case "body", "data", "json", "content", "params":
		if !blank(val) {
			q.body = val
		}
	default:
		q.fields = append(q.fields, Field{key, val})
	}
}

// shown is a call as a person would write it.
func (p *program) shown(name string, args []arg) []word {
	var parts []string
	for _, a := range args {
		switch {
		case a.key != "":
			parts = append(parts, a.key+"="+a.val.text())
		case len(a.val.pairs) > 0:
			for _, pair := range a.val.pairs {
				parts = append(parts, pair.Path+"="+pair.Value)
			}
		default:
			parts = append(parts, a.val.text())
		}
	}
	text := strings.ReplaceAll(name+"("+strings.Join(parts, ", ")+")", hole, "…")
	return []word{{text: text, raw: true}}
}

// prNumberOf remembers which PR a getter names: repo.get_pull(5).
func prNumberOf(last string, args []arg) []Field {
	if !prGetter(last) && last != "get" {
		return nil
	}
	n := argText(args, 0, "")
	for _, a := range args {
		if has("number pull_number", a.key) {
			n = a.val.text()
		}
	}
	if prGetter(last) {
		return []Field{{"pr", n}}
	}
	return []Field{{"got", n}}
}

func prGetter(last string) bool {
	l := strings.ToLower(strings.ReplaceAll(last, "_", ""))
	return has("getpull getpullrequest getpr pullrequest getmergerequest pull", l)
}

// sdk judges calls of the forges' libraries: octokit.pulls.merge({…}), repo.get_pull(5).merge().
func (p *program) sdk(name, last string, args []arg, on value) {
	lower := strings.ToLower(strings.ReplaceAll(name, "_", ""))
	fields := pairsOf(args)
	a := Act{PR: number(leafText(fields, "pull_number", "pullNumber", "number", "pr", "iid", "index", "pull_request_id"))}
	if a.PR == 0 && on.pairs != nil {
		a.PR = number(on.pairs[0].Value)
	}
	if o, r := leafText(fields, "owner"), leafText(fields, "repo"); o != "" && r != "" && !unknown(o+r) {
		a.Repo = o + "/" + r
	}
	a.Kind = sdkKind(lower, strings.ToLower(strings.ReplaceAll(last, "_", "")), on)
	a.SHA = leafText(fields, "sha")
	switch a.Kind {
	case "":
		p.sdkBranch(lower, name, args, fields)
		return
	case ApprovePR:
		if event := strings.ToUpper(cmp.Or(leafText(fields, "event"), allText(args))); !strings.Contains(event, "APPROVE") {
			return
		}
	}
	p.f.act(a, p.shown(name, args))
}

func pairsOf(args []arg) []Field {
	var out []Field
	for _, a := range args {
		if a.key != "" {
			out = append(out, Field{a.key, a.val.text()})
		}
		out = append(out, a.val.pairs...)
	}
	return out
}

func allText(args []arg) string {
	var parts []string
	for _, a := range args {
		parts = append(parts, a.val.items...)
	}
	return strings.Join(parts, " ")
}

// sdkKind judges a library call by its dotted name.
func sdkKind(name, last string, on value) Kind {
	owner := strings.TrimSuffix(name, "."+last)
	owner = owner[strings.LastIndexByte(owner, '.')+1:]
	pr := has("pulls pull pullrequest pullrequests pr mr mergerequest mergerequests pullrequestservice", owner) || len(on.pairs) > 0 && (on.pairs[0].Path == "pr" || on.pairs[0].Path == "got")
	switch last {
	case "merge", "acceptmergerequest", "accept", "mergepullrequest", "mergemergerequest":
		if pr || strings.Contains(last, "request") {
			return MergePR
		}
	case "enableautomerge", "enablepullrequestautomerge":
		return ArmAutoMerge
	case "createreview", "submitreview":
		return ApprovePR
	case "approve":
		if pr {
			return ApprovePR
		}
	case "dismissreview":
		return DismissReview
	case "updatebranchprotection", "deletebranchprotection", "editprotection", "removeprotection", "createreporuleset", "updatereporuleset", "deletereporuleset":
		return RelaxProtection
	case "createpull", "createpullrequest", "createmergerequest":
		return OpenPR
	case "create":
		if has("pulls pullrequests mergerequests", owner) {
			return OpenPR
		}
	}
	return ""
}

// sdkBranch judges library calls that move a branch.
func (p *program) sdkBranch(lower, name string, args []arg, fields []Field) {
	last := lower[strings.LastIndexByte(lower, '.')+1:]
	branch := ""
	switch {
	case last == "updateref" || last == "deleteref":
		branch = leafText(fields, "ref")
	case last == "createorupdatefilecontents" || last == "updatefile" || last == "createfile" || last == "deletefile":
		b, ok := leaf(fields, "branch")
		if branch = b; !ok && last == "createorupdatefilecontents" {
			branch = p.f.defaultBranch()
		}
	case last == "merge" && (strings.HasSuffix(lower, "repo.merge") || strings.HasSuffix(lower, "repos.merge")):
		branch = cmp.Or(leafText(fields, "base"), argText(args, 0, ""))
	case last == "push" && (strings.Contains(lower, "git") || strings.Contains(lower, "origin") || strings.Contains(lower, "remote")):
		p.gitPush(lower, args)
		return
	}
	branch = strings.TrimPrefix(strings.TrimPrefix(branch, "refs/"), "heads/")
	if branch != "" && !unknown(branch) && p.f.protected(branch) == yes {
		p.f.act(Act{Kind: PushProtected, Ref: branch}, p.shown(name, args))
	}
}

// gitPush reads a git library's push as the command it stands for.
func (p *program) gitPush(lower string, args []arg) {
	words := flatten(args)
	if strings.Contains(lower, "origin") || len(words) == 1 && strings.Contains(words[0], ":") {
		words = append([]string{"origin"}, words...)
	}
	p.f.external().git(append(lits("git", "push"), lits(words...)...))
}
