package program

import (
	"strings"

	"hooks/internal/guard/effect"
	"hooks/internal/guard/forges"
	"hooks/internal/guard/shell"
	"hooks/internal/guard/shellword"
)

// find runs -exec and its kin. What it deletes by its tests is seen by the seal.
func find(f *shell.Frame, name string, args []shellword.Word) string {
	defer f.Through(name)()
	found, first := shellword.Unknown, shellword.Word{}
	for i, w := range args {
		if !shellword.Has("-L -H -P", w.Text) {
			first = args[i]
			break
		}
	}
	below := first.Text != "" && !strings.ContainsAny(first.Text[:1], "-(!")
	if below && !shellword.Has("fd fdfind", name) {
		found = first.Text + "/" + shellword.Unknown
	}
	for i := 0; i < len(args); i++ {
		if !shellword.Has("-exec -execdir -ok -okdir -x -X --exec --exec-batch", args[i].Text) {
			continue
		}
		end := i + 1
		for end < len(args) && args[end].Text != ";" && args[end].Text != "+" {
			end++
		}
		cmd, mark := args[i+1:end], ""
		if strings.Contains(shellword.JoinText(cmd), "{}") {
			mark = "{}"
		}
		f.External().Exec(withItems(cmd, mark, []string{found}))
		i = end
	}
	return found + "\n"
}

// ssh joins the words behind the host and hands them to the shell there.
func ssh(f *shell.Frame, name string, args []shellword.Word) string {
	defer f.Through(name)()
	const valued = `-p -i -l -o -F -J -L -R -D -b -c -E -e -I -m -O -Q -S -W -w -B -P`
	for _, w := range args {
		if _, cmd, ok := strings.Cut(w.Text, "Command="); ok { // -o ProxyCommand=…
			f.Look("ssh -o", cmd)
		}
	}
	rest := shellword.Command(args, valued, 1)
	if len(rest) > 0 && strings.HasPrefix(rest[0].Text, "-") {
		rest = shellword.Command(rest, valued, 0)
	}
	g := f.External()
	g.Cwd = shellword.Unknown
	how := name + " " + shellword.Join(args)
	switch kind := forges.GerritKind(rest); {
	case kind != "":
		f.Act(effect.Act{Kind: kind}, append(shellword.Lits("ssh"), args...))
	case len(rest) > 0:
		return g.ShellText(shellword.JoinText(rest), how)
	case f.Stdin != nil:
		return g.ShellText(f.Stdin.Text, how)
	}
	return shellword.Unknown
}
