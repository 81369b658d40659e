package program

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"hooks/internal/guard/act"
	"hooks/internal/guard/shell"
	"hooks/internal/guard/word"
)

// runner is a program that runs the recipes of a file by their names: make, just, the task runners,
// and the package managers with their scripts.
type runner struct {
	files  string // the first of them that can be read
	valued string // flags that take a value
	lists  string // flags with which nothing is run
	lines  bool   // a recipe is lines of shell text
	json   bool   // the file is JSON, and the project may hold several
}

func runnerOf(name string) (runner, bool) {
	switch name {
	case "make", "remake":
		return runner{
			files:  "GNUmakefile makefile Makefile",
			valued: "-f --file --makefile -C --directory -I --include-dir -o --old-file -W",
			lists:  "-n --just-print --dry-run --recon -q --question -h --help -v --version",
			lines:  true,
		}, true
	case "just":
		return runner{
			files:  "justfile Justfile .justfile",
			valued: "-f --justfile -d --working-directory --set --shell --dotenv-path",
			lists:  "-n --dry-run -l --list --summary --dump --show -s --evaluate -h --help",
			lines:  true,
		}, true
	case "task", "go-task":
		return taskRunner(
			"Taskfile.yml Taskfile.yaml taskfile.yml taskfile.yaml Taskfile.dist.yml"), true
	case "mise", "rtx":
		return taskRunner(
			"mise.toml .mise.toml mise.local.toml .mise/config.toml .config/mise.toml"), true
	case "poe", "poethepoet":
		return taskRunner("pyproject.toml poe_tasks.toml"), true
	case "npm", "pnpm", "yarn", "bun", "deno", "node", "run-p", "run-s", "npm-run-all", "turbo",
		"nx", "lerna":
		return runner{
			files: "package.json deno.json deno.jsonc project.json",
			valued: `-C --prefix --dir --cwd -F --filter --loglevel -w --workspace -t --target
--targets --run`,
			lists: "-h --help",
			json:  true,
		}, true
	}
	return runner{}, false
}

// taskRunner is a program that keeps its recipes in YAML or TOML.
func taskRunner(files string) runner {
	return runner{
		files:  files,
		valued: "-t --taskfile -d --dir -C --directory --cd -j --jobs -c --concurrency -o --output",
		lists:  "-n --dry --dry-run -l --list -a --list-all --summary -h --help -i --init",
	}
}

// recipe runs recipes and reports whether the command line asks for any. Every word that names one
// counts; the words behind it are its arguments.
func recipe(f *shell.Frame, name string, argv []word.Word) bool {
	kind, ok := runnerOf(name)
	fl := word.ParseFlags(argv[1:], kind.valued)
	switch {
	case !ok:
		return false
	case fl.On(strings.Fields(kind.lists)...):
		return true
	case word.Has("bun deno node", name) && !fl.On("--run") &&
		!word.Has("run task install", fl.Arg(0).Text):
		return false
	}
	r := &recipes{runner: kind, name: name, f: f.External(), done: map[string]bool{}}
	r.vars = map[string]string{"MAKE": "make"}
	if dir, ok := fl.Get("-C", "--directory", "--prefix", "--dir", "--cwd", "--cd", "-d"); ok {
		r.f.Cwd = f.Resolve(dir.Text)
	}
	if kind.json {
		for file := range strings.FieldsSeq(kind.files) {
			r.read(file)
		}
		r.packages(fl)
		return r.runAll(append(fl.All("-t", "--target", "--targets", "--run"), fl.Pos...))
	}
	own := fl.Val("-f", "--file", "--makefile", "--justfile", "-t", "--taskfile")
	for file := range strings.FieldsSeq(cmp.Or(own, kind.files)) {
		if r.read(file) {
			break
		}
	}
	return r.runAll(fl.Pos)
}

// recipes is the text of a runner's file.
type recipes struct {
	runner
	name   string
	f      *shell.Frame
	text   string
	leaves []act.Field // of JSON
	from   shell.Origin
	vars   map[string]string
	values *strings.Replacer // puts the variables in, nil when one changed
	done   map[string]bool
}

// read adds a file, and the variables that it sets.
func (r *recipes) read(file string) bool {
	text, from := r.f.Open(file)
	if r.f.Unread(text, from) || from == shell.Nowhere || word.Blank(text) {
		return false
	}
	r.from = from
	if r.json {
		leaves, whole := word.JSONLeavesWhole(text)
		if r.leaves = append(r.leaves, leaves...); !whole {
			r.f.M.Bounded("a package file of more values than are read", text)
		}
		return true
	}
	text = strings.ReplaceAll(text, "\\\n", " ")
	r.text += text + "\n"
	for line := range strings.SplitSeq(text, "\n") {
		words := strings.Fields(line)
		if !r.lines || len(words) < 2 || indent(line) > 0 || !r.f.M.Spend(1) {
			continue
		}
		if name, op, value := assignment(line); name != "" {
			r.set(name, op, value)
		} else if word.Has("include -include sinclude", words[0]) && !r.done[line] {
			r.done[line] = true
			for _, p := range words[1:] {
				r.read(r.filled(p))
			}
		}
	}
	return true
}

// assignment takes NAME = value and its kin apart, and just's aliases.
func assignment(line string) (name, op, value string) {
	line = strings.TrimPrefix(line, "export ")
	i := strings.IndexByte(line, '=')
	if i < 1 || line[0] == '#' {
		return "", "", ""
	}
	name = strings.TrimRight(line[:i], ":?+! ")
	if name == "" || strings.ContainsAny(name, " \t:") {
		return "", "", ""
	}
	return name, strings.TrimSpace(line[len(name) : i+1]), strings.TrimSpace(line[i+1:])
}

func (r *recipes) set(name, op, value string) {
	if value = unquoted(value); op == "+=" {
		value = r.vars[name] + " " + value
	}
	if r.vars[name] = value; len(value) > maxValue {
		r.vars[name] = word.Hole
	}
	r.values = nil
}

// Bounds of what variables make of a text: the length of a value in bytes, and how often values are
// put into values.
const (
	maxValue = 1 << 10
	maxFills = 4
)

// filled puts the variables into a text. What else it names is unknown.
func (r *recipes) filled(text string) string {
	if r.values == nil {
		var pairs []string
		for _, name := range slices.Sorted(maps.Keys(r.vars)) {
			v := r.vars[name]
			pairs = append(pairs, "$("+name+")", v, "${"+name+"}", v, "{{"+name+"}}", v,
				"{{ "+name+" }}", v)
		}
		r.values = strings.NewReplacer(pairs...)
	}
	for range maxFills {
		next := r.values.Replace(text)
		if len(next) > word.MaxText || !r.f.M.Spend(1+len(next)/64) {
			return word.Hole
		}
		if next == text {
			break
		}
		text = next
	}
	if r.lines {
		text = strings.NewReplacer("$$", "$", "$(shell ", "$(", "$<", word.Hole, "$^", word.Hole,
			"$@", word.Hole).Replace(text)
	}
	for {
		before, rest, ok := strings.Cut(text, "{{")
		if !ok {
			return text
		}
		_, after, _ := strings.Cut(rest, "}}")
		text = before + word.Hole + after
	}
}

// maxPackages bounds the packages of a project whose scripts are read.
const maxPackages = 24

// packages reads the other packages of a project, where the command asks for their scripts.
func (r *recipes) packages(fl word.Flags) {
	if !word.Has("turbo nx lerna", r.name) && !word.HasWord(fl.Pos, "workspace") &&
		!word.HasWord(fl.Pos, "workspaces") && !fl.On("-r", "--recursive", "-w", "--workspace",
		"--workspaces", "--ws", "-F", "--filter") {
		return
	}
	list, _ := r.f.M.Files.(act.Folders)
	n := 0
	for _, in := range []string{"packages", "apps", "libs", "services"} {
		if list == nil || !r.f.M.Spend(50) {
			return
		}
		for _, name := range list.List(r.f.Resolve(in)) {
			if n++; n > maxPackages {
				bound := fmt.Sprintf("more than %d packages", maxPackages)
				r.f.M.Bounded(bound, word.JoinText(fl.Pos))
				return
			}
			r.read(in + "/" + name + "/package.json")
			r.read(in + "/" + name + "/project.json")
		}
	}
}

// runAll runs the recipes that the words name.
func (r *recipes) runAll(goals []word.Word) bool {
	if len(goals) == 0 {
		goals = word.Lits(r.first())
	}
	for _, w := range goals {
		if name, _, value := assignment(w.Text); name != "" && r.lines {
			r.set(name, "=", value)
		}
	}
	ran := false
	for i, w := range goals {
		args := goals[i+1:]
		for _, goal := range r.around(w.Text) {
			ran = r.run(goal, args) || ran
			if goal == w.Text && r.json {
				args = nil
			}
		}
	}
	return ran || r.lines
}

// around are the recipes that a word makes the runner run: package managers run some besides.
func (r *recipes) around(goal string) []string {
	switch {
	case !r.json:
		return []string{goal}
	case word.Has("install i ci add", goal):
		return strings.Fields("preinstall install postinstall prepare")
	case word.Has("pack publish", goal):
		return strings.Fields("prepublishOnly prepack prepare postpack publish postpublish")
	}
	return []string{goal, "pre" + goal, "post" + goal}
}

// first is the recipe that runs where none is named.
func (r *recipes) first() string {
	for line := range strings.SplitSeq(r.text, "\n") {
		names, _, ok := strings.Cut(line, ":")
		set, _, _ := assignment(line)
		if r.lines && ok && set == "" && strings.IndexByte(" \t#.[:", line[0]) < 0 {
			return strings.TrimPrefix(strings.Fields(names)[0], "@")
		}
	}
	return "default"
}

// run runs a recipe and reports whether there is one of that name.
func (r *recipes) run(goal string, args []word.Word) bool {
	cmds, ok := r.commands(goal, args)
	if !ok {
		last := goal[strings.LastIndexAny(goal, ":.")+1:] // in a namespace
		return last != goal && last != "" && r.run(last, args)
	}
	if r.done[goal] || !r.f.M.Spend(1) {
		return true
	}
	r.done[goal] = true
	g := r.f.External()
	g.Disk = g.Disk || r.from == shell.Disk
	g.Args, g.Name = word.Texts(args), goal
	for _, cmd := range cmds {
		if name := strings.Trim(cmd, ":()"); name != goal && r.block(name) != nil {
			r.run(name, args)
			continue
		}
		runs := func() {
			defer g.Through(r.name + " " + goal)()
			cwd := g.Cwd
			g.Script(r.filled(cmd), shell.Fresh, goal)
			g.Cwd = cwd
		}
		if r.lines || r.json {
			runs()
		} else { // not every text of it is a command
			g.Quietly(runs)
		}
	}
	return true
}

// commands are the texts of a recipe that it may run, or that name other recipes.
func (r *recipes) commands(goal string, args []word.Word) (cmds []string, ok bool) {
	for _, fd := range r.leaves {
		target, isTarget := strings.CutPrefix(fd.Path, "targets."+goal+".")
		if fd.Path == "scripts."+goal || fd.Path == "tasks."+goal ||
			isTarget && strings.Contains(target, "command") {
			cmds = append(cmds, fd.Value+" "+word.Quoted(args))
		}
	}
	block := r.block(goal)
	switch {
	case block == nil:
		return cmds, len(cmds) > 0
	case r.lines:
		return r.lineCommands(block, args), true
	}
	r.set(".CLI_ARGS", "=", word.JoinText(args))
	return textCommands(block), true
}

// lineCommands are the commands of make and just: lines of shell text, behind the recipes that must
// run before. The first line has the parameters of just.
func (r *recipes) lineCommands(block []string, args []word.Word) []string {
	head, deps, _ := strings.Cut(block[0], ":")
	deps, inline, _ := strings.Cut(strings.TrimLeft(deps, ":"), ";")
	cmds := append(strings.Fields(r.filled(deps)), inline)
	for i, p := range strings.Fields(head)[1:] {
		name, value, _ := strings.Cut(strings.TrimLeft(p, "+*$"), "=")
		switch {
		case i < len(args) && strings.ContainsAny(p[:1], "+*"):
			value = word.JoinText(args[i:])
		case i < len(args):
			value = args[i].Text
		}
		r.set(name, "=", value)
	}
	var lines []string
	for _, line := range block[1:] {
		lines = append(lines, strings.TrimLeft(line, "@-+ \t"))
	}
	if len(lines) > 0 && strings.HasPrefix(lines[0], "#!") {
		return append(cmds, strings.Join(lines, "\n"))
	}
	return append(cmds, lines...)
}

// textCommands are the values, list items and quoted texts of a recipe in YAML or TOML.
func textCommands(block []string) []string {
	var out []string
	for _, line := range block {
		line = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "- "))
		key, val := taskKey(line)
		if line == "" || word.Has("desc description summary help usage title", key) {
			continue
		}
		if word.Assignment(line) { // within a text of several lines
			val = line
		}
		out = append(out, unquoted(val))
		if val != "" && strings.IndexByte("[{\"'", val[0]) >= 0 {
			out = append(out, literals(line)...)
		}
		if strings.ContainsAny(line, "[:") { // deps: [a, b]
			parts := func(c rune) bool { return strings.ContainsRune("[]{}, :", c) }
			out = append(out, strings.FieldsFunc(val, parts)...)
		}
	}
	return out
}

// taskKey parts key: value and key = value; the key of anything else is "".
func taskKey(line string) (key, val string) {
	i := 0
	for i < len(line) && (word.NameByte(line[i]) || strings.IndexByte(`-"'`, line[i]) >= 0) {
		i++
	}
	rest := strings.TrimSpace(line[i:])
	if i == 0 || rest == "" || strings.IndexByte(":=", rest[0]) < 0 {
		return "", line
	}
	if rest[0] == ':' && len(line) > i+1 && line[i+1] != ' ' {
		return "", line
	}
	return strings.Trim(line[:i], `"'`), strings.TrimSpace(rest[1:])
}

func unquoted(val string) string {
	if n := len(val); n > 1 && (val[0] == '"' || val[0] == '\'') && val[n-1] == val[0] {
		return val[1 : n-1]
	}
	return val
}

// literals are the texts between quotes.
func literals(line string) []string {
	var out []string
	for i := 0; i < len(line); i++ {
		if line[i] != '"' && line[i] != '\'' {
			continue
		}
		end := i + 1
		for end < len(line) && line[end] != line[i] {
			end += 1 + word.Btoi(line[end] == '\\')
		}
		if end >= len(line) {
			break
		}
		out = append(out, word.Unescape(line[i+1:end], true))
		i = end
	}
	return out
}

// block is a recipe's header, without its name in data, and what belongs to it; nil where the file
// has no such recipe.
func (r *recipes) block(goal string) []string {
	if goal == "" || strings.ContainsAny(goal, " \t\n/=") || word.Unknown(goal) ||
		!r.f.M.Spend(1+len(r.text)/256) {
		return nil
	}
	lines := strings.Split(r.text, "\n")
	for i, line := range lines {
		head, table, ok := r.head(line, goal)
		if !ok {
			continue
		}
		block := []string{head}
		depth, open := indent(line), openBrackets(head)
		for _, next := range lines[i+1:] {
			t := strings.TrimSpace(next)
			switch {
			case table && strings.HasPrefix(t, "["):
				return block
			case table, t == "", open > 0, indent(next) > depth:
			default:
				return block
			}
			open += openBrackets(t)
			block = append(block, next)
		}
		return block
	}
	return nil
}

// openBrackets is how many brackets a line leaves open.
func openBrackets(line string) int {
	return strings.Count(line, "[") - strings.Count(line, "]") +
		strings.Count(line, "{") - strings.Count(line, "}")
}

func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }

// head reports whether a line begins the recipe of that name. Of make and just it is the whole
// line, of YAML and TOML what stands behind the name; table is a TOML table.
func (r *recipes) head(line, goal string) (head string, table, ok bool) {
	if r.lines {
		line = strings.TrimPrefix(strings.TrimPrefix(line, "@"), "alias ")
		names, _, ok := strings.Cut(line, ":")
		if strings.Contains(names, "$") {
			names = r.filled(names)
		}
		if !ok || indent(line) > 0 || !slices.Contains(strings.Fields(names), goal) {
			return "", false, false
		}
		return strings.Replace(line, ":=", ":", 1), false, true
	}
	line = strings.TrimSpace(line)
	if strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]") {
		name := strings.Trim(line, "[]")
		return "", true, strings.Trim(name[strings.LastIndex(name, ".")+1:], `"'`) == goal
	}
	for _, q := range []string{"", `"`, `'`} {
		rest, found := strings.CutPrefix(line, q+goal+q)
		if !found || rest != "" && word.NameByte(rest[0]) {
			continue
		}
		rest = strings.TrimSpace(rest)
		if rest != "" && strings.IndexByte(":=", rest[0]) >= 0 {
			return strings.TrimSpace(rest[1:]), false, true
		}
	}
	return "", false, false
}
