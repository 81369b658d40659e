package program

import (
	"maps"
	"strings"

	"hooks/internal/guard/shell"
	"hooks/internal/guard/word"
)

// justRun runs recipes of a justfile.
func justRun(f *shell.Frame, args []word.Word) {
	fl := word.ParseFlags(args, "-f --justfile -d --working-directory --set --shell --dotenv-path --dump-format")
	if fl.On("-n", "--dry-run", "-l", "--list", "--summary", "--dump", "--show", "-s", "--evaluate", "--help", "-h", "--version") {
		return
	}
	text, from := "", shell.Nowhere
	if file, ok := fl.Get("-f", "--justfile"); ok {
		text, from = f.Open(file.Text)
	} else {
		text, from = firstFile(f, "", "justfile", "Justfile", ".justfile")
	}
	if from == shell.Nowhere || word.Blank(text) {
		return
	}
	jf := parseJustfile(text)
	for _, w := range fl.Pos {
		if k, v, ok := strings.Cut(w.Text, "="); ok {
			jf.vars[k] = v
		}
	}
	g := f.External()
	g.Disk = from == shell.Disk
	goals := fl.Pos
	if len(goals) == 0 {
		goals = word.Lits(jf.first)
	}
	for i := 0; i < len(goals); {
		r := jf.recipes[jf.name(goals[i].Text)]
		if r == nil {
			i++
			continue
		}
		take := min(len(r.params), len(goals)-i-1)
		if r.variadic() {
			take = len(goals) - i - 1
		}
		runRecipe(g, jf, jf.name(goals[i].Text), word.Texts(goals[i+1:i+1+take]), 0)
		i += 1 + take
	}
}

type justfile struct {
	vars    map[string]string
	aliases map[string]string
	recipes map[string]*justRecipe
	first   string
}

type justRecipe struct {
	params []string
	deps   []string
	lines  []string
}

func (r *justRecipe) variadic() bool {
	return len(r.params) > 0 && strings.ContainsAny(r.params[len(r.params)-1][:1], "+*")
}

func (jf *justfile) name(n string) string {
	if to, ok := jf.aliases[n]; ok {
		return to
	}
	return n
}

func parseJustfile(text string) *justfile {
	jf := &justfile{map[string]string{}, map[string]string{}, map[string]*justRecipe{}, ""}
	var cur *justRecipe
	for _, line := range strings.Split(strings.ReplaceAll(text, "\\\n", " "), "\n") {
		switch {
		case line != "" && (line[0] == ' ' || line[0] == '\t'):
			if cur != nil {
				cur.lines = append(cur.lines, strings.TrimLeft(line, " \t"))
			}
		case line == "" || line[0] == '#' || line[0] == '[':
		case strings.Contains(line, ":="):
			jf.assign(line)
		default:
			cur = jf.head(line)
		}
	}
	return jf
}

func (jf *justfile) assign(line string) {
	name, val, _ := strings.Cut(line, ":=")
	name, val = strings.TrimSpace(strings.TrimPrefix(name, "export ")), strings.Trim(strings.TrimSpace(val), `"'`)
	if alias, ok := strings.CutPrefix(name, "alias "); ok {
		jf.aliases[strings.TrimSpace(alias)] = val
		return
	}
	jf.vars[name] = val
}

func (jf *justfile) head(line string) *justRecipe {
	head, deps, ok := strings.Cut(line, ":")
	words := strings.Fields(strings.TrimPrefix(head, "@"))
	if !ok || len(words) == 0 {
		return nil
	}
	r := &justRecipe{params: words[1:]}
	for _, d := range strings.Fields(deps) {
		if d = strings.Trim(d, "()"); d != "&&" {
			r.deps = append(r.deps, d)
		}
	}
	jf.recipes[words[0]] = r
	if jf.first == "" {
		jf.first = words[0]
	}
	return r
}

func runRecipe(f *shell.Frame, jf *justfile, name string, args []string, depth int) {
	r := jf.recipes[name]
	if r == nil || !f.M.Spend(1) {
		return
	}
	if depth > 40 {
		f.M.GiveUp("recipes within recipes")
		return
	}
	for _, d := range r.deps {
		runRecipe(f, jf, d, nil, depth+1)
	}
	defer f.Through("just " + name)()
	vars := maps.Clone(jf.vars)
	for i, p := range r.params {
		justParam(f, vars, p, i, args, r)
	}
	g := f.External()
	g.Args, g.Name = args, name
	var lines []string
	for _, line := range r.lines {
		lines = append(lines, justFill(strings.TrimLeft(line, "@-"), vars))
	}
	if len(lines) > 0 && strings.HasPrefix(lines[0], "#!") {
		g.Script(strings.Join(lines, "\n"), shell.Fresh, name)
		return
	}
	for _, line := range lines {
		g.Child().Run(line)
	}
}

func justParam(f *shell.Frame, vars map[string]string, p string, i int, args []string, r *justRecipe) {
	name, val, _ := strings.Cut(strings.TrimLeft(p, "+*$"), "=")
	val = strings.Trim(val, `"'`)
	switch {
	case i == len(r.params)-1 && r.variadic() && i < len(args):
		val = strings.Join(args[i:], " ")
	case i < len(args):
		val = args[i]
	}
	vars[name] = val
	f.Set(name, val)
}

func justFill(line string, vars map[string]string) string {
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
