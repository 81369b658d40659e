package guard

import "strings"

// edit judges Write, Edit and NotebookEdit by their path; settings only when the hooks' registration goes.
func (f *frame) edit(c Call) {
	p := leafText(c.Fields, "file_path", "notebook_path", "path")
	if p == "" {
		return
	}
	w := lit(p)
	switch kind := kindOfPath(absolute(p, c.Cwd), ""); {
	case kind == stateKind, kind == ordinary:
		f.writes(w, c.Tool+" "+p)
	default:
		if f.dropsHooks(c, p) {
			f.act(Act{Kind: DropRegistration, Ref: p, Command: c.Tool + " " + p}, nil)
		}
	}
}

// dropsHooks tells whether an edit of a settings or plugin file takes the hooks out: a switch that turns them off, or a
// registration that was there and is not any more.
func (f *frame) dropsHooks(c Call, p string) bool {
	var before, after strings.Builder
	for _, fd := range c.Fields {
		switch key := fd.Path[strings.LastIndexByte(fd.Path, '.')+1:]; key {
		case "old_string", "old_str":
			before.WriteString(fd.Value)
		case "content", "new_string", "new_str", "new_source":
			after.WriteString(fd.Value)
		}
	}
	squeezed := strings.Join(strings.Fields(after.String()), "")
	if strings.Contains(squeezed, `"disableAllHooks":true`) || strings.Contains(squeezed, `"allowManagedHooksOnly":true`) ||
		strings.Contains(squeezed, `"hooks@`) && strings.Contains(squeezed, `:false`) {
		return true
	}
	old := before.String()
	if c.Tool == "Write" {
		text, from := f.open(absolute(p, c.Cwd))
		if from == nowhere {
			return f.m.files == nil && !registers(after.String())
		}
		old = text
	}
	return registers(old) && registrations(after.String()) < registrations(old)
}

// registers tells whether settings text starts this program or enables its plugin.
func registers(text string) bool { return registrations(text) > 0 }

func registrations(text string) int {
	n := 0
	for _, mark := range []string{"bin/hooks", `"hooks@`, `"pre-tool-use"`, `"stop"`, "hooks pre-tool-use", "hooks stop", "hooks.json", `"PreToolUse"`, `"Stop"`, `"PostToolUse"`} {
		n += strings.Count(text, mark)
	}
	return n
}

// toolFiles judges tools that write files by every path they are given.
func (f *frame) toolFiles(t toolShape) {
	if !t.hasWord("write edit create delete remove move rename append replace insert patch update save put truncate copy upload set touch modify overwrite unlink rm mv cp apply str") {
		return
	}
	for _, fd := range t.fields {
		key := strings.ToLower(fd.Path[strings.LastIndexByte(fd.Path, '.')+1:])
		if len(fd.Value) > 4096 || strings.Contains(fd.Value, "\n") {
			continue
		}
		named := strings.Contains(key, "path") || strings.Contains(key, "file") || strings.Contains(key, "uri") || has("source destination target dest from to src dst directory dir name 0 1", key)
		if !named || strings.Contains(key, "content") {
			continue
		}
		w := lit(strings.TrimPrefix(fd.Value, "file://"))
		how := t.call.Tool + " " + clip(fd.Value, 100)
		if f.kindAt(w) == registration && !t.hasWord("delete remove move rename unlink rm mv") {
			c := t.call
			if f.dropsHooks(c, w.text) {
				f.writes(w, how)
			}
			continue
		}
		if has("source from src", key) && t.hasWord("copy cp") {
			continue
		}
		f.takes(w, how, t.hasWord("delete remove move rename unlink rm mv"))
	}
}

// toolRuns reads tools that run commands or programs: their text is read like Bash's.
func (f *frame) toolRuns(t toolShape) {
	runs := t.hasWord("execute exec run shell terminal bash command process spawn powershell cmd sh ssh cli")
	evals := t.hasWord("evaluate eval javascript python repl code script execute run snippet")
	for _, fd := range t.fields {
		switch key := strings.ToLower(fd.Path); {
		case has("command cmd commandline command_line shell_command input", key) && (runs || key == "command"):
			text := fd.Value
			for _, other := range t.fields {
				if strings.HasPrefix(other.Path, "args.") || strings.HasPrefix(other.Path, "arguments.") {
					text += " " + quoted([]word{lit(other.Value)})
				} else if other.Path == "args" {
					text += " " + other.Value
				}
			}
			f.inside(t.call.Tool, text)
			t.cli(f, text)
		case key == "args.0" && leafText(t.fields, "command", "cmd") == "":
			var words []word
			for _, other := range t.fields {
				if strings.HasPrefix(other.Path, "args.") {
					words = append(words, lit(other.Value))
				}
			}
			t.cli(f, quoted(words))
		case has("code script expression function source program javascript js", key) && (evals || runs):
			lang := "node"
			if t.hasWord("python") || strings.EqualFold(leafText(t.fields, "language", "lang"), "python") {
				lang = "python"
			}
			if t.hasWord("bash shell sh") {
				f.inside(t.call.Tool, fd.Value)
				continue
			}
			f.within(t.call.Tool, func() { f.code(lang, fd.Value, nil) })
		case has("keys text data", key) && t.hasWord("terminal tmux iterm send keys type"):
			if t.hasWord("terminal tmux iterm") {
				f.inside(t.call.Tool, fd.Value)
			}
		}
	}
}

// cli reads the arguments of a tool that is one program: mcp__gh__run {"command": "pr merge 5"}.
func (t toolShape) cli(f *frame, text string) {
	for _, program := range []string{"gh", "glab", "git"} {
		if t.hasWord(program) || strings.Contains(t.call.Tool, "__"+program+"__") {
			f.inside(t.call.Tool, program+" "+text)
		}
	}
}

// toolSends reads tools that send HTTP requests or GraphQL.
func (f *frame) toolSends(t toolShape) {
	query := leafText(t.fields, "query", "mutation", "document")
	if strings.Contains(query, "mutation") && strings.Contains(query, "{") {
		f.graphql(query, t.fields, t.call.label())
	}
	url := leafText(t.fields, "url", "uri", "path", "endpoint", "route")
	method := strings.ToUpper(leafText(t.fields, "method", "http_method", "httpMethod", "verb"))
	if strings.EqualFold(toolName(t.call.Tool), "graphql") || url == "" || !has("PUT POST PATCH DELETE", method) {
		return
	}
	q := request{method: method, url: url, body: leafText(t.fields, "body", "data", "json", "payload"), argv: t.call.label()}
	for _, fd := range t.fields {
		q.fields = append(q.fields, Field{strings.TrimPrefix(strings.TrimPrefix(fd.Path, "body."), "data."), fd.Value})
	}
	f.send(q)
}

// toolClick judges a click on a forge's merge button.
func (f *frame) toolClick(t toolShape) bool {
	if !t.hasWord("click tap press submit") {
		return false
	}
	for _, fd := range t.fields {
		text := strings.ToLower(strings.TrimSpace(fd.Value))
		for _, mark := range []string{"merge pull request", "squash and merge", "rebase and merge", "confirm merge",
			"confirm squash", "confirm rebase", "enable auto-merge", "merge when ready", "merge request", "bypass rules and merge"} {
			if strings.HasPrefix(text, mark) && len(text) < len(mark)+20 {
				f.toolAct(t, MergePR)
				return true
			}
		}
	}
	return false
}
