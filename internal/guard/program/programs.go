// Package program reads command lines according to the program's name: forge clients, this program,
// the coding client, programs that write files, and programs that start other programs.
package program

import (
	"slices"
	"strings"

	"hooks/internal/guard/effect"
	"hooks/internal/guard/forges"
	"hooks/internal/guard/plain"
	"hooks/internal/guard/shellword"
)

// Read reads the command line of the named program.
func Read(f *plain.Frame, name string, argv []shellword.Word) {
	name = clientName(name, argv[0].Text)
	args := argv[1:]
	judgeKill(f, name, argv)
	if shellword.Has("go gcc g++ cc c++ clang rustc sort ld tsc", name) {
		for i, w := range args[:max(0, len(args)-1)] {
			if w.Text == "-o" {
				f.Writes(args[i+1], shellword.Join(argv))
			}
		}
	}
	switch name {
	case "git":
		forges.Git(f, argv)
	case "gh", "gh-cli", "glab", "hub", "tea", "tea-cli":
		forges.Client(f, strings.TrimSuffix(name, "-cli"), argv)
	case "curl", "curlie":
		forges.Curl(f, argv)
	case "wget", "wget2":
		forges.Wget(f, argv)
	case "http", "https", "xh", "xhs":
		forges.HTTPie(f, argv)
	case "hooks":
		judgeHooks(f, argv)
	case "claude":
		judgeClaude(f, argv)
	case "crontab", "at", "batch": // PATH has no links when the job runs
		if !slices.Contains(shellword.Texts(args), "-l") {
			f.OpaqueForge(shellword.Join(argv), "the job runs later, without the loop's checks")
		}
	default:
		sub, ofGit := strings.CutPrefix(name, "git-")
		first := func(words string) bool {
			return shellword.Has(words, shellword.ParseFlags(args, "-C --prefix --dir").Arg(0).Text)
		}
		switch {
		case ofGit:
			forges.Git(f, append(shellword.Lits("git", sub), args...))
		case judgeWriter(f, name, args):
		case shellword.Has(languages, strings.TrimRight(name, "0123456789.")):
			interpret(f, name, argv)
		case shellword.Has(editors, name):
			text := shellword.JoinText(args)
			if f.Stdin != nil && !strings.HasSuffix(name, "awk") {
				text += "\n" + *f.Stdin
			}
			const marks = `! .shell .system system( |getline |" exec spawn send --args`
			if shellword.HasPart(strings.ReplaceAll(text, " ", ""), marks) {
				Code(f, name, text)
			}
		case name == "go" && first("run"),
			shellword.Has("npm pnpm yarn", name) && first("exec x dlx"):
			behind(f, name, argv)
		case shellword.DataProgram(name):
		default:
			behind(f, name, argv)
		}
	}
}

const (
	// languages lists interpreters for languages that the guard does not read.
	languages = `python pypy ipython node nodejs deno bun tsx perl ruby lua osascript Rscript julia
elixir groovy php emacs pwsh powershell`
	// editors lists the programs whose built-in language can start programs.
	editors = "awk gawk mawk nawk vim nvim vi ex ed expect tclsh psql sqlite3 mysql gdb lldb"
)

// interpret reads the code that an interpreter receives as an argument or on standard input. It
// does not open script files.
func interpret(f *plain.Frame, name string, argv []shellword.Word) {
	args := argv[1:]
	for i, w := range args {
		if strings.Contains(w.Text, "claude-code/") && shellword.HasPart(w.Text, ".js .mjs .cjs") {
			judgeClaude(f, append(shellword.Lits("claude"), args[i+1:]...))
			return
		}
	}
	written := slices.IndexFunc(args, func(w shellword.Word) bool {
		return !strings.HasPrefix(w.Text, "-") || several(w)
	})
	switch {
	case written >= 0 && strings.ContainsAny(args[written].Text, " \n("+shellword.Unknown):
		Code(f, name, shellword.JoinText(args))
	case len(args) == 0 || args[0].Text == "-":
		if f.Stdin != nil {
			Code(f, name, *f.Stdin)
		}
	default:
		f.RunsFile(shellword.Join(argv))
	}
}

// Code judges code in another language by the words in it. The brake judges the forge clients that
// the code starts. Code that sends a request to merge by itself bypasses the brake's links, so Code
// records a merge for it.
func Code(f *plain.Frame, name, text string) {
	how := shellword.Lits(name, shellword.Clip(text, 200))
	const library = `claude_agent_sdk claude-agent-sdk claude_code_sdk claude-code-sdk
@anthropic-ai/claude-code`
	if shellword.HasPart(text, library) {
		f.Act(effect.Act{Kind: effect.OtherSession, Ref: "a separate client, through its library"},
			how)
	}
	switch {
	case shellword.Requests(text):
		f.Act(effect.Act{Kind: effect.MergePR, Ref: "a request sent by the code"}, how)
	case shellword.Lands(text):
		f.OpaqueForge(name+" "+text, "the code names a forge's program and an action such as merge")
	case shellword.Blank(text), shellword.HasPart(text, "system subprocess popen spawn exec eval("):
		f.Opaque(name+" "+text, "the program that it starts is only known at run time")
	}
}

const (
	// starters lists the names that behind looks for in any program's arguments.
	starters = `gh git glab hub tea curl wget http xh bash sh zsh dash env xargs sudo hooks
python3 python node perl ruby`
	// wrappers lists the programs that start their operands. In these operands, behind also looks
	// for the names in written.
	wrappers = `sudo gsudo doas env nohup setsid nice ionice timeout time stdbuf xargs busybox
command chronic caffeinate flock su find fd npx bunx bun npm pnpm yarn`
	written = `rm mv cp tee ln sed dd chmod chown truncate install rsync touch shred kill pkill
killall claude claude-code`
	// texters lists the programs that pass an argument to a shell.
	texters = `ssh autossh su runuser script tmux screen watch parallel flock entr hyperfine
nix-shell concurrently nodemon env docker podman kubectl cmd`
)

// behind reads the command that a program may start. The command begins at the first argument that
// names a known program.
func behind(f *plain.Frame, name string, argv []shellword.Word) {
	args := argv[1:]
	line := shellword.JoinText(argv[1:min(3, len(argv))])
	event := len(args) > 0 && strings.Contains(args[0].Text, "-") &&
		shellword.Has(events, args[0].Text)
	if event || slices.Contains([]string{"gate answer", "loop reset", "loop raise"}, line) {
		judgeHooks(f, argv) // this program under another name
		return
	}
	g := f.Through(name)
	if name == "ssh" {
		g.Cwd = shellword.Unknown
	}
	wraps, texts := shellword.Has(wrappers, name), shellword.Has(texters, name)
	for i, w := range args {
		n, _, _ := strings.Cut(shellword.ProgramName(w.Text), "@")
		key, value, assigns := strings.Cut(w.Text, "=")
		as := w.Text == n || strings.ContainsAny(w.Text, "/#@")
		switch {
		case shellword.Has("sudo gsudo doas env", name) && assigns && key != "" && key[0] != '-':
			g.Let(key, value)
		case as && (shellword.Has(starters, n) || wraps && shellword.Has(written, n) ||
			shellword.Has(texters, n) && slices.ContainsFunc(args[i+1:], several)):
			rest := append(shellword.Lits(n), args[i+1:]...)
			if len(rest) > 1 && rest[1].Text == "--" {
				rest = slices.Delete(rest, 1, 2)
			}
			if shellword.Has("xargs parallel", name) { // they take arguments from standard input
				rest = append(rest, shellword.Word{Text: shellword.Unknown, Split: true})
			}
			g.Exec(rest)
			return
		case as && shellword.Has("echo printf grep rg jq psql display-message", n):
			return
		case texts && several(w):
			if _, problem := plain.Parse(w.Text); problem == "" { // shell text, not SQL
				g.Run(w.Text)
			}
		}
	}
	if f.Stdin != nil && shellword.Has("ssh parallel", name) {
		g.ShellText(*f.Stdin, "… | "+name)
	}
	const runners = "make gmake just npm pnpm yarn bun task rake mise poe nx"
	if strings.Contains(argv[0].Text, "/") || shellword.Has(runners, name) {
		f.RunsFile(shellword.Join(argv))
	}
}

// several reports whether a word contains a space or a newline.
func several(w shellword.Word) bool { return strings.ContainsAny(w.Text, " \n") }
