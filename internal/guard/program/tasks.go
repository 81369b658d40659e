package program

import (
	"fmt"
	"path"
	"strings"

	"hooks/internal/guard/act"
	"hooks/internal/guard/code"
	"hooks/internal/guard/forges"
	"hooks/internal/guard/shell"
	"hooks/internal/guard/word"
)

// tasks says where a task runner keeps its recipes. They are read by their shape: a header that
// names the recipe, and what stands below it or further in.
type tasks struct {
	files  string // the first of them that can be read
	verbs  string // words before the recipe's name; if there are any, one must stand there
	valued string // flags that take a value
	lists  string // flags with which nothing is run
	dirs   string // folders in which a file is a recipe
}

func taskRunner(name string) (tasks, bool) {
	switch name {
	case "task", "go-task":
		return tasks{
			files:  "Taskfile.yml Taskfile.yaml taskfile.yml taskfile.yaml Taskfile.dist.yml",
			valued: "-t --taskfile -d --dir -o --output -C --concurrency -I --interval",
			lists:  "-n --dry -l --list -a --list-all --summary -h --help -i --init",
		}, true
	case "mise", "rtx":
		return tasks{
			files:  "mise.toml .mise.toml mise.local.toml .mise/config.toml .config/mise.toml",
			verbs:  "run r tasks task",
			valued: "-C --cd -j --jobs -t --tool",
			lists:  "-n --dry-run -h --help",
			dirs:   "mise-tasks .mise-tasks mise/tasks .mise/tasks .config/mise/tasks",
		}, true
	case "poe", "poethepoet":
		return tasks{
			files:  "pyproject.toml poe_tasks.toml",
			valued: "-C --directory",
			lists:  "-h --help -d --dry-run",
		}, true
	case "inv", "invoke":
		return tasks{
			files:  "tasks.py",
			valued: "-c --collection -r --search-root",
			lists:  "-l --list -h --help -R --dry",
		}, true
	case "rake":
		return tasks{
			files:  "Rakefile rakefile Rakefile.rb",
			valued: "-f --rakefile -C --directory -r",
			lists:  "-n --dry-run -T --tasks -P -D -W -h --help",
		}, true
	}
	return tasks{}, false
}

// taskRun runs recipes of a task runner and reports whether the command line was one.
func taskRun(f *shell.Frame, name string, args []word.Word) bool {
	kind, ok := taskRunner(name)
	if !ok {
		return false
	}
	fl := word.ParseFlags(args, kind.valued)
	if fl.On(strings.Fields(kind.lists)...) {
		return true
	}
	goals := fl.Pos
	verb := false
	for len(goals) > 0 && word.Has(kind.verbs, goals[0].Text) {
		goals, verb = goals[1:], true
	}
	if kind.verbs != "" && !verb {
		return false
	}
	g := f.External()
	if dir, ok := fl.Get("-C", "-d", "--dir", "--directory", "--cd", "--working-dir"); ok {
		g.Cwd = f.Resolve(dir.Text)
	}
	files := strings.Fields(kind.files)
	if own := fl.Val("-t", "--taskfile", "-f", "--rakefile"); own != "" {
		files = []string{own}
	}
	text, from := firstFile(g, "", files...)
	if len(goals) == 0 {
		goals = word.Lits("default")
	}
	tf := &taskfile{text: text, done: map[string]bool{}, python: strings.HasSuffix(files[0], ".py")}
	if len(goals) > 1 {
		tf.args = word.JoinText(goals[1:])
	}
	ran := false
	for i, w := range goals {
		switch {
		case tf.run(g, from, name, w.Text), recipeFile(g, kind.dirs, w.Text, goals[i+1:]):
			ran = true
		case ran || i > 0: // its own words
		case from != shell.Nowhere && forges.MergingText(text):
			f.OpaqueForge(name+" "+word.Join(args),
				"a recipe that cannot be read, in a file that merges")
		case from == shell.Nowhere && word.MergeWord(w.Text):
			f.Opaque(name+" "+word.Join(args),
				"a recipe that cannot be read and is named after a merge")
		}
	}
	return ran || kind.verbs == ""
}

// recipeFile runs a recipe that is a file of its own.
func recipeFile(f *shell.Frame, dirs, goal string, args []word.Word) bool {
	file := strings.ReplaceAll(goal, ":", "/")
	for dir := range strings.FieldsSeq(dirs) {
		if f.RunFile(dir+"/"+file, args, "task "+goal) {
			return true
		}
	}
	return false
}

type taskfile struct {
	text   string
	args   string // the words behind the recipe's name
	python bool
	done   map[string]bool
}

// run runs a recipe, and false where the file has none of that name.
func (tf *taskfile) run(f *shell.Frame, from shell.Origin, runner, goal string) bool {
	block := recipeBlock(tf.text, goal)
	if block == nil {
		last := goal[strings.LastIndexAny(goal, ":.")+1:] // in a namespace
		if last != goal && last != "" {
			return tf.run(f, from, runner, last)
		}
		return false
	}
	if tf.done[goal] || !f.M.Spend(1+len(tf.text)/256) {
		return true
	}
	tf.done[goal] = true
	defer f.Through(runner + " " + goal)()
	g := f.Child()
	g.Disk = g.Disk || from == shell.Disk
	if tf.python {
		code.Read(g.Child(), "python", strings.Join(block, "\n"))
	}
	for _, cmd := range tf.commands(block) {
		if name := strings.TrimPrefix(cmd, ":"); name != goal && recipeBlock(tf.text, name) != nil {
			tf.run(f, from, runner, name)
			continue
		}
		g.Quietly(func() { g.Run(tf.fill(cmd)) })
	}
	return true
}

// fill puts the words behind a recipe's name in; other templates are unknown.
func (tf *taskfile) fill(cmd string) string {
	cmd = fillBraces(cmd, map[string]string{".CLI_ARGS": tf.args})
	mark := "#{"
	if tf.python {
		mark = "{"
	}
	for {
		i := strings.Index(cmd, mark)
		if i < 0 {
			return cmd
		}
		end := word.Matching(cmd, i+len(mark)-1)
		if end < 0 {
			return cmd[:i] + word.Hole
		}
		cmd = cmd[:i] + word.Hole + cmd[end+1:]
	}
}

// recipeBlock is a recipe's header and what belongs to it, nil where the file has no such recipe.
func recipeBlock(text, goal string) []string {
	if goal == "" || strings.ContainsAny(goal, " \t\n/") || word.Unknown(goal) {
		return nil
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		rest, table, ok := recipeHead(strings.TrimSpace(line), goal)
		if !ok {
			continue
		}
		block := []string{rest}
		depth, open := indent(line), openBrackets(rest)
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
	n := strings.Count(line, "[") - strings.Count(line, "]")
	n += strings.Count(line, "{") - strings.Count(line, "}")
	return n
}

func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }

// recipeHead reports whether a line begins a recipe of that name, in YAML, TOML, JSON, Python or
// Ruby; rest is what stands behind the name.
func recipeHead(line, goal string) (rest string, table, ok bool) {
	if strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]") {
		name := strings.Trim(line, "[]")
		name = strings.Trim(name[strings.LastIndex(name, ".")+1:], `"'`)
		return "", true, name == goal
	}
	python := strings.ReplaceAll(goal, "-", "_")
	for _, head := range []string{"def " + python + "(", "async def " + python + "("} {
		if strings.HasPrefix(line, head) {
			return "", false, true
		}
	}
	ruby := strings.HasPrefix(line, "task ") || strings.HasPrefix(line, "task(")
	if ruby {
		line = strings.TrimLeft(line[5:], " (:")
	}
	for _, q := range []string{"", `"`, `'`} {
		rest, found := strings.CutPrefix(line, q+goal+q)
		if !found || rest != "" && word.NameByte(rest[0]) {
			continue
		}
		rest = strings.TrimSpace(rest)
		if ruby || rest != "" && strings.IndexByte(":=", rest[0]) >= 0 {
			return strings.TrimSpace(strings.TrimLeft(rest, ":=>")), false, true
		}
	}
	return "", false, false
}

// commands are the texts of a recipe that may be commands or names of other recipes: values, list
// items and strings.
func (tf *taskfile) commands(block []string) []string {
	var out []string
	for i := 0; i < len(block); i++ {
		line := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(block[i]), "- "))
		if line == "" || line[0] == '#' {
			continue
		}
		key, val := taskKey(line)
		if word.Has("desc description summary help usage title", key) {
			continue
		}
		long := ""
		switch {
		case word.Has("| |- |+ > >- >+", val):
			for at := indent(block[i]); i+1 < len(block); {
				if next := block[i+1]; indent(next) <= at && strings.TrimSpace(next) != "" {
					break
				}
				i++
				long += block[i] + "\n"
			}
		case strings.HasPrefix(val, `"""`) || strings.HasPrefix(val, `'''`):
			quote := val[:3]
			long = val[3:] + "\n"
			for !strings.Contains(long, quote) && i+1 < len(block) {
				i++
				long += block[i] + "\n"
			}
			long, _, _ = strings.Cut(long, quote)
		}
		if long != "" && tf.python { // a docstring
			continue
		}
		if long != "" {
			out = append(out, long)
			continue
		}
		texts := literals(line)
		out = append(out, unquoted(val))
		out = append(out, texts...)
		if len(texts) > 1 {
			out = append(out, strings.Join(texts, " "))
		}
		if strings.ContainsAny(line, "[:") { // deps: [a, b], task land: [:a]
			parts := func(r rune) bool { return strings.ContainsRune("[]{}, :", r) }
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

// workspaceRun runs a script of the packages in a monorepo: turbo, nx, lerna, and the workspaces
// of yarn.
func workspaceRun(f *shell.Frame, name string, args []word.Word) bool {
	fl := word.ParseFlags(args, `-t --target --targets -p --projects --filter -F --scope --include
--exclude --from --jobs -j --parallel`)
	pos := word.Texts(fl.Pos)
	script, project := "", ""
	switch {
	case name == "nx" && len(pos) > 0:
		script = pos[0]
		switch {
		case pos[0] == "run" && len(pos) > 1:
			project, script, _ = strings.Cut(pos[1], ":")
		case word.Has("run-many affected", pos[0]):
			script = fl.Val("-t", "--target", "--targets")
		case len(pos) > 1:
			project = pos[1]
		}
	case len(pos) > 1 && pos[0] == "run":
		script = pos[1]
	case len(pos) > 0 && name == "turbo":
		script = pos[0]
	}
	script, _, _ = strings.Cut(script, ":") // a configuration
	if script == "" || word.Unknown(script) {
		return false
	}
	ran := false
	for _, dir := range packages(f, project, script) {
		text, from := f.Open(dir + "project.json")
		for _, fd := range word.JSONLeaves(text) {
			path, ok := strings.CutPrefix(fd.Path, "targets."+script+".")
			if ok && strings.Contains(path, "command") {
				npmScript(f, name+" "+script, fd.Value, nil, from == shell.Disk, true)
				ran = true
			}
		}
		ran = packageScript(f, name, dir, script, nil) || ran
	}
	return ran
}

const maxPackages = 24

// packages are the folders of a project that may hold packages with a script, its own first; named
// is one package, "" for all.
func packages(f *shell.Frame, named, script string) []string {
	dirs := []string{""}
	list, _ := f.M.Files.(act.Folders)
	for _, in := range []string{"packages", "apps", "libs", "services"} {
		if named != "" {
			dirs = append(dirs, in+"/"+path.Base(named)+"/")
			continue
		}
		if list == nil || !f.M.Spend(50) {
			continue
		}
		for _, name := range list.List(f.Resolve(in)) {
			if len(dirs) == maxPackages {
				f.M.Bounded(fmt.Sprintf("more than %d packages", maxPackages), script)
				return dirs
			}
			dirs = append(dirs, in+"/"+name+"/")
		}
	}
	if named != "" {
		dirs = append(dirs, strings.TrimSuffix(named, "/")+"/")
	}
	return dirs
}
