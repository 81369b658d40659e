package code

import (
	"path"
	"slices"
	"strings"

	"hooks/internal/guard/act"
	"hooks/internal/guard/shell"
	"hooks/internal/guard/word"
)

// One rule reads every language: a program that starts processes or sends requests does what its
// literals say. A list or a call whose first literal is a program is a command line; a text that
// begins with one is shell text; words such as 'pr', 'merge', '5' complete a command line that ends
// in something unknown, as in a helper function.
type program struct {
	f     *shell.Frame
	lang  string
	units []unit
	names map[string][]*elem // what each name is given
	known map[string]value
	input string // what the process is given to read

	starts, speaks bool
	open           [][]string // command lines that end in something unknown
	ends           [][]string // what could stand there
	calls          [][]string // those of open that are started here
	method         string     // of a request whose address is not known here
	paths          []string   // addresses whose method is not known there
}

// unit is the program itself or a module of the project that it loads.
type unit struct {
	root *group
	toks []token
	disk bool
}

const maxModules = 8

// Read reads a program of another language for the commands it would run, the requests it would
// send and the files of the loop it would write.
func Read(f *shell.Frame, lang, text string) {
	p := &program{f: f, lang: lang}
	p.read(text, "")
}

func (p *program) read(text, dir string) {
	if lang, _ := Language(p.lang); lang != "" { // of a #! line
		p.lang = lang
	}
	if !word.Has("python node go", p.lang) {
		foreign(p.f, p.lang, text)
		return
	}
	p.names, p.known = map[string][]*elem{}, map[string]value{}
	if !p.add(text, dir, p.f.Disk, map[string]bool{}) {
		return
	}
	for _, u := range p.units {
		p.learn(u.root)
		p.gate(u.toks)
	}
	disk := p.f.Disk
	for _, u := range p.units {
		p.f.Disk = disk || u.disk
		p.judge(u.root, false)
	}
	p.f.Disk = disk
	p.complete()
}

// add parses a text and the project's modules that it loads.
func (p *program) add(text, dir string, disk bool, seen map[string]bool) bool {
	if len(text) > 4*word.MaxText {
		p.f.Opaque(p.lang, "a program too long to be read")
		return false
	}
	if !p.f.M.Spend(1 + len(text)/16) {
		return false
	}
	Registers(p.f, p.lang, text)
	parse := &parser{lang: p.lang, toks: lex(p.lang, text)}
	u := unit{root: parse.group("", 0), toks: parse.toks, disk: disk}
	if parse.deep {
		p.f.M.GiveUp("nested too deeply")
		return false
	}
	p.units = append(p.units, u)
	for _, name := range modules(p.lang, u.toks, dir) {
		if seen[name] || len(p.units) > maxModules || len(seen) > 2*maxModules {
			continue
		}
		seen[name] = true
		if text, from := p.f.Open(name); from != shell.Nowhere && !word.Unknown(text) {
			p.add(text, path.Dir(name), from == shell.Disk, seen)
		}
	}
	return !p.f.M.Tired()
}

// gate notes whether the program starts processes or sends requests.
func (p *program) gate(toks []token) {
	for i, t := range toks {
		called := i > 0 && toks[i-1].text == "import"
		if i+1 < len(toks) {
			next := toks[i+1]
			called = called || word.Has("( as", next.text) || next.kind == strTok
		}
		l := last(t.text)
		switch low := strings.ToLower(t.text); {
		case t.kind == execTok:
			p.starts = true
		case t.kind == markTok:
		case t.kind == strTok && word.Has("system popen execSync execFileSync spawnSync", t.text),
			runner(p.lang, t.text) && called || word.Has(`subprocess child_process
node:child_process os/exec sh pexpect plumbum invoke fabric execa zx
shelljs open3 popen pty`, low):
			p.starts = true
		case word.HasPart(low, `requests urllib http fetch axios octokit github gitlab superagent
needle undici faraday curl guzzle graphql restclient`), called && requester(l) && httpVerb(l) == "":
			p.speaks = true
		}
	}
}

// judge reads a group and those in it. data is a group whose literals are shown, searched or
// compared.
func (p *program) judge(g *group, data bool) {
	if !p.f.M.Spend(1) {
		return
	}
	starts := runner(p.lang, g.name)
	data = (data || says(g.name)) && !starts
	if !data {
		p.command(g, starts)
		p.request(g)
	}
	for _, e := range g.elems {
		for i, pt := range e.parts {
			switch {
			case pt.in != nil:
				p.library(e, i)
				p.judge(pt.in, data || e.compared)
			case pt.kind == execTok:
				p.shell(p.fill(pt.text))
			}
		}
		if g.open == 0 || g.open == '{' {
			p.statement(e, data)
		}
	}
}

// statement reads texts that stand by themselves: values of a name that has several, or of a table.
func (p *program) statement(e elem, data bool) {
	if data || !p.starts || e.key == "" || e.compared || e.assigned && len(p.names[e.key]) < 2 ||
		word.Has("title body message msg description help label name text usage epilog", e.key) {
		if words, _ := p.words(e); e.assigned && len(words) == 1 && client(words[0]) {
			p.open = append(p.open, words) // GH = "gh"
		}
		return
	}
	if words, list := p.words(e); len(words) > 0 {
		p.line(words, list, false)
	}
}

// command reads a call or a list as a command line.
func (p *program) command(g *group, starts bool) {
	switch {
	case g.open == 0 && g.name == "", g.open == '{':
		return
	case word.Has("exec eval", g.name) && p.lang == "python", word.Has("eval Function", g.name) &&
		p.lang == "node":
		p.nested(g)
		return
	case !p.starts && !starts:
		return
	case word.Has("Bash PowerShell Monitor", last(g.name)):
		p.shell(act.LeafText(p.pairs(g), "command"))
		return
	case strings.HasPrefix(g.name, "sh.g") && p.lang == "python":
		p.exec(append(strings.Split(g.name[3:], "."), p.arglist(g)...))
		return
	}
	words := p.arglist(g)
	if len(words) == 0 {
		return
	}
	lists := len(g.elems) > 0 && len(g.elems[0].parts) > 0 && g.elems[0].parts[0].in != nil &&
		g.elems[0].parts[0].in.open == '['
	// a list of commands
	if g.name == "" && strings.ContainsAny(strings.TrimSpace(words[0]), " ;|&") {
		for _, w := range words {
			p.line([]string{w}, false, false)
		}
		return
	}
	again := strings.Contains(g.name, "exec") || strings.Contains(g.name, "spawn")
	for starts && len(words) > 1 && (words[0] == word.Hole && Program(words[1]) || again &&
		words[0] == words[1]) {
		words = words[1:]
	}
	if word.Blank(strings.Join(words, "")) {
		if starts && !p.fed(g) && !word.Has("communicate sendline write", last(g.name)) {
			p.f.Opaque(p.lang+" "+g.name, "the command it would run is only known when it runs")
		}
		return
	}
	p.input = act.LeafText(p.pairs(g), "input")
	p.line(words, lists || g.name == "", starts)
	p.input = ""
}

// fed reports whether a call starts what it is given in a bare name: that of a parameter, or of one
// of several known values. Those are judged where they stand.
func (p *program) fed(g *group) bool {
	for _, e := range g.elems {
		for i, pt := range e.parts {
			if pt.in != nil || len(p.names[pt.text]) == 0 {
				return pt.in == nil && i+1 == len(e.parts) && !strings.Contains(pt.text, ".")
			}
			for _, v := range p.names[pt.text] {
				words, _ := p.words(*v)
				if !word.Blank(strings.Join(words, "")) && (len(words) > 1 || i+1 == len(e.parts)) {
					return true
				}
			}
		}
	}
	return false
}

// arglist are a call's words: what is given by position, or as its command or arguments.
func (p *program) arglist(g *group) []string {
	var out []string
	for _, e := range g.elems {
		if e.key != "" && !word.Has("args cmd command argv cmdline shell_command", e.key) {
			continue
		}
		for _, pt := range e.parts {
			if pt.in != nil && pt.in.open == '{' {
				for _, in := range pt.in.elems {
					if in.key == "args" {
						words, _ := p.words(in)
						out = append(out, words...)
					}
				}
			}
		}
		if words, _ := p.words(e); len(e.parts) > 0 && (len(e.parts) > 1 || e.parts[0].in == nil ||
			e.parts[0].in.open != '{') {
			out = append(out, words...)
		}
	}
	return out
}

// line reads words that may be a command line, shell text, or the end of another command line. sure
// is a call that starts a process.
func (p *program) line(words []string, list, sure bool) {
	first := strings.TrimSpace(words[0])
	fields := words
	if !list && strings.ContainsAny(first, " \t\n;|&") {
		fields = strings.Fields(first)
	}
	hole := slices.Index(fields, word.Hole)
	switch {
	case len(fields) == 0 || first == "":
	case client(word.ProgramName(fields[0])) && (len(fields) == 1 && !sure || hole > 0 && hole < 3):
		if sure || len(words) > 1 {
			p.calls = append(p.calls, words)
		}
		if hole > 0 {
			fields = fields[:hole]
		}
		p.open = append(p.open, fields)
	case word.Has(`pr mr api pull pulls workflow repo alias extension release ruleset push merge
update-ref branch fetch send-pack config remote -C -R --repo -c gate
loop reset`, fields[0]):
		p.ends = append(p.ends, fields)
	case len(fields) != len(words) && (sure || Program(fields[0])):
		p.shell(words[0])
	case sure || Program(fields[0]):
		p.exec(words)
	}
}

// complete puts what could end them behind the command lines that end in something unknown.
func (p *program) complete() {
	for _, open := range p.open {
		for _, end := range p.ends {
			p.exec(append(open[:len(open):len(open)], end...))
		}
	}
	for _, words := range p.calls {
		switch fields := strings.Fields(words[0]); {
		case len(p.ends) > 0 && (len(fields) > 1 && fields[1] == word.Hole || len(words) > 1 &&
			words[1] == word.Hole):
		case len(words) == 1:
			p.shell(words[0])
		default:
			p.exec(words)
		}
	}
	p.addresses()
}

// shell runs text as the language would hand it to a shell.
func (p *program) shell(text string) {
	switch {
	case text == "":
	case word.Blank(text):
		p.f.Opaque(p.lang, "the command it would run is only known when it runs")
	default:
		_, problem := shell.Parse(text)
		if problem != "" && !slices.ContainsFunc(strings.Fields(text), client) {
			return // no shell text, or none that could matter
		}
		p.started().Run(text)
	}
}

// started is the shell of a process that the program starts.
func (p *program) started() *shell.Frame {
	f := p.f.External()
	if f.Stdin = nil; p.input != "" {
		f.Stdin = &shell.Stream{Text: p.input}
	}
	return f
}

func (p *program) exec(words []string) {
	if words[0] != "" && p.f.M.Spend(1) {
		p.started().Exec(word.Lits(words...))
	}
}

// nested reads text that the language itself would evaluate.
func (p *program) nested(g *group) {
	if len(g.elems) == 0 {
		return
	}
	text := p.text(g.elems[0])
	parts := g.elems[0].parts
	if len(parts) > 0 && parts[0].in != nil && parts[0].in.name == "open" {
		if _, from := p.f.Open(p.text(parts[0].in.elems[0])); from != shell.Nowhere {
			return // read as a module
		}
	}
	if word.Blank(text) {
		p.f.Opaque(g.name+"(…)", "the program it would run is only known when it runs")
		return
	}
	p.f.Within("eval", func() { Read(p.f, p.lang, text) })
}
