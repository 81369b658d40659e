package forges

import (
	"strings"

	"hooks/internal/guard/act"
	"hooks/internal/guard/shell"
	"hooks/internal/guard/word"
)

const maxMarks = 20_000 // pieces of one document

// graphqlRequest judges a request to a GraphQL endpoint: its query and variables stand in the body or the fields.
func graphqlRequest(f *shell.Frame, q Request) {
	if _, whole := word.JSONLeavesWhole(q.Body); !whole {
		f.M.Bounded("a request of more values than are read", q.URL, q.Body)
	}
	leaves, found := q.leaves(), false
	// A list of requests has several queries, and so has an object that names it twice.
	for _, fd := range leaves {
		name := fd.Path[strings.LastIndexByte(fd.Path, '.')+1:]
		if strings.EqualFold(name, "query") &&
			!strings.Contains(fd.Path, "variables.") {
			found = true
			GraphQL(f, fd.Value, leaves, q.Argv)
		}
	}
	if !found {
		GraphQL(f, q.Body, leaves, q.Argv)
	}
}

// GraphQL judges a document's mutations. vars holds the variables by name.
func GraphQL(f *shell.Frame, query string, vars []act.Field, argv []word.Word) {
	if query == "" {
		return
	}
	if word.Blank(query) {
		f.OpaqueForge(word.Join(argv), "the GraphQL query is only known when it runs")
		return
	}
	if !f.M.Spend(1 + len(query)/16) {
		return
	}
	toks := gqlTokens(query)
	if len(toks) > maxMarks && strings.Contains(query, "mutation") {
		f.M.Shut("a GraphQL document of more pieces than are read")
	}
	for _, mu := range mutations(toks, vars) {
		mutation(f, mu, argv)
	}
}

// mutation1 is one field of a mutation with its arguments.
type mutation1 struct {
	name string
	args []act.Field
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

// mutations are the top fields of every mutation, of the fragments in it and of every fragment on
// Mutation.
func mutations(toks []string, vars []act.Field) []mutation1 {
	var out []mutation1
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
			end := closing(toks, i)
			if in && depth == top {
				out = append(out, mutation1{toks[i-1], gqlArgs(toks[i+1:end], vars)})
			}
			i = end
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

// mutation judges one mutation by its name.
func mutation(f *shell.Frame, mu mutation1, argv []word.Word) {
	a := act.Act{Ref: act.LeafText(mu.args, "pullRequestId", "subjectId", "refId", "iid"), PR: word.Number(act.LeafText(mu.args, "iid"))}
	if word.Unknown(a.Ref) {
		a.Ref = ""
	}
	switch name := strings.ToLower(mu.name); name {
	case "mergepullrequest", "mergerequestaccept":
		a.Kind, a.SHA = act.MergePR, act.LeafText(mu.args, "expectedHeadOid", "sha")
	case "enablepullrequestautomerge", "enqueuepullrequest", "mergetraincreate":
		a.Kind, a.Auto = act.ArmAutoMerge, true
	case "mergebranch":
		mutatedBranch(f, act.LeafText(mu.args, "base"), a, argv)
		return
	case "createcommitonbranch", "commitcreate":
		mutatedBranch(f, act.LeafText(mu.args, "branchName", "branch", "id"), a, argv)
		return
	case "createref", "deleteref", "updaterefs":
		mutatedBranch(f, act.LeafText(mu.args, "name", "refId"), a, argv)
		return
	case "updateref":
		a.Kind = act.PushProtected
	case "addpullrequestreview", "submitpullrequestreview":
		a.Kind = act.Comment
		event := act.LeafText(mu.args, "event")
		a.Review = event != "" || name == "submitpullrequestreview"
		if strings.EqualFold(event, "APPROVE") || word.Unknown(event) {
			a.Kind = act.ApprovePR
		}
	case "dismisspullrequestreview":
		a.Kind = act.DismissReview
	case "createpullrequest", "revertpullrequest", "mergerequestcreate":
		a.Kind = act.OpenPR
	case "addcomment", "createnote", "addpullrequestreviewcomment", "addpullrequestreviewthread", "addpullrequestreviewthreadreply", "adddiscussioncomment":
		Comment(f, act.LeafText(mu.args, "body"), a, argv)
		return
	default:
		a.Kind = mutationByShape(name)
	}
	if a.Kind != "" {
		f.Act(a, argv)
	}
}

// mutationByShape judges a mutation that is in no list by the words of its name.
func mutationByShape(name string) act.Kind {
	switch {
	case strings.Contains(name, "protectionrule") || strings.Contains(name, "ruleset"):
		return act.RelaxProtection
	case strings.HasPrefix(name, "disable") || strings.HasPrefix(name, "dequeue") || strings.Contains(name, "unmerge"):
		return ""
	case strings.Contains(strings.ReplaceAll(name, "mergerequest", ""), "merge"):
		return act.MergePR
	}
	return ""
}

func mutatedBranch(f *shell.Frame, branch string, a act.Act, argv []word.Word) {
	branch = strings.TrimPrefix(branch, "refs/heads/")
	switch Protected(f, branch) {
	case shell.Yes:
		a.Kind, a.Ref = act.PushProtected, branch
		f.Act(a, argv)
	case shell.Maybe:
		f.OpaqueForge(word.Join(argv), "the branch it moves is only known when it runs")
	}
}
