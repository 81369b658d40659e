package code

import (
	"strings"

	"hooks/internal/guard/shell"
	"hooks/internal/guard/word"
)

// Awk reads an awk program for system(), "cmd" | getline and print … | "sh"; it returns what the program prints.
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
	for i, w := range args {
		if w.Text == "-i" && i+1 < len(args) && args[i+1].Text == "inplace" {
			for _, file := range fl.Pos[min(1, len(fl.Pos)):] {
				f.Writes(file, "awk -i inplace")
			}
		}
	}
	p := &program{f: f, lang: "awk", names: map[string]value{}, alias: map[string]string{}}
	p.toks = lex("awk", text)
	if !f.M.Spend(1 + len(text)/16) {
		return word.Hole
	}
	p.statements()
	return p.pipes()
}

// pipes reads awk's pipes: what is printed into a shell, what is run for getline, what is printed into a file. The rest of
// what is printed is the output.
func (p *program) pipes() string {
	printed, out := "", ""
	for i, t := range p.toks {
		switch {
		case t.kind == nameTok && (t.text == "print" || t.text == "printf"):
			v, end := p.expr(i + 1)
			if printed = v.text(); !p.mark(end, "|") && !p.mark(end, ">") {
				out = word.ClipHole(out + printed + "\n")
			}
		case p.mark(i, ">") && p.tok(i+1).kind == strTok:
			p.f.Writes(word.Lit(p.tok(i+1).text), "awk > "+p.tok(i+1).text)
		case p.mark(i, "|"):
			next := p.tok(i + 1)
			switch {
			case next.kind == nameTok && next.text == "getline" && i > 0:
				v, _ := p.expr(i - 1)
				p.shell(v.text())
			case next.kind == strTok && word.IsShell(word.ProgramName(strings.Fields(next.text + " x")[0])):
				p.shell(printed)
			case next.kind == strTok:
				p.shell(next.text)
			}
		}
	}
	return out
}
