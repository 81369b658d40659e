package guard

import (
	"strings"

	"hooks/internal/guard/effect"
	"hooks/internal/guard/forges"
	"hooks/internal/guard/paths"
	"hooks/internal/guard/plain"
	"hooks/internal/guard/program"
	"hooks/internal/guard/shellword"
)

// edit judges Write, Edit and NotebookEdit by their path. The caller looks at the text that they
// leave in a settings file.
func edit(f *plain.Frame, c Call) {
	p := effect.LeafText(c.Fields, "file_path", "notebook_path", "path")
	if p == "" {
		return
	}
	if full := plain.Absolute(p, c.Cwd); f.KindAt(shellword.Lit(p)) == paths.Registration {
		f.Act(Act{Kind: effect.WriteSettings, Ref: p, Path: full, Command: c.Tool + " " + p}, nil)
		return
	}
	f.Writes(shellword.Lit(p), c.Tool+" "+p)
}

// toolFiles judges tools that write files by every path they are given.
func toolFiles(f *plain.Frame, t toolShape) {
	if !t.hasWord(`write edit create delete remove move rename append replace insert patch update
save put truncate copy upload set touch modify overwrite unlink rm mv cp apply str`) {
		return
	}
	takes := t.hasWord("delete remove move rename unlink rm mv")
	for _, fd := range t.fields {
		key := lastKey(fd.Path)
		named := shellword.HasPart(key, "path file uri") ||
			shellword.Has("source destination target dest from to src dst directory dir name 0 1",
				key)
		switch {
		case len(fd.Value) > 4096 || strings.Contains(fd.Value, "\n"):
		case !named || strings.Contains(key, "content"):
		case shellword.Has("source from src", key) && t.hasWord("copy cp"):
		default:
			w := shellword.Lit(strings.TrimPrefix(fd.Value, "file://"))
			f.Takes(w, t.call.Tool+" "+shellword.Clip(fd.Value, 100), takes)
		}
	}
}

// toolRuns reads tools that run commands or programs: their text is read like Bash's.
func toolRuns(f *plain.Frame, t toolShape) {
	runs := t.hasWord(`execute exec run start shell terminal bash command process spawn powershell
cmd sh ssh cli`)
	evals := t.hasWord("evaluate eval javascript python repl code script execute run snippet")
	t.cli(f)
	if line := t.commandLine(); runs && len(line) > 0 {
		inside(f, t.call.Tool, shellword.Quoted(line))
	}
	for _, fd := range t.fields {
		switch key := strings.ToLower(fd.Path); {
		case shellword.Has("command cmd commandline command_line shell_command input", key) &&
			(runs ||
				key == "command"):
			rest := shellword.Quoted(append(t.list("args."), t.list("arguments.")...))
			line := fd.Value + " " + rest + " " + t.text("args")
			inside(f, t.call.Tool, strings.TrimSpace(line))
		case shellword.Has("code source", key) && (evals || runs) && notebookShell(fd.Value) != "":
			inside(f, t.call.Tool, notebookShell(fd.Value))
			fallthrough
		case (evals || runs) &&
			shellword.Has("code script expression function source program javascript js", key):
			t.script(f, fd.Value)
		case shellword.Has("keys text data", key) && t.types():
			inside(f, t.call.Tool, fd.Value)
		}
	}
}

// inside reads text that a tool runs in a shell.
func inside(f *plain.Frame, tool, text string) {
	f.Within(tool, func() { f.Run(text) })
}

// script reads a program that a tool is given.
func (t toolShape) script(f *plain.Frame, text string) {
	if t.hasWord("bash shell sh") {
		inside(f, t.call.Tool, text)
		return
	}
	f.Within(t.call.Tool, func() { program.Code(f, "code", text) })
}

// commandLine are the words of a command that is given as a list, its program perhaps apart.
func (t toolShape) commandLine() []shellword.Word {
	for _, below := range []string{"command.", "cmd.", "argv.", "args.", "arguments."} {
		if words := t.list(below); len(words) > 0 {
			name := t.text("program", "executable", "binary", "exe")
			if name != "" {
				words = append(shellword.Lits(name), words...)
			}
			return words
		}
	}
	return nil
}

// list are the values of the fields below a path: args.0, args.1.
func (t toolShape) list(below string) (words []shellword.Word) {
	for _, fd := range t.fields {
		if strings.HasPrefix(strings.ToLower(fd.Path), below) {
			words = append(words, shellword.Lit(fd.Value))
		}
	}
	return words
}

// notebookShell is the shell text of a notebook's cell: lines behind "!", a cell of %%bash.
func notebookShell(code string) string {
	var out []string
	first, rest, _ := strings.Cut(strings.TrimSpace(code), "\n")
	if shellword.Has("%%bash %%sh %%script", strings.Fields(first + " x")[0]) {
		return rest
	}
	for _, line := range strings.Split(code, "\n") {
		text, ok := strings.CutPrefix(strings.TrimSpace(line), "!")
		if name, _, args := strings.Cut(text, " "); ok && args &&
			strings.Trim(name, "abcdefghijklmnopqrstuvwxyz-") == "" {
			out = append(out, text)
		}
	}
	return strings.Join(out, "\n")
}

// types reports whether a tool types into a terminal, by its own name or by its server's.
func (t toolShape) types() bool {
	const terminals = "terminal tmux iterm"
	server := toolShape{words: shellword.NameWords(t.call.Tool)}
	return t.hasWord(terminals) || t.hasWord("send keys type") && server.hasWord(terminals)
}

// cli reads the arguments of a tool that is one program: mcp__gh__run {"command": "pr merge 5"}.
func (t toolShape) cli(f *plain.Frame) {
	for _, program := range []string{"gh", "glab", "git"} {
		if !t.hasWord(program) && !strings.Contains(t.call.Tool, "__"+program+"__") {
			continue
		}
		parts := []string{program}
		for _, w := range shellword.NameWords(toolName(t.call.Tool)) {
			if shellword.Has("pr mr api repo workflow", w) {
				parts = append(parts, w)
			}
		}
		said := len(parts)
		for _, name := range []string{"subcommand", "command", "cmd", "input", "args"} {
			if text := t.text(name); text != "" {
				parts = append(parts, text)
			}
		}
		if line := t.commandLine(); len(line) > 0 {
			parts = append(parts, shellword.Quoted(line))
		}
		if len(parts) > said {
			inside(f, t.call.Tool, strings.Join(parts, " "))
		}
	}
}

// toolSends reads tools that send HTTP requests or GraphQL.
func toolSends(f *plain.Frame, t toolShape) {
	query := t.text("query", "mutation", "document")
	if strings.Contains(query, "mutation") && strings.Contains(query, "{") {
		forges.GraphQL(f, query, t.fields, label(t.call))
	}
	url := t.text("url", "uri", "path", "endpoint", "route", "request")
	method := strings.ToUpper(t.text("method", "http_method", "httpMethod", "verb"))
	if verb, rest, ok := strings.Cut(url, " "); ok { // "PUT /repos/…"
		method, url = strings.ToUpper(verb), rest
	}
	for _, verb := range []string{"put", "post", "patch", "delete"} {
		if method == "" && t.hasWord(verb) {
			method = strings.ToUpper(verb)
		}
	}
	if strings.EqualFold(toolName(t.call.Tool), "graphql") || url == "" ||
		!shellword.Has("PUT POST PATCH DELETE", method) {
		return
	}
	for _, fd := range t.fields { // /pulls/{pull_number}/merge
		url = shellword.Swap(url, "{"+fd.Path[strings.LastIndexByte(fd.Path, '.')+1:]+"}", fd.Value)
	}
	body := t.text("body", "data", "json", "payload")
	q := forges.Request{Method: method, URL: url, Body: body, Argv: label(t.call)}
	for _, fd := range t.fields {
		path := strings.TrimPrefix(strings.TrimPrefix(fd.Path, "body."), "data.")
		q.Fields = append(q.Fields, Field{Path: path, Value: fd.Value})
	}
	forges.Send(f, q)
}

// toolClick judges a click on a forge's merge button.
func toolClick(f *plain.Frame, t toolShape) bool {
	clicks, runs := t.hasWord("click tap press submit"), t.hasWord("evaluate run code script")
	for _, fd := range t.fields {
		text := strings.ToLower(strings.TrimSpace(fd.Value))
		for _, mark := range []string{
			"merge pull request", "squash and merge", "rebase and merge", "confirm merge",
			"confirm squash", "confirm rebase", "enable auto-merge", "merge when ready",
			"merge request", "bypass rules and merge",
		} {
			clicked := clicks && strings.HasPrefix(text, mark) && len(text) < len(mark)+20
			scripted := runs && strings.Contains(text, ".click(") && strings.Contains(text, mark)
			if clicked || scripted {
				return t.does(f, effect.MergePR)
			}
		}
	}
	return false
}
