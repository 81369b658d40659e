package code

import (
	"slices"
	"strings"

	"hooks/internal/guard/shell"
	"hooks/internal/guard/shellword"
)

// program is read by one rule: if it starts processes, its literals in order are a command line. A
// call or a list that begins with a program's name is one, and a text that begins with a program's
// name is shell text. Words such as 'pr', 'merge', '5' complete a command line that ends in
// something unknown, as in a helper function.
type program struct {
	f      *shell.Frame
	lang   string
	toks   []token
	closes []int  // of every opening bracket, the place of its closing one
	inside []byte // of every token, the bracket around it

	values   map[string]string // the text of a name that is given only one
	defined  map[string]bool   // names that the program gives a value
	computed map[string]bool   // those of them with a value that is not known

	starts, speaks bool       // it starts processes, it sends requests
	open           []half     // command lines that end in something unknown
	tails          [][]string // words that could complete them
	method         string     // of a request whose address is not known where it is sent
	paths          []string   // addresses whose method is not known where they are given
}

// half is a command line of which only the first words are known.
type half struct {
	known, words []string
	started      bool // the words are started as they are, too
	bare         bool // of the known words there is only the program
}

// Read reads a program of another language for the commands it would run, the requests it would
// send and the files of the loop it would write.
func Read(f *shell.Frame, lang, text string) {
	if l, _ := Language(lang); l != "" { // lang is the name in a #! line
		lang = l
	}
	switch {
	case len(text) > 4*shellword.MaxText:
		f.Opaque(lang, "a program too long to be read")
		return
	case !f.M.Burn(1 + len(text)/16):
		return
	}
	Registers(f, lang, text)
	if !shellword.Has("python node go", lang) {
		foreign(f, lang, text)
		return
	}
	p := &program{
		f: f, lang: lang, toks: lex(lang, text),
		values: map[string]string{}, defined: map[string]bool{}, computed: map[string]bool{},
	}
	if p.pair(); f.M.Exhausted() {
		return
	}
	p.learn()
	for i, t := range p.toks {
		low := strings.ToLower(t.text)
		p.starts = p.starts || t.kind == execTok || t.kind != markTok && (runner(lang, t.text) ||
			shellword.Has(libraries, low) || t.kind == nameTok &&
			shellword.Has(libraries, head(low)))
		p.speaks = p.speaks || t.kind == nameTok && (shellword.HasPart(low, speakers) ||
			p.mark(i+1, "(") && requester(last(t.text)) && verb(last(t.text)) == "")
	}
	p.read()
	p.complete()
}

// libraries start processes, or have functions that do.
const libraries = `subprocess child_process node:child_process os/exec sh pexpect plumbum invoke
fabric execa zx shelljs open3 pty`

// speakers are parts of the names of libraries that send requests.
const speakers = `requests urllib http fetch axios octokit github gitlab superagent needle undici
graphql restclient`

func head(name string) string {
	name, _, _ = strings.Cut(name, ".")
	return name
}

// runner reports whether a call of that name starts a process.
func runner(lang, name string) bool {
	switch how := last(name); how {
	case "run", "call":
		return shellword.Has(`subprocess.run subprocess.call sp.run sp.call pexpect.run run call
invoke.run c.run Bun.run s.run s.call`, name)
	case "exec":
		return lang != "python" && (shellword.Has("exec .exec", name) ||
			shellword.HasPart(name, "child_process cp. shell"))
	case "Command", "CommandContext":
		return shellword.Has("exec.Command exec.CommandContext Deno.Command", name)
	case "write":
		return strings.Contains(name, "stdin")
	default:
		return shellword.Has(`system popen Popen check_call check_output getoutput getstatusoutput
execSync execFile execFileSync spawn spawnSync execvp execv execve execvpe execl execlp execle
execlpe spawnlp spawnvp spawnl spawnv spawnlpe posix_spawn posix_spawnp startfile
create_subprocess_shell create_subprocess_exec execa execaSync execaCommand execaCommandSync fork
exec_command communicate sendline send_command Bash PowerShell Monitor`, how)
	}
}

// says reports whether a call shows, searches, compares or stores its literals.
func says(name string) bool {
	how := last(name)
	return shellword.Has(`
		print println printf log info debug error warning warn critical exception trace
write writelines write_text writeFile writeFileSync appendFile appendFileSync WriteFile dump dumps
stringify assert assertEqual assertIn assertTrue expect it test describe includes startsWith
startswith endsWith endswith indexOf find search match fullmatch findall sub subn replace replaceAll
compile add_argument add_parser ArgumentParser has count index exit SystemExit fail`, how) ||
		strings.HasSuffix(how, "Error") || strings.HasSuffix(how, "Exception") ||
		shellword.Has("re console log logger logging", head(name))
}

// client reports whether a program talks to a forge or to the loop.
func client(name string) bool { return shellword.Has("gh git glab hub tea tea-cli az hooks", name) }

// names reports whether a text is a program's name, or shell text that begins with one.
func names(text string) bool {
	name, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	name = shellword.ProgramName(name)
	return client(name) || shellword.IsShell(name) || shellword.Has(`
		curl wget http https xh sudo env timeout
nohup nice xargs cd claude npx python python3 node bb bkt fj aws ssh docker doas command exec pwsh
powershell eval make just npm`, name)
}

// read reads every call and every list, but for those that are only shown, searched or compared.
func (p *program) read() {
	shown := 0 // the end of a call that only shows its arguments
	for i := 0; i < len(p.toks) && p.f.M.Burn(shellword.Btoi(i%4 == 0)); i++ {
		t, name := p.toks[i], p.name(i-1)
		call := p.mark(i, "(") && (name != "" || p.mark(i-1, ")]"))
		sure := call && runner(p.lang, name)
		switch {
		case t.kind == execTok:
			p.shell(p.fill(t.text))
		case t.kind == strTok && i >= shown && p.starts && p.oneOfSeveral(i):
			p.line(p.words(i, p.statement(i)), false)
		case !p.mark(i, "(["), p.index(i), shellword.Has("def function func", p.at(i-2).text):
		case call && !sure && says(name):
			shown = max(shown, p.closes[i])
		case !call && (i < shown || p.comparedList(i)):
		default:
			words := p.words(i+1, p.closes[i])
			p.request(name, i, words)
			p.library(name, i, words)
			if i >= shown || sure || p.defined[name] {
				p.command(name, i, words, sure)
			}
		}
	}
}

// oneOfSeveral reports whether a text is one of the values that a name is given. A name's only
// value is read where the name is used.
func (p *program) oneOfSeveral(i int) bool {
	name := p.name(i - 2)
	if p.mark(i-2, ":+") {
		name = p.name(i - 3)
	}
	return name != "" && p.mark(i-1, "=") && shellword.HasUnknown(p.value(name)) &&
		!shellword.Has("title body message msg description help label text usage epilog", name)
}

// comparedList reports whether a list is compared: x in […], x == […].
func (p *program) comparedList(i int) bool {
	if p.mark(i-1, "=") && p.mark(i-2, "=!") {
		return true
	}
	loops := func(t token) bool { return t.text == "for" }
	return p.at(i-1).text == "in" && !slices.ContainsFunc(p.toks[max(0, i-8):i], loops)
}

// command reads a call or a list as a command line. sure is a call that starts a process.
func (p *program) command(name string, i int, words []string, sure bool) {
	runsText := map[string]string{"python": "exec eval", "node": "eval Function"}[p.lang]
	switch {
	case shellword.Has(runsText, name):
		p.nested(name, strings.Join(words, " "))
	case !p.starts || len(words) == 0:
	case !shellword.Blank(strings.Join(words, "")):
		p.line(words, sure)
	case sure && !p.fed(i+1) && !shellword.Has("communicate sendline write", last(name)):
		p.f.Opaque(p.lang+" "+name, "the command it would run is only known when it runs")
	}
	for j := i + 1; j < p.closes[i] && sure; j++ { // what the process reads
		if p.name(j) == "input" && p.mark(j+1, "=") {
			p.line(p.words(j+2, p.element(j)), false)
		}
	}
}

// fed reports whether a call is given a bare parameter, or a name whose values are read where it is
// given them.
func (p *program) fed(from int) bool {
	for i, end := from, p.element(from); i < end; i++ {
		name := p.name(i)
		bare := i == from && p.mark(i+1, ",)") && !strings.Contains(name, ".")
		if name != "" && !p.computed[name] && (bare || p.defined[name] && p.values[name] == "") {
			return true
		}
	}
	return false
}

// nested reads text that the language itself would run.
func (p *program) nested(how, text string) {
	if shellword.Blank(text) {
		p.f.Opaque(how+"(…)", "the program it would run is only known when it runs")
		return
	}
	p.f.Within(how, func() { Read(p.f, p.lang, text) })
}

// line reads words that may be a command line, shell text, or the end of another command line.
func (p *program) line(words []string, sure bool) {
	for len(words) > 1 &&
		(words[0] == shellword.Unknown && names(words[1]) || words[0] == words[1]) {
		words = words[1:] // spawnlp(P_WAIT, 'gh', 'gh', 'pr', …)
	}
	if len(words) == 0 {
		return
	}
	fields := strings.Fields(words[0])
	text := len(fields) > 1
	if !text {
		fields = words
	}
	if len(fields) == 0 || fields[0] == "" {
		return
	}
	name := shellword.ProgramName(fields[0])
	hole := slices.Index(fields, shellword.Unknown)
	switch {
	case client(name) && (len(fields) == 1 && !sure || hole > 0 && hole < 3 ||
		len(fields) == 2 && fields[1] == "pr"):
		if hole > 0 {
			fields = fields[:hole]
		}
		p.open = append(p.open, half{fields, words, sure || len(words) > 1, hole == 1})
	case shellword.Has(`
		pr mr api pull pulls workflow repo alias extension release ruleset push merge
update-ref branch fetch send-pack config remote -C -R --repo -c gate loop reset`, fields[0]):
		p.tails = append(p.tails, fields)
	case !sure && !names(fields[0]):
	case text:
		for i, w := range words {
			if i == 0 || names(w) && strings.Contains(w, " ") {
				p.shell(w)
			}
		}
	default:
		p.exec(words)
	}
}

// complete puts the words that could end them behind the command lines that end in something
// unknown, and reads those that nothing completes as they are.
func (p *program) complete() {
	for _, h := range p.open {
		for _, tail := range p.tails {
			p.exec(append(h.known[:len(h.known):len(h.known)], tail...))
		}
		switch {
		case !h.started || h.bare && len(p.tails) > 0:
		case len(h.words) == 1:
			p.shell(h.words[0])
		default:
			p.exec(h.words)
		}
	}
	for _, path := range p.paths {
		if p.method != "" {
			p.send(p.method, path)
		}
	}
}

// shell reads text that the language would hand to a shell.
func (p *program) shell(text string) {
	switch _, problem := shell.Parse(text); {
	case shellword.Blank(text):
		p.f.Opaque(p.lang, "the command it would run is only known when it runs")
	case problem == "" || slices.ContainsFunc(strings.Fields(text), client):
		p.started().Run(text)
	}
}

// started is the shell of a process that the program starts.
func (p *program) started() *shell.Frame {
	f := p.f.External()
	f.Stdin = nil
	return f
}

func (p *program) exec(words []string) {
	if words[0] != "" && p.f.M.Burn(1) {
		p.started().Exec(shellword.Lits(words...))
	}
}
