package guard

import "strings"

// recipe runs make, just and the package managers' scripts: their files are read like scripts.
func (f *frame) recipe(name string, argv []word) bool {
	switch name {
	case "make", "gmake", "remake":
		f.makeRun(argv[1:])
	case "just":
		f.justRun(argv[1:])
	case "npm", "pnpm", "yarn", "bun", "npx", "bunx", "corepack":
		return f.npmRun(name, argv)
	case "task", "go-task":
		f.taskRun(argv[1:])
	case "go":
		return f.goRun(argv)
	default:
		return false
	}
	return true
}

// goRun is go run: a file that is read, or a program known by its last part.
func (f *frame) goRun(argv []word) bool {
	if len(argv) < 3 || argv[1].text != "run" {
		return false
	}
	rest := command(argv[2:], "-C -mod -tags -ldflags -exec -o -p", 0)
	if len(rest) == 0 {
		return true
	}
	name, _, _ := strings.Cut(programName(rest[0].text), "@")
	defer f.through("go run")()
	switch {
	case strings.HasSuffix(name, ".go"):
		f.external().codeFile("go", rest)
	case has("gh glab hub tea hooks", name):
		f.external().named(append(lits(name), rest[1:]...))
	}
	return true
}

// firstFile is the first of the files that can be read, seen from a directory.
func (f *frame) firstFile(dir string, names ...string) (text string, from origin) {
	for _, n := range names {
		p := n
		if dir != "" && !strings.HasPrefix(n, "/") {
			p = dir + "/" + n
		}
		if text, from := f.open(p); from != nowhere && len(text) <= 4*maxText {
			return text, from
		}
	}
	return "", nowhere
}

// makefile is what is read of a Makefile.
type makefile struct {
	vars  map[string]string
	rules map[string]*rule
	first string
}

type rule struct {
	deps  []string
	lines []string
}

func (f *frame) makeRun(args []word) {
	fl := parseFlags(args, "-f --file --makefile -C --directory -I --include-dir -o --old-file -W --what-if --eval -E -l --load-average")
	if fl.on("-n", "--just-print", "--dry-run", "--recon", "-q", "--question", "-h", "--help", "-v", "--version") {
		return
	}
	g := f.external()
	if dir, ok := fl.get("-C", "--directory"); ok {
		g.cwd = f.resolve(dir.text)
	}
	text, from := "", nowhere
	if file, ok := fl.get("-f", "--file", "--makefile"); ok {
		text, from = g.open(file.text)
	} else {
		text, from = g.firstFile("", "GNUmakefile", "makefile", "Makefile")
	}
	for _, w := range fl.all("--eval", "-E") {
		text += "\n" + strings.Replace(w.text, ":;", ":\n\t", 1) + "\n"
		from = fresh
	}
	if from == nowhere || blank(text) {
		return
	}
	g.disk = from == disk
	mf := parseMakefile(text)
	var goals []string
	for _, w := range fl.pos {
		if k, v, ok := strings.Cut(w.text, "="); ok {
			mf.vars[strings.TrimRight(k, ":+?")] = v
		} else {
			goals = append(goals, w.text)
		}
	}
	if len(goals) == 0 {
		goals = []string{mf.first}
	}
	done := map[string]bool{}
	for _, goal := range goals {
		g.makeGoal(mf, goal, done)
	}
}

func parseMakefile(text string) *makefile {
	mf := &makefile{vars: map[string]string{"MAKE": "make", "SHELL": "/bin/sh"}, rules: map[string]*rule{}}
	text = strings.ReplaceAll(text, "\\\n", " ")
	var cur []*rule
	for _, line := range strings.Split(text, "\n") {
		switch {
		case strings.HasPrefix(line, "\t"):
			for _, r := range cur {
				r.lines = append(r.lines, line[1:])
			}
		case strings.TrimSpace(line) == "" || strings.HasPrefix(strings.TrimSpace(line), "#"):
		default:
			cur = mf.line(line)
		}
	}
	return mf
}

// line reads an assignment or a rule's head.
func (mf *makefile) line(line string) []*rule {
	for _, op := range []string{":::=", "::=", ":=", "?=", "+=", "="} {
		name, val, ok := strings.Cut(line, op)
		if name = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(name), "export ")); ok && name != "" && !strings.ContainsAny(name, " :") {
			if op == "+=" {
				val = clipHole(mf.vars[name] + " " + val)
			}
			mf.vars[name] = strings.TrimSpace(val)
			return nil
		}
	}
	head, deps, ok := strings.Cut(line, ":")
	if !ok {
		return nil
	}
	deps, recipe, inline := strings.Cut(strings.TrimPrefix(deps, ":"), ";")
	var rules []*rule
	for _, target := range strings.Fields(mf.expand(head, 0)) {
		r := mf.rules[target]
		if r == nil {
			r = &rule{}
			mf.rules[target] = r
		}
		r.deps = append(r.deps, strings.Fields(mf.expand(deps, 0))...)
		if inline {
			r.lines = append(r.lines, recipe)
		}
		if mf.first == "" && !strings.HasPrefix(target, ".") {
			mf.first = target
		}
		rules = append(rules, r)
	}
	return rules
}

// expand puts variables in; $$ becomes $, functions but shell become unknown.
func (mf *makefile) expand(s string, depth int) string {
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		if out.Len() > maxText {
			return hole
		}
		if s[i] != '$' || i+1 >= len(s) {
			out.WriteByte(s[i])
			continue
		}
		i++
		switch c := s[i]; c {
		case '$':
			out.WriteByte('$')
		case '(', '{':
			end := matching(s, i)
			if end < 0 {
				return out.String() + hole
			}
			out.WriteString(mf.variable(s[i+1:end], depth))
			i = end
		default:
			out.WriteString(hole)
		}
	}
	return out.String()
}

func (mf *makefile) variable(name string, depth int) string {
	if cmd, ok := strings.CutPrefix(name, "shell "); ok {
		return "$(" + cmd + ")"
	}
	val, ok := mf.vars[name]
	if !ok || depth > 6 || len(val) > 4096 {
		if strings.ContainsAny(name, " ,") {
			return hole
		}
		return "${" + name + "}"
	}
	return mf.expand(val, depth+1)
}

func (f *frame) makeGoal(mf *makefile, goal string, done map[string]bool) {
	r := mf.rules[goal]
	if r == nil || done[goal] || len(done) > 60 || f.m.tired() {
		return
	}
	done[goal] = true
	for _, d := range r.deps {
		f.makeGoal(mf, d, done)
	}
	defer f.through("make " + goal)()
	for _, line := range r.lines {
		text := strings.TrimLeft(strings.ReplaceAll(mf.expand(line, 0), "$@", goal), "@-+ \t")
		if text != "" {
			f.external().run(text)
		}
	}
}

// npmRun runs a script of package.json, with its pre and post; ok is false for commands that are no scripts.
func (f *frame) npmRun(name string, argv []word) bool {
	args := command(argv[1:], "-C --prefix --dir -w --workspace -F --filter --cwd --loglevel", 0)
	if name == "npx" || name == "bunx" || len(args) == 0 {
		return f.npxRun(name, argv)
	}
	script, rest := args[0].text, args[1:]
	switch script {
	case "run", "run-script", "rum", "urn":
		rest = command(rest, "-w --workspace -C --prefix", 0)
		if len(rest) == 0 {
			return true
		}
		script, rest = rest[0].text, rest[1:]
	case "test", "t", "start", "stop", "restart":
		if script == "t" {
			script = "test"
		}
	case "pkg":
		for _, w := range rest {
			if k, v, ok := strings.Cut(w.text, "="); ok {
				f.m.scripts[k] = v
			}
		}
		return true
	case "exec", "x", "dlx":
		return f.npxRun(name, append(argv[:1:1], rest...))
	default:
		if name == "npm" {
			return false
		}
	}
	text, from := f.firstFile("", "package.json")
	if from == nowhere && len(f.m.scripts) == 0 {
		return false
	}
	leaves := jsonLeaves(text)
	for k, v := range f.m.scripts {
		leaves = append(leaves, Field{k, v})
	}
	ran := false
	for _, s := range []string{"pre" + script, script, "post" + script} {
		for _, fd := range leaves {
			if fd.Path == "scripts."+s {
				f.npmScript(name+" run "+s, fd.Value, rest, from == disk, s == script)
				ran = true
			}
		}
	}
	return ran
}

func (f *frame) npmScript(label, text string, rest []word, onDisk, main bool) {
	defer f.through(label)()
	if len(rest) > 0 && rest[0].text == "--" {
		rest = rest[1:]
	}
	if main && len(rest) > 0 {
		text += " " + quoted(rest)
	}
	g := f.external()
	g.disk = g.disk || onDisk
	g.run(text)
}

// npxRun runs a package's program; -c takes shell text.
func (f *frame) npxRun(name string, argv []word) bool {
	if text, ok := flagText(argv[1:], "-c --call"); ok {
		f.within(name, func() { f.external().run(text) })
		return true
	}
	rest := command(argv[1:], "-p --package -w --workspace", 0)
	if len(rest) == 0 {
		return true
	}
	f.within(name, func() { f.external().argv(rest) })
	return true
}
