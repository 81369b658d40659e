package guard

import (
	"hooks/internal/guard/effect"
	"hooks/internal/guard/plain"
	"hooks/internal/guard/program"
	"hooks/internal/guard/shellword"
	"testing"
)

func seed(f *testing.F) {
	for _, table := range []string{"merges.txt", "harmless.txt", "state.txt"} {
		for i, c := range loadTable(f, table) {
			if i%5 == 0 && c.call.Command != "" {
				f.Add(c.call.Command)
			}
		}
	}
}

// FuzzRead: no text of any tool makes the reader fault, overdraw its budget or answer differently
// twice.
func FuzzRead(f *testing.F) {
	seed(f)
	files := loadProject(f)
	f.Fuzz(func(t *testing.T, text string) {
		for _, tool := range []string{"Bash", "PowerShell", "REPL", "mcp__x__run_command"} {
			c := effect.Call{Tool: tool, Command: text, Cwd: project}
			m := plain.New(c, effect.Repo{Branch: "f"}.Known(), files.ReadFile, program.Read)
			readCall(m.Shell(c.Cwd), c)
			if m.Work < -maxText {
				t.Fatalf("overdrawn by %d", -m.Work)
			}
			again := Read(c, effect.Repo{Branch: "f"}.Known(), files.ReadFile)
			if describe(again) != describe(m.Read) {
				t.Fatalf("two readings differ:\n%s\n%s", describe(m.Read), describe(again))
			}
			ReadOnly(c)
		}
		statePath(text, project)
	})
}

// FuzzParse: the parser wrapper never faults, whatever the text.
func FuzzParse(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, text string) {
		if stmts, problem := plain.Parse(text); problem == "" && len(text) > shellword.MaxShell {
			t.Fatalf("%d statements of a text too long", len(stmts))
		}
	})
}

// FuzzTool: fields of any shape.
func FuzzTool(f *testing.F) {
	f.Add("mcp__github__merge_pull_request", "pullNumber", "142", "body", "/merge")
	f.Add("mcp__x__graphql", "query", "mutation{mergePullRequest(input:{a:$b})}", "variables",
		`{"b":{"c":1}}`)
	f.Add("Write", "file_path", ".sdd/loop/x", "content", "{}")
	f.Add("mcp__http__request", "url", "/repos/a/b/pulls/1/merge", "method", "PUT")
	f.Fuzz(func(t *testing.T, name, k1, v1, k2, v2 string) {
		c := effect.Call{Tool: name,
			Fields: []effect.Field{{Path: k1, Value: v1}, {Path: k2, Value: v2}},
			Cwd:    "/p"}
		m := plain.New(c, effect.Repo{}.Known(), nil, program.Read)
		readCall(m.Shell(c.Cwd), c)
		ReadOnly(c)
	})
}
