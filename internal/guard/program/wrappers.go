package program

import (
	"strings"

	"hooks/internal/guard/shell"
	"hooks/internal/guard/word"
)

// wrap says how a wrapper's command line leads to the command it runs.
type wrap struct {
	valued string // flags that take a value
	skip   int    // words before the command
	assign bool   // NAME=value words may stand before the command
	text   bool   // the rest is joined and run by a shell
	text1  string // a flag whose value is run by a shell
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
	case "strace":
		return wrap{valued: "-o -e -p -s -E -u -P -a -b -I -O -S -X"}, true
	case "ltrace":
		return wrap{valued: "-a -A -D -e -F -l -n -o -p -s -u -w -x"}, true
	case "perf":
		return wrap{valued: "-e -o -p -r", skip: 1}, true
	case "flock":
		const text = "-c --command"
		const valued = text + " -E -w --timeout --conflict-exit-code"
		return wrap{valued: valued, skip: 1, text1: text}, true
	case "watch":
		return wrap{valued: "-n --interval -q --equexit", text: true}, true
	case "su", "runuser":
		const text = "-c --command --session-command"
		const valued = text + " -s -g -G -u --shell --group --user"
		return wrap{valued: valued, skip: 1, text1: text}, true
	case "entr":
		return wrap{valued: "-s", text1: "-s"}, true
	case "nix-shell", "nix", "guix":
		const text = "--run --command -c"
		return wrap{valued: text + " -p -I -A --arg --argstr", text1: text}, true
	}
	return wrap{}, false
}

// wrapper opens a wrapper; ok is false when the program is none.
func wrapper(f *shell.Frame, name string, argv []word.Word) (out string, ok bool) {
	switch name {
	case "env":
		return env(f, argv[1:]), true
	case "xargs":
		return xargs(f, argv[1:]), true
	case "parallel", "rush", "sem":
		return parallel(f, name, argv[1:]), true
	case "find", "fd", "fdfind", "bfs":
		return find(f, name, argv[1:]), true
	case "script":
		return scriptCmd(f, argv[1:]), true
	case "tmux":
		return tmux(f, argv[1:]), true
	case "screen":
		return screen(f, argv[1:]), true
	case "ssh", "autossh", "mosh", "slogin", "dropbear", "dbclient":
		return ssh(f, name, argv[1:]), true
	case "docker", "podman", "nerdctl", "docker-compose", "podman-compose", "kubectl", "oc", "lxc", "incus", "multipass",
		"vagrant", "distrobox", "toolbox", "flatpak", "devcontainer", "wsl", "adb", "limactl", "colima", "crictl":
		return container(f, name, argv[1:]), true
	case "sed":
		return sed(f, argv[1:]), true
	}
	if run := textRunner(name); run != nil {
		f.Within(name, func() { run(f, f.External(), name, argv[1:]) })
		return word.Hole, true
	}
	spec, ok := wrapSpec(name)
	if !ok {
		return "", false
	}
	return wrapped(f, name, spec, argv[1:]), true
}

// wrapped runs what a wrapper of the table runs.
func wrapped(f *shell.Frame, name string, spec wrap, args []word.Word) string {
	if name == "runuser" && word.HasWord(args, "-u") {
		spec.skip = 0
	}
	defer f.Through(name)()
	rest := word.Command(args, spec.valued, spec.skip)
	if text, ok := word.FlagText(args[:len(args)-len(rest)], spec.text1); ok {
		return f.External().Run(text)
	}
	for spec.assign && len(rest) > 0 && word.Assignment(rest[0].Text) {
		assigned(f, rest[0].Text)
		rest = rest[1:]
	}
	if len(rest) == 0 {
		return word.Hole
	}
	if spec.text {
		return f.External().Run(word.JoinText(rest))
	}
	return f.External().Exec(rest)
}

// assigned sets NAME=value from an expanded word.
func assigned(f *shell.Frame, text string) {
	name, value, _ := strings.Cut(text, "=")
	f.Set(name, value)
	f.Export(name)
	f.RunsLater(name)
}

// env runs a command in a changed environment; -S splits a text into words.
func env(f *shell.Frame, args []word.Word) string {
	defer f.Through("env")()
	g := f.External()
	for i := 0; i < len(args); i++ {
		t := args[i].Text
		switch {
		case t == "--":
		case t == "-S" || t == "--split-string" || t == "-vS" || t == "-iS":
			if i+1 < len(args) {
				return g.Run(args[i+1].Text + " " + word.Quoted(args[i+2:]))
			}
		case strings.HasPrefix(t, "-S"):
			return g.Run(t[2:] + " " + word.Quoted(args[i+1:]))
		case strings.HasPrefix(t, "--split-string="):
			return g.Run(t[len("--split-string="):] + " " + word.Quoted(args[i+1:]))
		case word.Has("-C --chdir", t) && i+1 < len(args):
			i++
			g.Cwd = g.Resolve(args[i].Text)
		case word.Has("-u --unset", t):
			i++
		case strings.HasPrefix(t, "-"):
		case word.Assignment(t):
			assigned(g, t)
		default:
			return g.Exec(args[i:])
		}
	}
	return word.Hole
}

const xargsValued = `-I -n -L -P -s -d -E -a -J -R -S --max-args --max-procs --max-chars --delimiter --arg-file
--process-slot-var`

// xargs runs a command with what standard input names: all of it, n at a time, or each in the place
// of a mark. Items that are cut in another way than at blanks and lines are unknown.
func xargs(f *shell.Frame, args []word.Word) string {
	rest := word.Command(args, xargsValued, 0)
	head := args[:len(args)-len(rest)]
	fl := word.ParseFlags(head, xargsValued)
	input := word.Hole
	if f.Stdin != nil && !fl.On("-a", "--arg-file", "-d", "--delimiter") {
		input = f.Stdin.Text
	}
	if len(rest) == 0 {
		return input
	}
	defer f.Through("xargs")()
	mark := fl.Val("-I", "-J", "--replace")
	if mark == "true" || word.HasWord(head, "-i") {
		mark = "{}"
	}
	seps := "\x00\n \t"
	if mark != "" || fl.On("-0", "--null") {
		seps = "\x00\n"
	}
	items := strings.FieldsFunc(input, func(r rune) bool { return strings.ContainsRune(seps, r) })
	n, ok := word.Atoi(fl.Val("-n", "--max-args", "-L", "--max-lines"))
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
			items, k = []string{word.Hole}, 1
		}
		out += f.External().Exec(withItems(rest, mark, items[:k]))
		items = items[k:]
	}
	return word.ClipHole(out)
}

// withItems puts items behind a command's words, or in the place of the mark. Behind an unknown
// item nothing is known.
func withItems(rest []word.Word, mark string, items []string) []word.Word {
	argv := rest[:len(rest):len(rest)]
	if mark != "" {
		argv = nil
		for _, w := range rest {
			argv = append(argv, word.Lit(word.Swap(w.Text, mark, items[0])))
		}
		return argv
	}
	for _, item := range items {
		argv = append(argv, word.Word{Text: item, Split: word.Unknown(item)})
		if word.Unknown(item) {
			break
		}
	}
	return argv
}
