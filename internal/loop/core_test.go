package loop

import (
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// rooms are the files of single kinds, with the table that names them all.
var rooms = []string{"kinds.go", "tasks.go", "taskgates.go", "tasklist.go", "proof.go",
	"audit.go", "auditgates.go", "findings.go"}

// The rules of every loop ask a run's kind and do not know which it is: what is declared in the
// rooms of kinds with attempts is named in those alone.
func TestTheCoreNamesNoKind(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) < 20 {
		t.Fatal(files, err)
	}
	parsed := map[string]*ast.File{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(gotoken.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		parsed[name] = file
	}
	kind := regexp.MustCompile(`^(Tasks|Audit|Work)$|^(Task|Audit)(Run|Line|Item|sOf|Of)|` +
		`^(task|audit|work|review)Kind$`)
	for name, file := range parsed {
		ast.Inspect(file, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && kind.MatchString(id.Name) &&
				!slices.Contains(rooms, name) {
				t.Errorf("%s names %s", name, id.Name)
			}
			return true
		})
	}
	for _, name := range rooms {
		if parsed[name] == nil {
			t.Errorf("no room %s", name)
		}
	}
}
