package guard

import "strings"

// runsText reads programs that run shell text found in one of their arguments or in their input.
func (f *frame) runsText(name string, args []word) string {
	defer f.through(name)()
	g := f.external()
	switch name {
	case "hyperfine", "concurrently", "run-p", "run-s", "onchange", "chokidar":
		for _, w := range parseFlags(args, "-w -r -m -M -n -p -s -P -c --warmup --runs --prepare --names --prefix --export-json --export-markdown").pos {
			g.run(w.text)
		}
		f.runFlag(g, args, "-p --prepare --setup --cleanup --conclude -c --command")
	case "nodemon", "watchexec", "foreman":
		f.runFlag(g, args, "-x --exec")
		rest := command(args, "-x --exec -e --exts -w --watch -i --ignore", 0)
		if len(rest) > 0 && rest[0].text == "run" {
			rest = rest[1:]
		}
		g.argv(rest)
	case "expect":
		text, ok := flagText(args, "-c")
		if !ok && f.stdin != nil {
			text = f.stdin.text
		}
		g.spawned(text)
	case "at", "batch":
		if f.stdin != nil {
			g.shellText(f.stdin.text, name)
		}
		if file, ok := flagText(args, "-f"); ok {
			g.runFile(file, nil, file)
		}
	case "crontab":
		g.crontab(args)
	case "man", "less":
		f.runFlag(g, args, "-P --pager")
	default:
		return f.editorOrTool(g, name, args)
	}
	return hole
}

// runFlag looks at the values of flags that a program hands to a shell.
func (f *frame) runFlag(g *frame, args []word, names string) {
	for i, w := range args {
		name, val, glued := strings.Cut(w.text, "=")
		switch {
		case glued && has(names, name):
			g.run(val)
		case has(names, w.text) && i+1 < len(args):
			g.run(args[i+1].text)
		}
	}
}

func (f *frame) editorOrTool(g *frame, name string, args []word) string {
	switch name {
	case "tar", "gtar", "rsync":
		for i, w := range args {
			for _, flag := range []string{"--checkpoint-action=exec=", "--to-command=", "--use-compress-program=", "--rsh=", "-I", "-e"} {
				if t, ok := strings.CutPrefix(w.text, flag); ok {
					if t == "" && len(flag) == 2 && i+1 < len(args) {
						t = args[i+1].text
					}
					f.look(name+" "+flag, t)
				}
			}
		}
		f.writerOf(name, args)
	case "sed":
		f.sedRuns(args)
		f.writerOf(name, args)
		return f.sedOutput(args)
	case "vim", "nvim", "vi", "ex", "ed":
		f.editor(g, args)
	case "psql", "sqlite3", "mysql", "gdb", "lldb":
		for _, w := range args {
			t := strings.TrimSpace(w.text)
			for _, mark := range []string{`\!`, ".shell ", ".system ", "system ", `\! `, "shell "} {
				if rest, ok := strings.CutPrefix(t, mark); ok {
					g.run(rest)
				}
			}
		}
		for i, w := range args {
			if w.text == "--args" {
				g.argv(args[i+1:])
			}
		}
	}
	return hole
}

// editor reads :!cmd of vim's -c and +, and !cmd lines fed to ed and ex.
func (f *frame) editor(g *frame, args []word) {
	for i, w := range args {
		t := w.text
		switch {
		case (t == "-c" || t == "--cmd") && i+1 < len(args):
			t = args[i+1].text
		case strings.HasPrefix(t, "+"):
			t = t[1:]
		default:
			f.writesIfEdited(w, args)
			continue
		}
		f.bang(g, t)
	}
	if f.stdin != nil {
		for _, line := range strings.Split(f.stdin.text, "\n") {
			f.bang(g, line)
		}
	}
}

func (f *frame) bang(g *frame, t string) {
	t = strings.TrimLeft(strings.TrimSpace(t), ":")
	for _, mark := range []string{"!", "r !", "r!", "silent !", "silent! !", "w !", "%!", "terminal ", "term "} {
		if rest, ok := strings.CutPrefix(t, mark); ok {
			g.run(rest)
			return
		}
	}
}

// writesIfEdited notes a file that an editor without a person would save.
func (f *frame) writesIfEdited(w word, args []word) {
	if strings.HasPrefix(w.text, "-") {
		return
	}
	f.writes(w, joinWords(args))
}

// crontab reads the table that is installed: five time fields and a command, or @daily and a command.
func (f *frame) crontab(args []word) {
	text := ""
	switch {
	case f.stdin != nil:
		text = f.stdin.text
	case len(args) > 0 && !strings.HasPrefix(args[len(args)-1].text, "-"):
		text = f.fileText(args[len(args)-1].text)
	}
	for _, line := range strings.Split(text, "\n") {
		fields := strings.Fields(line)
		skip := 5
		if strings.HasPrefix(line, "@") {
			skip = 1
		}
		if len(fields) > skip && !strings.HasPrefix(line, "#") {
			f.run(strings.Join(fields[skip:], " "))
		}
	}
}

// sedRuns reads GNU sed's e command and s///e flag.
func (f *frame) sedRuns(args []word) {
	fl := parseFlags(args, "-e -f -l -E --expression --file")
	scripts := fl.all("-e", "--expression")
	if len(scripts) == 0 && len(fl.pos) > 0 {
		scripts = fl.pos[:1]
	}
	for _, s := range scripts {
		t := strings.TrimLeft(s.text, "0123456789$, ")
		if rest, ok := strings.CutPrefix(t, "e "); ok {
			f.look("sed e", rest)
		}
		if with, ok := sedExec(t); ok {
			f.look("sed s///e", with)
		}
	}
}

// sedExec is the replacement of s/…/…/e, which sed runs.
func sedExec(t string) (string, bool) {
	if len(t) < 4 || t[0] != 's' {
		return "", false
	}
	parts := strings.Split(t[2:], t[1:2])
	if len(parts) == 3 && strings.Contains(parts[2], "e") && strings.Trim(parts[2], "egpiIM0123456789") == "" {
		return parts[1], true
	}
	return "", false
}
