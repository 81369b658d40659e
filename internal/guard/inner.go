package guard

import "strings"

// runnable are the programs that a command line behind an unknown program is looked through for.
const runnable = `gh git glab hub tea az aws bb bkt fj curl wget http xh sudo env bash sh zsh dash xargs timeout nohup python python3
node perl ruby eval hooks find parallel script tmux screen ssh docker podman kubectl expect watch npx`

// inner looks for a command line that an unknown program would run: "retry 3 gh pr merge 5". Only acts count.
func (f *frame) inner(name string, args []word) {
	for i, w := range args {
		n := programName(w.text)
		if dataProgram(n) && w.text == n && !has("gem port code", n) {
			return
		}
		if _, wraps := wrapSpec(n); !wraps && !has(runnable, n) || w.text != n && !strings.Contains(w.text, "/") && !strings.Contains(w.text, "#") {
			continue
		}
		rest := args[i:]
		if len(rest) > 1 && rest[1].text == "--" {
			rest = append([]word{w}, rest[2:]...)
		}
		f.within(name, func() { f.child().argv(rest) })
		return
	}
}
