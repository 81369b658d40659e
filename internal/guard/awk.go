package guard

import "strings"

// awk reads an awk program for system(), "cmd" | getline and print … | "sh"; it returns what the program prints.
func (f *frame) awk(args []word) string {
	fl := parseFlags(args, "-F -v -f --file --field-separator --assign -i --include -e --source")
	text := ""
	switch w, ok := fl.get("-f", "--file"); {
	case ok:
		text = f.fileText(w.text)
	case len(fl.all("-e", "--source")) > 0:
		text = fl.val("-e", "--source")
	default:
		text = fl.arg(0).text
	}
	if blank(text) || text == "" {
		return hole
	}
	for i, w := range args {
		if w.text == "-i" && i+1 < len(args) && args[i+1].text == "inplace" {
			for _, file := range fl.pos[min(1, len(fl.pos)):] {
				f.writes(file, "awk -i inplace")
			}
		}
	}
	p := &program{f: f, lang: "awk", names: map[string]value{}, alias: map[string]string{}}
	p.toks = lex("awk", text)
	if !f.m.spend(1 + len(text)/16) {
		return hole
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
				out = clipHole(out + printed + "\n")
			}
		case p.mark(i, ">") && p.tok(i+1).kind == strTok:
			p.f.writes(lit(p.tok(i+1).text), "awk > "+p.tok(i+1).text)
		case p.mark(i, "|"):
			next := p.tok(i + 1)
			switch {
			case next.kind == nameTok && next.text == "getline" && p.tok(i-1).kind == strTok:
				p.shell(p.tok(i - 1).text)
			case next.kind == strTok && isShell(programName(strings.Fields(next.text + " x")[0])):
				p.shell(printed)
			case next.kind == strTok:
				p.shell(next.text)
			}
		}
	}
	return out
}
