package guard

import "strings"

const maxMarks = 20_000 // pieces of one document

// graphqlRequest judges a request to a GraphQL endpoint: its query and variables stand in the body or the fields.
func (f *frame) graphqlRequest(q request) {
	leaves := q.leaves()
	query, ok := leaf(leaves, "query")
	if !ok {
		query = q.body
	}
	f.graphql(query, leaves, q.argv)
}

// graphql judges a document's mutations. vars holds the variables by name.
func (f *frame) graphql(query string, vars []Field, argv []word) {
	if query == "" {
		return
	}
	if blank(query) {
		f.opaqueForge(joinWords(argv), "the GraphQL query is only known when it runs")
		return
	}
	if len(query) > maxText || !f.m.spend(1+len(query)/16) {
		return
	}
	for _, mu := range mutations(gqlTokens(query), vars) {
		f.mutation(mu, argv)
	}
}

// mutation1 is one field of a mutation with its arguments.
type mutation1 struct {
	name string
	args []Field
}

// gqlTokens are names, "strings" with their quote kept, $variables and marks; comments are gone.
func gqlTokens(s string) []string {
	var toks []string
	for i := 0; i < len(s); {
		c := s[i]
		start := i
		switch {
		case c == '#':
			for i < len(s) && s[i] != '\n' {
				i++
			}
			continue
		case strings.HasPrefix(s[i:], `"""`):
			end := strings.Index(s[i+3:], `"""`)
			if end < 0 {
				return toks
			}
			i += end + 6
			toks = append(toks, `"`+s[start+3:i-3])
			continue
		case c == '"':
			text, end := jsonString(s, i)
			toks = append(toks, `"`+text)
			i = end
			continue
		case nameByte(c):
			for i < len(s) && nameByte(s[i]) {
				i++
			}
		case c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == ',':
			i++
			continue
		default:
			i++
		}
		toks = append(toks, s[start:i])
		if len(toks) > maxMarks {
			break
		}
	}
	return toks
}

// mutations are the top fields of every mutation and of every fragment on Mutation.
func mutations(toks []string, vars []Field) []mutation1 {
	var out []mutation1
	depth, in := 0, false
	for i := 0; i < len(toks); i++ {
		switch t := toks[i]; {
		case depth == 0 && t == "mutation":
			in = true
		case depth == 0 && (t == "query" || t == "subscription"):
			in = false
		case depth == 0 && t == "fragment":
			in = i+3 < len(toks) && toks[i+3] == "Mutation"
		case t == "(":
			end := closing(toks, i)
			if in && depth == 1 {
				out = append(out, mutation1{toks[i-1], gqlArgs(toks[i+1:end], vars)})
			}
			i = end
		case t == "{":
			depth++
		case t == "}":
			depth--
			in = in && depth > 0
		}
	}
	return out
}

func closing(toks []string, open int) int {
	depth := 0
	for i := open; i < len(toks); i++ {
		switch toks[i] {
		case "(":
			depth++
		case ")":
			depth--
			if depth == 0 {
				return i
			}
		}
	}
	return len(toks)
}

// gqlArgs are the name: value pairs at any depth; variables have their values put in, objects are given by "input".
func gqlArgs(toks []string, vars []Field) []Field {
	var out []Field
	for i := 0; i+2 < len(toks); i++ {
		if toks[i+1] != ":" || !nameByte(toks[i][0]) {
			continue
		}
		v := toks[i+2]
		switch {
		case v[0] == '"':
			out = append(out, Field{toks[i], v[1:]})
		case v[0] == '$':
			out = append(out, variableLeaves(toks[i], v[1:], vars)...)
		case v != "{" && v != "[":
			out = append(out, Field{toks[i], v})
		}
	}
	return out
}

// variableLeaves puts a variable's value in; one that is given nowhere is unknown.
func variableLeaves(name, variable string, vars []Field) []Field {
	var out []Field
	for _, v := range vars {
		key := strings.TrimPrefix(v.Path, "variables.")
		key = strings.NewReplacer("[", ".", "]", "").Replace(key)
		switch {
		case key == variable:
			if inner := jsonLeaves(v.Value); inner != nil {
				out = append(out, inner...)
			} else {
				out = append(out, Field{name, v.Value})
			}
		case strings.HasPrefix(key, variable+"."):
			out = append(out, Field{key[len(variable)+1:], v.Value})
		case key == "variables":
			out = append(out, variableLeaves(name, variable, jsonLeaves(v.Value))...)
		}
	}
	if len(out) == 0 {
		return []Field{{name, hole}}
	}
	return out
}

// mutation judges one mutation by its name.
func (f *frame) mutation(mu mutation1, argv []word) {
	a := Act{Ref: leafText(mu.args, "pullRequestId", "subjectId", "refId", "iid"), PR: number(leafText(mu.args, "iid"))}
	if unknown(a.Ref) {
		a.Ref = ""
	}
	switch name := strings.ToLower(mu.name); name {
	case "mergepullrequest", "mergerequestaccept":
		a.Kind, a.SHA = MergePR, leafText(mu.args, "expectedHeadOid", "sha")
	case "enablepullrequestautomerge", "enqueuepullrequest", "mergetraincreate":
		a.Kind, a.Auto = ArmAutoMerge, true
	case "mergebranch":
		f.mutatedBranch(leafText(mu.args, "base"), a, argv)
		return
	case "createcommitonbranch", "commitcreate":
		f.mutatedBranch(leafText(mu.args, "branchName", "branch", "id"), a, argv)
		return
	case "createref", "deleteref", "updaterefs":
		f.mutatedBranch(leafText(mu.args, "name", "refId"), a, argv)
		return
	case "updateref":
		a.Kind = PushProtected
	case "addpullrequestreview", "submitpullrequestreview":
		a.Kind = Comment
		if event := leafText(mu.args, "event"); strings.EqualFold(event, "APPROVE") || unknown(event) {
			a.Kind = ApprovePR
		}
	case "dismisspullrequestreview":
		a.Kind = DismissReview
	case "createpullrequest", "revertpullrequest", "mergerequestcreate":
		a.Kind = OpenPR
	case "addcomment", "createnote", "addpullrequestreviewcomment", "addpullrequestreviewthread", "addpullrequestreviewthreadreply", "adddiscussioncomment":
		f.comment(leafText(mu.args, "body"), a, argv)
		return
	default:
		a.Kind = mutationByShape(name)
	}
	if a.Kind != "" {
		f.act(a, argv)
	}
}

// mutationByShape judges a mutation that is in no list by the words of its name.
func mutationByShape(name string) Kind {
	switch {
	case strings.Contains(name, "protectionrule") || strings.Contains(name, "ruleset"):
		return RelaxProtection
	case strings.HasPrefix(name, "disable") || strings.HasPrefix(name, "dequeue") || strings.Contains(name, "unmerge"):
		return ""
	case strings.Contains(strings.ReplaceAll(name, "mergerequest", ""), "merge"):
		return MergePR
	}
	return ""
}

func (f *frame) mutatedBranch(branch string, a Act, argv []word) {
	branch = strings.TrimPrefix(branch, "refs/heads/")
	switch f.protected(branch) {
	case yes:
		a.Kind, a.Ref = PushProtected, branch
		f.act(a, argv)
	case maybe:
		f.opaqueForge(joinWords(argv), "the branch it moves is only known when it runs")
	}
}
