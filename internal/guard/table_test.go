package guard

import (
	"encoding/json"
	"fmt"
	"hooks/internal/guard/effect"
	"os"
	"path"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// tableCase is one line of a table: the verdict and the call.
type tableCase struct {
	line  int
	class string
	kind  string
	pr    int
	text  string // the call as the table has it
	call  effect.Call
	repo  effect.Repo
}

const project = "/home/dev/app"

// projectFiles serves the files of testdata/project.txtar.
type projectFiles map[string]string

func (p projectFiles) ReadFile(name string) (string, bool) {
	text, ok := p[name]
	return text, ok
}

func loadProject(t testing.TB) projectFiles {
	t.Helper()
	files := projectFiles{}
	for _, archive := range []string{"testdata/project.txtar", "testdata/recipes.txtar"} {
		ar, err := txtar.ParseFile(archive)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range ar.Files {
			files[path.Join(project, f.Name)] = string(f.Data)
		}
	}
	return files
}

func loadTable(t testing.TB, name string) []tableCase {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var cases []tableCase
	class := ""
	for i, line := range strings.Split(string(data), "\n") {
		if c, ok := strings.CutPrefix(line, "## "); ok {
			class = c
		}
		if line == "" || line[0] == '#' {
			continue
		}
		verdict, text, ok := strings.Cut(line, " | ")
		if !ok {
			t.Fatalf("%s:%d: no verdict", name, i+1)
		}
		cases = append(cases, parseCase(t, i+1, class, verdict, text))
	}
	return cases
}

func parseCase(t testing.TB, line int, class, verdict, text string) tableCase {
	c := tableCase{line: line, class: class, text: text,
		repo: effect.Repo{Branch: "feature/44-login", Default: "main"}}
	kind, pr, _ := strings.Cut(strings.TrimSpace(verdict), "#")
	c.kind = kind
	c.pr, _ = strconv.Atoi(pr)
	if rest, ok := strings.CutPrefix(text, "["); ok && strings.Contains(rest, "] ") &&
		!strings.HasPrefix(text, "[ ") && !strings.HasPrefix(text, "[[") {
		c.repo.Branch, text, _ = strings.Cut(rest, "] ")
	}
	text = strings.NewReplacer("⏎", "\n", "␍", "\r").Replace(text)
	c.call = effect.Call{Tool: "Bash", Command: text, Cwd: project, PID: "4242"}
	if rest, ok := strings.CutPrefix(text, "@"); ok && strings.Contains(rest, " {") {
		tool, input, _ := strings.Cut(rest, " ")
		c.call = callOf(t, line, tool, input)
	}
	return c
}

func callOf(t testing.TB, line int, tool, input string) effect.Call {
	var v map[string]any
	dec := json.NewDecoder(strings.NewReader(strings.ReplaceAll(input, "\n", "\\n")))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("line %d: %v", line, err)
	}
	call := effect.Call{Tool: tool, Cwd: project}
	if tool == "PowerShell" || tool == "Monitor" {
		call.Command, _ = v["command"].(string)
		return call
	}
	call.Fields = flattenJSON("", v, nil)
	return call
}

func flattenJSON(at string, v any, out []effect.Field) []effect.Field {
	switch v := v.(type) {
	case map[string]any:
		for _, k := range sortedKeys(v) {
			out = flattenJSON(strings.TrimPrefix(at+"."+k, "."), v[k], out)
		}
	case []any:
		for i, x := range v {
			out = flattenJSON(strings.TrimPrefix(at+"."+strconv.Itoa(i), "."), x, out)
		}
	default:
		out = append(out, effect.Field{Path: at, Value: fmt.Sprint(v)})
	}
	return out
}

func sortedKeys(m map[string]any) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	for i := range keys {
		for j := i + 1; j < len(keys); j++ {
			if keys[j] < keys[i] {
				keys[i], keys[j] = keys[j], keys[i]
			}
		}
	}
	return keys
}

// describe is a reading in a line.
func describe(r effect.Reading) string {
	var parts []string
	for _, a := range r.Acts {
		s := string(a.Kind)
		if a.PR > 0 {
			s += "#" + strconv.Itoa(a.PR)
		}
		parts = append(parts, s+" ("+a.Command+" "+a.Ref+") via "+strings.Join(a.Via, ","))
	}
	for _, o := range r.Opaque {
		parts = append(parts, "opaque ("+o.Text+": "+o.Reason+")")
	}
	if r.Unparsable != "" {
		parts = append(parts, "unparsable: "+r.Unparsable)
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, "; ")
}

// agrees reports whether a reading is what the table says.
func (c tableCase) agrees(r effect.Reading) bool {
	switch c.kind {
	case "none":
		return len(r.Merges()) == 0 && len(r.Tampers()) == 0 && !r.ReachesForge() &&
			r.Unparsable == ""
	case "opaque":
		return r.ReachesForge() && len(r.Merges())+len(r.Tampers()) == 0
	}
	for _, a := range r.Acts {
		if string(a.Kind) == c.kind && a.PR == c.pr {
			return true
		}
		if string(a.Kind) == c.kind && c.pr == 0 && a.PR == 0 {
			return true
		}
	}
	return false
}

func TestMerges(t *testing.T) {
	files := loadProject(t)
	cases := loadTable(t, "merges.txt")
	for _, c := range cases {
		if r := Read(c.call, c.repo.Known(), files.ReadFile); !c.agrees(r) {
			t.Errorf("merges.txt:%d: %s\n  want %s#%d, got %s", c.line, c.text, c.kind, c.pr,
				describe(r))
		}
	}
	if len(cases) < 300 {
		t.Errorf("%d cases, want at least 300", len(cases))
	}
}

func TestOutside(t *testing.T) {
	for _, c := range loadTable(t, "outside.txt") {
		if got := Outside(c.call); (got != "") != (c.kind == "outside") {
			t.Errorf("outside.txt:%d: %s\n  want %s, got %q", c.line, c.text, c.kind, got)
		}
	}
}

func TestHarmless(t *testing.T) {
	files := loadProject(t)
	cases := loadTable(t, "harmless.txt")
	for _, c := range cases {
		if r := Read(c.call, c.repo.Known(), files.ReadFile); !c.agrees(r) {
			t.Errorf("harmless.txt:%d: %s\n  got %s", c.line, c.text, describe(r))
		}
	}
	if len(cases) < 200 {
		t.Errorf("%d cases, want at least 200", len(cases))
	}
}
