package code

import (
	"strings"

	"hooks/internal/guard/act"
	"hooks/internal/guard/shell"
	"hooks/internal/guard/word"
)

// Read reads a program of another language for the commands it would run, the requests it would send and the files of
// the loop it would write. rest are its command line arguments.
func Read(f *shell.Frame, lang, text string, rest []word.Word) {
	if len(text) > word.MaxText {
		f.Opaque(lang, "a program too long to be read")
		return
	}
	if !f.M.Spend(1 + len(text)/16) {
		return
	}
	p := &program{f: f, lang: lang, names: map[string]value{}, alias: map[string]string{}, rest: rest}
	p.file = f.File
	if lang == "tcl" {
		Spawned(f, text)
		return
	}
	p.toks = lex(lang, text)
	p.statements()
	p.writesState()
}

// statements walks the program once from top to bottom: names first get the values known so far.
func (p *program) statements() {
	for i := 0; i < len(p.toks) && !p.f.M.Tired(); {
		if end, ok := p.assignment(i); ok {
			i = end
			continue
		}
		if end, ok := p.loop(i); ok {
			i = end
			continue
		}
		t := p.tok(i)
		p.renamed(i)
		switch {
		case t.kind == nameTok && p.lang == "other" && word.Has("script system exec command shell run popen", t.text) && p.tok(i+1).kind == strTok: // AppleScript, Lisp
			p.shell(p.tok(i + 1).text)
			i += 2
		case t.kind == execTok:
			p.shell(p.fill(t.text))
			i++
		case t.kind == nameTok || t.kind == strTok:
			_, end := p.expr(i)
			i = max(end, i+1)
		default:
			i++
		}
	}
}

// renamed records "x as y" and "{ x: y }" where x starts processes.
func (p *program) renamed(i int) {
	from, mid, to := p.tok(i), p.tok(i+1), p.tok(i+2)
	if from.kind != nameTok || to.kind != nameTok {
		return
	}
	as := mid.kind == nameTok && mid.text == "as"
	last := from.text[strings.LastIndexByte(from.text, '.')+1:]
	if as || mid.kind == markTok && mid.text == ":" && runner(p.lang, from.text, last) {
		p.alias[to.text] = from.text
	}
}

// real is a called name with what it was renamed from.
func (p *program) real(name string) string {
	head, tail, dotted := strings.Cut(name, ".")
	to, ok := p.alias[head]
	if !ok || to == head {
		return name
	}
	if dotted {
		return to + "." + tail
	}
	return to
}

// assignment records name = value.
func (p *program) assignment(i int) (int, bool) {
	for word.Has("const let var my our local auto final", p.tok(i).text) && p.tok(i).kind == nameTok {
		i++
	}
	t := p.tok(i)
	if t.kind != nameTok || p.mark(i+1, "=") && (p.mark(i+2, "=") || p.mark(i+2, ">") || p.mark(i+2, "~")) {
		return i, false
	}
	at := i + 1
	if p.mark(at, ":") && p.mark(at+1, "=") {
		at++
	}
	add := p.mark(at, "+") && p.mark(at+1, "=")
	if add {
		at++
	}
	if !p.mark(at, "=") {
		return i, false
	}
	v, end := p.expr(at + 1)
	if last := p.tok(end - 1); last.kind == nameTok && strings.Contains(last.text, ".") {
		p.alias[t.text] = strings.TrimPrefix(last.text, ".") // run = require("child_process").execSync
		if fn := last.text[strings.LastIndexByte(last.text, '.')+1:]; !runner(p.lang, fn, fn) && !runner(p.lang, last.text, fn) {
			delete(p.alias, t.text)
		}
	}
	if add {
		v = concat(p.names[t.text], v)
	}
	p.names[t.text] = v
	return max(end, at+1), true
}

// loop records the name of "for x in list" and "for (const x of list)" as one of the list's texts.
func (p *program) loop(i int) (int, bool) {
	if p.tok(i).kind != nameTok || p.tok(i).text != "for" && p.tok(i).text != "foreach" {
		return i, false
	}
	for j := i + 1; j < i+6; j++ {
		if t := p.tok(j); t.kind == nameTok && (t.text == "in" || t.text == "of") {
			v, end := p.expr(j + 1)
			v.each, v.list = v.list, false
			p.names[p.tok(j-1).text] = v
			return max(end, j+1), true
		}
	}
	return i, false
}

// call evaluates a call: what it would do if it runs something, and what it gives back where that is known.
func (p *program) call(name string, open int) (value, int) {
	name = p.real(name)
	last := name[strings.LastIndexByte(name, '.')+1:]
	args, end := p.args(open)
	p.did(name, last, args)
	switch {
	case strings.HasSuffix(name, "shlex.split"):
		return splitValue(valueOf(args), nil), end
	case word.Has("str String list tuple Path pathlib.Path int Number repr os.fspath str.strip", name) && len(args) > 0:
		return args[0].val, end
	case word.Has("path.join os.path.join File.join join", name) && len(args) > 0:
		var parts []string
		for _, a := range args {
			parts = append(parts, a.val.text())
		}
		return textValue(strings.Join(parts, "/")), end
	case strings.HasSuffix(name, ".split") || strings.HasSuffix(name, ".join") || strings.HasSuffix(name, ".format") ||
		strings.HasSuffix(name, ".concat") || strings.HasSuffix(name, ".trim") || strings.HasSuffix(name, ".strip"):
		if v, ok := p.names[name[:len(name)-len(last)-1]]; ok {
			return p.method(v, last, args), end
		}
	}
	return value{items: []string{word.Hole}, pairs: prNumberOf(last, args)}, end
}

func valueOf(args []arg) value {
	if len(args) == 0 {
		return textValue(word.Hole)
	}
	return args[0].val
}

// bareCall is system "…" without brackets, as Perl, Ruby and PHP allow.
func (p *program) bareCall(name string, i int) (value, int, bool) {
	if !word.Has("system exec spawn popen puts print echo die warn require use qx", name) || p.tok(i).kind == markTok && !p.mark(i, "[") {
		return value{}, i, false
	}
	var args []arg
	for {
		v, end := p.expr(i)
		args = append(args, arg{val: v})
		i = max(end, i+1)
		if !p.mark(i, ",") {
			break
		}
		i++
	}
	p.did(name, name, args)
	return textValue(word.Hole), i, true
}

// methodCall is a method on a value that is no name: repo.get_pull(5).merge().
func (p *program) methodCall(name, last string, args []arg, on value) {
	p.sdk("."+name, last, args, on)
	if last == "execute" && p.lang == "other" && len(on.items) > 0 {
		p.shell(on.text()) // Groovy
		return
	}
	if runner(p.lang, "."+name, last) {
		p.run(name, args)
	}
}

// did judges one call.
func (p *program) did(name, last string, args []arg) {
	switch {
	case word.Has("exec eval Function", name) && (p.lang == "python" || p.lang == "node" && name != "exec"):
		p.nested(args)
	case last == "Bash" || last == "PowerShell" || last == "Monitor":
		p.shell(act.LeafText(pairsOf(args), "command"))
	case runner(p.lang, name, last):
		p.run(name, args)
	case strings.HasPrefix(name, "sh.gh") || strings.HasPrefix(name, "sh.git") && p.lang == "python":
		p.argv(append(strings.Split(name[3:], "."), flatten(args)...))
	default:
		p.request(name, last, args)
		p.sdk(name, last, args, p.names[strings.TrimSuffix(name, "."+last)])
	}
}

// runner tells whether a call starts a process.
func runner(lang, name, last string) bool {
	if strings.HasPrefix(name, "re.") || strings.HasPrefix(name, "console.") || name == "print" {
		return false
	}
	if word.Has(`system popen Popen check_call check_output getoutput getstatusoutput execSync execFile execFileSync spawn spawnSync
execvp execv execve execvpe execl execlp execle execlpe spawnlp spawnvp spawnl spawnv posix_spawn posix_spawnp startfile shell_exec passthru proc_open pcntl_exec
create_subprocess_shell create_subprocess_exec capture2 capture2e capture3 pipeline popen2 popen3 popen2e execa execaSync execaCommand execaCommandSync
fork spawnlpe runcmd exec_command doShellScript do_shell_script execute ProcessBuilder`, last) {
		return last != "execute" || word.Has("os.execute", name)
	}
	switch last {
	case "run", "call":
		return word.Has("subprocess.run subprocess.call sp.run sp.call pexpect.run run call invoke.run c.run Bun.run", name)
	case "exec":
		return lang != "python" && (word.Has("exec .exec", name) || word.HasPart(name, "child_process cp. shell Runtime") || word.Has("php perl ruby", lang))
	case "Command", "CommandContext":
		return name == "exec.Command" || name == "exec.CommandContext" || strings.HasSuffix(name, "Deno.Command")
	case "cmd":
		return name == "System.cmd"
	case "open":
		return lang == "perl" || name == "IO.popen"
	}
	return false
}

// nested reads text that the language itself would evaluate.
func (p *program) nested(args []arg) {
	text := valueOf(args).text()
	if word.Blank(text) {
		p.f.Opaque("exec(…)", "the program it would run is only known when it runs")
		return
	}
	p.f.Within("eval", func() { Read(p.f, p.lang, text, nil) })
}

// flatten is the arguments' texts in a row, lists opened.
func flatten(args []arg) []string {
	var out []string
	for _, a := range args {
		if (a.key == "" || a.key == "args" || a.key == "cmd" || a.key == "command") && len(a.val.pairs) == 0 {
			out = append(out, a.val.items...)
		}
		for _, pair := range a.val.pairs {
			if pair.Path == "args" {
				out = append(out, strings.Fields(pair.Value)...)
			}
		}
	}
	return out
}

// run starts a process with a call's arguments: one text for a shell, or a command's words.
func (p *program) run(name string, args []arg) {
	if len(args) > 0 && args[0].val.each {
		for _, item := range args[0].val.items {
			p.start(name, append([]arg{{val: textValue(item)}}, args[1:]...))
		}
		return
	}
	p.start(name, args)
}

func (p *program) start(name string, args []arg) {
	words := flatten(args)
	for len(words) > 1 && words[0] == word.Hole && strings.Contains(name, "spawn") || len(words) > 1 && words[0] == word.Hole && strings.HasSuffix(name, "CommandContext") {
		words = words[1:]
	}
	if len(words) == 0 {
		return
	}
	first := strings.TrimSpace(words[0])
	if p.lang == "perl" && strings.HasSuffix(name, "open") {
		first = strings.Trim(strings.Join(words[1:], " "), "|")
		words = []string{first}
	}
	list := len(args) > 0 && args[0].val.list
	switch {
	case first == word.Hole || word.Blank(first):
		if len(words) == 1 || word.Blank(strings.Join(words, "")) {
			p.f.Opaque(name+"(…)", "the command it would run is only known when it runs")
			return
		}
		p.argv(words)
	case strings.ContainsAny(first, " \t\n;|&") && !list:
		p.shell(first)
	case len(words) > 1 && words[1] == words[0] && strings.Contains(name, "exec"), len(words) > 1 && words[1] == words[0] && strings.Contains(name, "spawn"):
		p.argv(words[1:])
	default:
		p.argv(words)
	}
}

// shell runs text as the language would hand it to a shell.
func (p *program) shell(text string) {
	g := p.f.External()
	if text == "" {
		return
	}
	if word.Blank(text) {
		p.f.Opaque(p.lang, "the command it would run is only known when it runs")
		return
	}
	g.Run(text)
}

func (p *program) argv(words []string) {
	argv := word.Lits(words...)
	if len(argv) > 0 && argv[0].Text != "" {
		p.f.External().Exec(argv)
	}
}

// writesState notes a program that names a file of the loop and also writes, moves or deletes files.
func (p *program) writesState() {
	named := ""
	writing := false
	for i, t := range p.toks {
		switch t.kind {
		case strTok, wordTok:
			text := p.fill(t.text)
			if named == "" && p.statePiece(i, text) {
				named = text
			}
			writing = writing || len(text) <= 3 && text != "" && strings.Trim(text, "wax+bt") == "" && strings.ContainsAny(text, "wax") ||
				len(text) == 3 && text[:2] == "r+" || text == "r+" || strings.HasPrefix(text, ">")
		case nameTok:
			writing = writing || writes(t.text[strings.LastIndexByte(t.text, '.')+1:])
		}
	}
	if named != "" && writing {
		p.f.PathAct(named, p.lang+": "+named)
	}
}

func writes(last string) bool {
	return word.Has(`write write_text write_bytes writeFile writeFileSync appendFile appendFileSync unlink unlinkSync remove rmtree rmSync rm rmdir rmdirSync
removedirs rename renameSync renames truncate truncateSync ftruncate copyFile copyFileSync copy copy2 copytree copyfile move copytree createWriteStream open_w
file_put_contents fwrite delete rm_rf rm_r rm_f mv cp FileUtils touch WriteFile RemoveAll Remove Rename Truncate writeTextFile writeTextFileSync dump symlink link`, last)
}

// statePiece tells whether the string at token i names a file of the loop, alone or with the strings around it.
func (p *program) statePiece(i int, text string) bool {
	if p.f.Guarded(text) {
		return true
	}
	if !strings.HasSuffix(strings.TrimSuffix(text, "/"), ".sdd") {
		return false
	}
	for j := i + 1; j < len(p.toks) && j < i+8; j++ {
		if t := p.tok(j); t.kind == strTok && (t.text == "loop" || strings.HasPrefix(t.text, "loop/") || strings.HasPrefix(t.text, "/loop")) {
			return true
		}
	}
	return strings.HasPrefix(text, ".sdd") || strings.HasSuffix(text, "/.sdd")
}
