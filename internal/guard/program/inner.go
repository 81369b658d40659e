package program

import (
	"strings"

	"hooks/internal/guard/shell"
	"hooks/internal/guard/shellword"
)

// runnable are the programs that inner looks for.
const runnable = `gh git glab hub tea az aws bb bkt fj curl wget http xh sudo env bash sh zsh dash
xargs timeout nohup python python3 node perl ruby eval hooks find parallel script tmux screen ssh
docker podman kubectl expect watch npx poe nx turbo su runuser`

// runInner looks for the command line that a program runs whose own arguments are not known one by
// one: "retry 3 gh pr merge 5", docker exec. With scripts a path to a shell script is one too.
func runInner(f *shell.Frame, name string, args []shellword.Word, scripts bool) {
	for i, w := range args {
		n := shellword.ProgramName(w.Text)
		data := shellword.DataProgram(n) && w.Text == n && !shellword.Has("gem port code", n)
		_, wraps := wrapSpec(n)
		as := w.Text == n || strings.ContainsAny(w.Text, "/#")
		script := scripts &&
			(strings.HasPrefix(w.Text, "./") || strings.HasSuffix(w.Text, ".sh"))
		if !script && !data && (!as || !wraps && !shellword.Has(runnable, n)) {
			continue
		}
		rest := args[i:]
		if len(rest) > 1 && rest[1].Text == "--" {
			rest = append([]shellword.Word{w}, rest[2:]...)
		}
		f.Within(name, func() { f.Child().Exec(rest) })
		return
	}
}
