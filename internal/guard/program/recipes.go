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
		rulesRun(f, argv[1:], false)
	case "just":
		rulesRun(f, argv[1:], true)
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

// packageScript runs a script of the package in a folder and reports whether it has one.
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
