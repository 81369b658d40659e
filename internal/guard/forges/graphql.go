package forges

import (
	"regexp"
	"slices"
	"strings"

	"hooks/internal/guard/effect"
	"hooks/internal/guard/plain"
	"hooks/internal/guard/shellword"

	"github.com/tidwall/gjson"
)

const maxMarks = 20_000 // tokens per document

// graphqlRequest judges a request to a GraphQL endpoint. The query and its variables are in the
// body or in the fields.
func graphqlRequest(f *plain.Frame, q Request, leaves []effect.Field) {
	found := false
	// A batch of requests contains several queries, as does an object with duplicate keys.
	for _, fd := range leaves {
		name := fd.Key()
		if strings.EqualFold(name, "query") && !strings.Contains(fd.Path, "variables.") {
			found = true
			GraphQL(f, fd.Value, leaves, q.Argv)
		}
	}
	if !found {
		GraphQL(f, q.Body, leaves, q.Argv)
	}
}

// GraphQL judges the mutations in a document. vars holds its variables by name.
func GraphQL(f *plain.Frame, query string, vars []effect.Field, argv []shellword.Word) {
	switch {
	case query == "":
		return
	case shellword.Blank(query):
		f.OpaqueForge(shellword.Join(argv), "the GraphQL query is only known at run time")
		return
	case !f.M.Burn(1 + len(query)/16):
		return
	}
	toks := gqlTokens(strings.ReplaceAll(query, "\ufeff", " ")) // GraphQL ignores byte order marks
	if len(toks) > maxMarks && strings.Contains(query, "mutation") {
		f.M.Shut("a GraphQL document with more tokens than the guard reads")
	}
	for _, v := range vars {
		if strings.HasPrefix(v.Value, "{") {
			inner, _ := shellword.JSONLeaves(v.Value)
			vars = slices.Concat(vars, inner)
		}
	}
	mutations(toks, func(name string, args []string) {
		t := Tool{Frame: f, Name: mutation, Words: shellword.NameWords(name), Argv: argv}
		if t.Fields = gqlArgs(args, vars); !t.Reads() {
			t.Judge()
		}
	})
}

// gqlTokens splits a document into names, strings with their opening quote, $variables and
// punctuation. It drops comments and returns at most maxMarks+1 tokens.
func gqlTokens(s string) []string {
	const token = `(?s:"""(\\"""|.)*?""")|"(\\.|[^"\\])*"|#[^\n\r]*|[\w$@\x{80}-\x{10FFFF}]+|[^\s,]`
	// Compile the pattern here, because few calls contain GraphQL.
	toks := regexp.MustCompile(token).FindAllString(s, maxMarks+1)
	toks = slices.DeleteFunc(toks, func(tok string) bool { return tok[0] == '#' })
	for i, tok := range toks {
		if block, ok := strings.CutPrefix(tok, `"""`); ok {
			toks[i] = `"` + strings.TrimSuffix(block, `"""`)
		} else if len(tok) > 1 && tok[0] == '"' {
			toks[i] = `"` + gjson.Parse(tok).Str
		}
	}
	return toks
}

// mutations calls do for every field with arguments if the document contains a mutation. It skips
// fields that only return a page of objects.
func mutations(toks []string, do func(name string, args []string)) {
	if !slices.Contains(toks, "mutation") && !slices.Contains(toks, "Mutation") {
		return
	}
	for i, t := range toks {
		named := i > 1 && shellword.Has("mutation query", toks[i-2]) // a named operation
		spread := i > 2 && toks[i-3] == "."                          // after "...mutation"
		if t != "(" || i == 0 || named && !spread {
			continue
		}
		end := i + 1
		for level := 1; end < len(toks) && level > 0; end++ {
			level += shellword.Btoi(toks[end] == "(") - shellword.Btoi(toks[end] == ")")
		}
		args := toks[i+1 : end]
		page := slices.Contains(args, "first") || slices.Contains(args, "last")
		if !page || slices.Contains(args, "input") {
			do(toks[i-1], args)
		}
	}
}

// gqlArgs returns all pairs NAME: VALUE at any depth, with variables replaced by their values.
func gqlArgs(toks []string, vars []effect.Field) []effect.Field {
	var out []effect.Field
	for i := 0; i+2 < len(toks); i++ {
		if toks[i+1] != ":" || !shellword.NameByte(toks[i][0]) {
			continue
		}
		v := toks[i+2]
		switch {
		case v[0] == '"':
			out = append(out, effect.Field{Path: toks[i], Value: v[1:]})
		case v[0] == '$':
			value, ok := effect.Leaf(vars, v[1:])
			if !ok { // the variable is an object or missing
				value = shellword.Unknown
				out = append(out, vars...)
			}
			out = append(out, effect.Field{Path: toks[i], Value: value})
		case v != "{" && v != "[":
			out = append(out, effect.Field{Path: toks[i], Value: v})
		}
	}
	return out
}
