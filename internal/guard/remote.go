package guard

import "strings"

// find runs -exec and its kin, and knows what -delete removes.
func (f *frame) find(name string, args []word) string {
	defer f.through(name)()
	starts, tests := findParts(args)
	found := hole
	if len(starts) > 0 {
		found = starts[0].text + "/" + hole
	}
	touches := f.findTouches(starts, tests)
	for i := 0; i < len(args); i++ {
		switch args[i].text {
		case "-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch":
			end := i + 1
			for end < len(args) && args[end].text != ";" && (args[end].text != "+" || name == "fd") {
				end++
			}
			f.findExec(args[i+1:end], found, touches)
			i = end
		case "-delete":
			if touches {
				f.stateAct(args, "find "+joinWords(args))
			}
		case "-fprint", "-fprintf", "-fls":
			if i+1 < len(args) {
				f.writes(args[i+1], name+" "+args[i].text)
			}
		}
	}
	return found + "\n"
}

func (f *frame) findExec(cmd []word, found string, touches bool) {
	argv := make([]word, 0, len(cmd)+1)
	marked := false
	for _, w := range cmd {
		if strings.Contains(w.text, "{}") {
			marked = true
			w = lit(swap(w.text, "{}", found))
		}
		argv = append(argv, w)
	}
	if !marked && len(argv) > 0 {
		argv = append(argv, lit(found))
	}
	if touches && len(argv) > 0 && removes(programName(argv[0].text)) {
		f.stateAct(cmd, "find -exec "+joinWords(cmd))
	}
	f.external().argv(argv)
}

// findParts splits find's arguments into where it starts and what it tests.
func findParts(args []word) (starts, tests []word) {
	for i, w := range args {
		if strings.HasPrefix(w.text, "-") && w.text != "-L" && w.text != "-H" && w.text != "-P" || w.text == "(" || w.text == "!" {
			return starts, args[i:]
		}
		if !strings.HasPrefix(w.text, "-") {
			starts = append(starts, w)
		}
	}
	return starts, nil
}

// scriptCmd is script(1): util-linux has -c text, BSD a file and then the command.
func (f *frame) scriptCmd(args []word) string {
	defer f.through("script")()
	const valued = "-c -E -I -O -B -T -t -o -m --command --log-in --log-out --log-io --log-timing --echo --output-limit"
	rest := command(args, valued, 0)
	if text, ok := parseFlags(args[:len(args)-len(rest)], valued).get("-c", "--command"); ok {
		return f.external().run(text.text)
	}
	if len(rest) < 2 {
		return hole
	}
	if fl := parseFlags(rest[1:], valued); strings.HasPrefix(rest[1].text, "-") && fl.val("-c", "--command") != "" {
		return f.external().run(fl.val("-c", "--command"))
	}
	return f.external().argv(rest[1:])
}

// tmux types keys into a terminal or starts commands in one.
func (f *frame) tmux(args []word) string {
	defer f.through("tmux")()
	start := 0
	for i := 0; i <= len(args); i++ {
		if i == len(args) || args[i].text == ";" || args[i].text == `\;` {
			f.tmuxOne(args[start:i])
			start = i + 1
		}
	}
	return hole
}

func (f *frame) tmuxOne(args []word) {
	rest := command(args, "-L -S -f -c -T", 0)
	if len(rest) == 0 {
		return
	}
	verb, args := rest[0].text, rest[1:]
	switch verb {
	case "send-keys", "send", "send-key":
		keys := command(args, "-t -N -c", 0)
		f.typed(keys)
	case "set-buffer", "setb":
		if keys := command(args, "-b -t -n", 0); len(keys) > 0 {
			f.external().run(keys[0].text)
		}
	case "new-session", "new", "new-window", "neww", "split-window", "splitw", "respawn-pane", "respawnp", "respawn-window", "respawnw",
		"run-shell", "run", "if-shell", "if", "pipe-pane", "pipep", "display-popup", "popup":
		rest := command(args, "-t -s -n -c -x -y -F -e -l -p -h -w -S -T", 0)
		if len(rest) > 0 {
			f.external().run(joinText(rest))
		}
	}
}

// typed reads what keys a terminal would get, as tmux joins them and as a reader would.
func (f *frame) typed(keys []word) {
	var glued, spaced []string
	for _, k := range keys {
		t := k.text
		switch t {
		case "Enter", "C-m", "KPEnter", "C-j":
			t = "\n"
		case "Space":
			t = " "
		case "C-c", "C-u", "C-d", "C-l", "Escape", "Tab":
			t = ""
		}
		glued = append(glued, t)
		spaced = append(spaced, t)
	}
	f.external().run(strings.Join(glued, ""))
	if len(spaced) > 1 {
		g := f.external()
		g.quietly(func() { g.run(strings.Join(spaced, " ")) })
	}
}

func (f *frame) screen(args []word) string {
	defer f.through("screen")()
	for i, w := range args {
		if w.text == "-X" && i+2 < len(args) {
			if args[i+1].text == "stuff" || args[i+1].text == "exec" {
				return f.external().run(strings.ReplaceAll(ansiC(strings.ReplaceAll(args[i+2].text, "^M", "\n")), "\r", "\n"))
			}
			return hole
		}
	}
	rest := command(args, "-S -t -c -e -h -p -s -T -Logfile", 0)
	if len(rest) > 0 {
		f.external().argv(rest)
	}
	return hole
}

// ssh joins the words behind the host and hands them to the shell there.
func (f *frame) ssh(name string, args []word) string {
	defer f.through(name)()
	const valued = "-p -i -l -o -F -J -L -R -D -b -c -E -e -I -m -O -Q -S -W -w -B -P"
	for i, w := range args {
		opt := w.text
		if opt == "-o" && i+1 < len(args) {
			opt += args[i+1].text
		}
		for _, key := range []string{"-oProxyCommand", "-oLocalCommand", "-oKnownHostsCommand"} {
			if strings.HasPrefix(opt, key) {
				f.look("ssh -o", strings.TrimLeft(opt[len(key):], "= "))
			}
		}
	}
	rest := command(args, valued, 1)
	if len(rest) > 0 && (strings.HasPrefix(rest[0].text, "-")) {
		rest = command(rest, valued, 0)
	}
	g := f.external()
	g.cwd = hole
	if len(rest) > 0 {
		if gerrit(rest) {
			f.act(Act{Kind: gerritKind(rest)}, append(lits("ssh"), args...))
			return hole
		}
		return g.shellText(joinText(rest), name+" "+joinWords(args))
	}
	if f.stdin != nil {
		return g.shellText(f.stdin.text, name+" "+joinWords(args))
	}
	return hole
}

// container runs a command in another place: everything behind exec or run is looked through for one.
func (f *frame) container(name string, args []word) string {
	defer f.through(name)()
	g := f.external()
	for i, w := range args {
		if w.text == "--" {
			g.argv(args[i+1:])
			return hole
		}
	}
	if text, ok := flagText(args, "-c --command"); ok && (name == "vagrant" || name == "devcontainer") {
		return g.run(text)
	}
	if name == "wsl" || name == "adb" {
		rest := command(args, "-d -u -s --distribution --user --cd", 0)
		if len(rest) > 0 && rest[0].text == "shell" {
			rest = rest[1:]
		}
		return g.argv(rest)
	}
	f.containerExec(g, args)
	return hole
}

// dockerValued are the usual flags of exec and run that take a value.
const dockerValued = `-e -u -w -v -p -n -c -h -l -m --entrypoint --name --env --env-file --user --workdir --volume --mount --network --net
--publish --namespace --container --platform --label --hostname --memory --pull --add-host`

// containerExec finds the command behind exec, run or shell without knowing every option.
func (f *frame) containerExec(g *frame, args []word) {
	at := -1
	for i, w := range args {
		if has("exec run shell ssh enter", w.text) {
			at = i
			break
		}
	}
	if at < 0 {
		return
	}
	rest := args[at+1:]
	if entry, ok := flagText(rest, "--entrypoint"); ok {
		plain := command(rest, dockerValued, 1)
		g.argv(append(lits(entry), plain...))
		return
	}
	for i, w := range rest {
		n := programName(strings.TrimSuffix(w.text, ":latest"))
		if has("echo printf grep cat", n) {
			return
		}
		if has(runnable+" ash rm", n) {
			g.argv(append([]word{lit(n)}, rest[i+1:]...))
			return
		}
	}
	if f.stdin == nil {
		plain := command(rest, dockerValued, 1)
		if len(plain) > 0 {
			g.argv(plain)
		}
	}
}
