package program

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"hooks/internal/guard/effect"
	"hooks/internal/guard/shell"
	"hooks/internal/guard/shellword"
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
		return runner{
			files:  "Taskfile.yml Taskfile.yaml taskfile.yml taskfile.yaml Taskfile.dist.yml",
			valued: "-t --taskfile -d --dir -o --output -C --concurrency -I --interval",
			lists:  "-n --dry -l --list -a --list-all --summary -h --help -i --init",
		}, true
	case "mise", "rtx", "poe", "poethepoet":
		files := "mise.toml .mise.toml mise.local.toml"
		if strings.HasPrefix(name, "poe") {
			files = "pyproject.toml poe_tasks.toml"
		}
		return runner{
			files:  files,
			valued: "-C --cd --directory -j --jobs -t --tool",
			lists:  "-n --dry-run -h --help -d",
		}, true
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

// runRecipe runs recipes and reports whether the command line asks for any. Every word that names
// one counts; the words behind it are its arguments.
func runRecipe(f *shell.Frame, name string, argv []shellword.Word) bool {
	kind, ok := runnerOf(name)
	if !ok {
		return false
	}
	fl := shellword.ParseFlags(argv[1:], kind.valued)
	switch {
	case fl.On(strings.Fields(kind.lists)...):
		return true
	case shellword.Has("bun deno node", name) && !fl.On("--run") &&
		!shellword.Has("run task install", fl.Arg(0).Text):
		return false
	}
	r := &recipes{runner: kind, name: name, f: f.External(), done: map[string]bool{}}
	r.vars = map[string]string{"MAKE": "make"}
	value := func(flags ...string) string {
		for _, flag := range flags {
			if v := fl.Val(flag); v != "" && shellword.Has(kind.valued, flag) {
				return v
			}
		}
		return ""
	}
	if dir := value("-C", "--directory", "--prefix", "--dir", "--cwd", "--cd", "-d"); dir != "" {
		r.f.Cwd = f.Resolve(dir)
	}
	if kind.json {
		for file := range strings.FieldsSeq(kind.files) {
			r.read(file)
		}
		r.packages(fl)
		return r.runAll(append(fl.All("-t", "--target", "--targets", "--run"), fl.Pos...))
	}
	own := value("-f", "--file", "--makefile", "--justfile", "-t", "--taskfile")
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
	leaves []effect.Field // of JSON
	from   shell.Origin
	vars   map[string]string
	values *strings.Replacer // puts the variables in, nil when one changed
	done   map[string]bool
}

// read adds a file, and the variables that it sets.
func (r *recipes) read(file string) bool {
	text, from := r.f.Open(file)
	if r.f.Unread(text, from) || from == shell.Nowhere || shellword.Blank(text) {
		return false
	}
	r.from = from
	if r.json {
		leaves, whole := shellword.JSONLeavesWhole(text)
		if r.leaves = append(r.leaves, leaves...); !whole {
			r.f.M.Bounded("a package file of more values than are read", text)
		}
		return true
	}
	text = strings.ReplaceAll(text, "\\\n", " ")
	r.text += text + "\n"
	for line := range strings.SplitSeq(text, "\n") {
		words := strings.Fields(line)
		if !r.lines || len(words) < 2 || indent(line) > 0 || !r.f.M.Burn(1) {
			continue
		}
		if name, op, value := assignment(line); name != "" {
			r.set(name, op, value)
		} else if shellword.Has("include -include sinclude", words[0]) && !r.done[line] {
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
	if r.vars[name] = value; len(value) > maxValue { // it may be a command all the same
		r.f.Look(r.name, value)
		r.vars[name] = shellword.Unknown
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
		if len(next) > shellword.MaxText || !r.f.M.Burn(1+len(next)/64) {
			bound := fmt.Sprintf("a recipe line of more than %d bytes", shellword.MaxText)
			r.f.M.Bounded(bound, r.text)
			return shellword.Unknown
		}
		if next == text {
			break
		}
		text = next
	}
	if r.lines {
		parts := strings.Split(text, "$(")
		for i, part := range parts[1:] {
			name, rest, _ := strings.Cut(part, ")")
			if parts[i+1] = "$(" + part; shellword.Assignment(name + "=") { // of the environment
				parts[i+1] = "${" + name + "}" + rest
			}
		}
		text = strings.NewReplacer("$$", "$", "$(shell ", "$(", "$<", shellword.Unknown, "$^",
			shellword.Unknown,
			"$@", shellword.Unknown).Replace(strings.Join(parts, ""))
	}
	parts := strings.Split(text, "{{")
	for i, part := range parts[1:] {
		_, rest, _ := strings.Cut(part, "}}")
		parts[i+1] = shellword.Unknown + rest
	}
	return strings.Join(parts, "")
}

// maxPackages bounds the packages of a project whose scripts are read.
const maxPackages = 24

// packages reads the other packages of a project, where the command asks for their scripts.
func (r *recipes) packages(fl shellword.Flags) {
	if !shellword.Has("turbo nx lerna", r.name) && !shellword.HasWord(fl.Pos, "workspace") &&
		!shellword.HasWord(fl.Pos, "workspaces") && !fl.On("-r", "--recursive", "-w", "--workspace",
		"--workspaces", "--ws", "-F", "--filter") {
		return
	}
	list, _ := r.f.M.Files.(effect.Folders)
	n := 0
	for _, in := range []string{"packages", "apps", "libs", "services"} {
		if list == nil || !r.f.M.Burn(50) {
			return
		}
		for _, name := range list.List(r.f.Resolve(in)) {
			if n++; n > maxPackages {
				bound := fmt.Sprintf("more than %d packages", maxPackages)
				r.f.M.Bounded(bound, shellword.JoinText(fl.Pos))
				return
			}
			r.read(in + "/" + name + "/package.json")
			r.read(in + "/" + name + "/project.json")
		}
	}
}

// runAll runs the recipes that the words name.
func (r *recipes) runAll(goals []shellword.Word) bool {
	if len(goals) == 0 {
		goals = shellword.Lits(r.first())
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
	case shellword.Has("install i ci add", goal):
		return strings.Fields("preinstall install postinstall prepare")
	case shellword.Has("pack publish", goal):
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
func (r *recipes) run(goal string, args []shellword.Word) bool {
	cmds, ok := r.commands(goal, args)
	if !ok {
		last := goal[strings.LastIndexAny(goal, ":.")+1:] // in a namespace
		return last != goal && last != "" && r.run(last, args)
	}
	if r.done[goal] || !r.f.M.Burn(1) {
		return true
	}
	r.done[goal] = true
	g := r.f.External()
	g.Disk = g.Disk || r.from == shell.Disk
	g.Args, g.Name = shellword.Texts(args), goal
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
func (r *recipes) commands(goal string, args []shellword.Word) (cmds []string, ok bool) {
	for _, fd := range r.leaves {
		target, isTarget := strings.CutPrefix(fd.Path, "targets."+goal+".")
		if fd.Path == "scripts."+goal || fd.Path == "tasks."+goal ||
			isTarget && strings.Contains(target, "command") {
			cmds = append(cmds, fd.Value+" "+shellword.Quoted(args))
		}
	}
	block := r.block(goal)
	switch {
	case block == nil:
		return cmds, len(cmds) > 0
	case r.lines:
		return r.lineCommands(block, args), true
	}
	r.set(".CLI_ARGS", "=", shellword.JoinText(args))
	return textCommands(block), true
}

// lineCommands are the commands of make and just: lines of shell text, behind the recipes that must
// run before. The first line has the parameters of just.
func (r *recipes) lineCommands(block []string, args []shellword.Word) []string {
	head, deps, _ := strings.Cut(block[0], ":")
	deps, inline, _ := strings.Cut(strings.TrimLeft(deps, ":"), ";")
	cmds := append(strings.Fields(r.filled(deps)), inline)
	for i, p := range strings.Fields(head)[1:] {
		name, value, _ := strings.Cut(strings.TrimLeft(p, "+*$"), "=")
		switch {
		case i < len(args) && strings.ContainsAny(p[:1], "+*"):
			value = shellword.JoinText(args[i:])
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

// textCommands are the values and list items of a recipe in YAML or TOML.
func textCommands(block []string) []string {
	var out []string
	for _, line := range block {
		line = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "- "))
		key, val, ok := strings.Cut(line, ": ")
		if !ok || strings.ContainsAny(key, " \"'") {
			key, val = "", line
		}
		if line == "" || shellword.Has("desc summary", key) {
			continue
		}
		val = strings.TrimSpace(val)
		if out = append(out, unquoted(val)); strings.HasPrefix(val, "[") {
			for item := range strings.SplitSeq(strings.Trim(val, "[]"), ",") {
				out = append(out, unquoted(strings.TrimSpace(item)))
			}
		}
	}
	return out
}

func unquoted(val string) string {
	if n := len(val); n > 1 && (val[0] == '"' || val[0] == '\'') && val[n-1] == val[0] {
		return val[1 : n-1]
	}
	return val
}

// block is a recipe's header, without its name in YAML and TOML, and the lines that belong to it;
// nil if the file has no such recipe.
func (r *recipes) block(goal string) []string {
	if goal == "" || strings.ContainsAny(goal, " \t\n/=") || shellword.HasUnknown(goal) ||
		!r.f.M.Burn(1+len(r.text)/256) {
		return nil
	}
	lines := strings.Split(r.text, "\n")
	for i, line := range lines {
		head, ok := r.head(line, goal)
		if !ok {
			continue
		}
		block := []string{head}
		for _, next := range lines[i+1:] {
			t := strings.TrimSpace(next)
			if t != "" && t[0] != '#' && indent(next) <= indent(line) {
				break
			}
			block = append(block, next)
		}
		return block
	}
	return nil
}

func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }

// head reports whether a line begins the recipe of that name. Of make and just it is the whole
// line, of YAML and TOML the text behind the name.
func (r *recipes) head(line, goal string) (head string, ok bool) {
	if !r.lines {
		rest, ok := strings.CutPrefix(strings.TrimLeft(line, " \t\"'"), goal)
		rest = strings.TrimLeft(rest, " \"'") + " "
		return strings.TrimSpace(rest[1:]), ok && (rest[0] == ':' || rest[0] == '=')
	}
	line = strings.TrimPrefix(strings.TrimPrefix(line, "@"), "alias ")
	names, _, ok := strings.Cut(line, ":")
	if strings.Contains(names, "$") {
		names = r.filled(names)
	}
	ok = ok && indent(line) == 0 && slices.Contains(strings.Fields(names), goal)
	return strings.Replace(line, ":=", ":", 1), ok
}
