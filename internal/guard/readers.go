package guard

import (
	"slices"
	"strings"

	"hooks/internal/guard/plain"
	"hooks/internal/guard/shellword"

	"mvdan.cc/sh/v3/syntax"
)

// argv reports whether a command only looks. Its words are those of literal.
func (l looker) argv(argv []string) bool {
	name, args := argv[0], argv[1:]
	if slices.Contains(l, name) && shellword.ProgramName(name) == "hooks" {
		name = "hooks"
	}
	options := ""
	switch name {
	case "git":
		return looksGit(args)
	case "gh", "glab":
		return looksGh(args)
	case "hooks":
		return looksHooks(args)
	case "go":
		return looksGo(args)
	case "find":
		return l.find(args)
	case "xargs":
		const plain = "-0 -r -0r -r0 -n1 -I {} -I{}"
		for len(args) > 0 && shellword.Has(plain, args[0]) {
			args = args[1:]
		}
		return l.inner(append(slices.Clone(args), shellword.Unknown))
	case "sed":
		return looksSed(args)
	case "awk":
		return looksAwk(args)
	case "test":
		return looksTest(args)
	case "[":
		return len(args) > 0 && looksTest(args[:len(args)-1])
	case "command":
		return len(args) > 0 && shellword.Has("-v -V", args[0])
	case "printf": // %n sets a variable; zsh evaluates numbers
		format := strings.ReplaceAll(nth(args, 0), "%%", "")
		for rest := format; rest != ""; {
			_, rest, _ = strings.Cut(rest, "%")
			verb := strings.TrimLeft(rest, "-0123456789.")
			if rest != "" && !strings.ContainsAny(verb[:min(1, len(verb))], "sbq") {
				return false
			}
		}
		return !shellword.HasUnknown(format) && !strings.HasPrefix(format, "-")
	case "read":
		pos, ok := fit(args, "-rs -d=")
		return ok && !slices.ContainsFunc(pos, func(p string) bool { return !localName(p) })
	case "date":
		pos, ok := fit(args, "-uIR -d= -r= --date= --utc --iso-8601 --rfc-3339 --rfc-email")
		return ok && !slices.ContainsFunc(pos, func(p string) bool {
			return !strings.HasPrefix(p, "+")
		})
	case "uniq", "xxd": // INPUT OUTPUT
		pos, ok := fit(args, "-cdDuiz -f= -s= -w= -l= --count --repeated --unique")
		return ok && len(pos) < 2 && !strings.Contains(strings.Join(pos, ""), shellword.Unknown)
	case "env", "wait":
		return len(args) == 0
	case "sort":
		options = `-bdfgiMhnRrVcCmsuz -k= -t= -S= --key= --field-separator= --reverse --unique
--numeric-sort --human-numeric-sort --version-sort --general-numeric-sort --ignore-case --stable`
	case "rg":
		options = `-nilcowvFxPUsSHhLNu0 -A= -B= -C= -e= -f= -g= -t= -T= -m= -r= -M= --files --hidden
--no-ignore --glob= --iglob= --type= --type-not= --count --count-matches --json --stats --sort=
--no-heading --heading --line-number --no-line-number --max-count= --context= --after-context=
--before-context= --multiline --pcre2 --fixed-strings --ignore-case --word-regexp --color
--files-with-matches --files-without-match --no-filename --only-matching --max-depth= --regexp=`
	case "yq":
		options = "-rejyncCPMN -o= -p= --output-format= --input-format= --raw-output"
	case "tree":
		options = `-adfiphsCtrv -L= -I= -P= --noreport --gitignore --dirsfirst --prune --du
--filelimit=`
	case "file":
		options = "-bihLNk --brief --mime --mime-type --mime-encoding"
	default:
		return shellword.Has(`
			ls cat tac head tail wc cut tr nl column comm diff cmp stat du df basename
dirname realpath readlink id whoami uname nproc true false : seq md5sum sha1sum sha256sum cksum
strings od hexdump ps echo cd pwd jq grep egrep fgrep rev fold paste join expand sleep type which
printenv`, name)
	}
	_, ok := fit(args, options)
	return ok
}

// inner judges a command that another program starts. A report is the shell's own command.
func (l looker) inner(argv []string) bool {
	return shellword.ProgramName(argv[0]) != "hooks" && l.argv(argv)
}

// fit takes a command line apart by the options that it may have: "-ab" are switches, "-k=" and
// "--key=" take a value, "--name" has one at most behind its "=". ok is false where another option
// is given, or a word could be one.
func fit(args []string, allowed string) (pos []string, ok bool) {
	for i := 0; i < len(args); i++ {
		name, _, joined := strings.Cut(args[i], "=")
		valued := false // by the next word
		switch {
		case strings.HasPrefix(name, shellword.Unknown),
			strings.HasPrefix(name, shellword.UnknownEnv):
			return nil, false
		case name == "--":
			return append(pos, args[i+1:]...), true
		case !strings.HasPrefix(name, "-") || name == "-":
			pos = append(pos, args[i])
		case !strings.HasPrefix(name, "--"):
			if valued, ok = fitShorts(args[i][1:], allowed); !ok {
				return nil, false
			}
		default:
			if valued = shellword.Has(allowed, name+"=") && !joined; !valued &&
				!shellword.Has(allowed, name) && !shellword.Has(allowed, name+"=") {
				return nil, false
			}
		}
		if i++; !valued {
			i--
		} else if i < len(args) && (strings.HasPrefix(args[i], "-") ||
			shellword.HasUnknown(args[i])) {
			return nil, false
		}
	}
	return pos, true
}

// fitShorts judges joined letters; valued is true when the last one takes the next word.
func fitShorts(letters, allowed string) (valued, ok bool) {
	for i, c := range letters {
		if shellword.Has(allowed, "-"+string(c)+"=") {
			return i+len(string(c)) == len(letters), true
		}
		switches := func(t string) bool {
			return t[1] != '-' && !strings.HasSuffix(t, "=") && strings.ContainsRune(t[1:], c)
		}
		if !slices.ContainsFunc(strings.Fields(allowed), switches) {
			return false, false
		}
	}
	return false, true
}

// nth is the i-th word, "" when there are fewer.
func nth(args []string, i int) string {
	if i < len(args) {
		return args[i]
	}
	return ""
}

// find knows the tests that only look, and -exec of a command that does.
func (l looker) find(args []string) bool {
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case a == "-exec":
			end := i + 1
			for end < len(args) && args[end] != ";" && (args[end] != "+" || args[end-1] != "{}") {
				end++
			}
			if end <= i+1 || end == len(args) ||
				!l.inner(append(slices.Clone(args[i+1:end]), shellword.Unknown)) {
				return false
			}
			i = end
		case shellword.Has(`-name -iname -path -ipath -wholename -regex -iregex -regextype -type
-maxdepth -mindepth -size -newer -newermt -mtime -mmin -ctime -cmin -atime -amin -printf -user
-group -perm -inum -samefile -links`, a):
			if i++; strings.HasPrefix(nth(args, i), shellword.Unknown) {
				return false
			}
		case strings.HasPrefix(a, "-") && !shellword.Has(`-empty -print -print0 -prune -o -or -a
-and -not -L -H -P -depth -xdev -mount -follow -ls -quit -executable -readable -writable -true
-false`, a), strings.HasPrefix(a, shellword.Unknown), strings.HasPrefix(a, shellword.UnknownEnv):
			return false
		}
	}
	return true
}

// looksTest knows tests of at most three words, whose operator cannot be -v.
func looksTest(args []string) bool {
	if nth(args, 0) == "!" {
		args = args[1:]
	}
	if strings.Contains(strings.Join(args, ""), shellword.Unknown) {
		return false
	}
	switch len(args) {
	case 2:
		return shellword.Has("-d -e -f -n -z -s -r -w -x -L -h -S -p -b -c -t", args[0])
	case 3:
		return shellword.Has("= == != -nt -ot -ef -eq -ne -lt -le -gt -ge", args[1])
	}
	return len(args) < 2
}

// looksSed lets sed print, delete and replace lines; w and e are no part of that.
func looksSed(args []string) bool {
	pos, ok := fit(args, "-nErsuz -e= --quiet --silent --regexp-extended --expression=")
	var scripts []string
	for i, a := range args {
		if script, ok := strings.CutPrefix(a, "--expression="); ok {
			scripts = append(scripts, script)
		} else if before, script, ok := strings.Cut(a, "e"); ok && a[0] == '-' && a[1] != '-' &&
			!strings.Contains(before, " ") {
			if script == "" {
				script = nth(args, i+1)
			}
			scripts = append(scripts, script)
		} else if a == "--expression" {
			scripts = append(scripts, nth(args, i+1))
		}
	}
	if len(scripts) == 0 {
		scripts = pos[:min(1, len(pos))]
	}
	return ok && len(scripts) > 0 && !slices.ContainsFunc(scripts, func(s string) bool {
		return !prints(s)
	})
}

// prints reports whether a script of sed holds plain commands only.
func prints(script string) bool {
	if shellword.HasUnknown(script) {
		return false
	}
	if rest, ok := strings.CutPrefix(script, "s"); ok && rest != "" {
		p := strings.Split(rest[1:], rest[:1])
		return strings.ContainsAny(rest[:1], "/|#,@:!%") && len(p) == 3 &&
			!strings.Contains(script, "\n") && strings.Trim(p[2], "gpI0123456789") == ""
	}
	for piece := range strings.SplitSeq(script, ";") {
		piece = strings.TrimSpace(piece)
		for range 2 {
			if re, ok := strings.CutPrefix(piece, "/"); ok {
				at, rest, found := strings.Cut(re, "/")
				if !found || strings.HasSuffix(at, `\`) || strings.Contains(at, "\n") {
					return false
				}
				piece = rest
			}
			piece = strings.TrimLeft(piece, "0123456789$,+")
		}
		if !shellword.Has("p d q = !p !d", strings.TrimSpace(piece)) {
			return false
		}
	}
	return true
}

// looksAwk lets awk print to its output: nothing is piped, redirected, loaded or started.
func looksAwk(args []string) bool {
	pos, ok := fit(args, "-F= -v=")
	program := strings.NewReplacer(">=", "", "||", "").Replace(nth(pos, 0))
	return ok && program != "" && !shellword.HasUnknown(program) &&
		!strings.ContainsAny(program, ">|@") && !strings.Contains(program, "system")
}

// looksGo knows the commands of go that build nothing.
func looksGo(args []string) bool {
	for _, a := range args {
		name, _, _ := strings.Cut(a, "=")
		if shellword.HasUnknown(a) || strings.HasPrefix(a, "-") &&
			!shellword.Has("-m -f -json -deps -test -e -all -src -short", name) {
			return false
		}
	}
	return shellword.Has("list doc version env", nth(args, 0))
}

// The options of git's commands that read history, and of those with operands of another kind.
const (
	logOptions = `-abcdfghijkmpqrstuvwyzABCDEFHMNPRTWe0123456789 -n= -o -x= -S= -G= -L= -U= -l= -I=
--all --branches --tags --remotes --oneline --graph --decorate --no-decorate --stat --numstat
--shortstat --summary --dirstat --name-only --name-status --patch --no-patch --raw --format=
--pretty --abbrev --abbrev-commit --abbrev-ref --date= --since= --until= --after= --before=
--author= --committer= --grep= --all-match --invert-grep --max-count= --skip= --no-merges --merges
--first-parent --reverse --follow --full-history --simplify-by-decoration --topo-order --date-order
--left-right --left-only --right-only --cherry-pick --cherry-mark --cherry --merge-base --boundary
--count --not --ancestry-path --cached --staged --check --word-diff --word-diff-regex= --color
--color-words --no-color --color-moved --diff-filter= --find-renames --find-copies --no-renames
--unified= --inter-hunk-context= --function-context --ignore-all-space --ignore-space-change
--ignore-blank-lines --ignore-space-at-eol --minimal --patience --histogram --diff-algorithm=
--pickaxe-all --pickaxe-regex --relative --exit-code --quiet --text --binary --full-index
--no-prefix --no-ext-diff --no-textconv --no-index --submodule --walk-reflogs --porcelain --short
--branch --show-stash --untracked-files --ignored --verify --show-toplevel --git-dir --show-prefix
--git-common-dir --absolute-git-dir --git-path= --show-cdup --is-inside-work-tree
--symbolic-full-name --others --modified --deleted --stage --unmerged --exclude-standard
--error-unmatch --full-name --directory --long --always --dirty --contains= --exact-match --match=
--numbered --email --sort= --points-at= --merged= --no-merged= --heads --batch --batch-check
--objects --is-ancestor --fork-point --independent --line-porcelain --show-email --ignore-rev=
--ignore-revs-file= --recursive --no-notes --no-walk --refs`
	grepOptions = `-inIlLcwvhHEFGPoaWpqz0123456789 -e= -A= -B= -C= -m= --max-depth= --cached
--untracked --no-index --count --name-only --files-with-matches --line-number --ignore-case
--word-regexp --extended-regexp --fixed-strings --perl-regexp --heading --break --show-function
--function-context --and --or --not --all-match --no-color --color --context= --only-matching`
	refOptions = `-lin0123456789 --list --color --no-color --ignore-case --merged= --no-merged=
--contains= --no-contains= --points-at= --sort= --format= --no-column --abbrev`
	configOptions = `-lz -f= --get --get-all --get-regexp --list --show-origin --show-scope --global
--name-only --local --system --worktree --null --bool --int --type= --default= --file= --all`
)

func looksGit(args []string) bool {
	for len(args) > 0 && shellword.Has("-C --no-pager -P --no-optional-locks", args[0]) {
		takes := 1 + shellword.Btoi(args[0] == "-C")
		if strings.HasPrefix(nth(args, takes-1), shellword.Unknown) {
			return false
		}
		args = args[min(len(args), takes):]
	}
	if len(args) == 0 || args[0] == "--version" {
		return true
	}
	rest, sub := args[1:], nth(args, 1)
	fits := func(options string) bool {
		_, ok := fit(rest, options)
		return ok
	}
	switch args[0] {
	case "branch", "tag":
		options := refOptions
		if args[0] == "branch" {
			options += " -arv --all --remotes --verbose --show-current"
		}
		pos, ok := fit(rest, options)
		return ok && (len(pos) == 0 || shellword.AnyOf(rest, "-l --list"))
	case "grep":
		return fits(grepOptions)
	case "remote":
		pos, ok := fit(rest, "-vn --verbose --all --push")
		return ok && (len(pos) == 0 || shellword.Has("show get-url", pos[0]))
	case "ls-remote":
		pos, ok := fit(rest, "-qt --heads --tags --refs --quiet --exit-code --symref")
		return ok && !strings.Contains(strings.Join(pos, ""), ":")
	case "config":
		pos, ok := fit(rest, configOptions)
		return ok && (shellword.Has("get list", nth(pos, 0)) ||
			shellword.AnyOf(rest, "--get --get-all --get-regexp --list -l"))
	case "stash", "worktree", "notes", "submodule", "bisect":
		return shellword.Has("list show status log", sub) && fits(logOptions)
	case "reflog":
		return (sub == "" || sub == "show" || sub[0] == '-') && fits(logOptions)
	}
	return shellword.Has(`status log diff show blame rev-parse rev-list ls-files ls-tree cat-file
describe shortlog merge-base name-rev for-each-ref show-ref count-objects diff-tree diff-index
diff-files check-ignore cherry range-diff version var whatchanged`, args[0]) && fits(logOptions)
}

func looksGh(args []string) bool {
	group, sub := nth(args, 0), nth(args, 1)
	if shellword.Has("-R --repo", group) {
		return looksGh(args[min(len(args), 2):])
	}
	switch group {
	case "auth":
		return sub == "status"
	case "api":
		_, ok := fit(args, `-i -q= -H= -p= -t= --jq= --header= --template= --paginate --slurp
--include --hostname=`)
		return ok
	}
	_, ok := fit(args, `-cv -R= -q= -t= -s= -L= -l= -a= -A= -S= -H= -B= -b= -e= -j= -u= -r -n= -i=
--repo= --json= --jq= --template= --comments --state= --limit= --label= --author= --assignee=
--search= --head= --base= --branch= --event= --job= --user= --workflow= --status= --log
--log-failed --attempt= --verbose --exit-status --name-only --patch --color --required --watch
--interval= --milestone= --draft --merged --owner= --language= --filename= --sort= --order=`)
	return ok && (shellword.Has("search status version help --version", group) ||
		shellword.Has(`pr issue run release repo
workflow label ruleset gist project mr ci milestone cache variable secret`, group) &&
			shellword.Has("view list status diff checks check ls show", sub))
}

// looksHooks lets the agent report and look. A report is written by this program, with its checks.
func looksHooks(args []string) bool {
	_, ok := fit(args, `-v --json --all --run= --by= --csv --otlp --rates --command= --markdown
--since= --verbose --version`)
	sub := nth(args, 1)
	switch nth(args, 0) {
	case "gate":
		return ok && sub == "list"
	case "loop":
		return ok && shellword.Has("status list", sub)
	case "ledger":
		return ok && shellword.Has("lint feedback", sub)
	}
	return ok && shellword.Has(`
		report status explain version history cost schema statusline tasks audit
help doctor report-card --version`, nth(args, 0))
}

// Reported reports whether a command gives facts to the loop, in any of its parts. The payload is
// known where the whole call is that command, with the payload as a here-string or a here-document;
// "" for any other form.
func Reported(c Call) (payload string, reports bool) {
	stmts, _ := plain.Parse(c.CommandText())
	commands(stmts, func(_ syntax.Node, argv []string) bool {
		reports = reports || len(argv) > 0 && shellword.ProgramName(argv[0]) == "hooks" &&
			shellword.AnyOf(argv[1:], "report")
		return !reports
	})
	if !reports || len(stmts) != 1 {
		return "", reports
	}
	s := stmts[0]
	call, simple := s.Cmd.(*syntax.CallExpr)
	if !simple || s.Negated || s.Background || s.Coprocess || len(s.Redirs) != 1 ||
		len(call.Assigns) > 0 || !slices.Equal(literals(call), []string{"hooks", "report"}) {
		return "", true
	}
	switch r := s.Redirs[0]; {
	case r.N != nil:
	case r.Op == syntax.WordHdoc:
		payload = literal(r.Word)
	case r.Op == syntax.Hdoc && (r.Word.Lit() == "" || strings.Contains(r.Word.Lit(), `\`)):
		payload = r.Hdoc.Lit() // its end is quoted, so nothing in it is expanded
	}
	if shellword.HasUnknown(payload) {
		payload = ""
	}
	return payload, true
}

// Shown is the first setting that a command gives git by which a program decides what git shows, as
// in "diff.external"; "" without one.
func Shown(c Call) (setting string) {
	stmts, _ := plain.Parse(c.CommandText())
	commands(stmts, func(_ syntax.Node, argv []string) bool {
		if len(argv) == 0 || shellword.ProgramName(argv[0]) != "git" || looksGit(argv[1:]) {
			return true
		}
		for i := slices.Index(argv, "config"); i > 0 && i < len(argv) && setting == ""; i++ {
			name := strings.ToLower(argv[i])
			of := strings.HasPrefix(name, "diff.") && (strings.HasSuffix(name, ".textconv") ||
				strings.HasSuffix(name, ".command"))
			if of || strings.HasPrefix(name, "pager.") ||
				shellword.Has("diff.external core.fsmonitor core.pager", name) {
				setting = argv[i]
			}
		}
		return setting == ""
	})
	return setting
}

// Prints are the files whose text a command prints: the operands of cat, head, tail, nl and sed,
// and FILE in git show REV:FILE.
func Prints(c Call) (files []string) {
	stmts, _ := plain.Parse(c.CommandText())
	commands(stmts, func(_ syntax.Node, argv []string) bool {
		switch at := slices.Index(argv, "show"); {
		case len(argv) == 0 || shellword.HasUnknown(strings.Join(argv, "")):
		case shellword.Has("cat head tail nl sed", argv[0]):
			files = append(files, argv[1:]...)
		case argv[0] == "git" && at > 0:
			for _, arg := range argv[at+1:] {
				if _, file, ok := strings.Cut(arg, ":"); ok {
					files = append(files, file)
				}
			}
		}
		return true
	})
	return files
}
