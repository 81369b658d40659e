package code

import (
	"strings"

	"hooks/internal/guard/shell"
	"hooks/internal/guard/word"
)

// Awk reads an awk program for system(), "cmd" | getline and print … | "sh"; it returns what the
// program prints.
func Awk(f *shell.Frame, args []word.Word) string {
	fl := word.ParseFlags(args, "-F -v -f --file --field-separator --assign -i --include -e --source")
	text := ""
	switch w, ok := fl.Get("-f", "--file"); {
	case ok:
		text = f.FileText(w.Text)
	case len(fl.All("-e", "--source")) > 0:
		text = fl.Val("-e", "--source")
	default:
		text = fl.Arg(0).Text
	}
	if word.Blank(text) || text == "" {
		return word.Hole
	}
	if !f.M.Spend(1 + len(text)/16) {
		return word.Hole
	}
	p := &program{f: f, lang: "awk"}
	p.read(text, "")
	return p.pipes()
}

// pipes reads awk's pipes: what is printed into a shell, what is run for getline, what is printed
// into a file. The rest of what is printed is the output.
func (p *program) pipes() string {
	if len(p.units) == 0 {
		return word.Hole
	}
	at, toks := parser{toks: p.units[0].toks}, p.units[0].toks
	out := ""
	for i := 0; i < len(toks); i++ {
		next := at.at(i + 1)
		switch {
		case toks[i].kind == nameTok && (toks[i].text == "print" || toks[i].text == "printf"):
			text := ""
			for i++; i < len(toks) && !at.mark(i, "|>;}\n"); i++ {
				switch {
				case at.mark(i, ",") && text != "":
					text += " "
				case toks[i].kind == strTok:
					text += toks[i].text
				case toks[i].kind == nameTok:
					words, _ := p.nameWords(toks[i].text)
					text += strings.Join(words, " ")
				}
			}
			if file := at.at(i + 1); at.mark(i, "|") {
				p.piped(file, text)
			} else {
				out = word.ClipHole(out + text + "\n")
			}
		case at.mark(i, "|") && next.kind == nameTok && next.text == "getline":
			words := []string{at.at(i - 1).text}
			if at.at(i-1).kind == nameTok {
				words, _ = p.nameWords(words[0])
			}
			p.shell(words[0])
		}
	}
	return out
}

// piped is text that awk prints into a command.
func (p *program) piped(to token, text string) {
	switch {
	case to.kind == strTok && word.IsShell(word.ProgramName(strings.Fields(to.text + " x")[0])):
		p.shell(text)
	case to.kind == strTok:
		p.shell(to.text)
	}
}
