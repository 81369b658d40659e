package guard

import (
	"slices"
	"strings"

	"hooks/internal/guard/effect"
	"hooks/internal/guard/plain"
	"hooks/internal/guard/program"
	"hooks/internal/guard/shellword"

	"mvdan.cc/sh/v3/syntax"
)

// ReadOnly reports whether the call only looks, so that it may pass while a human gate waits for
// its answer. In doubt it says no.
//
// Tools: the client's own readers, its task lists and to-do lists (bookkeeping of the session, no
// effect on the project), web readers, and MCP tools whose name begins with get, list, search or
// read. Bash: every simple command is one of a short list of readers, given no option but those
// that are known to only read. No variable that programs or the shell obey is set, and nothing is
// expanded that a shell may evaluate as code. Output goes to the screen, to pipes and to /dev/null.
func ReadOnly(c Call) bool {
	words := shellword.NameWords(toolName(c.Tool))
	reads := strings.HasPrefix(c.Tool, "mcp__") && len(words) > 0 &&
		shellword.Has("get list search read", words[0]) &&
		effect.LeafText(c.Fields, "command") == ""
	switch {
	case shellword.Has(`
		Read Grep Glob LS NotebookRead ToolSearch TodoRead TodoWrite TaskList TaskGet
TaskOutput BashOutput AgentOutput CronList WebFetch WebSearch ListMcpResourcesTool
ReadMcpResourceTool ListMcpResources ReadMcpResource`, c.Tool):
		return true
	case c.Tool != "Bash" && !reads:
		return false
	}
	r := Read(c, Repo{}.Known(), nil)
	if len(r.Acts) > 0 || len(r.Opaque) > 0 {
		return false
	}
	return reads || r.Unparsable == "" && looker(c.Own).text(c.CommandText())
}

// looker judges shell text; it holds the paths under which this program may be started.
type looker []string

// commands calls do for every node of parsed text, with the words of the simple commands among them
// as literal has them, until it returns false.
func commands(stmts []*syntax.Stmt, do func(n syntax.Node, argv []string) bool) {
	goes := true
	for _, s := range stmts {
		syntax.Walk(s, func(n syntax.Node) bool {
			if n == nil || !goes {
				return goes
			}
			var argv []string
			if c, ok := n.(*syntax.CallExpr); ok {
				argv = literals(c)
			}
			goes = do(n, argv)
			return goes
		})
	}
}

// text judges every command, in substitutions too.
func (l looker) text(text string) bool {
	stmts, problem := plain.Parse(text)
	fine := problem == ""
	commands(stmts, func(n syntax.Node, argv []string) bool {
		fine = fine && l.node(n, argv)
		return fine
	})
	return fine
}

func (l looker) node(n syntax.Node, argv []string) bool {
	switch n := n.(type) {
	case *syntax.FuncDecl, *syntax.CoprocClause, *syntax.DeclClause, *syntax.LetClause,
		*syntax.ArithmCmd, *syntax.ArithmExp, *syntax.CStyleLoop, *syntax.ArrayExpr,
		*syntax.ExtGlob: // in zsh *(e:code:) runs code
		return false
	case *syntax.Assign:
		return n.Name != nil && n.Index == nil && (localName(n.Name.Value) ||
			shellword.Has("LC_ALL LANG TZ NO_COLOR CLICOLOR COLUMNS IFS", n.Name.Value) ||
			shellword.Has("PAGER GIT_PAGER GH_PAGER", n.Name.Value) && n.Value.Lit() == "cat")
	case *syntax.WordIter:
		return localName(n.Name.Value)
	case *syntax.Redirect:
		return looksRedirect(n)
	case *syntax.ProcSubst:
		return n.Op == syntax.CmdIn
	case *syntax.ParamExp:
		return looksParam(n)
	case *syntax.UnaryTest:
		return n.Op != syntax.TsVarSet && n.Op != syntax.TsRefVar
	case *syntax.BinaryTest:
		return n.Op < syntax.TsEql || n.Op > syntax.TsGtr || number(n.X) && number(n.Y)
	case *syntax.Word:
		return !zshRuns(n.Parts, true)
	case *syntax.DblQuoted:
		return !zshRuns(n.Parts, false)
	case *syntax.CallExpr:
		return len(n.Args) == 0 || l.argv(argv)
	}
	return true
}

// localName reports whether neither a shell nor a reader obeys a variable of that name, nor is it
// likely to be exported. In zsh path is PATH, and commands has where programs are.
func localName(name string) bool {
	if shellword.Has("BASE SHA REF REV FILE FILES DIR ROOT F D N X", name) {
		return true
	}
	return strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == "" &&
		!strings.HasSuffix(name, "path") && !strings.HasSuffix(name, "proxy") &&
		!shellword.Has("commands functions aliases galiases saliases options", name)
}

func looksRedirect(r *syntax.Redirect) bool {
	if r.N != nil && strings.HasPrefix(r.N.Value, "{") { // sets that variable
		return false
	}
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc, syntax.RdrIn:
		return true
	case syntax.DplIn, syntax.DplOut:
		return r.Word.Lit() != "" && strings.Trim(r.Word.Lit(), "0123456789-") == ""
	}
	return r.Word.Lit() == "/dev/null"
}

// looksParam refuses expansions that assign, that follow or evaluate the value, and those of zsh.
func looksParam(p *syntax.ParamExp) bool {
	every := shellword.Has("@ *", wordLit(p.Index))
	return p.Param != nil && !p.Excl && !p.Width && p.Flags == nil && len(p.Modifiers) == 0 &&
		p.Split|p.GlobSubst|p.RcExpand == syntax.OptUnset &&
		(p.Index == nil || every || number(p.Index)) &&
		(p.Slice == nil || number(p.Slice.Offset) &&
			(p.Slice.Length == nil || number(p.Slice.Length))) &&
		(p.Exp == nil || p.Exp.Op != syntax.AssignUnset &&
			p.Exp.Op != syntax.AssignUnsetOrNull && p.Exp.Op != syntax.OtherParamOps)
}

// wordLit is the text of a word without quotes and expansions, "" for any other node.
func wordLit(n syntax.Node) string {
	if u, ok := n.(*syntax.UnaryArithm); ok && u.Op == syntax.Minus {
		n = u.X
	}
	if w, ok := n.(*syntax.Word); ok {
		return w.Lit()
	}
	return ""
}

// number reports whether a node is a plain number: a shell evaluates anything else as code.
func number(n syntax.Node) bool { return digits(wordLit(n)) }

func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// zshRuns reports whether zsh may run a part of a word as code: the subscript of $name[…], the
// value in $~name, the qualifiers of a pattern in parentheses.
func zshRuns(parts []syntax.WordPart, bare bool) bool {
	short := false
	for _, p := range parts {
		lit, ok := p.(*syntax.Lit)
		if ok && (short && strings.IndexAny(lit.Value, "[~") == 0 ||
			bare && strings.Contains(strings.ReplaceAll(lit.Value, `\(`, ""), "(")) {
			return true
		}
		param, named := p.(*syntax.ParamExp)
		short = named && param.Short || ok && strings.HasSuffix(lit.Value, "$")
	}
	return false
}

// literals are the words of a simple command, as literal has them.
func literals(c *syntax.CallExpr) []string {
	argv := make([]string, len(c.Args))
	for i, w := range c.Args {
		argv[i] = literal(w)
	}
	return argv
}

// literal is a word's text, without quotes, up to the first expansion. There it ends with Soft when
// it becomes one word all the same, and with Hole when it may become none or several.
func literal(w *syntax.Word) string {
	split := &syntax.Word{Parts: w.Parts}
	syntax.SplitBraces(split) // {a,b} becomes a part of its own
	var known []syntax.WordPart
	end := ""
	for _, p := range split.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			if i := glob(p.Value); i >= 0 && end == "" && p.Value != "[" {
				known = append(known, &syntax.Lit{Value: p.Value[:i]})
				end = shellword.Unknown
			}
		case *syntax.DblQuoted:
			inner := slices.IndexFunc(p.Parts, func(q syntax.WordPart) bool {
				_, ok := q.(*syntax.Lit)
				return !ok
			})
			if inner >= 0 && end == "" {
				known = append(known, &syntax.DblQuoted{Parts: p.Parts[:inner]})
				end = shellword.UnknownEnv
			}
		case *syntax.SglQuoted:
		default:
			return shellword.Unknown
		}
		if end == "" {
			known = append(known, p)
		}
	}
	m := plain.New(Call{}, Repo{}.Known(), nil, program.World{})
	return m.Shell("").Whole(&syntax.Word{Parts: known}).Text + end
}

// glob is the place of the first character of a pattern, -1 if there is none.
func glob(text string) int {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '*', '?', '[':
			return i
		}
	}
	return -1
}
