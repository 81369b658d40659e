package program

import (
	"strings"

	"hooks/internal/guard/shell"
	"hooks/internal/guard/word"
)

// runnable are the programs that a command line behind an unknown program is looked through for.
const runnable = `gh git glab hub tea az aws bb bkt fj curl wget http xh sudo env bash sh zsh dash xargs timeout nohup python python3
node perl ruby eval hooks find parallel script tmux screen ssh docker podman kubectl expect watch
npx poe inv invoke rake nx turbo`

// inner looks for a command line that an unknown program would run: "retry 3 gh pr merge 5". Only acts count.
func inner(f *shell.Frame, name string, args []word.Word) {
	for i, w := range args {
		n := word.ProgramName(w.Text)
		if word.DataProgram(n) && w.Text == n && !word.Has("gem port code", n) {
			return
		}
		if _, wraps := wrapSpec(n); !wraps && !word.Has(runnable, n) || w.Text != n && !strings.Contains(w.Text, "/") && !strings.Contains(w.Text, "#") {
			continue
		}
		rest := args[i:]
		if len(rest) > 1 && rest[1].Text == "--" {
			rest = append([]word.Word{w}, rest[2:]...)
		}
		f.Within(name, func() { f.Child().Exec(rest) })
		return
	}
}
