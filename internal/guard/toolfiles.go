package guard

import (
	"slices"
	"strings"

	"hooks/internal/guard/effect"
	"hooks/internal/guard/forges"
	"hooks/internal/guard/program"
	"hooks/internal/guard/shellword"
)

// writes judges every path in a tool's fields if the tool's name says that it changes files.
func (t tool) writes() {
	if !t.Has(`write edit create delete remove move rename append replace insert patch update
save put truncate copy upload set touch modify overwrite unlink rm mv cp apply str`) {
		return
	}
	takes := t.Has("delete remove move rename unlink rm mv")
	for _, fd := range t.Fields {
		key := strings.ToLower(fd.Key())
		named := shellword.HasPart(key, "path file uri") ||
			shellword.Has("source destination target dest from to src dst directory dir name 0 1",
				key)
		switch {
		case len(fd.Value) > 4096 || strings.Contains(fd.Value, "\n"):
		case !named || strings.Contains(key, "content"):
		case shellword.Has("source from src", key) && t.Has("copy cp"):
		default:
			w := shellword.Lit(strings.TrimPrefix(fd.Value, "file://"))
			t.Takes(w, t.Name+" "+shellword.Clip(fd.Value, 100), takes)
		}
	}
}

// runs reads a tool that runs commands or code. It reads the command as Bash text, whether it is
// one string, a list, or the arguments of a program in the tool's name, such as mcp__gh__run.
func (t tool) runs() {
	runs := t.Has(`execute exec run start shell terminal bash command process spawn powershell cmd
sh ssh cli`)
	evals := runs || t.Has("evaluate eval javascript python repl code script snippet")
	var words []string
	own := shellword.NameWords(toolName(t.Name))
	for _, program := range []string{"gh", "glab", "git"} {
		if slices.Contains(own, program) || strings.Contains(t.Name, "__"+program+"__") {
			words = append(words, program)
			for _, w := range own {
				if shellword.Has("pr mr api repo workflow", w) {
					words = append(words, w)
				}
			}
		}
	}
	if named := t.Text("program", "executable", "binary", "exe"); named != "" {
		words = append(words, named)
	}
	names := "command"
	if runs || len(words) > 0 {
		names += ` subcommand cmd commandline command_line shell_command input args argv arguments`
	}
	before := len(words)
	for name := range strings.FieldsSeq(names) {
		for _, fd := range t.Fields {
			switch key := strings.ToLower(fd.Path); {
			case key == name:
				words = append(words, fd.Value)
			case strings.HasPrefix(key, name+"."):
				words = append(words, shellword.Quote(fd.Value))
			}
		}
	}
	types := t.Has(terminals) || t.Has("send keys type") &&
		shellword.AnyOf(shellword.NameWords(t.Name), terminals)
	in := t.Through(t.Name)
	for _, fd := range t.Fields {
		key := strings.ToLower(fd.Path)
		code := evals &&
			shellword.Has("code script expression function source program javascript js", key)
		switch {
		case types && shellword.Has("keys text data", key),
			code && (t.Has("bash shell sh") || strings.HasPrefix(fd.Value, "%%bash")):
			in.Run(fd.Value)
		case code:
			program.Code(in, "code", fd.Value)
		}
	}
	if len(words) > before {
		in.Run(strings.Join(words, " "))
	}
}

const terminals = "terminal tmux iterm"

// sends judges a tool that sends an HTTP request or a GraphQL mutation.
func (t tool) sends() {
	query := t.Text("query", "mutation", "document", "gql")
	if strings.Contains(query, "mutation") && strings.Contains(query, "{") {
		forges.GraphQL(t.Frame, query, t.Fields, t.Argv)
	}
	url := t.Text("url", "uri", "path", "endpoint", "route", "request")
	method := strings.ToUpper(t.Text("method", "http_method", "httpMethod", "verb"))
	if verb, rest, ok := strings.Cut(url, " "); ok { // "PUT /repos/…"
		method, url = strings.ToUpper(verb), rest
	}
	for _, verb := range []string{"put", "post", "patch", "delete"} {
		if method == "" && t.Has(verb) {
			method = strings.ToUpper(verb)
		}
	}
	if strings.EqualFold(toolName(t.Name), "graphql") || url == "" ||
		!shellword.Has("PUT POST PATCH DELETE", method) {
		return
	}
	body := t.Text("body", "data", "json", "payload")
	q := forges.Request{Method: method, URL: url, Body: body, Argv: t.Argv}
	for _, fd := range t.Fields {
		path := strings.TrimPrefix(strings.TrimPrefix(fd.Path, "body."), "data.")
		q.Fields = append(q.Fields, effect.Field{Path: path, Value: fd.Value})
	}
	forges.Send(t.Frame, q)
}
