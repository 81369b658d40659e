package guard

import (
	"slices"
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
	if full := f.Resolve(p); f.KindAt(shellword.Lit(p)) == paths.Registration {
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

// toolRuns reads tools that run commands or programs: their text is read like Bash's, whether it is
// one text, a list, or the arguments of a program that the tool is: mcp__gh__run.
func toolRuns(f *plain.Frame, t toolShape) {
	runs := t.hasWord(`execute exec run start shell terminal bash command process spawn powershell
cmd sh ssh cli`)
	evals := t.hasWord("evaluate eval javascript python repl code script execute run snippet")
	var words []string
	names := "command"
	own := shellword.NameWords(toolName(t.call.Tool))
	for _, program := range []string{"gh", "glab", "git"} {
		if slices.Contains(own, program) || strings.Contains(t.call.Tool, "__"+program+"__") {
			words = append(words, program)
			for _, w := range own {
				if shellword.Has("pr mr api repo workflow", w) {
					words = append(words, w)
				}
			}
		}
	}
	if named := t.text("program", "executable", "binary", "exe"); named != "" {
		words = append(words, named)
	}
	if runs || len(words) > 0 {
		names += ` subcommand cmd commandline command_line shell_command input args argv arguments`
	}
	before := len(words)
	for name := range strings.FieldsSeq(names) {
		for _, fd := range t.fields {
			switch key := strings.ToLower(fd.Path); {
			case key == name:
				words = append(words, fd.Value)
			case strings.HasPrefix(key, name+"."):
				words = append(words, shellword.Quoted(shellword.Lits(fd.Value)))
			}
		}
	}
	for _, fd := range t.fields {
		switch key := strings.ToLower(fd.Path); {
		case (evals || runs) &&
			shellword.Has("code script expression function source program javascript js", key):
			if t.hasWord("bash shell sh") || strings.HasPrefix(fd.Value, "%%bash") {
				inside(f, t.call.Tool, fd.Value)
			} else {
				program.Code(f.Through(t.call.Tool), "code", fd.Value)
			}
		case shellword.Has("keys text data", key) && t.types():
			inside(f, t.call.Tool, fd.Value)
		}
	}
	if len(words) > before {
		inside(f, t.call.Tool, strings.Join(words, " "))
	}
}

// inside reads text that a tool runs in a shell.
func inside(f *plain.Frame, tool, text string) {
	f.Through(tool).Run(text)
}

// types reports whether a tool types into a terminal, by its own name or by its server's.
func (t toolShape) types() bool {
	const terminals = "terminal tmux iterm"
	return t.hasWord(terminals) || t.hasWord("send keys type") &&
		shellword.AnyOf(shellword.NameWords(t.call.Tool), terminals)
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
		const marks = "merge pull request,squash and merge,rebase and merge,confirm merge," +
			"confirm squash,confirm rebase,enable auto-merge,merge when ready,merge request," +
			"bypass rules and merge"
		for mark := range strings.SplitSeq(marks, ",") {
			clicked := clicks && strings.HasPrefix(text, mark) && len(text) < len(mark)+20
			scripted := runs && strings.Contains(text, ".click(") && strings.Contains(text, mark)
			if clicked || scripted {
				return t.does(f, effect.MergePR)
			}
		}
	}
	return false
}
