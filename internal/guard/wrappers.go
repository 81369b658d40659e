package guard

import "strings"

// wrap says how a wrapper's command line leads to the command it runs.
type wrap struct {
	valued string // flags that take a value
	skip   int    // words before the command
	assign bool   // NAME=value words may stand before the command
	text   bool   // the rest is joined and run by a shell
	text1  string // a flag whose value is run by a shell
}

// wrapSpec is the table of wrappers that run the rest of their command line.
func wrapSpec(name string) (wrap, bool) {
	switch name {
	case "sudo", "gsudo":
		return wrap{valued: "-u -g -h -p -C -r -t -T -U -D -R --user --group --host --prompt --chdir --role --type", assign: true}, true
	case "doas":
		return wrap{valued: "-u -C -a", assign: true}, true
	case "nice":
		return wrap{valued: "-n --adjustment"}, true
	case "ionice":
		return wrap{valued: "-c -n -p -P -u --class --classdata"}, true
	case "timeout", "gtimeout":
		return wrap{valued: "-s -k --signal --kill-after", skip: 1}, true
	case "time", "gtime":
		return wrap{valued: "-f -o --format --output"}, true
	case "stdbuf", "gstdbuf", "unbuffer":
		return wrap{valued: "-i -o -e --input --output --error"}, true
	case "nohup", "setsid", "chronic", "caffeinate", "setpriv", "fakeroot", "fakechroot", "proxychains", "proxychains4",
		"torsocks", "torify", "rlwrap", "busybox", "toybox", "dbus-run-session", "eatmydata", "pkexec", "winpty", "xvfb-run",
		"catchsegv", "linux64", "linux32", "i386", "ts", "errno", "systemd-inhibit", "cgexec", "prime-run", "gdbserver", "noglob",
		"nocorrect":
		return wrap{valued: "--what --who --why --mode"}, true
	case "strace", "ltrace", "dtruss":
		return wrap{valued: "-o -e -p -s -E -u -P -a -b -I -O -S -X"}, true
	case "chrt", "taskset", "numactl", "cpulimit", "chroot", "setarch", "faketime", "softlimit", "setuidgid", "envdir", "retry", "linux-enter":
		return wrap{valued: "-p -T -P -D --pid --userspec --groups -l -m -N -C", skip: skipOf(name)}, true
	case "flock":
		return wrap{valued: "-E -w -c --timeout --conflict-exit-code --command", skip: 1, text1: "-c --command"}, true
	case "watch", "gwatch":
		return wrap{valued: "-n --interval -q --equexit", text: true}, true
	case "su", "runuser":
		return wrap{valued: "-c -s -g -G -u --command --shell --group --user --session-command", skip: 1, text1: "-c --command --session-command"}, true
	case "unshare":
		return wrap{valued: "-S -G -R -w --setuid --setgid --root --wd --map-user --map-group --map-users --map-groups"}, true
	case "entr", "nsenter", "systemd-run", "firejail", "bwrap", "gosu", "su-exec", "s6-setuidgid", "chpst", "envchain", "hl":
		return wrap{valued: "-p -u -t -S -G -C -w -r --unit --uid --gid --property --setenv --working-directory", skip: skipOf(name)}, true
	case "nix-shell", "nix", "guix":
		return wrap{valued: "-p -I --run --command -c -A --arg --argstr", text1: "--run --command -c"}, true
	case "perf":
		return wrap{valued: "-e -o -p -r", skip: 1}, true
	case "sshpass":
		return wrap{valued: "-p -f -d -P"}, true
	}
	return wrap{}, false
}

func skipOf(name string) int {
	return btoi(has("chrt taskset chroot faketime setarch setuidgid envdir gosu su-exec s6-setuidgid envchain", name))
}

// wrapper opens a wrapper; ok is false when the program is none.
func (f *frame) wrapper(name string, argv []word) (out string, ok bool) {
	switch name {
	case "env":
		return f.env(argv[1:]), true
	case "xargs", "gxargs":
		return f.xargs(argv[1:]), true
	case "parallel", "rush", "sem":
		return f.parallel(name, argv[1:]), true
	case "find", "gfind", "fd", "fdfind", "bfs":
		return f.find(name, argv[1:]), true
	case "script":
		return f.scriptCmd(argv[1:]), true
	case "tmux":
		return f.tmux(argv[1:]), true
	case "screen":
		return f.screen(argv[1:]), true
	case "ssh", "autossh", "mosh", "slogin", "dropbear", "dbclient":
		return f.ssh(name, argv[1:]), true
	case "docker", "podman", "nerdctl", "docker-compose", "podman-compose", "kubectl", "oc", "lxc", "incus", "multipass",
		"vagrant", "distrobox", "toolbox", "flatpak", "devcontainer", "wsl", "adb", "limactl", "colima", "crictl":
		return f.container(name, argv[1:]), true
	case "hyperfine", "concurrently", "nodemon", "watchexec", "onchange", "chokidar", "run-p", "run-s", "foreman", "expect",
		"at", "batch", "crontab", "vim", "nvim", "vi", "ex", "ed", "psql", "sqlite3", "mysql", "tar", "gtar", "rsync", "gdb", "lldb",
		"sed", "man", "less":
		return f.runsText(name, argv[1:]), true
	}
	spec, ok := wrapSpec(name)
	if !ok {
		return "", false
	}
	return f.wrapped(name, spec, argv[1:]), true
}

// wrapped runs what a wrapper of the table runs.
func (f *frame) wrapped(name string, spec wrap, args []word) string {
	if name == "runuser" && hasWord(args, "-u") {
		spec.skip = 0
	}
	defer f.through(name)()
	rest := command(args, spec.valued, spec.skip)
	if text, ok := flagText(args[:len(args)-len(rest)], spec.text1); ok {
		return f.external().run(text)
	}
	for spec.assign && len(rest) > 0 && assignment(rest[0].text) {
		f.assigned(rest[0].text)
		rest = rest[1:]
	}
	if len(rest) == 0 {
		return hole
	}
	if spec.text {
		return f.external().run(joinText(rest))
	}
	return f.external().argv(rest)
}

// assigned sets NAME=value from an expanded word.
func (f *frame) assigned(text string) {
	name, value, _ := strings.Cut(text, "=")
	f.set(name, value)
	f.export(name)
	f.runsLater(name)
}

// env runs a command in a changed environment; -S splits a text into words.
func (f *frame) env(args []word) string {
	defer f.through("env")()
	g := f.external()
	for i := 0; i < len(args); i++ {
		t := args[i].text
		switch {
		case t == "--":
		case t == "-S" || t == "--split-string" || t == "-vS" || t == "-iS":
			if i+1 < len(args) {
				return g.run(args[i+1].text + " " + quoted(args[i+2:]))
			}
		case strings.HasPrefix(t, "-S"):
			return g.run(t[2:] + " " + quoted(args[i+1:]))
		case strings.HasPrefix(t, "--split-string="):
			return g.run(t[len("--split-string="):] + " " + quoted(args[i+1:]))
		case has("-C --chdir", t) && i+1 < len(args):
			i++
			g.cwd = g.resolve(args[i].text)
		case has("-u --unset", t):
			i++
		case strings.HasPrefix(t, "-"):
		case assignment(t):
			g.assigned(t)
		default:
			return g.argv(args[i:])
		}
	}
	return hole
}

const xargsValued = `-I -n -L -P -s -d -E -a -J -R -S --replace --max-args --max-lines --max-procs --max-chars --delimiter --eof --arg-file
--process-slot-var`

// xargs runs a command with what standard input names.
func (f *frame) xargs(args []word) string {
	rest := command(args, xargsValued, 0)
	head := args[:len(args)-len(rest)]
	fl := parseFlags(head, xargsValued)
	if len(rest) == 0 {
		if f.stdin == nil {
			return hole
		}
		return f.stdin.text
	}
	defer f.through("xargs")()
	input := hole
	if file := fl.val("-a", "--arg-file"); file != "" {
		input = f.fileText(file)
	} else if f.stdin != nil {
		input = f.stdin.text
	}
	if mark, ok := replaceMark(fl, head); ok {
		return f.eachReplaced(rest, mark, splitLines(input, fl))
	}
	return f.eachAppended(rest, splitItems(input, fl), fl)
}

// replaceMark is xargs' -I {}: the text that stands for each line.
func replaceMark(fl flags, head []word) (string, bool) {
	if mark := fl.val("-I", "-J", "--replace"); mark != "" && mark != "true" {
		return mark, true
	}
	for _, w := range head {
		if w.text == "-i" || w.text == "--replace" {
			return "{}", true
		}
		if len(w.text) > 2 && strings.HasPrefix(w.text, "-i") {
			return w.text[2:], true
		}
	}
	return "", false
}

func splitLines(input string, fl flags) []string {
	if fl.on("-0", "--null") {
		return strings.FieldsFunc(input, func(r rune) bool { return r == 0 || r == '\n' })
	}
	return strings.FieldsFunc(input, func(r rune) bool { return r == '\n' })
}

func splitItems(input string, fl flags) []string {
	if fl.on("-0", "--null") {
		return strings.FieldsFunc(input, func(r rune) bool { return r == 0 })
	}
	if d := fl.val("-d", "--delimiter"); d != "" && d != "true" {
		return strings.FieldsFunc(input, func(r rune) bool { return strings.ContainsRune(ansiC(d), r) || r == '\n' })
	}
	return strings.FieldsFunc(input, func(r rune) bool { return r == 0 || r == '\n' || r == ' ' || r == '\t' })
}

func (f *frame) eachReplaced(rest []word, mark string, items []string) string {
	out := ""
	if len(items) > maxRounds {
		items = append(items[:maxRounds:maxRounds], hole)
	}
	for _, item := range items {
		argv := make([]word, len(rest))
		for i, w := range rest {
			argv[i] = lit(swap(w.text, mark, item))
		}
		out += f.external().argv(argv)
	}
	return clipHole(out)
}

// eachAppended appends the items, all at once or n at a time.
func (f *frame) eachAppended(rest []word, items []string, fl flags) string {
	for i, item := range items {
		if unknown(item) {
			items = append(items[:i:i], item)
			break
		}
	}
	n, ok := atoi(fl.val("-n", "--max-args", "-L", "--max-lines"))
	if !ok || n < 1 {
		n = max(1, len(items))
	}
	out := ""
	if len(items) == 0 && !fl.on("-r", "--no-run-if-empty") {
		return f.external().argv(rest) // GNU xargs runs once
	}
	for round := 0; len(items) > 0 && round < maxRounds; round++ {
		k := min(n, len(items))
		argv := rest[:len(rest):len(rest)]
		for _, item := range items[:k] {
			argv = append(argv, word{text: item, split: unknown(item)})
		}
		out += f.external().argv(argv)
		items = items[k:]
	}
	return clipHole(out)
}
