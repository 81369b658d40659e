package guard

import (
	"strings"

	"hooks/internal/guard/act"
	"hooks/internal/guard/shell"
	"hooks/internal/guard/word"

	"mvdan.cc/sh/v3/syntax"
)

// ReadOnly reports whether the call only looks, so that it may pass while a human gate waits for
// its answer. In doubt it says no.
//
// Tools: the client's own readers, its task lists and to-do lists (bookkeeping of the session, no effect on the
// project), web readers, and MCP tools whose name begins with get, list, search or read. Bash: every simple command is
// in a short list of readers with a literal name and no flag by which it writes or runs something; output goes nowhere
// but to the screen, to pipes and to /dev/null.
func ReadOnly(c Call) bool {
	switch c.Tool {
	case "Read", "Grep", "Glob", "LS", "NotebookRead", "ToolSearch", "TodoRead", "TodoWrite", "TaskList", "TaskGet",
		"TaskOutput", "BashOutput", "AgentOutput", "CronList",
		"WebFetch", "WebSearch", "ListMcpResourcesTool", "ReadMcpResourceTool", "ListMcpResources", "ReadMcpResource":
		return true
	case "Bash":
		r := Read(c, Repo{}.Known(), nil)
		if len(r.Acts) > 0 || len(r.Opaque) > 0 || r.Unparsable != "" {
			return false
		}
		return looksOnly(c.CommandText())
	}
	if strings.HasPrefix(c.Tool, "mcp__") {
		words := word.NameWords(toolName(c.Tool))
		r := Read(c, Repo{}.Known(), nil)
		return len(words) > 0 && word.Has("get list search read", words[0]) && len(r.Acts) == 0 && len(r.Opaque) == 0 && act.LeafText(c.Fields, "command") == ""
	}
	return false
}

// looksOnly walks every command of the text, in substitutions too.
func looksOnly(text string) bool {
	stmts, problem := shell.Parse(text)
	if problem != "" {
		return false
	}
	fine := true
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
	case *syntax.FuncDecl, *syntax.CoprocClause, *syntax.DeclClause, *syntax.LetClause, *syntax.ArithmCmd:
		return false
	case *syntax.Redirect:
		return looksRedirect(n)
	case *syntax.ProcSubst:
		return n.Op == syntax.CmdIn
	case *syntax.CallExpr:
		return looksCall(n)
	}
	return true
}

func looksRedirect(r *syntax.Redirect) bool {
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc, syntax.RdrIn, syntax.DplIn:
		return true
	case syntax.DplOut:
		return strings.Trim(r.Word.Lit(), "0123456789-") == ""
	}
	return r.Word.Lit() == "/dev/null"
}

func looksCall(c *syntax.CallExpr) bool {
	if len(c.Args) == 0 {
		return true // X=1 stays in this one shell
	}
	for _, a := range c.Assigns {
		if !word.Has("LC_ALL LANG TZ NO_COLOR CLICOLOR COLUMNS", a.Name.Value) && (a.Value == nil || a.Value.Lit() != "cat") {
			return false
		}
	}
	argv := make([]string, len(c.Args))
	for i, w := range c.Args {
		argv[i] = literalWord(w)
	}
	return looksArgv(argv)
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
		return word.Hole
	}
	return f.Whole(w).Text
}

func looksArgv(argv []string) bool {
	name, args := argv[0], argv[1:]
	if word.Unknown(name) || strings.Contains(name, "/") && !strings.HasSuffix(name, "/hooks") {
		return false
	}
	switch name = word.ProgramName(name); name {
	case "git":
		return looksGit(args)
	case "gh", "glab":
		return looksGh(args)
	case "hooks":
		return looksHooks(args)
	case "find":
		return !anyArg(args, "-delete -exec -execdir -ok -okdir -fprint -fprintf -fprint0 -fls")
	case "sort":
		return !anyPrefix(args, "-o", "--output", "--compress-program")
	case "sed":
		return looksSed(args)
	case "xargs":
		return len(args) > 0 && !strings.HasPrefix(args[0], "-") && looksArgv(args)
	case "command", "type", "which":
		return name != "command" || len(args) > 0 && (args[0] == "-v" || args[0] == "-V")
	case "printf":
		return !anyPrefix(args, "-v")
	case "rg", "ag":
		return !anyPrefix(args, "--pre", "--hostname-bin", "--pager")
	case "yq":
		return !anyPrefix(args, "-i", "--inplace", "--in-place", "-s", "--split")
	case "tree":
		return !anyPrefix(args, "-o")
	case "date":
		return !anyPrefix(args, "-s", "--set")
	case "uniq": // uniq INPUT OUTPUT
		return len(args)-countFlags(args) < 2
	case "env", "printenv":
		return name == "printenv" || len(args) == 0
	}
	return word.Has(`ls cat tac head tail wc cut tr uniq nl column comm diff cmp stat file du df basename dirname realpath readlink id whoami uname nproc
test [ true false : seq md5sum sha1sum sha256sum cksum strings od hexdump ps echo cd pwd jq grep egrep fgrep rev fold paste join expand sleep wait`, name)
}

func countFlags(args []string) int {
	n := 0
	for _, a := range args {
		n += word.Btoi(strings.HasPrefix(a, "-") && len(a) > 1)
	}
	return n
}

func anyArg(args []string, list string) bool {
	for _, a := range args {
		if word.Has(list, a) {
			return true
		}
	}
	return false
}

func anyPrefix(args []string, prefixes ...string) bool {
	for _, a := range args {
		for _, p := range prefixes {
			if strings.HasPrefix(a, p) {
				return true
			}
		}
	}
	return false
}

// looksSed lets sed print: -n with a plain address and p, or s/// without its flags that write or run.
func looksSed(args []string) bool {
	if anyPrefix(args, "-i", "--in-place", "-f", "--file") {
		return false
	}
	for _, a := range args {
		if strings.HasPrefix(a, "-") && strings.Trim(a, "-nEreuz") == "" {
			continue
		}
		return strings.Trim(a, "0123456789,$p;") == "" && a != ""
	}
	return false
}

func looksGit(args []string) bool {
	for len(args) > 1 && args[0] == "-C" || len(args) > 0 && (args[0] == "--no-pager" || args[0] == "--no-optional-locks") {
		if args[0] == "-C" {
			args = args[1:]
		}
		args = args[1:]
	}
	if len(args) == 0 {
		return true
	}
	rest := args[1:]
	if anyPrefix(rest, "--output", "-O", "--open-files-in-pager", "--ext-diff", "--textconv", "--exec", "--upload-pack") {
		return false
	}
	sub := ""
	if len(rest) > 0 {
		sub = rest[0]
	}
	switch args[0] {
	case "status", "log", "diff", "show", "blame", "rev-parse", "rev-list", "ls-files", "ls-tree", "ls-remote", "cat-file",
		"describe", "shortlog", "merge-base", "name-rev", "grep", "for-each-ref", "show-ref",
		"count-objects", "diff-tree", "diff-index", "diff-files", "check-ignore", "cherry", "range-diff", "version", "var", "whatchanged":
		return true
	case "branch", "tag":
		return !anyUnlisted(rest, "-a -r -v -vv -l --list --all --remotes --verbose --show-current --merged --no-merged --contains --sort --format")
	case "remote":
		return len(rest) == 0 || word.Has("-v show get-url", sub)
	case "stash":
		return word.Has("list show", sub)
	case "worktree", "notes", "submodule", "bisect":
		return word.Has("list show status log", sub)
	case "config":
		return anyPrefix(rest, "--get", "--list", "-l") || sub == "get" || sub == "list"
	case "reflog":
		return len(rest) == 0 || sub == "show"
	}
	return false
}

// anyUnlisted reports whether a word is neither a listed flag nor the value behind one.
func anyUnlisted(args []string, list string) bool {
	for i, a := range args {
		name, _, _ := strings.Cut(a, "=")
		if word.Has(list, name) || i > 0 && word.Has("--list -l --merged --no-merged --contains --sort --format", args[i-1]) {
			continue
		}
		return true
	}
	return false
}

func looksGh(args []string) bool {
	var pos []string
	for i := 0; i < len(args); i++ {
		if word.Has("-R --repo", args[i]) {
			i++
			continue
		}
		if !strings.HasPrefix(args[i], "-") {
			pos = append(pos, args[i])
		}
	}
	if len(pos) == 0 || anyArg(args, "--web -w") {
		return false
	}
	sub := ""
	if len(pos) > 1 {
		sub = pos[1]
	}
	switch pos[0] {
	case "pr", "issue", "run", "release", "repo", "workflow", "label", "ruleset", "gist", "project", "mr", "ci", "milestone", "cache", "variable", "secret":
		return word.Has("view list status diff checks check ls show", sub)
	case "auth":
		return sub == "status"
	case "api":
		return !anyPrefix(args, "-X", "--method", "-f", "-F", "--field", "--raw-field", "--input")
	case "search", "status", "version", "help":
		return true
	}
	return false
}

// looksHooks lets the agent report and look; report writes through this program, with its checks.
func looksHooks(args []string) bool {
	if len(args) == 0 {
		return false
	}
	sub := ""
	if len(args) > 1 {
		sub = args[1]
	}
	switch args[0] {
	case "report", "report-card", "status", "explain", "version", "history", "cost", "schema", "statusline", "help":
		return true
	case "gate":
		return sub == "list"
	case "loop":
		return word.Has("status list", sub)
	case "doctor":
		return !anyArg(args, "--fix")
	}
	return false
}
