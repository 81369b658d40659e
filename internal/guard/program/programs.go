package program

import (
	"slices"
	"strings"

	"hooks/internal/guard/effect"
	"hooks/internal/guard/forges"
	"hooks/internal/guard/plain"
	"hooks/internal/guard/shellword"
)

// Program reads a program by its name.
func (World) Program(f *plain.Frame, name string, argv []shellword.Word) {
	name = clientName(withoutGNU(name), argv[0].Text)
	args := argv[1:]
	judgeSignal(f, name, argv)
	if shellword.Has("go gcc g++ cc c++ clang rustc sort ld tsc", name) {
		for i, w := range args[:max(0, len(args)-1)] {
			if w.Text == "-o" {
				f.Writes(args[i+1], shellword.Join(argv))
			}
		}
	}
	switch {
	case client(f, name, argv), judgeWriter(f, name, args), ownLanguage(f, name, args):
	case interpreter(name) != "":
		interpret(f, name, argv)
	case shellword.DataProgram(name) && !launches(name, args):
	default:
		behind(f, name, argv)
	}
}

// withoutGNU is a GNU program's name without the g that it has beside another system's own.
func withoutGNU(name string) string {
	const tools = "find xargs timeout time stdbuf tar cp mv install truncate sed rm ln tee"
	if rest, ok := strings.CutPrefix(name, "g"); ok && shellword.Has(tools, rest) {
		return rest
	}
	return name
}

// client reads the command line tools of forges, those that speak HTTP, this program and the
// client.
func client(f *plain.Frame, name string, argv []shellword.Word) bool {
	switch name {
	case "git":
		forges.Git(f, argv)
	case "gh", "gh-cli":
		forges.GH(f, argv)
	case "hub":
		forges.Hub(f, argv)
	case "glab":
		forges.Glab(f, argv)
	case "tea", "tea-cli":
		forges.Tea(f, argv)
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
	case "pkill", "killall", "pgrep", "pidof", "skill", "taskkill":
		judgeKill(f, name, argv)
	default:
		if !strings.HasPrefix(name, "git-") {
			return false
		}
		forges.Git(f, append(shellword.Lits("git", name[4:]), argv[1:]...))
	}
	return true
}

// interpreter are the flags by which a program is given text of another language, "" for any other
// program.
func interpreter(name string) string {
	switch strings.TrimRight(name, "0123456789.") {
	case "python", "pypy", "ipython":
		return "-c"
	case "node", "nodejs", "deno", "bun", "tsx":
		return "-e -p --eval --print"
	case "perl", "ruby", "lua", "osascript", "Rscript", "julia", "elixir", "groovy":
		return "-e -E"
	case "php":
		return "-r"
	case "emacs":
		return "--eval"
	case "pwsh", "powershell":
		return "-c -Command -EncodedCommand -command"
	}
	return ""
}

// interpret reads the text that an interpreter is given, in its words or on standard input. A file
// is not looked into.
func interpret(f *plain.Frame, name string, argv []shellword.Word) {
	flags, args := interpreter(name), argv[1:]
	for i, w := range args {
		if strings.Contains(w.Text, "claude-code/") && shellword.HasPart(w.Text, ".js .mjs .cjs") {
			judgeClaude(f, append(shellword.Lits("claude"), args[i+1:]...))
			return
		}
	}
	given := func(w shellword.Word) bool {
		letters := strings.TrimRight(strings.TrimLeft(w.Text, "-"), "w=")
		name, _, _ := strings.Cut(w.Text, "=")
		return shellword.Has(flags, name) || strings.HasPrefix(w.Text, "-") &&
			!strings.HasPrefix(w.Text, "--") && letters != "" &&
			shellword.Has(flags, "-"+letters[len(letters)-1:])
	}
	switch i := slices.IndexFunc(args, given); {
	case i >= 0:
		Code(f, name, shellword.JoinText(args[i:]))
	case len(args) == 0 || args[0].Text == "-":
		if f.Stdin != nil {
			Code(f, name, f.Stdin.Text)
		}
	default:
		f.RunsFile(shellword.Join(argv))
	}
}

// Code reads text of another language by its words. What it starts by a forge's name is judged by
// the brake; a request of its own meets no link, so it is a merge.
func Code(f *plain.Frame, name, text string) {
	how := shellword.Lits(name, shellword.Clip(text, 200))
	noteLibrary(f, text, how)
	switch {
	case shellword.Requests(text):
		f.Act(effect.Act{Kind: effect.MergePR, Ref: "a request of its own"}, how)
	case shellword.Lands(text):
		f.OpaqueForge(name+" "+text, "text of another language that names a way to land something")
	case shellword.Blank(text), shellword.HasPart(text, "system subprocess popen spawn exec eval("):
		f.Opaque(name+" "+text, "the program it would run is only known when it runs")
	}
}

// ownLanguage reads the programs with a language of their own, in which they can start others. ok
// is false for any other program.
func ownLanguage(f *plain.Frame, name string, args []shellword.Word) (ok bool) {
	text := shellword.JoinText(args)
	marks := "! .shell .system system exec spawn send --args" // without one nothing is started
	if f.Stdin != nil {
		text += "\n" + f.Stdin.Text
	}
	switch name {
	case "sed":
		judgeWrites(f, name, args)
		text, marks = sedRuns(args), ""
	case "awk", "gawk", "mawk", "nawk":
		text, marks = shellword.JoinText(args), `system( |getline |"`
	case "rsync", "tar", "man", "less":
		if name == "rsync" {
			judgeWrites(f, name, args)
		}
		const runs = `-I -e -P --rsh --pager --to-command --use-compress-program
--checkpoint-action`
		text, marks = shellword.ParseFlags(args, runs).Val(strings.Fields(runs)...), ""
	case "vim", "nvim", "vi", "ex", "ed":
		for _, w := range args {
			if w.Text != "" && w.Text[0] != '-' && w.Text[0] != '+' {
				f.Writes(w, shellword.Join(args))
			}
		}
	case "nc", "ncat", "netcat", "telnet", "socat", "openssl":
		if shellword.Requests(text) {
			Code(f, name, text)
		}
		return true
	case "crontab", "at", "batch": // no brake is there when it runs
		if !shellword.HasWord(args, "-l") {
			f.OpaqueForge(name+" "+text, "it runs later, where no loop judges it")
		}
		return true
	case "expect", "unzip", "view", "tclsh", "wish", "psql", "sqlite3", "mysql", "gdb", "lldb":
	default:
		return false
	}
	runs := marks == "" || shellword.HasPart(strings.ReplaceAll(text, " ", ""), marks)
	if runs && shellword.Lands(text) {
		f.OpaqueForge(name+" "+text, "a program that may run a part of this text")
	}
	return true
}

// sedRuns are the scripts of GNU sed with an e command or the e flag of s.
func sedRuns(args []shellword.Word) string {
	runs := ""
	for _, w := range args {
		t := strings.TrimLeft(w.Text, "0123456789$, ")
		flags := t[strings.LastIndexAny(t, "/|#,")+1:]
		evals := strings.Contains(flags, "e") && strings.Trim(flags, "egpiIM0123456789") == ""
		if strings.HasPrefix(t, "e ") || t != "" && t[0] == 's' && len(flags) < len(t) && evals {
			runs += t + "\n"
		}
	}
	return runs
}

const (
	// starters are the programs that are looked for among the words of another.
	starters = `gh git glab hub tea curl wget http xh bash sh zsh dash env xargs sudo hooks
python3 python node perl ruby`
	// wrappers only start what follows them, so what writes files counts there too.
	wrappers = `sudo gsudo doas env nohup setsid nice ionice timeout time stdbuf xargs busybox
command chronic caffeinate flock su find fd npx bunx bun npm pnpm yarn`
	written = `rm mv cp tee ln sed dd chmod chown truncate install rsync touch shred kill pkill
killall claude claude-code`
	// texters take a text that a shell runs.
	texters = `ssh autossh su runuser script tmux screen watch parallel flock entr hyperfine
nix-shell concurrently nodemon env docker podman kubectl cmd`
)

// launches reports whether a package manager starts a program of a package, as npx does.
func launches(name string, args []shellword.Word) bool {
	first := shellword.ParseFlags(args, "-C --prefix --dir").Arg(0).Text
	return name == "go" && first == "run" ||
		shellword.Has("npm pnpm yarn", name) && shellword.Has("exec x dlx", first)
}

// behind reads the command that any other program starts: the first forge's name among its words
// begins one.
func behind(f *plain.Frame, name string, argv []shellword.Word) {
	args := argv[1:]
	if hooksElsewhere(argv) {
		judgeHooks(f, argv)
		return
	}
	g := f.Child()
	defer g.Through(name)()
	if name == "ssh" {
		g.Cwd = shellword.Unknown
	}
	wraps, texts := shellword.Has(wrappers, name), shellword.Has(texters, name)
	for i, w := range args {
		n, _, _ := strings.Cut(shellword.ProgramName(w.Text), "@")
		as := w.Text == n || strings.ContainsAny(w.Text, "/#@")
		for _, flag := range []string{"-S", "--split-string="} {
			if line, ok := strings.CutPrefix(w.Text, flag); ok && name == "env" && line != "" {
				g.Run(line + " " + shellword.Quoted(args[i+1:]))
				return
			}
		}
		switch {
		case shellword.Has("sudo gsudo doas env", name) && shellword.Assignment(w.Text):
			key, value, _ := strings.Cut(w.Text, "=")
			g.Let(key, value)
			g.RunsLater(key)
		case as && (shellword.Has(starters, n) || wraps && shellword.Has(written, n) ||
			shellword.Has(texters, n) && slices.ContainsFunc(args[i+1:], several)):
			rest := append(shellword.Lits(n), args[i+1:]...)
			if len(rest) > 1 && rest[1].Text == "--" {
				rest = slices.Delete(rest, 1, 2)
			}
			if shellword.Has("xargs parallel", name) { // its input
				rest = append(rest, shellword.Word{Text: shellword.Unknown, Split: true})
			}
			g.Exec(rest)
			return
		case as && shellword.Has("echo printf grep rg jq psql display-message", n):
			return
		case texts && several(w):
			if _, problem := plain.Parse(w.Text); problem == "" { // of a shell, not of psql
				g.Run(w.Text)
			}
		}
	}
	if joined := shellword.JoinText(args); shellword.Has("tmux screen", name) {
		words := f.WordsOf(joined) // it joins its keys
		at := func(w shellword.Word) bool { return shellword.Has(starters, w.Text) }
		if i := slices.IndexFunc(words, at); i >= 0 && !shellword.HasWord(args, "display-message") {
			g.Quietly(func() { g.Exec(words[i:]) })
		}
	}
	if f.Stdin != nil && shellword.Has("ssh parallel", name) {
		g.ShellText(f.Stdin.Text, "… | "+name)
	}
	const runners = "make gmake just npm pnpm yarn bun task rake mise poe nx"
	if strings.Contains(argv[0].Text, "/") || shellword.Has(runners, name) {
		f.RunsFile(shellword.Join(argv))
	}
}

// several reports whether a word is a text of several words.
func several(w shellword.Word) bool { return strings.ContainsAny(w.Text, " \n") }
