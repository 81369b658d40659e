package program

import (
	"strings"

	"hooks/internal/guard/act"
	"hooks/internal/guard/code"
	"hooks/internal/guard/shell"
	"hooks/internal/guard/word"
)

// recipe runs make, just and the package managers' scripts: their files are read like scripts.
func recipe(f *shell.Frame, name string, argv []word.Word) bool {
	switch name {
	case "make", "remake":
		makeRun(f, argv[1:])
	case "just":
		justRun(f, argv[1:])
	case "npm", "pnpm", "yarn", "bun", "deno", "npx", "bunx", "corepack":
		return npmRun(f, name, argv)
	case "turbo", "nx", "lerna":
		return workspaceRun(f, name, argv[1:])
	case "go":
		return goRun(f, argv)
	default:
		return taskRun(f, name, argv[1:])
	}
	return true
}

// goRun is go run: a file that is read, or a program known by its last part.
func goRun(f *shell.Frame, argv []word.Word) bool {
	if len(argv) < 3 || argv[1].Text != "run" {
		return false
	}
	rest := word.Command(argv[2:], "-C -mod -tags -ldflags -exec -o -p", 0)
	if len(rest) == 0 {
		return true
	}
	name, _, _ := strings.Cut(word.ProgramName(rest[0].Text), "@")
	defer f.Through("go run")()
	switch {
	case strings.HasSuffix(name, ".go"):
		code.File(f.External(), "go", rest)
	case word.Has("gh glab hub tea hooks", name):
		f.External().Named(append(word.Lits(name), rest[1:]...))
	}
	return true
}

// firstFile is the first of the files that can be read, seen from a directory.
func firstFile(f *shell.Frame, dir string, names ...string) (text string, from shell.Origin) {
	for _, n := range names {
		p := n
		if dir != "" && !strings.HasPrefix(n, "/") {
			p = strings.TrimSuffix(dir, "/") + "/" + n
		}
		text, from := f.Open(p)
		if f.Unread(text, from) {
			break
		}
		if from != shell.Nowhere {
			return text, from
		}
	}
	return "", shell.Nowhere
}

// makefile is what is read of a Makefile.
type makefile struct {
	vars  map[string]string
	rules map[string]*rule
	first string
	runs  []string // commands that are run while it is read: NAME := $(shell …)

	includes []string
}

type rule struct {
	deps  []string
	lines []string
}

func makeRun(f *shell.Frame, args []word.Word) {
	fl := word.ParseFlags(args, "-f --file --makefile -C --directory -I --include-dir -o --old-file -W --what-if --eval -E")
	if fl.On("-n", "--just-print", "--dry-run", "--recon", "-q", "--question", "-h", "--help", "-v", "--version") {
		return
	}
	g := f.External()
	if dir, ok := fl.Get("-C", "--directory"); ok {
		g.Cwd = f.Resolve(dir.Text)
	}
	text, from := "", shell.Nowhere
	if file, ok := fl.Get("-f", "--file", "--makefile"); ok {
		text, from = g.Open(file.Text)
	} else {
		text, from = firstFile(g, "", "GNUmakefile", "makefile", "Makefile")
	}
	for _, w := range fl.All("--eval", "-E") {
		text += "\n" + strings.Replace(w.Text, ":;", ":\n\t", 1) + "\n"
		from = shell.Fresh
	}
	if from == shell.Nowhere || word.Blank(text) {
		return
	}
	g.Disk = from == shell.Disk
	mf := parseMakefile(text)
	read := map[string]bool{}
	for i := 0; i < len(mf.includes) && f.M.Spend(1); i++ {
		if p := mf.includes[i]; !read[p] {
			read[p] = true
			mf.read(g.FileText(p))
		}
	}
	for _, line := range mf.runs {
		g.Look("make $(shell)", line)
	}
	var goals []string
	for _, w := range fl.Pos {
		if k, v, ok := strings.Cut(w.Text, "="); ok {
			mf.vars[strings.TrimRight(k, ":+?")] = v
		} else {
			goals = append(goals, w.Text)
		}
	}
	if len(goals) == 0 {
		goals = []string{mf.first}
	}
	done := map[string]bool{}
	for _, goal := range goals {
		makeGoal(g, mf, goal, done)
	}
}

func parseMakefile(text string) *makefile {
	mf := &makefile{vars: map[string]string{"MAKE": "make", "SHELL": "/bin/sh"}, rules: map[string]*rule{}}
	mf.read(text)
	return mf
}

func (mf *makefile) read(text string) {
	text = strings.ReplaceAll(text, "\\\n", " ")
	var cur []*rule
	for _, line := range strings.Split(text, "\n") {
		words := strings.Fields(line)
		switch {
		case strings.HasPrefix(line, "\t"):
			for _, r := range cur {
				r.lines = append(r.lines, line[1:])
			}
		case len(words) > 1 && word.Has("include -include sinclude", words[0]):
			mf.includes = append(mf.includes, strings.Fields(mf.expand(strings.Join(words[1:], " "), 0))...)
		case strings.TrimSpace(line) == "" || strings.HasPrefix(strings.TrimSpace(line), "#"):
		default:
			cur = mf.line(line)
		}
	}
}

// line reads an assignment or a rule's head.
func (mf *makefile) line(line string) []*rule {
	for _, op := range []string{":::=", "::=", ":=", "?=", "+=", "="} {
		name, val, ok := strings.Cut(line, op)
		if name = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(name), "export ")); ok && name != "" && !strings.ContainsAny(name, " :") {
			if op == "+=" {
				val = word.ClipHole(mf.vars[name] + " " + val)
			}
			mf.vars[name] = strings.TrimSpace(val)
			if op != "=" && op != "?=" && strings.Contains(val, "$(shell ") {
				mf.runs = append(mf.runs, mf.expand(val, 0))
			}
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
		if out.Len() > word.MaxShell {
			return word.Hole
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
			end := word.Matching(s, i)
			if end < 0 {
				return out.String() + word.Hole
			}
			out.WriteString(mf.variable(s[i+1:end], depth))
			i = end
		default:
			out.WriteString(word.Hole)
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
			return word.Hole
		}
		return "${" + name + "}"
	}
	return mf.expand(val, depth+1)
}

func makeGoal(f *shell.Frame, mf *makefile, goal string, done map[string]bool) {
	r := mf.rules[goal]
	if r == nil || done[goal] || !f.M.Spend(1) {
		return
	}
	done[goal] = true
	for _, d := range r.deps {
		makeGoal(f, mf, d, done)
	}
	defer f.Through("make " + goal)()
	for _, line := range r.lines {
		text := strings.TrimLeft(strings.ReplaceAll(mf.expand(line, 0), "$@", goal), "@-+ \t")
		if text != "" {
			f.External().Run(text)
		}
	}
}

// npmRun runs a script of package.json, with its pre and post; ok is false for commands that are no scripts.
func npmRun(f *shell.Frame, name string, argv []word.Word) bool {
	const valued = "-C --prefix --dir -w --workspace -F --filter --cwd --loglevel"
	fl := word.ParseFlags(argv[1:], valued)
	args := word.Command(argv[1:], valued, 0)
	dirs := []string{""}
	if in := fl.Val("-C", "--prefix", "--dir", "--cwd"); in != "" {
		dirs = []string{strings.TrimSuffix(in, "/") + "/"}
	}
	for _, w := range fl.All("-w", "--workspace", "-F", "--filter") {
		dirs = append(dirs, packages(f, strings.TrimRight(w.Text, ".*^{}"), "")[1:]...)
	}
	if fl.On("-r", "--recursive", "--workspaces", "--ws") {
		dirs = packages(f, "", word.JoinText(args))
	}
	if name == "yarn" && len(args) > 1 && args[0].Text == "workspace" {
		dirs, args = packages(f, args[1].Text, ""), args[2:]
	} else if name == "yarn" && len(args) > 1 && args[0].Text == "workspaces" {
		dirs = packages(f, "", word.JoinText(args))
		foreach := word.Btoi(args[1].Text == "foreach")
		args = word.Command(args[1:], "--from --include --exclude -j --jobs", foreach)
	}
	if name == "npx" || name == "bunx" || len(args) == 0 {
		return npxRun(f, name, argv)
	}
	script, rest := args[0].Text, args[1:]
	switch script {
	case "run", "run-script", "rum", "urn", "task":
		rest = word.Command(rest, "-w --workspace -C --prefix", 0)
		if len(rest) == 0 {
			return true
		}
		script, rest = rest[0].Text, rest[1:]
	case "t":
		script = "test"
	case "test", "start", "stop", "restart", "install", "i", "ci", "add", "pack", "publish", "version":
	case "pkg":
		for _, w := range rest {
			if k, v, ok := strings.Cut(w.Text, "="); ok {
				f.M.Scripts[k] = v
			}
		}
		return true
	case "exec", "x", "dlx":
		return npxRun(f, name, append(argv[:1:1], rest...))
	default:
		if name == "npm" {
			return false
		}
	}
	ran := false
	for _, dir := range dirs {
		ran = packageScript(f, name, dir, script, rest) || ran
	}
	return ran
}

// packageScript runs a script of the package in a folder, and tells whether it has one.
func packageScript(f *shell.Frame, name, dir, script string, rest []word.Word) bool {
	text, from := firstFile(f, dir, "package.json")
	if name == "deno" {
		text, from = firstFile(f, dir, "deno.json", "deno.jsonc")
	}
	leaves, whole := word.JSONLeavesWhole(text)
	if !whole {
		f.M.Bounded("a package file of more values than are read", text)
	}
	if dir == "" {
		for k, v := range f.M.Scripts {
			leaves = append(leaves, act.Field{Path: k, Value: v})
		}
	}
	ran := false
	for _, s := range lifecycle(script) {
		for _, fd := range leaves {
			if fd.Path == "scripts."+s || fd.Path == "tasks."+s {
				npmScript(f, name+" run "+s, fd.Value, rest, from == shell.Disk, s == script)
				ran = true
			}
		}
	}
	return ran
}

// lifecycle are the scripts of package.json that a command runs, in their order.
func lifecycle(command string) []string {
	switch command {
	case "install", "i", "ci", "add":
		return []string{"preinstall", "install", "postinstall", "preprepare", "prepare", "postprepare"}
	case "pack", "publish":
		return []string{"prepublishOnly", "prepack", "prepare", "postpack", "publish", "postpublish"}
	}
	return []string{"pre" + command, command, "post" + command}
}

func npmScript(f *shell.Frame, label, text string, rest []word.Word, onDisk, main bool) {
	defer f.Through(label)()
	if len(rest) > 0 && rest[0].Text == "--" {
		rest = rest[1:]
	}
	if main && len(rest) > 0 {
		text += " " + word.Quoted(rest)
	}
	g := f.External()
	g.Disk = g.Disk || onDisk
	g.Run(text)
}

// npxRun runs a package's program; -c takes shell text.
func npxRun(f *shell.Frame, name string, argv []word.Word) bool {
	if text, ok := word.FlagText(argv[1:], "-c --call"); ok {
		f.Within(name, func() { f.External().Run(text) })
		return true
	}
	rest := word.Command(argv[1:], "-p --package -w --workspace", 0)
	if len(rest) == 0 {
		return true
	}
	f.Within(name, func() { f.External().Exec(rest) })
	return true
}
