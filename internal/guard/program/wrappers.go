package program

import (
	"strings"

	"hooks/internal/guard/shell"
	"hooks/internal/guard/shellword"
)

// wrap describes how a wrapper's command line leads to the command that it runs.
type wrap struct {
	valued string // flags that take a value
	skip   int    // words before the command
	assign bool   // NAME=value words may precede the command
	texts  bool   // instead of a command, words may be texts that a shell runs
}

// wrapSpec is the table of the usual wrappers. Behind any other program inner looks for a command.
func wrapSpec(name string) (wrap, bool) {
	switch name {
	case "sudo", "gsudo", "doas":
		return wrap{assign: true, valued: `-u -g -h -p -C -a -r -t -T -U -D -R --user --group --host
--prompt --chdir --role --type`}, true
	case "nohup", "setsid", "chronic", "caffeinate", "busybox", "toybox", "noglob", "nocorrect":
		return wrap{}, true
	case "nice":
		return wrap{valued: "-n --adjustment"}, true
	case "ionice":
		return wrap{valued: "-c -n -p -P -u --class --classdata"}, true
	case "timeout":
		return wrap{valued: "-s -k --signal --kill-after", skip: 1}, true
	case "time":
		return wrap{valued: "-f -o --format --output"}, true
	case "stdbuf", "unbuffer":
		return wrap{valued: "-i -o -e --input --output --error"}, true
	case "strace", "ltrace":
		return wrap{valued: "-o -e -p -s -E -u -P -a -A -D -F -l -n -w -x -b -I -O -X"}, true
	case "flock":
		return wrap{valued: "-E -w --timeout --conflict-exit-code", skip: 1, texts: true}, true
	case "watch":
		return wrap{valued: "-n --interval -q --equexit", texts: true}, true
	case "entr", "hyperfine", "concurrently", "onchange", "chokidar", "nodemon", "watchexec":
		return wrap{valued: "-e --exts -w --watch -i --ignore", texts: true}, true
	case "parallel", "rush", "sem":
		return wrap{texts: true, valued: `-j -n -N -S -a -I -C -d -E -L -P -s --jobs --colsep
--arg-file --delay --retries --timeout --joblog --results --tmpdir --load --max-args --delimiter
--workdir --env --nice --halt --sshlogin --tagstring --argfile`}, true
	}
	return wrap{}, false
}

// runWrapper opens a wrapper; ok is false when the program is none.
func runWrapper(f *shell.Frame, name string, args []shellword.Word) (out string, ok bool) {
	switch name {
	case "env":
		return env(f, args), true
	case "xargs":
		return xargs(f, args), true
	case "find", "fd", "fdfind", "bfs":
		return find(f, name, args), true
	case "ssh", "autossh", "mosh", "slogin", "dropbear", "dbclient":
		return ssh(f, name, args), true
	case "su", "runuser", "script", "tmux", "screen", "nix-shell", "nix", "guix", "vagrant",
		"foreman":
		runTexts(f, name, args)
		return shellword.Unknown, true
	case "docker", "podman", "nerdctl", "docker-compose", "podman-compose", "kubectl", "oc", "lxc",
		"incus", "multipass", "distrobox", "toolbox", "flatpak", "devcontainer", "wsl", "adb",
		"limactl", "colima", "crictl":
		runInner(f, name, args, true)
		return shellword.Unknown, true
	case "at", "batch", "crontab":
		runQueued(f, name, args)
		return shellword.Unknown, true
	}
	spec, ok := wrapSpec(name)
	if !ok {
		return "", false
	}
	return runWrapped(f, name, spec, args), true
}

// runWrapped runs what a wrapper of the table runs.
func runWrapped(f *shell.Frame, name string, spec wrap, args []shellword.Word) string {
	defer f.Through(name)()
	rest := shellword.Command(args, spec.valued, spec.skip)
	for spec.assign && len(rest) > 0 && shellword.Assignment(rest[0].Text) {
		assignEnv(f, rest[0].Text)
		rest = rest[1:]
	}
	switch {
	case len(rest) == 0 && spec.texts && f.Stdin != nil:
		return f.External().ShellText(f.Stdin.Text, name)
	case len(rest) == 0:
		return shellword.Unknown
	case spec.texts && (several(rest[0]) || rest[0].Text == ":::"):
		runTexts(f, name, rest)
		return shellword.Unknown
	}
	return f.External().Exec(rest)
}

func several(w shellword.Word) bool { return strings.ContainsAny(w.Text, " \n") }

// runTexts runs each argument that is a text of several words. All arguments together may be a
// command too: tmux joins its keys, and script takes a command behind a file.
func runTexts(f *shell.Frame, name string, args []shellword.Word) {
	if shellword.HasWord(args, "display-message") {
		return
	}
	defer f.Through(name)()
	for _, w := range args {
		if several(w) {
			f.External().Run(w.Text)
		}
	}
	g := f.External()
	g.Quietly(func() { runInner(g, name, g.WordsOf(shellword.JoinText(args)), true) })
}

// assignEnv sets NAME=value from an expanded word.
func assignEnv(f *shell.Frame, text string) {
	name, value, _ := strings.Cut(text, "=")
	f.Set(name, value)
	f.Export(name)
	f.RunsLater(name)
}

// env runs a command in a changed environment; -S splits a text into words.
func env(f *shell.Frame, args []shellword.Word) string {
	defer f.Through("env")()
	g := f.External()
	for i := 0; i < len(args); i++ {
		t := args[i].Text
		switch {
		case t == "--":
		case shellword.Has("-S -vS -iS --split-string", t):
			if i+1 < len(args) {
				return g.Run(args[i+1].Text + " " + shellword.Quoted(args[i+2:]))
			}
		case strings.HasPrefix(t, "-S"), strings.HasPrefix(t, "--split-string="):
			text := strings.TrimPrefix(strings.TrimPrefix(t, "-S"), "--split-string=")
			return g.Run(text + " " + shellword.Quoted(args[i+1:]))
		case shellword.Has("-C --chdir", t) && i+1 < len(args):
			i++
			g.Cwd = g.Resolve(args[i].Text)
		case shellword.Has("-u --unset", t):
			i++
		case strings.HasPrefix(t, "-"):
		case shellword.Assignment(t):
			assignEnv(g, t)
		default:
			return g.Exec(args[i:])
		}
	}
	return shellword.Unknown
}

const xargsValued = `-I -n -L -P -s -d -E -a -J -R -S --max-args --max-procs --max-chars --delimiter
--arg-file --process-slot-var`

// xargs runs a command with what standard input names: all of it, n at a time, or each in the place
// of a mark. Items that are cut in another way than at blanks and lines are unknown.
func xargs(f *shell.Frame, args []shellword.Word) string {
	rest := shellword.Command(args, xargsValued, 0)
	head := args[:len(args)-len(rest)]
	fl := shellword.ParseFlags(head, xargsValued)
	input := f.Input()
	if fl.On("-a", "--arg-file", "-d", "--delimiter") {
		input = shellword.Unknown
	}
	if len(rest) == 0 {
		return input
	}
	defer f.Through("xargs")()
	mark := fl.Val("-I", "-J", "--replace")
	if mark == "true" || shellword.HasWord(head, "-i") {
		mark = "{}"
	}
	seps := "\x00\n \t"
	if mark != "" || fl.On("-0", "--null") {
		seps = "\x00\n"
	}
	items := strings.FieldsFunc(input, func(r rune) bool { return strings.ContainsRune(seps, r) })
	n, ok := shellword.Atoi(fl.Val("-n", "--max-args", "-L", "--max-lines"))
	switch {
	case mark != "":
		n = 1
	case len(items) == 0 && !fl.On("-r", "--no-run-if-empty"):
		return f.External().Exec(rest) // GNU xargs runs once
	case !ok || n < 1:
		n = max(1, len(items))
	}
	out := ""
	for round := 0; len(items) > 0 && round <= shell.MaxRounds; round++ {
		k := min(n, len(items))
		if round == shell.MaxRounds { // the others
			items, k = []string{shellword.Unknown}, 1
		}
		out += f.External().Exec(withItems(rest, mark, items[:k]))
		items = items[k:]
	}
	return shellword.ClipHole(out)
}

// withItems puts items behind a command's words, or in the place of the mark. Behind an unknown
// item nothing is known.
func withItems(rest []shellword.Word, mark string, items []string) []shellword.Word {
	argv := rest[:len(rest):len(rest)]
	if mark != "" {
		argv = nil
		for _, w := range rest {
			argv = append(argv, shellword.Lit(shellword.Swap(w.Text, mark, items[0])))
		}
		return argv
	}
	for _, item := range items {
		argv = append(argv, shellword.Word{Text: item, Split: shellword.HasUnknown(item)})
		if shellword.HasUnknown(item) {
			break
		}
	}
	return argv
}

// runQueued runs what at and crontab are given to run later, where no brake is.
func runQueued(f *shell.Frame, name string, args []shellword.Word) {
	defer f.Through(name)()
	text := ""
	if f.Stdin != nil {
		text = f.Stdin.Text
	}
	if file, ok := shellword.ParseFlags(args, "-f").Get("-f"); ok {
		text = f.FileText(file.Text)
	}
	if name != "crontab" {
		f.External().ShellText(text, name)
		return
	}
	if n := len(args); n > 0 && !strings.HasPrefix(args[n-1].Text, "-") {
		text = f.FileText(args[n-1].Text)
	}
	for line := range strings.SplitSeq(text, "\n") {
		fields, times := strings.Fields(line), 5
		if strings.HasPrefix(line, "@") {
			times = 1
		}
		if len(fields) > times && line[0] != '#' {
			f.External().Run(strings.Join(fields[times:], " "))
		}
	}
}
