package guard

import (
	"slices"
	"strings"

	"hooks/internal/guard/effect"
	"hooks/internal/guard/shell"
	"hooks/internal/guard/shellword"

	"mvdan.cc/sh/v3/syntax"
)

// ReadOnly reports whether the call only looks, so that it may pass while a human gate waits for
// its answer. In doubt it says no.
//
// Tools: the client's own readers, its task lists and to-do lists (bookkeeping of the session, no
// effect on the project), web readers, and MCP tools whose name begins with get, list, search or
// read. Bash: every simple command is in a short list of readers with a literal name and no flag by
// which it writes or runs something. Output goes to the screen, to pipes and to /dev/null.
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
	return reads || r.Unparsable == "" && looksOnly(c.CommandText())
}

// looksOnly walks every command of the text, in substitutions too.
func looksOnly(text string) bool {
	stmts, problem := shell.Parse(text)
	fine := problem == ""
	for _, s := range stmts {
		syntax.Walk(s, func(n syntax.Node) bool {
			fine = fine && looksNode(n)
			return fine
		})
	}
	return fine
}

func looksNode(n syntax.Node) bool {
	switch n := n.(type) {
	case *syntax.FuncDecl, *syntax.CoprocClause, *syntax.DeclClause, *syntax.LetClause,
		*syntax.ArithmCmd:
		return false
	case *syntax.Redirect:
		switch n.Op {
		case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc, syntax.RdrIn, syntax.DplIn:
			return true
		case syntax.DplOut:
			return strings.Trim(n.Word.Lit(), "0123456789-") == ""
		}
		return n.Word.Lit() == "/dev/null"
	case *syntax.ProcSubst:
		return n.Op == syntax.CmdIn
	case *syntax.CallExpr:
		return looksCall(n)
	}
	return true
}

func looksCall(c *syntax.CallExpr) bool {
	if len(c.Args) == 0 {
		return true // X=1 stays in this one shell
	}
	for _, a := range c.Assigns {
		shown := shellword.Has("LC_ALL LANG TZ NO_COLOR CLICOLOR COLUMNS", a.Name.Value)
		if !shown && (a.Value == nil || a.Value.Lit() != "cat") {
			return false
		}
	}
	return looksArgv(literals(c))
}

// literals are the words of a simple command, as literalWord has them.
func literals(c *syntax.CallExpr) []string {
	argv := make([]string, len(c.Args))
	for i, w := range c.Args {
		argv[i] = literalWord(w)
	}
	return argv
}

// literalWord is a word's text where nothing in it is expanded, else a hole; quotes are taken off.
func literalWord(w *syntax.Word) string {
	m := shell.New(Call{}, Repo{}.Known(), nil, nil)
	f := m.Shell("")
	dynamic := false
	syntax.Walk(w, func(n syntax.Node) bool {
		switch n.(type) {
		case *syntax.ParamExp, *syntax.CmdSubst, *syntax.ArithmExp, *syntax.ProcSubst:
			dynamic = true
		}
		return !dynamic
	})
	if dynamic {
		return shellword.Hole
	}
	return f.Whole(w).Text
}

func looksArgv(argv []string) bool {
	name, args := argv[0], argv[1:]
	if shellword.Unknown(name) || strings.Contains(name, "/") &&
		!strings.HasSuffix(name, "/hooks") {
		return false
	}
	switch name = shellword.ProgramName(name); name {
	case "git":
		return looksGit(args)
	case "gh", "glab":
		return looksGh(args)
	case "hooks":
		return looksHooks(args)
	case "find":
		return !shellword.AnyOf(args,
			"-delete -exec -execdir -ok -okdir -fprint -fprintf -fprint0 -fls")
	case "sort":
		return !anyPrefix(args, "-o --output --compress-program")
	case "sed":
		return looksSed(args)
	case "xargs":
		return len(args) > 0 && !strings.HasPrefix(args[0], "-") && looksArgv(args)
	case "command":
		return len(args) > 0 && (args[0] == "-v" || args[0] == "-V")
	case "printf":
		return !anyPrefix(args, "-v")
	case "rg", "ag":
		return !anyPrefix(args, "--pre --hostname-bin --pager")
	case "yq":
		return !anyPrefix(args, "-i --inplace --in-place -s --split")
	case "tree":
		return !anyPrefix(args, "-o")
	case "date":
		return !anyPrefix(args, "-s --set")
	case "uniq": // uniq INPUT OUTPUT
		isFlag := func(a string) bool { return strings.HasPrefix(a, "-") && len(a) > 1 }
		return len(slices.DeleteFunc(slices.Clone(args), isFlag)) < 2
	case "env":
		return len(args) == 0
	}
	return shellword.Has(`
		ls cat tac head tail wc cut tr nl column comm diff cmp stat file du df basename
dirname realpath readlink id whoami uname nproc test [ true false : seq md5sum sha1sum sha256sum
cksum strings od hexdump ps echo cd pwd jq grep egrep fgrep rev fold paste join expand sleep wait
type which printenv`, name)
}

func anyPrefix(args []string, prefixes string) bool {
	for prefix := range strings.FieldsSeq(prefixes) {
		begins := func(a string) bool { return strings.HasPrefix(a, prefix) }
		if slices.ContainsFunc(args, begins) {
			return true
		}
	}
	return false
}

// looksSed lets sed print: a plain address and p.
func looksSed(args []string) bool {
	if anyPrefix(args, "-i --in-place -f --file") {
		return false
	}
	for _, a := range args {
		if !strings.HasPrefix(a, "-") || strings.Trim(a, "-nEreuz") != "" {
			return strings.Trim(a, "0123456789,$p;") == "" && a != ""
		}
	}
	return false
}

// nth is the i-th word, "" when there are fewer.
func nth(args []string, i int) string {
	if i < len(args) {
		return args[i]
	}
	return ""
}

func looksGit(args []string) bool {
	for len(args) > 0 && shellword.Has("-C --no-pager --no-optional-locks", args[0]) {
		args = args[min(len(args), 1+shellword.Btoi(args[0] == "-C")):]
	}
	if len(args) == 0 {
		return true
	}
	rest, sub := args[1:], nth(args, 1)
	if anyPrefix(rest, `--output -O --open-files-in-pager --ext-diff --textconv --exec
--upload-pack`) {
		return false
	}
	switch args[0] {
	case "branch", "tag":
		const valued = "--list -l --merged --no-merged --contains --sort --format"
		for i, a := range rest {
			name, _, _ := strings.Cut(a, "=")
			if !shellword.Has(valued+" -a -r -v -vv --all --remotes --verbose --show-current",
				name) &&
				(i == 0 || !shellword.Has(valued, rest[i-1])) {
				return false
			}
		}
		return true
	case "remote":
		return len(rest) == 0 || shellword.Has("-v show get-url", sub)
	case "stash":
		return shellword.Has("list show", sub)
	case "worktree", "notes", "submodule", "bisect":
		return shellword.Has("list show status log", sub)
	case "config":
		return anyPrefix(rest, "--get --list -l") || sub == "get" || sub == "list"
	case "reflog":
		return len(rest) == 0 || sub == "show"
	}
	return shellword.Has(`status log diff show blame rev-parse rev-list ls-files ls-tree ls-remote
cat-file describe shortlog merge-base name-rev grep for-each-ref show-ref count-objects diff-tree
diff-index diff-files check-ignore cherry range-diff version var whatchanged`, args[0])
}

func looksGh(args []string) bool {
	var pos []string
	for i := 0; i < len(args); i++ {
		if shellword.Has("-R --repo", args[i]) {
			i++
		} else if !strings.HasPrefix(args[i], "-") {
			pos = append(pos, args[i])
		}
	}
	if shellword.AnyOf(args, "--web -w") {
		return false
	}
	switch group, sub := nth(pos, 0), nth(pos, 1); group {
	case "auth":
		return sub == "status"
	case "api":
		return !anyPrefix(args, "-X --method -f -F --field --raw-field --input")
	default:
		return shellword.Has("search status version help", group) || shellword.Has(`
			pr issue run release repo
workflow label ruleset gist project mr ci milestone cache variable secret`, group) &&
			shellword.Has("view list status diff checks check ls show", sub)
	}
}

// looksHooks lets the agent report and look. A report is written by this program, with its checks.
func looksHooks(args []string) bool {
	switch name, sub := nth(args, 0), nth(args, 1); name {
	case "gate":
		return sub == "list"
	case "loop":
		return shellword.Has("status list", sub)
	case "doctor":
		return !shellword.AnyOf(args, "--fix")
	case "report-card":
		return !anyPrefix(args, "--html --open")
	default:
		return shellword.Has(`
			report status explain version history cost schema statusline
help`, name)
	}
}

// reads reports whether a command line is known to read files only. Git's index is no file that
// anybody runs.
func reads(argv []string) bool {
	name, args := argv[0], argv[1:]
	switch {
	case shellword.Has(`less more bat batcat xxd shasum md5 zcat zgrep nm objdump readelf delta
difft`, name):
		return true
	case name == "prettier":
		return !shellword.AnyOf(args, "--write -w")
	case name == "git" && shellword.Has("add commit", nth(args, 0)):
		return true
	case strings.HasPrefix(name, "-"):
		return false
	}
	return looksArgv(argv)
}

// Reports reports whether a command gives facts to the loop, in any of its parts.
func Reports(c Call) bool {
	stmts, _ := shell.Parse(c.CommandText())
	found := false
	for _, s := range stmts {
		syntax.Walk(s, func(n syntax.Node) bool {
			if call, ok := n.(*syntax.CallExpr); ok && len(call.Args) > 0 {
				argv := literals(call)
				own := shellword.ProgramName(argv[0]) == "hooks" || argv[0] == "xargs"
				found = found || own && shellword.AnyOf(argv[1:], "report")
			}
			return !found
		})
	}
	return found
}
