package forges

import (
	"strings"

	"hooks/internal/guard/act"
	"hooks/internal/guard/shell"
	"hooks/internal/guard/word"
)

const maxMarks = 20_000 // pieces of one document

// graphqlRequest judges a request to a GraphQL endpoint. Its query and variables stand in the body
// or in the fields.
func graphqlRequest(f *shell.Frame, q Request) {
	if _, whole := word.JSONLeavesWhole(q.Body); !whole {
		f.M.Bounded("a request of more values than are read", q.URL, q.Body)
	}
	leaves, found := q.leaves(), false
	// A list of requests has several queries, and so has an object that names it twice.
	for _, fd := range leaves {
		name := fd.Path[strings.LastIndexByte(fd.Path, '.')+1:]
		if strings.EqualFold(name, "query") && !strings.Contains(fd.Path, "variables.") {
			found = true
			GraphQL(f, fd.Value, leaves, q.Argv)
		}
	}
	if !found {
		GraphQL(f, q.Body, leaves, q.Argv)
	}
}

// GraphQL judges a document's mutations. vars are the variables by name.
func GraphQL(f *shell.Frame, query string, vars []act.Field, argv []word.Word) {
	switch {
	case query == "":
		return
	case word.Blank(query):
		f.OpaqueForge(word.Join(argv), "the GraphQL query is only known when it runs")
		return
	case !f.M.Spend(1 + len(query)/16):
		return
	}
	toks := gqlTokens(query)
	if len(toks) > maxMarks && strings.Contains(query, "mutation") {
		f.M.Shut("a GraphQL document of more pieces than are read")
	}
	mutations(toks, func(name string, args []string) {
		mutation(f, strings.ToLower(name), gqlArgs(args, vars), argv)
	})
}

// gqlTokens are names, "strings" with their quote kept, $variables and marks; comments are gone.
func gqlTokens(s string) []string {
	var toks []string
	for i := 0; i < len(s); {
		c := s[i]
		start := i
		switch {
		case c == '#':
			for i < len(s) && s[i] != '\n' && s[i] != '\r' {
				i++
			}
			continue
		case strings.HasPrefix(s[i:], `"""`):
			end := blockEnd(s[i+3:])
			if end < 0 {
				return toks
			}
			i += end + 6
			toks = append(toks, `"`+s[start+3:i-3])
			continue
		case c == '"':
			text, end := word.JSONString(s, i)
			toks = append(toks, `"`+text)
			i = end
			continue
		case word.NameByte(c):
			for i < len(s) && word.NameByte(s[i]) {
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

// blockEnd is where the quotes stand that end a block string, -1 nowhere.
func blockEnd(s string) int {
	for i := 0; i < len(s); i++ {
		switch {
		case strings.HasPrefix(s[i:], `\"""`):
			i += 3
		case strings.HasPrefix(s[i:], `"""`):
			return i
		}
	}
	return -1
}

// mutations calls do for the top fields of every mutation, of the fragments in it and of every
// fragment on Mutation.
func mutations(toks []string, do func(name string, args []string)) {
	depth, in := 0, false
	top, spread := 1, false // the depth of the top fields; whether "..." was met
	for i := 0; i < len(toks); i++ {
		switch t := toks[i]; {
		case depth == 0 && t == "mutation":
			in = true
		case depth == 0 && (t == "query" || t == "subscription"):
			in = false
		case depth == 0 && t == "fragment":
			in = i+3 < len(toks) && toks[i+3] == "Mutation"
		case t == "(":
			open, level := i, 1
			for level > 0 && i+1 < len(toks) {
				i++
				level += word.Btoi(toks[i] == "(") - word.Btoi(toks[i] == ")")
			}
			if end := i + word.Btoi(level > 0); in && depth == top && open > 0 {
				do(toks[open-1], toks[open+1:end])
			}
		case t == ".":
			spread = depth == top
		case t == "{":
			depth++
			if spread {
				top, spread = depth, false
			}
		case t == "}":
			depth--
			top = max(1, min(top, depth))
			in = in && depth > 0
		}
	}
}

// gqlArgs are the name: value pairs at any depth. Variables have their values put in.
func gqlArgs(toks []string, vars []act.Field) []act.Field {
	var out []act.Field
	for i := 0; i+2 < len(toks); i++ {
		if toks[i+1] != ":" || !word.NameByte(toks[i][0]) {
			continue
		}
		v := toks[i+2]
		switch {
		case v[0] == '"':
			out = append(out, act.Field{Path: toks[i], Value: v[1:]})
		case v[0] == '$':
			out = append(out, variableLeaves(toks[i], v[1:], vars)...)
		case v != "{" && v != "[":
			out = append(out, act.Field{Path: toks[i], Value: v})
		}
	}
	return out
}

// variableLeaves puts a variable's value in; one that is given nowhere is unknown.
func variableLeaves(name, variable string, vars []act.Field) []act.Field {
	var out []act.Field
	for _, v := range vars {
		key := strings.TrimPrefix(v.Path, "variables.")
		key = strings.NewReplacer("[", ".", "]", "").Replace(key)
		switch {
		case key == variable:
			if inner := word.JSONLeaves(v.Value); inner != nil {
				out = append(out, inner...)
			} else {
				out = append(out, act.Field{Path: name, Value: v.Value})
			}
		case strings.HasPrefix(key, variable+"."):
			out = append(out, act.Field{Path: key[len(variable)+1:], Value: v.Value})
		case key == "variables":
			out = append(out, variableLeaves(name, variable, word.JSONLeaves(v.Value))...)
		}
	}
	if len(out) == 0 {
		return []act.Field{{Path: name, Value: word.Hole}}
	}
	return out
}

// mutation judges one field of a mutation.
func mutation(f *shell.Frame, name string, args []act.Field, argv []word.Word) {
	arg := func(names ...string) string { return act.LeafText(args, names...) }
	a := act.Act{PR: word.Number(arg("iid"))}
	a.Ref = arg("pullRequestId", "subjectId", "refId", "iid")
	if word.Unknown(a.Ref) {
		a.Ref = ""
	}
	branch, moves := "", true
	switch name {
	case "mergebranch":
		branch = arg("base")
	case "createcommitonbranch", "commitcreate":
		branch = arg("branchName", "branch", "id")
	case "createref", "deleteref", "updaterefs":
		branch = arg("name", "refId")
	default:
		moves = false
	}
	if moves {
		branch = strings.TrimPrefix(branch, "refs/heads/")
		switch Protected(f, branch) {
		case shell.Yes:
			a.Kind, a.Ref = act.PushProtected, branch
			f.Act(a, argv)
		case shell.Maybe:
			f.OpaqueForge(word.Join(argv), "the branch it moves is only known when it runs")
		}
		return
	}
	switch name {
	case "mergepullrequest", "mergerequestaccept":
		a.Kind, a.SHA = act.MergePR, arg("expectedHeadOid", "sha")
	case "enablepullrequestautomerge", "enqueuepullrequest", "mergetraincreate":
		a.Kind, a.Auto = act.ArmAutoMerge, true
	case "updateref":
		a.Kind = act.PushProtected
	case "addpullrequestreview", "submitpullrequestreview":
		a.Kind = act.Comment
		event := arg("event")
		a.Review = event != "" || name == "submitpullrequestreview"
		if strings.EqualFold(event, "APPROVE") || word.Unknown(event) {
			a.Kind = act.ApprovePR
		}
	case "dismisspullrequestreview":
		a.Kind = act.DismissReview
	case "createpullrequest", "revertpullrequest", "mergerequestcreate":
		a.Kind = act.OpenPR
	case "addcomment", "createnote", "addpullrequestreviewcomment", "addpullrequestreviewthread",
		"addpullrequestreviewthreadreply", "adddiscussioncomment":
		Comment(f, arg("body"), a, argv)
		return
	default: // by the words of its name
		switch {
		case word.HasPart(name, "protectionrule ruleset"):
			a.Kind = act.RelaxProtection
		case strings.HasPrefix(name, "disable") || strings.HasPrefix(name, "dequeue") ||
			strings.Contains(name, "unmerge"):
		case strings.Contains(strings.ReplaceAll(name, "mergerequest", ""), "merge"):
			a.Kind = act.MergePR
		}
	}
	if a.Kind != "" {
		f.Act(a, argv)
	}
}
