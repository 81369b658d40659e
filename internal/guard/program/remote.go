package program

import (
	"slices"
	"strings"

	"hooks/internal/guard/act"
	"hooks/internal/guard/forges"
	"hooks/internal/guard/shell"
	"hooks/internal/guard/word"
)

// find runs -exec and its kin. What it deletes by its tests is seen by the seal.
func find(f *shell.Frame, name string, args []word.Word) string {
	defer f.Through(name)()
	found := word.Hole
	if starts := findStarts(args); len(starts) > 0 && name != "fd" && name != "fdfind" {
		found = starts[0].Text + "/" + word.Hole
	}
	for i := 0; i < len(args); i++ {
		if !word.Has("-exec -execdir -ok -okdir -x -X --exec --exec-batch", args[i].Text) {
			continue
		}
		end := i + 1
		for end < len(args) && args[end].Text != ";" && args[end].Text != "+" {
			end++
		}
		findExec(f, args[i+1:end], found)
		i = end
	}
	return found + "\n"
}

func findExec(f *shell.Frame, cmd []word.Word, found string) {
	argv := make([]word.Word, 0, len(cmd)+1)
	marked := false
	for _, w := range cmd {
		if strings.Contains(w.Text, "{}") {
			marked = true
			w = word.Lit(word.Swap(w.Text, "{}", found))
		}
		argv = append(argv, w)
	}
	if !marked && len(argv) > 0 {
		argv = append(argv, word.Lit(found))
	}
	f.External().Exec(argv)
}

// findStarts are the folders that a find begins in.
func findStarts(args []word.Word) (starts []word.Word) {
	for _, w := range args {
		switch {
		case word.Has("-L -H -P", w.Text):
		case strings.HasPrefix(w.Text, "-"), w.Text == "(", w.Text == "!":
			return starts
		default:
			starts = append(starts, w)
		}
	}
	return starts
}

// scriptCmd is script(1): util-linux has -c text, BSD a file and then the command.
func scriptCmd(f *shell.Frame, args []word.Word) string {
	defer f.Through("script")()
	const valued = "-c -E -I -O -B -T -t -o -m --command --log-in --log-out --log-io --log-timing --echo --output-limit"
	rest := word.Command(args, valued, 0)
	if text, ok := word.ParseFlags(args[:len(args)-len(rest)], valued).Get("-c", "--command"); ok {
		return f.External().Run(text.Text)
	}
	if len(rest) < 2 {
		return word.Hole
	}
	if fl := word.ParseFlags(rest[1:], valued); strings.HasPrefix(rest[1].Text, "-") && fl.Val("-c", "--command") != "" {
		return f.External().Run(fl.Val("-c", "--command"))
	}
	return f.External().Exec(rest[1:])
}

// tmux types keys into a terminal or starts commands in one.
func tmux(f *shell.Frame, args []word.Word) string {
	defer f.Through("tmux")()
	start := 0
	for i := 0; i <= len(args); i++ {
		if i == len(args) || args[i].Text == ";" || args[i].Text == `\;` {
			tmuxOne(f, args[start:i])
			start = i + 1
		}
	}
	return word.Hole
}

func tmuxOne(f *shell.Frame, args []word.Word) {
	rest := word.Command(args, "-L -S -f -c -T", 0)
	if len(rest) == 0 {
		return
	}
	verb, args := rest[0].Text, rest[1:]
	switch verb {
	case "send-keys", "send", "send-key":
		keys := word.Command(args, "-t -N -c", 0)
		typed(f, keys)
	case "set-buffer", "setb":
		if keys := word.Command(args, "-b -t -n", 0); len(keys) > 0 {
			f.External().Run(keys[0].Text)
		}
	case "display-message", "display":
	default: // a command for a new window, for a pane, for run-shell
		const valued = "-t -s -n -c -x -y -F -e -l -p -w -S -T"
		f.External().Run(word.JoinText(word.Command(args, valued, 0)))
	}
}

// typed reads what keys a terminal would get, as tmux joins them and as a reader would.
func typed(f *shell.Frame, keys []word.Word) {
	var glued, spaced []string
	for _, k := range keys {
		t := k.Text
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
	f.External().Run(strings.Join(glued, ""))
	if len(spaced) > 1 {
		g := f.External()
		g.Quietly(func() { g.Run(strings.Join(spaced, " ")) })
	}
}

func screen(f *shell.Frame, args []word.Word) string {
	defer f.Through("screen")()
	for i, w := range args {
		if w.Text == "-X" && i+2 < len(args) {
			if args[i+1].Text == "stuff" || args[i+1].Text == "exec" {
				return f.External().Run(strings.ReplaceAll(word.Unescape(strings.ReplaceAll(args[i+2].Text, "^M", "\n"), true), "\r", "\n"))
			}
			return word.Hole
		}
	}
	rest := word.Command(args, "-S -t -c -e -h -p -s -T -Logfile", 0)
	if len(rest) > 0 {
		f.External().Exec(rest)
	}
	return word.Hole
}

// ssh joins the words behind the host and hands them to the shell there.
func ssh(f *shell.Frame, name string, args []word.Word) string {
	defer f.Through(name)()
	const valued = "-p -i -l -o -F -J -L -R -D -b -c -E -e -I -m -O -Q -S -W -w -B -P"
	for i, w := range args {
		opt := w.Text
		if opt == "-o" && i+1 < len(args) {
			opt += args[i+1].Text
		}
		for _, key := range []string{"-oProxyCommand", "-oLocalCommand", "-oKnownHostsCommand"} {
			if strings.HasPrefix(opt, key) {
				f.Look("ssh -o", strings.TrimLeft(opt[len(key):], "= "))
			}
		}
	}
	rest := word.Command(args, valued, 1)
	if len(rest) > 0 && (strings.HasPrefix(rest[0].Text, "-")) {
		rest = word.Command(rest, valued, 0)
	}
	g := f.External()
	g.Cwd = word.Hole
	if len(rest) > 0 {
		if forges.Gerrit(rest) {
			f.Act(act.Act{Kind: forges.GerritKind(rest)}, append(word.Lits("ssh"), args...))
			return word.Hole
		}
		return g.ShellText(word.JoinText(rest), name+" "+word.Join(args))
	}
	if f.Stdin != nil {
		return g.ShellText(f.Stdin.Text, name+" "+word.Join(args))
	}
	return word.Hole
}

// container runs a command in another place. Its own flags are not known one by one: what stands
// behind exec, run or shell is looked through for a program; if it names none, a script may.
func container(f *shell.Frame, name string, args []word.Word) string {
	defer f.Through(name)()
	g := f.External()
	if text, ok := word.FlagText(args, "-c --command"); ok && name == "vagrant" {
		return g.Run(text)
	}
	at := slices.IndexFunc(args, func(w word.Word) bool {
		return word.Has("exec run shell ssh enter --", w.Text)
	})
	if at < 0 && name != "wsl" {
		return word.Hole
	}
	rest := args[at+1:]
	if entry, ok := word.FlagText(rest, "--entrypoint"); ok {
		return g.Exec(append(word.Lits(entry), word.Command(rest, containerValued, 1)...))
	}
	for i, w := range rest {
		n := word.ProgramName(strings.TrimSuffix(w.Text, ":latest"))
		if word.Has("echo printf grep cat", n) {
			return word.Hole
		}
		if word.Has(runnable+" ash rm", n) {
			return g.Exec(append(word.Lits(n), rest[i+1:]...))
		}
	}
	return g.Exec(word.Command(rest, containerValued, word.Btoi(at < 0 || args[at].Text != "--")))
}

// containerValued are the usual flags of run that take a value.
const containerValued = `-e -u -w -v -p -n -c -h -l -m --entrypoint --name --env --env-file --user
--workdir --volume --mount --network --net --publish --namespace --container --platform --label
--hostname --memory --pull --add-host`
