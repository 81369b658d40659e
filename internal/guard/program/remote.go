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
	found, first := word.Hole, word.Word{}
	for i, w := range args {
		if !word.Has("-L -H -P", w.Text) {
			first = args[i]
			break
		}
	}
	below := first.Text != "" && !strings.ContainsAny(first.Text[:1], "-(!")
	if below && !word.Has("fd fdfind", name) {
		found = first.Text + "/" + word.Hole
	}
	for i := 0; i < len(args); i++ {
		if !word.Has("-exec -execdir -ok -okdir -x -X --exec --exec-batch", args[i].Text) {
			continue
		}
		end := i + 1
		for end < len(args) && args[end].Text != ";" && args[end].Text != "+" {
			end++
		}
		cmd, mark := args[i+1:end], ""
		if strings.Contains(word.JoinText(cmd), "{}") {
			mark = "{}"
		}
		f.External().Exec(withItems(cmd, mark, []string{found}))
		i = end
	}
	return found + "\n"
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
