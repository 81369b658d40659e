package program

import (
	"maps"
	"strings"

	"hooks/internal/guard/shell"
	"hooks/internal/guard/word"
)

// rulesFile is what is read of a Makefile or a justfile: assignments, and rules with the lines
// below them.
type rulesFile struct {
	just  bool
	vars  map[string]string
	rules map[string]*rule
	first string
	runs  []string // commands that make runs while it reads: NAME := $(shell …)
	done  map[string]bool
}

type rule struct {
	params []string // of just
	deps   []string
	lines  []string
}

// rulesRun runs the rules that make or just is given.
func rulesRun(f *shell.Frame, args []word.Word, just bool) {
	valued := `-f --file --makefile -C --directory -I --include-dir -o --old-file -W --what-if
--eval -E`
	lists := "-n --just-print --dry-run --recon -q --question -h --help -v --version"
	names := []string{"GNUmakefile", "makefile", "Makefile"}
	if just {
		valued = "-f --justfile -d --working-directory --set --shell --dotenv-path --dump-format"
		lists = "-n --dry-run -l --list --summary --dump --show -s --evaluate --help -h --version"
		names = []string{"justfile", "Justfile", ".justfile"}
	}
	fl := word.ParseFlags(args, valued)
	if fl.On(strings.Fields(lists)...) {
		return
	}
	g := f.External()
	if dir, ok := fl.Get("-C", "--directory"); ok {
		g.Cwd = f.Resolve(dir.Text)
	}
	if file, ok := fl.Get("-f", "--file", "--makefile", "--justfile"); ok {
		names = []string{file.Text}
	}
	text, from := firstFile(g, "", names...)
	for _, w := range fl.All("--eval", "-E") {
		text, from = text+"\n"+strings.Replace(w.Text, ":;", ":\n\t", 1)+"\n", shell.Fresh
	}
	if from == shell.Nowhere || word.Blank(text) {
		return
	}
	g.Disk = from == shell.Disk
	rf := &rulesFile{
		just:  just,
		vars:  map[string]string{"MAKE": "make", "SHELL": "/bin/sh"},
		rules: map[string]*rule{},
		done:  map[string]bool{},
	}
	rf.read(g, text, 0)
	for _, line := range rf.runs {
		g.Look("make $(shell)", line)
	}
	var goals []string
	for _, w := range fl.Pos {
		if k, v, ok := strings.Cut(w.Text, "="); ok {
			rf.vars[strings.TrimRight(k, ":+?")] = v
		} else {
			goals = append(goals, w.Text)
		}
	}
	if len(goals) == 0 {
		goals = []string{rf.first}
	}
	for i, goal := range goals {
		rf.run(g, goal, goals[i+1:])
	}
}

func (rf *rulesFile) read(f *shell.Frame, text string, depth int) {
	var cur []*rule
	for _, line := range strings.Split(strings.ReplaceAll(text, "\\\n", " "), "\n") {
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || words[0][0] == '#' || line[0] == '[':
		case line[0] == '\t' || rf.just && line[0] == ' ':
			for _, r := range cur {
				r.lines = append(r.lines, strings.TrimLeft(line, " \t"))
			}
		case len(words) > 1 && word.Has("include -include sinclude", words[0]):
			for _, p := range words[1:] {
				if depth < 4 && f.M.Spend(1) {
					rf.read(f, f.FileText(rf.expand(p, 0)), depth+1)
				}
			}
		case !rf.assign(line):
			cur = rf.head(line)
		}
	}
}

// assign reads NAME = value and its kin, and just's aliases.
func (rf *rulesFile) assign(line string) bool {
	for _, op := range []string{":::=", "::=", ":=", "?=", "+=", "="} {
		name, val, ok := strings.Cut(line, op)
		name = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(name), "export "))
		val = strings.TrimSpace(val)
		if alias, is := strings.CutPrefix(name, "alias "); ok && is {
			rf.rules[strings.TrimSpace(alias)] = &rule{deps: []string{val}}
			return true
		}
		if !ok || name == "" || strings.ContainsAny(name, " :") {
			continue
		}
		if rf.just {
			val = unquoted(val)
		}
		if op == "+=" {
			val = word.ClipHole(rf.vars[name] + " " + val)
		}
		rf.vars[name] = val
		if op != "=" && op != "?=" && strings.Contains(val, "$(shell ") {
			rf.runs = append(rf.runs, rf.expand(val, 0))
		}
		return true
	}
	return false
}

// head reads a rule's head: targets, or a name and its parameters, and what must run before.
func (rf *rulesFile) head(line string) []*rule {
	head, deps, ok := strings.Cut(line, ":")
	names := strings.Fields(rf.expand(strings.TrimPrefix(head, "@"), 0))
	if !ok || len(names) == 0 {
		return nil
	}
	var params []string
	if rf.just {
		names, params = names[:1], names[1:]
	}
	deps, recipe, inline := strings.Cut(strings.TrimPrefix(deps, ":"), ";")
	var rules []*rule
	for _, name := range names {
		r := rf.rules[name]
		if r == nil {
			r = &rule{params: params}
			rf.rules[name] = r
		}
		for _, d := range strings.Fields(rf.expand(deps, 0)) {
			r.deps = append(r.deps, strings.Trim(d, "()"))
		}
		if inline {
			r.lines = append(r.lines, recipe)
		}
		if rf.first == "" && name[0] != '.' {
			rf.first = name
		}
		rules = append(rules, r)
	}
	return rules
}

// run runs a rule and before it those that it needs. The words behind it are just's arguments.
func (rf *rulesFile) run(f *shell.Frame, goal string, args []string) {
	r := rf.rules[goal]
	if r == nil || rf.done[goal] || !f.M.Spend(1) {
		return
	}
	rf.done[goal] = true
	for _, d := range r.deps {
		rf.run(f, d, args)
	}
	defer f.Through("recipe " + goal)()
	outer := rf.vars
	rf.vars = maps.Clone(outer)
	defer func() { rf.vars = outer }()
	g := f.External()
	g.Args, g.Name = args, goal
	rf.vars["@"] = goal
	for i, p := range r.params {
		name, val, _ := strings.Cut(strings.TrimLeft(p, "+*$"), "=")
		val = unquoted(val)
		switch {
		case i < len(args) && strings.ContainsAny(p[:1], "+*"):
			val = strings.Join(args[i:], " ")
		case i < len(args):
			val = args[i]
		}
		rf.vars[name] = val
		g.Set(name, val)
	}
	var lines []string
	for _, line := range r.lines {
		lines = append(lines, strings.TrimLeft(rf.expand(line, 0), "@-+ \t"))
	}
	if len(lines) > 0 && strings.HasPrefix(lines[0], "#!") {
		g.Script(strings.Join(lines, "\n"), shell.Fresh, goal)
		return
	}
	for _, line := range lines {
		g.External().Run(line)
	}
}

// expand puts variables in; in a Makefile $$ becomes $, functions but shell become unknown.
func (rf *rulesFile) expand(s string, depth int) string {
	if rf.just {
		return fillBraces(s, rf.vars)
	}
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
		switch s[i] {
		case '$':
			out.WriteByte('$')
		case '(', '{':
			end := word.Matching(s, i)
			if end < 0 {
				return out.String() + word.Hole
			}
			out.WriteString(rf.variable(s[i+1:end], depth))
			i = end
		default:
			out.WriteString(rf.variable(s[i:i+1], 7))
		}
	}
	return out.String()
}

func (rf *rulesFile) variable(name string, depth int) string {
	if cmd, ok := strings.CutPrefix(name, "shell "); ok {
		return "$(" + cmd + ")"
	}
	val, ok := rf.vars[name]
	switch {
	case name == "@" && ok:
		return val
	case ok && depth <= 6 && len(val) <= 4096:
		return rf.expand(val, depth+1)
	case strings.ContainsAny(name, " ,") || len(name) == 1:
		return word.Hole
	}
	return "${" + name + "}"
}

// fillBraces puts values into {{name}}.
func fillBraces(line string, vars map[string]string) string {
	for range 40 {
		i := strings.Index(line, "{{")
		j := i + strings.Index(line[max(i, 0):], "}}")
		if i < 0 || j < i {
			return line
		}
		val, ok := vars[strings.TrimSpace(line[i+2:j])]
		if !ok {
			val = word.Hole
		}
		line = word.ClipHole(line[:i] + val + line[j+2:])
	}
	return word.Hole
}
