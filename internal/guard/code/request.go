package code

import (
	"cmp"
	"strings"

	"hooks/internal/guard/act"
	"hooks/internal/guard/forges"
	"hooks/internal/guard/shell"
	"hooks/internal/guard/word"
)

// request judges a call that may send an HTTP request: requests.put(url), fetch(url, {method: 'PUT'}).
func (p *program) request(name, last string, args []arg) {
	method := httpVerb(last)
	if method == "" && !word.Has(`request fetch Request urlopen ajax got axios send open execute graphql query mutate NewRequest
NewRequestWithContext new http superagent needle ky ofetch call rest_call curl_init`, last) {
		return
	}
	q := forges.Request{Method: method}
	for _, a := range args {
		p.requestArg(&q, a)
	}
	if last == "graphql" || last == "mutate" || last == "query" {
		q.URL, q.Method = cmp.Or(q.URL, "graphql"), "POST"
		forges.GraphQL(p.f, cmp.Or(q.Body, word.Hole), q.Fields, p.shown(name, args))
		return
	}
	if q.Method == "" {
		q.Method = "GET"
		if q.Body != "" {
			q.Method = "POST"
		}
	}
	q.Argv = p.shown(name, args)
	if q.URL != "" {
		forges.Send(p.f, q)
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
func (p *program) requestArg(q *forges.Request, a arg) {
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
		case word.Has("GET PUT POST PATCH DELETE", strings.ToUpper(s)):
			q.Method = strings.ToUpper(s)
		case isRoute(s):
			verb, path, _ := strings.Cut(s, " ")
			q.Method, q.URL = verb, path
		case strings.Contains(s, "mutation") && strings.Contains(s, "{"):
			q.Body = s
		case q.URL == "" && (strings.Contains(s, "/") || s == word.Hole):
			q.URL = s
		case q.Body == "":
			q.Body = s
		}
	}
}

// isRoute tells "PUT /repos/…", as Octokit takes it.
func isRoute(s string) bool {
	verb, path, ok := strings.Cut(s, " ")
	return ok && word.Has("GET PUT POST PATCH DELETE", verb) && strings.HasPrefix(path, "/")
}

func (p *program) requestPair(q *forges.Request, key, val string) {
	switch strings.ToLower(key) {
	case "method", "type":
		q.Method = strings.ToUpper(val)
	case "url", "uri", "path":
		q.URL = val
	case "body", "data", "json", "content", "params":
		if !word.Blank(val) {
			q.Body = val
		}
	default:
		q.Fields = append(q.Fields, act.Field{Path: key, Value: val})
	}
}

// shown is a call as a person would write it.
func (p *program) shown(name string, args []arg) []word.Word {
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
	text := strings.ReplaceAll(name+"("+strings.Join(parts, ", ")+")", word.Hole, "…")
	return []word.Word{{Text: text, Raw: true}}
}

// prNumberOf remembers which PR a getter names: repo.get_pull(5).
func prNumberOf(last string, args []arg) []act.Field {
	if !prGetter(last) && last != "get" {
		return nil
	}
	n := argText(args, 0, "")
	for _, a := range args {
		if word.Has("number pull_number", a.key) {
			n = a.val.text()
		}
	}
	if prGetter(last) {
		return []act.Field{{Path: "pr", Value: n}}
	}
	return []act.Field{{Path: "got", Value: n}}
}

func prGetter(last string) bool {
	l := strings.ToLower(strings.ReplaceAll(last, "_", ""))
	return word.Has("getpull getpullrequest getpr pullrequest getmergerequest pull", l)
}

// sdk judges calls of the forges' libraries: octokit.pulls.merge({…}), repo.get_pull(5).merge().
func (p *program) sdk(name, last string, args []arg, on value) {
	lower := strings.ToLower(strings.ReplaceAll(name, "_", ""))
	fields := pairsOf(args)
	a := act.Act{PR: word.Number(act.LeafText(fields, "pull_number", "pullNumber", "number", "pr", "iid", "index", "pull_request_id"))}
	if a.PR == 0 && on.pairs != nil {
		a.PR = word.Number(on.pairs[0].Value)
	}
	if o, r := act.LeafText(fields, "owner"), act.LeafText(fields, "repo"); o != "" && r != "" && !word.Unknown(o+r) {
		a.Repo = o + "/" + r
	}
	a.Kind = sdkKind(lower, strings.ToLower(strings.ReplaceAll(last, "_", "")), on)
	a.SHA = act.LeafText(fields, "sha")
	switch a.Kind {
	case "":
		p.sdkBranch(lower, name, args, fields)
		return
	case act.ApprovePR:
		if event := strings.ToUpper(cmp.Or(act.LeafText(fields, "event"), allText(args))); !strings.Contains(event, "APPROVE") {
			return
		}
	}
	p.f.Act(a, p.shown(name, args))
}

func pairsOf(args []arg) []act.Field {
	var out []act.Field
	for _, a := range args {
		if a.key != "" {
			out = append(out, act.Field{Path: a.key, Value: a.val.text()})
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
func sdkKind(name, last string, on value) act.Kind {
	owner := strings.TrimSuffix(name, "."+last)
	owner = owner[strings.LastIndexByte(owner, '.')+1:]
	pr := word.Has("pulls pull pullrequest pullrequests pr mr mergerequest mergerequests pullrequestservice", owner) || len(on.pairs) > 0 && (on.pairs[0].Path == "pr" || on.pairs[0].Path == "got")
	switch last {
	case "merge", "acceptmergerequest", "accept", "mergepullrequest", "mergemergerequest":
		if pr || strings.Contains(last, "request") {
			return act.MergePR
		}
	case "enableautomerge", "enablepullrequestautomerge":
		return act.ArmAutoMerge
	case "createreview", "submitreview":
		return act.ApprovePR
	case "approve":
		if pr {
			return act.ApprovePR
		}
	case "dismissreview":
		return act.DismissReview
	case "updatebranchprotection", "deletebranchprotection", "editprotection", "removeprotection", "createreporuleset", "updatereporuleset", "deletereporuleset":
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

// sdkBranch judges library calls that move a branch.
func (p *program) sdkBranch(lower, name string, args []arg, fields []act.Field) {
	last := lower[strings.LastIndexByte(lower, '.')+1:]
	branch := ""
	switch {
	case last == "updateref" || last == "deleteref":
		branch = act.LeafText(fields, "ref")
	case last == "createorupdatefilecontents" || last == "updatefile" || last == "createfile" || last == "deletefile":
		b, ok := act.Leaf(fields, "branch")
		if branch = b; !ok && last == "createorupdatefilecontents" {
			branch = forges.DefaultBranch(p.f)
		}
	case last == "merge" && (strings.HasSuffix(lower, "repo.merge") || strings.HasSuffix(lower, "repos.merge")):
		branch = cmp.Or(act.LeafText(fields, "base"), argText(args, 0, ""))
	case last == "push" && word.HasPart(lower, "git origin remote"):
		p.gitPush(lower, args)
		return
	}
	branch = strings.TrimPrefix(strings.TrimPrefix(branch, "refs/"), "heads/")
	if branch != "" && !word.Unknown(branch) && forges.Protected(p.f, branch) == shell.Yes {
		p.f.Act(act.Act{Kind: act.PushProtected, Ref: branch}, p.shown(name, args))
	}
}

// gitPush reads a git library's push as the command it stands for.
func (p *program) gitPush(lower string, args []arg) {
	words := flatten(args)
	if strings.Contains(lower, "origin") || len(words) == 1 && strings.Contains(words[0], ":") {
		words = append([]string{"origin"}, words...)
	}
	forges.Git(p.f.External(), append(word.Lits("git", "push"), word.Lits(words...)...))
}
