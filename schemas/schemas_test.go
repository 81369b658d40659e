package schemas_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"hooks/internal/codec"
	"hooks/internal/kind/audit"
	"hooks/internal/kind/backlog"
	"hooks/internal/kind/tasks"
	"hooks/internal/loop"
	"hooks/internal/report"
	"hooks/internal/store"
	"hooks/schemas"
	"hooks/scripts/driver"
)

func compile(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	text, found := schemas.Get(name)
	if !found {
		t.Fatalf("no schema %q", name)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("file:///"+name, doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("file:///" + name)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func validate(schema *jsonschema.Schema, text []byte) error {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return err
	}
	return schema.Validate(doc)
}

var types = map[string]reflect.Type{
	"budget": reflect.TypeFor[loop.Budget](), "history": reflect.TypeFor[loop.Iteration](),
	"tick": reflect.TypeFor[loop.Tick](),
	"lock": reflect.TypeFor[loop.Lock](), "claim": reflect.TypeFor[loop.Claim](),
	"report": reflect.TypeFor[loop.Report](),
	"doctor": reflect.TypeFor[report.Checkup](),
	"ledger": reflect.TypeFor[report.Ledgers](),
	"cost":   reflect.TypeFor[report.Cost](),
	"tasks":  reflect.TypeFor[tasks.Listing](),
}

func TestNames(t *testing.T) {
	if d := cmp.Diff([]string{"budget", "claim", "cost", "doctor", "history", "ledger", "lock",
		"report", "tasks", "tick"},
		schemas.Names()); d != "" {
		t.Error(d)
	}
	for _, name := range schemas.Names() {
		if _, found := types[name]; !found {
			t.Errorf("schema %s is not tested", name)
		}
		long, _ := schemas.Get(name + ".schema.json")
		short, _ := schemas.Get(name)
		if len(short) == 0 || !bytes.Equal(long, short) {
			t.Errorf("%s has two texts or none", name)
		}
	}
	for _, name := range []string{"", "none", "../go.mod", "schemas.go"} {
		if _, found := schemas.Get(name); found {
			t.Errorf("there is a schema %q", name)
		}
	}
}

// TestFields walks each struct beside its schema: every tag is a property with a fitting type, and
// every property is a tag.
func TestFields(t *testing.T) {
	for name, typ := range types {
		text, _ := schemas.Get(name)
		var root map[string]any
		if err := json.Unmarshal(text, &root); err != nil {
			t.Fatal(err)
		}
		w := &walker{t: t, root: root, done: map[string]bool{}}
		w.walk(name, typ, root)
		for def := range object(root["$defs"]) {
			if !w.done["#/$defs/"+def] {
				t.Errorf("%s: nothing uses the definition %s", name, def)
			}
		}
	}
}

type walker struct {
	t    *testing.T
	root map[string]any
	done map[string]bool
}

func object(v any) map[string]any { m, _ := v.(map[string]any); return m }

func (w *walker) walk(at string, typ reflect.Type, node map[string]any) {
	if ref, _ := node["$ref"].(string); ref != "" {
		if !w.done[ref] {
			w.done[ref] = true
			w.walk(at, typ, object(object(w.root["$defs"])[strings.TrimPrefix(ref, "#/$defs/")]))
		}
		return
	}
	if typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	if want := jsonType(typ); node["type"] != want {
		w.t.Errorf("%s is of type %v, want %s", at, node["type"], want)
	}
	switch {
	case typ == reflect.TypeFor[time.Time]():
		if node["format"] != "date-time" {
			w.t.Errorf("%s has no date-time format", at)
		}
	case typ.Kind() == reflect.Struct:
		w.fields(at, typ, object(node["properties"]))
	case typ.Kind() == reflect.Slice, typ.Kind() == reflect.Array:
		w.walk(at+"[]", typ.Elem(), object(node["items"]))
	case typ.Kind() == reflect.Map:
		w.walk(at+"{}", typ.Elem(), object(node["additionalProperties"]))
	}
}

func (w *walker) fields(at string, typ reflect.Type, properties map[string]any) {
	var tags []string
	for _, f := range codec.Fields(typ) {
		tag := f.Name
		tags = append(tags, tag)
		property := object(properties[tag])
		if property == nil {
			w.t.Errorf("%s has no property %s", at, tag)
			continue
		}
		if property["description"] == nil && property["$ref"] == nil {
			w.t.Errorf("%s.%s has no description", at, tag)
		}
		w.walk(at+"."+tag, f.Type, property)
	}
	for name := range properties {
		if !slices.Contains(tags, name) {
			w.t.Errorf("%s has the property %s and %v has not", at, name, typ)
		}
	}
}

func jsonType(typ reflect.Type) string {
	if typ == reflect.TypeFor[loop.USD]() {
		return "number"
	}
	if typ == reflect.TypeFor[time.Time]() {
		return "string"
	}
	switch typ.Kind() {
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "boolean"
	case reflect.Slice, reflect.Array:
		return "array"
	case reflect.Struct, reflect.Map:
		return "object"
	}
	return "integer"
}

// values makes any value that the program may save.
func values() rapid.MakeConfig {
	one := func(of ...string) *rapid.Generator[any] { return rapid.SampledFrom(of).AsAny() }
	often := rapid.IntRange(1, 1<<40).AsAny()
	values := rapid.MakeConfig{
		Types: map[reflect.Type]*rapid.Generator[any]{
			reflect.TypeFor[int]():        rapid.IntRange(0, 1<<40).AsAny(),
			reflect.TypeFor[int64]():      rapid.Int64Range(0, 1<<50).AsAny(),
			reflect.TypeFor[loop.Skill](): rapid.Just(backlog.Work).AsAny(),
			reflect.TypeFor[loop.Status](): rapid.SampledFrom([]loop.Status{loop.Active,
				loop.Halted, loop.Paused}).AsAny(),
			reflect.TypeFor[loop.LineOutcome](): rapid.SampledFrom(
				[]loop.LineOutcome{loop.OK, loop.Errored, loop.Stopped, loop.Waiting,
					loop.SkippedLock}).AsAny(),
			reflect.TypeFor[loop.USD](): rapid.Map(rapid.Int64Range(0, int64(loop.Dollar)*100_000),
				func(n int64) loop.USD { return loop.USD(n) }).AsAny(),
			reflect.TypeFor[time.Time](): rapid.Map(rapid.Int64Range(1, 4_000_000_000_000_000_000),
				func(n int64) time.Time { return time.Unix(0, n).UTC() }).AsAny(),
		},
		Fields: map[reflect.Type]map[string]*rapid.Generator[any]{
			// A file of their own has them.
			reflect.TypeFor[loop.FilePart](): {"Bytes": rapid.Just(int64(0)).AsAny()},
			reflect.TypeFor[loop.Policy](): {"NearLimit": one("", "ask", "continue", "stop"),
				"Merges": one("", "feedback", "ask", "never")},
			reflect.TypeFor[loop.GateAnswer](): {"Origin": one("", loop.OriginFlag, loop.OriginAsk)},
			reflect.TypeFor[loop.TrackedPR]():  {"StateAtEnd": one("open", "merged", "closed")},
			reflect.TypeFor[loop.Denial]():     {"Rule": one(loop.Rules()...), "Times": often},
			reflect.TypeFor[loop.Failure]():    {"Kind": one("issue", "pr")},
			reflect.TypeFor[loop.Process]():    {"Source": one("client", "ancestor", "parent", "")},
			reflect.TypeFor[loop.Issue]():      {"Criteria": one("ok", "missing", "tbd", "")},
			reflect.TypeFor[loop.PR](): {"State": one("open", "merged", "closed",
				"do-not-merge", "")},
			reflect.TypeFor[loop.Report](): {"Outcome": rapid.SampledFrom([]loop.LineOutcome{loop.OK, loop.Errored,
				""}).AsAny()},
		},
	}
	values.Types[reflect.TypeFor[loop.Payload]()] = rapid.OneOf(rapid.Just[any](nil),
		pointers[tasks.Run](values), pointers[audit.Run](values))
	values.Types[reflect.TypeFor[loop.Record]()] = rapid.OneOf(rapid.Just[any](nil),
		pointers[tasks.Line](values), pointers[audit.Line](values))
	return values
}

func pointers[T any](values rapid.MakeConfig) *rapid.Generator[any] {
	return rapid.Map(rapid.MakeCustom[T](values), func(v T) any { return &v })
}

// TestWhatIsWrittenIsValid saves any state and checks the files.
func TestWhatIsWrittenIsValid(t *testing.T) {
	driver.InMemory()
	compiled := map[string]*jsonschema.Schema{}
	for name := range types {
		compiled[name] = compile(t, name)
	}
	project := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		_ = os.RemoveAll(filepath.Join(project, ".sdd"))
		s, err := store.Create(project)
		if err != nil {
			rt.Fatal(err)
		}
		defer s.Close()
		save(rt, s)
		for file, name := range map[string]string{
			"work.budget.json": "budget", "work.history.jsonl": "history", "work.tick.json": "tick",
			"work.lock": "lock", "work.claim.json": "claim",
		} {
			text, err := os.ReadFile(filepath.Join(project, store.Dir, file))
			if err != nil {
				rt.Fatal(err)
			}
			if err := validate(compiled[name], text); err != nil {
				rt.Fatalf("%s: %v\n%s", file, err, text)
			}
		}
	})
}

func save(rt *rapid.T, s *store.Store) {
	budget := rapid.MakeCustom[loop.Budget](values()).Draw(rt, "budget")
	tick := rapid.MakeCustom[loop.Tick](values()).Draw(rt, "tick")
	claim := rapid.MakeCustom[loop.Claim](values()).Draw(rt, "claim")
	line := rapid.MakeCustom[loop.Iteration](values()).Draw(rt, "line")
	lock := rapid.MakeCustom[loop.Lock](values()).Draw(rt, "lock")
	_, err := s.Acquire(backlog.Work, lock)
	tx, berr := s.Begin(context.Background())
	if err = errors.Join(err, berr); err == nil {
		_, err = tx.Commit(&store.State{Skill: backlog.Work},
			loop.Save{Line: &line, Claim: &claim, Run: &budget, Tick: &tick})
		err = errors.Join(err, tx.End())
	}
	if err != nil {
		rt.Fatal(err)
	}
}

// example is the input of hooks report as the interface documents it; "a | b" stands for each of
// the words.
const example = `{ "skill": "work",
  "backlog": {"unblocked": [143, 145], "blocked": [150], "in_progress": [50]},
  "edges": [[50, 51]],
  "issues": [{"number": 149, "title": "…", "criteria": "ok | missing | tbd"}],
  "plan": [143, 145],
  "failures": [{"kind": "issue | pr", "number": 44, "cause": "tests failing in module X"}],
  "prs": [{"number": 142, "state": "open | merged | closed | do-not-merge", "branch": "feature/123-foo", "head_sha": "def5678", "labels": ["x"],
           "human_feedback": true, "new": true}],
  "worktrees": [{"path": ".sdd/worktrees/feature-123-foo", "branch": "feature/123-foo", "head_sha": "def5678"}],
  "comments_pushed": 4,
  "qmd": {"unreachable": true, "error": "connection refused"},
  "outcome": "ok | errored", "note": "one line for the status block" }`

func TestReportExample(t *testing.T) {
	schema := compile(t, "report")
	choice := regexp.MustCompile(`"[a-z-]+( \| [a-z-]+)+"`)
	for n := range 4 {
		text := choice.ReplaceAllStringFunc(example, func(s string) string {
			words := strings.Split(strings.Trim(s, `"`), " | ")
			return `"` + words[n%len(words)] + `"`
		})
		if err := validate(schema, []byte(text)); err != nil {
			t.Errorf("%v\n%s", err, text)
		}
		if _, err := report.Facts([]byte(text)); err != nil {
			t.Errorf("%v\n%s", err, text)
		}
	}
	if err := validate(schema, []byte(`{}`)); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{
		`{"skil":"work"}`, `{"skill":"triage"}`, `{"verdict":"fine"}`, `{"findings":[{"file":"a"}]}`, `{"backlog":{"open":[1]}}`, `{"edges":[[1]]}`,
		`{"edges":[[1,2,3]]}`, `{"plan":["143"]}`,
		`{"failures":[{"kind":"task","number":1,"cause":"x"}]}`, `{"issues":[{"criteria":"ok"}]}`,
		`{"prs":[{"number":1,"mergeable":true}]}`,
		`{"outcome":"halted"}`, `{"comments_pushed":-1}`, `{"qmd":{"error":"x"}}`, `[]`,
	} {
		if validate(schema, []byte(bad)) == nil {
			t.Errorf("%s is accepted", bad)
		}
		if _, err := report.Facts([]byte(bad)); err == nil {
			t.Errorf("%s is accepted by hooks report", bad)
		}
	}
}

// TestReportKeywords: the schema of a report uses no keyword that hooks report does not check.
func TestReportKeywords(t *testing.T) {
	text, _ := schemas.Get("report")
	var root map[string]any
	if err := json.Unmarshal(text, &root); err != nil {
		t.Fatal(err)
	}
	known := strings.Fields("$schema $id $ref $defs title description examples type properties " +
		"required " +
		"additionalProperties items minItems maxItems enum minimum minLength maxLength")
	var walk func(node map[string]any)
	walk = func(node map[string]any) {
		for keyword, v := range node {
			if !slices.Contains(known, keyword) {
				t.Errorf("nothing checks the keyword %s", keyword)
			}
			if keyword == "items" {
				walk(object(v))
			}
			if keyword == "properties" || keyword == "$defs" {
				for _, child := range object(v) {
					walk(object(child))
				}
			}
		}
	}
	walk(root)
}

// TestSpecFiles: the files of the SPEC itself, without any field of ours.
func TestSpecFiles(t *testing.T) {
	budget := `{"started_at":"2026-05-09T12:00:00Z","max_iterations":5,"max_prs":3,"max_minutes":120,"max_dollars":12.5,"iterations_used":2,
"prs_touched":["#7"],"comments_pushed":4,"merges_attempted":1,"minutes_elapsed":33,"tokens_in":100,"tokens_out":20,"agents_dispatched":3,
"dollars_estimate":1.25,"rate_table_source":"built-in","qmd_failures_consecutive":0}`
	lock := `{"pid":12345,"iteration":3,"started_at":"2026-05-09T14:50:00Z","skill":"work"}`
	line := `{"iteration":1,"skill":"work","started_at":"2026-05-09T12:00:00Z","ended_at":"2026-05-09T12:01:00Z","outcome":"ok",
"prs_touched_this_iter":[],"agents_dispatched_this_iter":0,"tokens_in_this_iter":0,"tokens_out_this_iter":0,"dollars_this_iter":0,
"budget_snapshot":` + budget + `,"tracked_prs":[],"active_worktrees":[],"gates":[],"stop_conditions_fired":[]}`
	for name, text := range map[string]string{"budget": budget, "lock": lock, "history": line} {
		schema := compile(t, name)
		if err := validate(schema, []byte(text)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := validate(schema,
			[]byte(strings.Replace(text, "{", `{"unknown":1,`, 1))); err != nil {
			t.Errorf("%s with an unknown field: %v", name, err)
		}
		var fields map[string]any
		if err := json.Unmarshal([]byte(text), &fields); err != nil {
			t.Fatal(err)
		}
		for field := range fields { // every one of them is required
			rest := map[string]any{}
			for k, v := range fields {
				if k != field {
					rest[k] = v
				}
			}
			if text, _ := json.Marshal(rest); validate(schema, text) == nil {
				t.Errorf("%s without %s is accepted", name, field)
			}
		}
	}
	if fmt.Sprint(compile(t, "budget").Required) == "[]" {
		t.Error("the budget requires nothing")
	}
}
