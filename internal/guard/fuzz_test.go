package guard

import "testing"

func seed(f *testing.F) {
	for _, table := range []string{"merges.txt", "harmless.txt", "state.txt"} {
		for i, c := range loadTable(f, table) {
			if i%5 == 0 && c.call.Command != "" {
				f.Add(c.call.Command)
			}
		}
	}
}

// FuzzRead: no text of any tool makes the reader fault, overdraw its budget or answer differently twice.
func FuzzRead(f *testing.F) {
	seed(f)
	files := loadProject(f)
	f.Fuzz(func(t *testing.T, text string) {
		for _, tool := range []string{"Bash", "PowerShell", "REPL", "mcp__x__run_command"} {
			c := Call{Tool: tool, Command: text, Cwd: project}
			m := newMachine(c, Repo{Branch: "f"}, files, Programs{})
			m.shell(c.Cwd).tool(c)
			if m.work < -maxText {
				t.Fatalf("overdrawn by %d", -m.work)
			}
			if again := Read(c, Repo{Branch: "f"}, files); describe(again) != describe(m.read) {
				t.Fatalf("two readings differ:\n%s\n%s", describe(m.read), describe(again))
			}
			ReadOnly(c)
		}
		Mentions(text)
		statePath(text, project)
	})
}

// FuzzParse: the parser wrapper never faults, whatever the text.
func FuzzParse(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, text string) {
		if stmts, problem := parseShell(text); problem == "" && len(text) > maxText {
			t.Fatalf("%d statements of a text too long", len(stmts))
		}
	})
}

// FuzzTool: fields of any shape.
func FuzzTool(f *testing.F) {
	f.Add("mcp__github__merge_pull_request", "pullNumber", "142", "body", "/merge")
	f.Add("mcp__x__graphql", "query", "mutation{mergePullRequest(input:{a:$b})}", "variables", `{"b":{"c":1}}`)
	f.Add("Write", "file_path", ".sdd/loop/x", "content", "{}")
	f.Add("mcp__http__request", "url", "/repos/a/b/pulls/1/merge", "method", "PUT")
	f.Fuzz(func(t *testing.T, tool, k1, v1, k2, v2 string) {
		c := Call{Tool: tool, Fields: []Field{{k1, v1}, {k2, v2}}, Cwd: "/p"}
		m := newMachine(c, Repo{}, nil, Programs{})
		m.shell(c.Cwd).tool(c)
		ReadOnly(c)
	})
}
