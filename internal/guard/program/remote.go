package program

import (
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

// ssh joins the words behind the host and hands them to the shell there.
func ssh(f *shell.Frame, name string, args []word.Word) string {
	defer f.Through(name)()
	const valued = `-p -i -l -o -F -J -L -R -D -b -c -E -e -I -m -O -Q -S -W -w -B -P`
	for _, w := range args {
		if _, cmd, ok := strings.Cut(w.Text, "Command="); ok { // -o ProxyCommand=…
			f.Look("ssh -o", cmd)
		}
	}
	rest := word.Command(args, valued, 1)
	if len(rest) > 0 && strings.HasPrefix(rest[0].Text, "-") {
		rest = word.Command(rest, valued, 0)
	}
	g := f.External()
	g.Cwd = word.Hole
	how := name + " " + word.Join(args)
	switch {
	case len(rest) > 0 && forges.Gerrit(rest):
		f.Act(act.Act{Kind: forges.GerritKind(rest)}, append(word.Lits("ssh"), args...))
	case len(rest) > 0:
		return g.ShellText(word.JoinText(rest), how)
	case f.Stdin != nil:
		return g.ShellText(f.Stdin.Text, how)
	}
	return word.Hole
}
