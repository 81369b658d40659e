package house

import (
	_ "embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"hooks/internal/event"
)

const root = "../.."

// source is one parsed Go file of the repository.
type source struct {
	path, dir string // from the root
	test      bool
	file      *ast.File
}

// sources parses every Go file, whatever system or tag it is for.
func sources(t *testing.T) []source {
	t.Helper()
	var all []source
	for name, text := range files(t) {
		if path.Ext(name) != ".go" {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, source{name, path.Dir(name), strings.HasSuffix(name, "_test.go"), file})
	}
	return all
}

// files are the repository's texts of programs by their paths, without recorded test data.
func files(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
		base, ext := path.Base(name), path.Ext(name)
		switch {
		case err != nil:
			return err
		case d.IsDir() && (base == "testdata" || base == "node_modules" ||
			len(base) > 1 && base[0] == '.' && base != ".ci"):
			return fs.SkipDir
		case d.IsDir() || ext != ".go" && ext != ".sh" && name != ".ci/run":
			return nil
		}
		text, err := os.ReadFile(filepath.Join(root, name))
		all[name] = string(text)
		return err
	})
	if err != nil || len(all) < 100 {
		t.Fatalf("%d files: %v", len(all), err)
	}
	return all
}

// maxColumns is the longest line of a program, with tabs of four columns.
const maxColumns = 100

// longLines names the files that still have longer lines. It only shrinks, and goes with the last.
//
//go:embed longlines.txt
var longLines string

func TestLinesAreShort(t *testing.T) {
	exempt := strings.Fields(longLines)
	all := files(t)
	for _, name := range exempt {
		if all[name] == "" {
			t.Errorf("%s has no long line any more: take it out of longlines.txt", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		var long []string
		n := 0
		for line := range strings.Lines(all[name]) {
			n++
			columns := utf8.RuneCountInString(strings.TrimSuffix(line, "\n"))
			if columns += 3 * strings.Count(line, "\t"); columns > maxColumns {
				long = append(long, fmt.Sprintf("%s:%d has %d columns", name, n, columns))
			}
		}
		switch listed := slices.Contains(exempt, name); {
		case listed && len(long) == 0:
			t.Errorf("%s has no long line any more: take it out of longlines.txt", name)
		case !listed && len(long) > 0:
			t.Errorf("over %d columns:\n%s", maxColumns, strings.Join(long, "\n"))
		}
	}
}

// pure packages, and those below them, have values in and values out.
var pure = []string{
	"internal/loop", "internal/attempt", "internal/kind", "internal/guard", "internal/replay",
	"internal/tracker/backlog",
}

// valuesOnly are the packages of the standard library that a pure package may import. TestLayers
// checks the others.
var valuesOnly = []string{"cmp", "crypto/sha256", "errors", "fmt", "hash/fnv", "iter", "maps",
	"math", "net/netip", "net/url", "path", "reflect", "regexp", "slices", "sort", "strconv",
	"strings", "sync", "time", "unicode", "unicode/utf8"}

// texts are the packages that a kind of loop may also import, for its prompts and views.
var texts = []string{"bytes", "embed", "encoding/json"}

// clocks are the functions of time that a pure package must not call.
var clocks = []string{"Now", "Since", "Until", "After", "AfterFunc", "NewTimer", "NewTicker",
	"Tick", "Sleep"}

func TestPurePackages(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range sources(t) {
		i := slices.IndexFunc(pure, func(dir string) bool {
			return strings.HasPrefix(s.dir+"/", dir+"/")
		})
		if i < 0 || s.test {
			continue
		}
		seen[pure[i]] = true
		for _, imported := range imports(s.file) {
			ofKind := strings.HasPrefix(s.dir, "internal/kind") && slices.Contains(texts, imported)
			if standard(imported) && !slices.Contains(valuesOnly, imported) && !ofKind {
				t.Errorf("%s imports %s, but %s is pure: no clock, disk or environment",
					s.path, imported, pure[i])
			}
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := sel.X.(*ast.Ident); ok && x.Name == "time" &&
					slices.Contains(clocks, sel.Sel.Name) {
					t.Errorf("%s calls time.%s, but %s is pure: it takes the time as a value",
						s.path, sel.Sel.Name, pure[i])
				}
			}
			return true
		})
	}
	if len(seen) != len(pure) {
		t.Errorf("of the pure packages %v only %v exist", pure, seen)
	}
}

// standard reports whether an import is of the standard library.
func standard(imported string) bool {
	first, _, _ := strings.Cut(imported, "/")
	return first != "hooks" && !strings.Contains(first, ".")
}

func imports(f *ast.File) []string {
	var list []string
	for _, spec := range f.Imports {
		path, _ := strconv.Unquote(spec.Path.Value)
		list = append(list, path)
	}
	return list
}

// heavy are packages that every hook call would pay for, or that belong to tests.
var heavy = map[string]string{
	"github.com/santhosh-tekuri/jsonschema":      "it costs 5 ms at every start",
	"github.com/rogpeppe/go-internal/testscript": "test only",
	"github.com/rogpeppe/go-internal/txtar":      "test only",
	"github.com/google/go-cmp":                   "test only",
	"pgregory.net/rapid":                         "test only",
	"github.com/creack/pty":                      "test only",
	"github.com/yuin/goldmark":                   "test only",
	"github.com/hinshun/vt10x":                   "test only",
	"golang.org/x/text":                          "it comes with the schema library",
	"net/http":                                   "it costs 0.7 ms at every start",
	"testing":                                    "test only",
}

func TestNothingHeavyIsLinked(t *testing.T) {
	for _, target := range []string{"linux", "darwin", "windows"} {
		t.Run(target, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command("go", "list", "-deps", "./hooks")
			cmd.Dir = root
			cmd.Env = append(os.Environ(), "GOOS="+target, "CGO_ENABLED=0")
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("list the packages of ./hooks: %v", err)
			}
			for path := range strings.FieldsSeq(string(out)) {
				for module, why := range heavy {
					if path == module || strings.HasPrefix(path, module+"/") {
						t.Errorf("the program links %s: %s", path, why)
					}
				}
			}
		})
	}
}

// Every hook call pays for what runs at start, so there are no init functions, and no patterns
// compiled into package variables.
func TestNoWorkAtStart(t *testing.T) {
	for _, s := range sources(t) {
		if s.test || strings.HasPrefix(s.dir, "scripts/") { // not linked
			continue
		}
		for _, decl := range s.file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if d.Name.Name == "init" && d.Recv == nil {
					t.Errorf("%s has an init function", s.path)
				}
			case *ast.GenDecl:
				for _, call := range compiles(d) {
					t.Errorf("%s calls %s in a package variable: use sync.OnceValue or plain "+
						"string functions", s.path, call)
				}
			}
		}
	}
}

// compiles lists the patterns compiled at start. A function literal in the declaration runs later.
func compiles(d *ast.GenDecl) []string {
	var found []string
	ast.Inspect(d, func(n ast.Node) bool {
		if _, later := n.(*ast.FuncLit); later {
			return false
		}
		if call, ok := n.(*ast.CallExpr); ok {
			if sel, ok := call.Fun.(*ast.SelectorExpr); ok &&
				strings.HasPrefix(sel.Sel.Name, "MustCompile") {
				found = append(found, sel.Sel.Name)
			}
		}
		return true
	})
	return found
}

func TestRegistration(t *testing.T) {
	manifest := read(t, ".claude-plugin/plugin.json")
	if got := manifest.Get("hooks").String(); got != "./hooks.json" {
		t.Errorf("plugin.json names %q", got)
	}
	registered := read(t, "hooks.json").Get("hooks").Map()
	if len(registered) != len(event.Words) {
		t.Errorf("%d events are registered, there are %d words", len(registered), len(event.Words))
	}
	for _, w := range event.Words {
		groups := registered[w.Name].Array()
		if len(groups) != 1 || len(groups[0].Get("hooks").Array()) != 1 {
			t.Errorf("%s is not registered exactly once", w.Name)
			continue
		}
		hook := groups[0].Get("hooks.0")
		exec := hook.Get("command").String() == "${CLAUDE_PLUGIN_ROOT}/bin/hooks" &&
			hook.Get("args").Raw == `["`+w.Word+`"]`
		if hook.Get("type").String() != "command" || hook.Get("timeout").Int() <= 0 ||
			!exec && !throughShell(hook, w) {
			t.Errorf("%s is registered as %s", w.Name, hook.Raw)
		}
		checks := w.Name == event.Stop || w.Name == event.SubagentStop
		if checks != (hook.Get("timeout").Int() == 3600) ||
			checks != hook.Get("statusMessage").Exists() {
			t.Errorf("%s has no time for a check command, or names one: %s", w.Name, hook.Raw)
		}
		some := strings.HasPrefix(w.Name, "PostToolUse") || w.Name == event.PermissionRequest
		if groups[0].Get("matcher").Exists() != some {
			t.Errorf("%s has the matcher %q", w.Name, groups[0].Get("matcher").String())
		}
	}
}

// throughShell reports whether an event's entry is a line for sh, and for PowerShell on a Windows
// without it, that starts the program, then the launcher. The client blocks what such an entry
// fails for, but for SessionStart's, which nothing can block. Any other value of onFailure would
// make the client drop the whole file.
func throughShell(hook gjson.Result, w event.Word) bool {
	const program = `"$CLAUDE_PLUGIN_ROOT/bin/hooks" %[1]s||` +
		`sh "$CLAUDE_PLUGIN_ROOT/launch/hooks.sh" %[1]s`
	command := hook.Get("command").String()
	begins := "echo --% >/dev/null;: ' | out-null\n<#'\n" + fmt.Sprintf(program, w.Word)
	ends := ";exit #>\n& \"$env:CLAUDE_PLUGIN_ROOT/bin/hooks\" " + w.Word + ";exit 0\n"
	holds := hook.Get("onFailure").Raw == `"block"` &&
		strings.Contains(command, "/on/$CLAUDE_CODE_SESSION_ID")
	free := w.Name == event.SessionStart && !hook.Get("onFailure").Exists()
	return !hook.Get("args").Exists() && strings.HasPrefix(command, begins) &&
		strings.HasSuffix(command, ends) && (holds || free)
}

func read(t *testing.T, path string) gjson.Result {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		t.Fatal(err)
	}
	if !gjson.ValidBytes(text) {
		t.Fatalf("%s is not valid JSON", path)
	}
	return gjson.ParseBytes(text)
}

// The matcher lets the tools pass whose results the program reads, and not those that are used all
// the time. The client treats a matcher with a dot in it as a regular expression without anchors.
func TestFactsMatcher(t *testing.T) {
	registered := read(t, "hooks.json").Get("hooks")
	matcher := registered.Get("PostToolUse.0.matcher").String()
	if other := registered.Get("PostToolUseFailure.0.matcher").String(); other != matcher {
		t.Errorf("successes match %q, failures %q", matcher, other)
	}
	if !strings.Contains(matcher, ".") {
		t.Fatalf("the matcher %q is a list of names", matcher)
	}
	pattern := regexp.MustCompile(matcher)
	facts := []string{"Bash", "PowerShell", "Monitor", "Agent", "Task", "AskUserQuestion",
		"mcp__github__merge_pull_request"}
	for _, tool := range append(facts, "Read", "Grep", "Edit", "Write", "Skill") {
		if got := pattern.MatchString(tool); got != slices.Contains(facts, tool) {
			t.Errorf("%s: matched %v", tool, got)
		}
	}
}
