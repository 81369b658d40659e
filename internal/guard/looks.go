package guard

import (
	"iter"
	"regexp"
	"slices"
	"strings"

	"hooks/internal/guard/effect"
	"hooks/internal/guard/plain"
	"hooks/internal/guard/program"
	"hooks/internal/guard/shellword"
	"mvdan.cc/sh/v3/syntax"
)

// ReadOnly reports whether the call only reads, so that it may run while a gate waits for a
// person's answer. It accepts the client's own reading tools, MCP tools whose names begin with get,
// list, search or read, and Bash commands from the table below that write no files and set no
// variable that affects programs or the shell. If unsure, it returns false.
func ReadOnly(c effect.Call) bool {
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
	case c.Tool == "Bash":
		return looks(c, nil) && clear(Read(c, effect.Repo{}.Known(), nil))
	}
	r := Read(c, effect.Repo{}.Known(), nil)
	return reads && len(r.Acts) == 0 && len(r.Opaque) == 0
}

// Finishing reports whether the call only reads, or records finished work on the iteration's own
// branch with git add, rm, mv, commit or fetch, or a push to an unprotected branch. If unsure, it
// returns false.
func Finishing(c effect.Call, repo func() effect.Repo, files effect.Files) bool {
	return ReadOnly(c) || c.Tool == "Bash" && looks(c, commits) && clear(Read(c, repo, files))
}

// clear reports whether the whole call was read and contains no acts.
func clear(r effect.Reading) bool {
	return len(r.Acts) == 0 && len(r.Opaque) == 0 && r.Unparsable == ""
}

// looks reports whether every command in a Bash call, even in a substitution, is either read-only
// or accepted by the function allow, which may be nil.
func looks(c effect.Call, allow func(argv []string) bool) bool {
	l := looker(c.Own)
	stmts, problem := plain.Parse(c.CommandText())
	for n, argv := range nodes(stmts) {
		call, ok := n.(*syntax.CallExpr)
		passes := ok && allow != nil && len(call.Assigns) == 0 && allow(argv)
		if !passes && !l.node(n, argv) {
			return false
		}
	}
	return problem == ""
}

// commits reports whether a simple command is a git command that records or pushes work. A push may
// only name a remote and a branch. The caller rejects protected branches.
func commits(argv []string) bool {
	if len(argv) < 2 || argv[0] != "git" {
		return false
	}
	args := gitWords(argv[1:])
	if len(args) == 0 || shellword.HasUnknown(strings.Join(argv[:len(argv)-len(args)], "")) {
		return false
	}
	switch rest := args[1:]; args[0] {
	case "add", "rm", "mv", "commit":
		return true
	case "fetch":
		return len(rest) == 0 || len(rest) == 1 && rest[0] == "origin"
	case "push":
		return len(operands(rest)) <= 2 && !shellword.HasUnknown(strings.Join(rest, "")) &&
			only(rest, "-u --set-upstream -q --quiet -v --verbose --porcelain --force-with-lease")
	}
	return false
}

// nodes yields every node in stmts. argv holds the words of a simple command or the value of an
// assignment, each converted by literal.
func nodes(stmts []*syntax.Stmt) iter.Seq2[syntax.Node, []string] {
	return func(yield func(n syntax.Node, argv []string) bool) {
		more, f := true, unknowing()
		for _, s := range stmts {
			syntax.Walk(s, func(n syntax.Node) bool {
				if n == nil || !more {
					return more
				}
				var argv []string
				switch n := n.(type) {
				case *syntax.CallExpr:
					for _, w := range n.Args {
						argv = append(argv, literal(f, w))
					}
				case *syntax.Assign:
					if n.Value != nil {
						argv = []string{literal(f, n.Value)}
					}
				}
				more = yield(n, argv)
				return more
			})
		}
	}
}

// calls yields the words of every simple command in text, each converted by literal.
func calls(text string) iter.Seq[[]string] {
	return func(yield func(argv []string) bool) {
		stmts, _ := plain.Parse(text)
		for n, argv := range nodes(stmts) {
			if _, ok := n.(*syntax.CallExpr); ok && len(argv) > 0 && !yield(argv) {
				return
			}
		}
	}
}

// unknowing returns a shell whose working directory, repository and files are unknown.
func unknowing() *plain.Frame {
	return plain.New(effect.Call{}, effect.Repo{}.Known(), nil, program.Read).Shell("")
}

// looker decides whether shell text only reads. Its elements are the paths that a command may use
// to start this program.
type looker []string

func (l looker) node(n syntax.Node, argv []string) bool {
	switch n := n.(type) {
	case *syntax.FuncDecl, *syntax.CoprocClause, *syntax.DeclClause, *syntax.LetClause,
		*syntax.ArithmCmd, *syntax.ArithmExp, *syntax.CStyleLoop, *syntax.ArrayExpr,
		*syntax.ExtGlob: // in zsh, *(e:code:) runs code
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
	case *syntax.ParamExp: // no assignment, indirection, evaluation, subscript or zsh flag
		return n.Param != nil && !n.Excl && !n.Width && n.Flags == nil && len(n.Modifiers) == 0 &&
			n.Split|n.GlobSubst|n.RcExpand == syntax.OptUnset && n.Index == nil &&
			(n.Slice == nil || number(n.Slice.Offset) && number(n.Slice.Length)) &&
			(n.Exp == nil || n.Exp.Op != syntax.AssignUnset &&
				n.Exp.Op != syntax.AssignUnsetOrNull && n.Exp.Op != syntax.OtherParamOps)
	case *syntax.UnaryTest:
		return n.Op != syntax.TsVarSet && n.Op != syntax.TsRefVar
	case *syntax.BinaryTest:
		return n.Op < syntax.TsEql || n.Op > syntax.TsGtr // a shell evaluates the operands as code
	case *syntax.Word:
		return !zshRuns(n.Parts, true)
	case *syntax.DblQuoted:
		return !zshRuns(n.Parts, false)
	case *syntax.CallExpr:
		return len(n.Args) == 0 || l.argv(argv)
	}
	return true
}

// localName reports whether a variable with that name is probably not exported and affects neither
// the shell nor the commands that read. In zsh, path is PATH and commands maps names to programs.
func localName(name string) bool {
	if shellword.Has("BASE SHA REF REV FILE FILES DIR ROOT F D N X", name) {
		return true
	}
	return strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == "" &&
		!strings.HasSuffix(name, "path") && !strings.HasSuffix(name, "proxy") &&
		!shellword.Has("commands functions aliases galiases saliases options", name)
}

func looksRedirect(r *syntax.Redirect) bool {
	if r.N != nil && strings.HasPrefix(r.N.Value, "{") { // {name}> sets the variable
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

// number reports whether n is nil or a plain number. A shell evaluates anything else as code.
func number(n syntax.ArithmExpr) bool {
	w, ok := n.(*syntax.Word)
	return n == nil || ok && w.Lit() != "" && strings.Trim(w.Lit(), "0123456789") == ""
}

// zshRuns reports whether zsh may run part of a word as code: the subscript of $name[…], the value
// in $~name, or, outside double quotes (bare), the qualifiers in parentheses after a pattern.
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

// literal returns a word's text up to its first non-literal part. It appends Unknown if the word
// still expands to exactly one word, or several if it may expand to any number of words.
func literal(f *plain.Frame, w *syntax.Word) string {
	words := f.Words([]*syntax.Word{w})
	if len(words) != 1 {
		return several
	}
	text, end := words[0].Text, ""
	if words[0].Glob {
		text, end = text[:strings.IndexAny(text, "*?[")], several
	}
	before, _, hole := strings.Cut(text, shellword.Unknown)
	switch {
	case words[0].Split:
		end = several
	case hole && end == "":
		end = shellword.Unknown
	}
	return before + end
}

// several represents any number of words, including zero.
const several = shellword.Unknown + shellword.Unknown

// looking lists the commands that only read. Options in without are rejected. If only is set, all
// other options are rejected. For git, go and hooks, the names include the subcommand.
var looking = [...]struct{ names, without, only string }{
	{names: `ls cat tac head tail wc cut tr nl column comm diff cmp stat du df basename dirname
realpath readlink id whoami uname nproc true false : seq md5sum sha1sum sha256sum cksum strings od
hexdump ps echo cd pwd jq grep egrep fgrep rev fold paste join expand sleep type which printenv
uniq`},
	{names: "sort", without: "-o -T --output --compress-program --temporary-directory"},
	{names: "rg", without: "-z --pre --search-zip --hostname-bin"},
	{names: "yq", without: "-i -s --inplace --in-place --split-exp"},
	{names: "file tree", without: "-o -R -C --output --compile"},
	{names: "date", only: "-u -I -R --utc --date --iso-8601 --rfc-3339 --rfc-email"},
	{
		names: "go-list go-doc go-version go-env",
		only:  "-m -f -json -deps -test -e -all -src -short",
	},
	{
		names: `git-status git-log git-diff git-show git-blame git-rev-parse git-rev-list
git-ls-files git-ls-tree git-cat-file git-describe git-shortlog git-merge-base git-name-rev
git-for-each-ref git-show-ref git-count-objects git-diff-tree git-diff-index git-diff-files
git-check-ignore git-cherry git-range-diff git-version git-var git-whatchanged git-stash-list
git-stash-show git-worktree-list git-notes-list git-notes-show git-submodule-status git-bisect-log
git-remote git-remote-show git-remote-get-url`,
		without: "--output --ext-diff --textconv --filters --upload-pack --exec",
	},
	{names: "git-grep", without: "-O --open-files-in-pager"},
	{
		names: "git-branch git-tag",
		without: `-d -D -m -M -c -C -f -u -t -s -F -e --delete --move --copy --force
--set-upstream-to --unset-upstream --edit-description --track`,
	},
	{
		names: `git-config-get git-config-list git-config---get git-config---get-all git-config--l
git-config---get-regexp git-config---list`,
		only: `-l -z --get --get-all --get-regexp --list --show-origin --show-scope --global
--local --system --name-only --worktree --null --bool --int --type --default --all`,
	},
	{ // `hooks report` writes, but checks the report itself
		names: `hooks-report hooks-status hooks-explain hooks-version hooks-history hooks-cost
hooks-schema hooks-statusline hooks-tasks hooks-audit hooks-help hooks-doctor hooks-report-card
hooks---version hooks-gate-list hooks-loop-status hooks-loop-list hooks-ledger-lint
hooks-ledger-feedback`,
		only: `-v --json --all --run --by --csv --rates --command --since
--verbose --version`,
	},
}

// argv reports whether a command only reads. Its words must come from literal.
func (l looker) argv(argv []string) bool {
	name, args := argv[0], argv[1:]
	if slices.Contains(l, name) && shellword.ProgramName(name) == "hooks" {
		name = "hooks"
	}
	switch name {
	case "git":
		if args = gitWords(args); len(args) == 0 || args[0] == "--version" {
			return true
		}
	case "gh", "glab":
		return looksGh(args)
	case "find":
		return l.find(args)
	case "xargs":
		for len(args) > 0 && shellword.Has("-0 -r -0r -r0 -n1 -I {} -I{}", args[0]) {
			args = args[1:]
		}
		return l.inner(append(slices.Clone(args), several))
	case "sed":
		return looksSed(args)
	case "test":
		return looksTest(args)
	case "[":
		return looksTest(args[:max(0, len(args)-1)])
	case "command":
		return len(args) > 0 && shellword.Has("-v -V", args[0])
	case "printf": // %n sets a variable; zsh evaluates numbers
		format := strings.NewReplacer("%%", "", "%s", "", "%b", "", "%q", "").Replace(nth(args, 0))
		return !shellword.HasUnknown(format) && !strings.ContainsAny(format, "%") &&
			!strings.HasPrefix(format, "-")
	case "read":
		return only(args, "-r -s -d -rs -rd") && !slices.ContainsFunc(operands(args),
			func(p string) bool { return !localName(p) })
	}
	if strings.Contains(name, "-") { // a hyphen in the table separates subcommands
		return false
	}
	sub := strings.TrimRight(name+"-"+nth(args, 0), "-")
	for _, row := range looking {
		if !shellword.AnyOf([]string{name, sub, sub + "-" + nth(args, 1)}, row.names) {
			continue
		}
		words := operands(args)
		unlike := func(p string) bool { return p[0] != '+' }
		switch {
		case name == "uniq" &&
			(len(words) > 1 || strings.Contains(strings.Join(args, ""), several)),
			name == "date" && slices.ContainsFunc(words, unlike),
			sub == "git-remote" && len(words) > 1 && !shellword.Has("show get-url", args[1]),
			shellword.Has("git-branch git-tag", sub) && len(words) > 1 &&
				!shellword.AnyOf(args, "-l --list --contains --merged"):
			return false
		}
		return (row.only == "" || only(args, row.only)) &&
			(row.without == "" || without(args, row.without))
	}
	return false
}

// gitWords returns git's arguments without the harmless flags before the subcommand.
func gitWords(args []string) []string {
	for len(args) > 0 && shellword.Has("-C --no-pager -P --no-optional-locks", args[0]) {
		if args[0] == "-C" && !strings.HasPrefix(nth(args, 1), several) {
			args = args[min(1, len(args)-1):]
		}
		args = args[1:]
	}
	return args
}

// inner is like argv, but for a command that another program starts. It rejects hooks, which only
// the shell itself may start.
func (l looker) inner(argv []string) bool {
	return shellword.ProgramName(argv[0]) != "hooks" && l.argv(argv)
}

// without reports whether args contain none of the options, not even abbreviated or joined ones.
func without(args []string, options string) bool {
	for i, a := range args {
		name, _, _ := strings.Cut(a, "=")
		switch {
		case name == "--":
			if i == 0 || args[i-1] == "" || args[i-1][0] != '-' { // not the value of an option
				return true
			}
		case blankStart(a):
			return false
		case len(name) > 1 && name[0] == '-':
			for option := range strings.FieldsSeq(options) {
				if strings.HasPrefix(option, name) || name[1] != '-' && option[1] != '-' &&
					strings.Contains(name, option[1:]) {
					return false
				}
			}
		}
	}
	return true
}

// only reports whether every word that may be an option is one of options.
func only(args []string, options string) bool {
	return !slices.ContainsFunc(args, func(a string) bool {
		name, _, _ := strings.Cut(a, "=")
		return blankStart(a) || len(a) > 1 && a[0] == '-' && !shellword.Has(options, name)
	})
}

// blankStart reports whether a word begins with an unknown part, so that it may be an option.
func blankStart(a string) bool {
	return strings.HasPrefix(a, shellword.Unknown)
}

// operands returns the words that are not options.
func operands(args []string) []string {
	return slices.DeleteFunc(slices.Clone(args), func(a string) bool {
		return a == "" || len(a) > 1 && a[0] == '-'
	})
}

// nth returns the i-th word, or an empty string if there are fewer.
func nth(args []string, i int) string {
	if i < len(args) {
		return args[i]
	}
	return ""
}

// find reports whether a find command only reads. It accepts -exec with a command that only reads.
func (l looker) find(args []string) bool {
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case a == "-exec":
			end := i + 1
			for end < len(args) && args[end] != ";" && (args[end] != "+" || args[end-1] != "{}") {
				end++
			}
			if end <= i+1 || end == len(args) ||
				!l.inner(append(slices.Clone(args[i+1:end]), several)) {
				return false
			}
			i = end
		case blankStart(a), strings.HasPrefix(a, "-exec"), strings.HasPrefix(a, "-fprint"),
			shellword.Has("-delete -ok -okdir -fls", a):
			return false
		}
	}
	return true
}

// looksTest reports whether a test has at most three words after an optional "!" and uses a known
// operator. It rejects -v, because bash may evaluate its operand.
func looksTest(args []string) bool {
	if nth(args, 0) == "!" {
		args = args[1:]
	}
	const unary = "-d -e -f -n -z -s -r -w -x -L -h -S -p -b -c -t"
	const binary = "= == != -nt -ot -ef -eq -ne -lt -le -gt -ge"
	return !strings.Contains(strings.Join(args, " "), several) &&
		(len(args) < 2 || len(args) == 2 && shellword.Has(unary, args[0]) ||
			len(args) == 3 && shellword.Has(binary, args[1]))
}

// looksSed reports whether sed only prints, deletes and replaces lines. Other sed commands may
// write files (w) or run programs (e).
func looksSed(args []string) bool {
	scripts := operands(args)
	scripts = scripts[:min(1, len(scripts))]
	for i, a := range args {
		if shellword.Has("-e -ne -Ee -nEe -ze", a) {
			scripts = append(scripts, nth(args, i+1))
		}
	}
	const addresses = `([0-9$,+]+|/([^/\n]*[^/\n\\])?/)*`
	const command = `\s*` + addresses + `([pdq=]|![pd])\s*`
	// A replacement may only come last, because sed could read part of it as another command.
	const replacement = `s(/[^/\n]*/[^/\n]*/|\|[^|\n]*\|[^|\n]*\||#[^#\n]*#[^#\n]*#|` +
		`,[^,\n]*,[^,\n]*,)[gpI0-9]*`
	plain := func(script string) bool {
		const form = "^(" + command + ";)*(" + command + "|" + replacement + ")$"
		ok, _ := regexp.MatchString(form, script)
		return ok && !shellword.HasUnknown(script)
	}
	return only(args, "-n -E -r -s -u -z -nE -En -nr -rn -e -ne -Ee -nEe -ze") &&
		len(scripts) > 0 && !slices.ContainsFunc(scripts, func(s string) bool { return !plain(s) })
}

func looksGh(args []string) bool {
	group, sub := nth(args, 0), nth(args, 1)
	if shellword.Has("-R --repo", group) {
		return looksGh(args[min(len(args), 2):])
	}
	switch {
	case group == "api":
		return without(args, "-X -f -F --method --field --raw-field --input")
	case group == "auth":
		return sub == "status"
	}
	return without(args, "-w --web") &&
		(shellword.Has("search status version help --version", group) ||
			shellword.Has(`pr issue run release repo
workflow label ruleset gist project mr ci milestone cache variable secret`, group) &&
				shellword.Has("view list status diff checks check ls show", sub))
}
