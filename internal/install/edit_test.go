package install

import (
	"encoding/json"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"
	"pgregory.net/rapid"

	plugin "hooks"
	"hooks/internal/event"
	"hooks/internal/hint"
)

const program = "/opt/my tools/bin/hooks"

// files are settings as people, editors and other programs leave them.
var files = map[string]string{
	"empty object":      "{}",
	"with a newline":    "{}\n",
	"open braces":       "{\n}\n",
	"blank line within": "{\n\n}",
	"blank within":      "{ }",
	"no text":           "",
	"white space":       " \r\n\n",
	"two spaces":        "{\n  \"model\": \"opus\",\n  \"env\": {\n    \"A\": \"1\"\n  }\n}\n",
	"four spaces":       "{\n    \"model\": \"opus\"\n}",
	"tabs": "{\n\t\"model\": \"opus\",\n\t\"permissions\": {\n" +
		"\t\t\"allow\": [\"Bash(go test:*)\"]\n\t}\n}\n",
	"no indentation":    "{\n\"model\": \"opus\"\n}\n",
	"one line":          `{"model":"opus","env":{"A":"1"}}`,
	"one line, spaced":  `{ "model": "opus", "env": { "A": "1" } }` + "\n",
	"CRLF":              "{\r\n  \"model\": \"opus\"\r\n}\r\n",
	"BOM":               "\ufeff{\n  \"model\": \"opus\"\n}\n",
	"BOM and CRLF":      "\ufeff{\r\n\t\"hooks\": {\r\n\t}\r\n}",
	"only a BOM":        "\ufeff",
	"leading lines":     "\n\n  {\n    \"a\": 1\n  }  \n\n",
	"null byte escaped": "{\n  \"a\": \"\\u0000\\ud800\\/ <&>\",\n  \"\\u0061\\\"\": 1e400\n}",
	"not UTF-8":         "{\"a\": \"\xff\xfe\"}",
	"empty hooks":       "{\n  \"hooks\": {}\n}\n",
	"open hooks":        "{\n  \"hooks\": {\n\n  },\n  \"z\": [\n  ]\n}\n",
	"empty events":      "{\n  \"hooks\": {\n    \"Stop\": [],\n    \"PreToolUse\": [ ]\n  }\n}\n",
	"only one empty":    `{"hooks":{"Stop":[ ]}}`,
	"escaped key":       `{"ho\u006fks":{"St\u006fp":[]}}`,
	"hooks twice":       `{"hooks": {}, "\u0068ooks": {"Stop": [], "Stop": []}}`,
	"comma first":       "{\n  \"a\": 1\n, \"b\": 2\n, \"hooks\": {}\n}\n",
	"values named alike": `{"a":{"hooks":{"Stop":[{"hooks":[` +
		`{"type":"command","command":"/bin/hooks","args":["stop"]}]}]}}}`,
	"of others": `{
  "hooks": {
    "Stop": [
      { "hooks": [ { "type": "command", "command": "say done" } ] }
    ],
    "Notification": [{"matcher": "", "hooks": [{"type": "command", "command": "notify"}]}],
    "PreToolUse": [
      {
        "matcher": "Bash",
        "hooks": [
          {
            "type": "command",
            "command": "/usr/lib/lefthook/hooks",
            "args": ["check"]
          }
        ]
      }
    ]
  },

  "statusLine": {"type": "command", "command": "hooks statusline"}
}
`,
	"malformed groups of others": `{"hooks":{"Stop":[1,null,{"hooks":{}},{"hooks":[7]},[]],` +
		`"Odd":3,"Older":{"x":[]}}}`,
	"hooks in the middle": "{\n\t\"a\": 1,\n\t\"hooks\": {\n\t\t\"Stop\": []\n\t},\n\t\"b\": {}\n}",
}

// The text after a registration and its removal is the text before, byte for byte; a second
// registration changes nothing.
func TestAddAndRemove(t *testing.T) {
	for name, text := range files {
		t.Run(name, func(t *testing.T) { checkRoundTrip(t, text) })
	}
}

type fataler interface {
	Helper()
	Fatalf(string, ...any)
}

func checkRoundTrip(t fataler, text string) {
	t.Helper()
	if err := check(text); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	added := add(text, program, &text)
	if err := check(added); err != nil {
		t.Fatalf("not valid: %v\n%s", err, added)
	}
	if again := add(added, program, &text); again != added {
		t.Fatalf("a second registration changed\n%s\nto\n%s", added, again)
	}
	if back := remove(added, &text); back != text {
		t.Fatalf("removed, it is\n%q\nwas\n%q\nby way of\n%s", back, text, added)
	}
	if want, got := value(t, withEntries(t, text)), value(t, added); !reflect.DeepEqual(want, got) {
		t.Fatalf("it means (-want +got):\n%s", cmp.Diff(want, got))
	}
	moved := add(added, "/elsewhere/hooks", &text)
	if back := add(moved, program, &text); back != added {
		t.Fatalf("there and back again it is\n%s\nwas\n%s", back, added)
	}
	if back := remove(moved, &text); back != text {
		t.Fatalf("updated and removed, it is\n%q\nwas\n%q", back, text)
	}
}

// withEntries registers the program the plain way, through the values.
func withEntries(t fataler, text string) string {
	root, _ := value(t, text).(map[string]any)
	if root == nil {
		root = map[string]any{}
	}
	hooks, _ := root["hooks"].(map[string]any)
	if hooks == nil {
		hooks = map[string]any{}
		root["hooks"] = hooks
	}
	for _, e := range entries(program) {
		list, _ := hooks[e.event].([]any)
		hooks[e.event] = append(list, value(t, e.group))
	}
	out, err := json.Marshal(root)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return string(out)
}

func value(t fataler, text string) (v any) {
	_, text = cutBOM(text)
	if strings.TrimSpace(text) == "" {
		return nil
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v in %q", err, text)
	}
	return v
}

// What the program writes looks as the client itself would lay it out.
func TestLayout(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"two spaces", "{\n  \"a\": 1\n}\n",
			"{\n  \"a\": 1,\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\n        \"hooks\": " +
				"[\n          {\n            \"type\": \"command\",\n"},
		{"tabs", "{\n\t\"a\": 1\n}\n",
			"{\n\t\"a\": 1,\n\t\"hooks\": {\n\t\t\"PreToolUse\": [\n\t\t\t{\n\t\t\t\t\"hooks\": ["},
		{"CRLF", "{\r\n    \"a\": 1\r\n}",
			"{\r\n    \"a\": 1,\n    \"hooks\": {\n        \"PreToolUse\": [\n"},
		{"none yet", "{}\n", "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\n"},
		{"no file", "", "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\n"},
		{"one line", `{"a":1}`,
			"{\"a\":1,\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\n"},
		{"empty event", "{\n  \"hooks\": {\n    \"PreToolUse\": []\n  }\n}",
			"{\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\n        \"hooks\": [\n          " +
				"{\n"},
	} {
		if got := add(c.text, program, &c.text); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: got\n%s\nwant it to begin with\n%s", c.name, got, c.want)
		}
	}
	text := "{\n  \"a\": 1\n}\n"
	if got := add(text, program, &text); !strings.HasSuffix(got, "\n  }\n}\n") {
		t.Errorf("it ends with %q", got[len(got)-20:])
	}
}

// What is registered is hooks.json: the same events, times and matchers. The three entries that can
// hold a call start the program through a shell; every other starts it directly. Each is known
// again.
func TestEntriesAreThoseOfThePlugin(t *testing.T) {
	held := []string{event.PreToolUse, event.UserPromptSubmit, event.UserPromptExpansion}
	for _, program := range []string{program, `C:\Program Files\hooks\hooks.exe`,
		`/a"b/<&>/ü/hooks`, `/it's/"$x"/hooks`} {
		list := entries(program)
		if len(list) != len(event.Words) {
			t.Errorf("%d entries, %d words", len(list), len(event.Words))
		}
		for _, e := range list {
			of := gjson.Get(plugin.Hooks, "hooks."+e.event+".0")
			group := gjson.Parse(e.group)
			handler := group.Get("hooks.0")
			for _, key := range []string{"matcher", "hooks.0.timeout", "hooks.0.statusMessage"} {
				if got, want := group.Get(key).Raw, of.Get(key).Raw; got != want {
					t.Errorf("%s: %s is %s, want %s", e.event, key, got, want)
				}
			}
			want := slices.Contains(held, e.event) && runtime.GOOS != "windows"
			command := handler.Get("command").String()
			exec := command == program && handler.Get("args").Raw ==
				`["`+event.WordOf(e.event)+`"]`
			guarded := strings.Contains(command, switchName)
			if guarded != want || exec == want ||
				handler.Get("onFailure").Exists() != want {
				t.Errorf("%s is registered as %s", e.event, handler.Raw)
			}
			if programOf(handler) != program {
				t.Errorf("%s is not known again: %s", e.event, handler.Raw)
			}
			if got := programOf(of.Get("hooks.0")); !strings.HasSuffix(got, "/bin/hooks") {
				t.Errorf("%s of the plugin starts %q", e.event, got)
			}
		}
	}
}

// Without the text before, what the program alone needed goes, and nothing of others does.
func TestRemoveWithoutABackup(t *testing.T) {
	for name, text := range files {
		if text == "" || strings.Contains(name, "empty") || strings.Contains(name, "open") ||
			check(text) != nil || blank(text) || gjson.Get(text, "hooks").Exists() &&
			!strings.Contains(name, "others") {
			continue
		}
		if back := remove(add(text, program, nil), nil); !empty(text) && back != text {
			t.Errorf("%s: it is\n%q\nwas\n%q", name, back, text)
		} else if empty(text) && !empty(back) {
			t.Errorf("%s: it is %q", name, back)
		}
	}
}

// What people add and take away in between stays as they left it. An empty list that the program
// filled goes with it.
func TestChangesInBetweenStay(t *testing.T) {
	before := "{\n  \"model\": \"opus\",\n  \"hooks\": {\n    \"Stop\": []\n  }\n}\n"
	added := add(before, program, &before)
	for _, c := range []struct{ name, old, new, want string }{
		{"a setting", `"model": "opus"`, `"model": "sonnet", "x": 1`,
			"{\n  \"model\": \"sonnet\", \"x\": 1\n}\n"},
		{"a setting behind", "\n  }\n}\n", "\n  },\n  \"z\": 1\n}\n",
			"{\n  \"model\": \"opus\",\n  \"z\": 1\n}\n"},
		{"an event behind", "\n    ]\n  }\n}\n", "\n    ],\n    \"X\": []\n  }\n}\n",
			strings.Replace(before, `"Stop": []`, `"X": []`, 1)},
		{"an event before", `"Stop": [`, `"X": [], "Stop": [`,
			strings.Replace(before, `"Stop": []`, `"X": []`, 1)},
		{"a group behind", "\n      }\n    ],\n    \"PreToolUse\"",
			"\n      }, {\"hooks\":[]}\n    ],\n    \"PreToolUse\"",
			strings.Replace(before, "[]", "[\n      {\"hooks\":[]}\n    ]", 1)},
		{"a group in front", "\"Stop\": [\n      {", "\"Stop\": [\n      {\"hooks\":[]},\n      {",
			strings.Replace(before, "[]", "[\n      {\"hooks\":[]}\n    ]", 1)},
		{"a handler in our group", "\n          }\n        ]\n      }\n    ],\n    \"PreToolUse\"",
			"\n          }, {\"type\":\"command\",\"command\":\"x\"}\n        ]\n      }\n    ]," +
				"\n    \"PreToolUse\"",
			strings.Replace(before, "[]",
				"[\n      {\n        \"hooks\": [\n          {\"type\":\"command\","+
					"\"command\":\"x\"}\n        ]\n      }\n    ]", 1)},
	} {
		changed := strings.Replace(added, c.old, c.new, 1)
		if changed == added {
			t.Errorf("%s: the change does not fit\n%s", c.name, added)
			continue
		}
		if diff := cmp.Diff(c.want, remove(changed, &before)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// Any layout of any document survives. White space, order, escapes and the hooks of others are as
// random as JSON lets them.
func TestAnyDocumentSurvives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := document().Draw(t, "text")
		checkRoundTrip(t, text)
		if back := remove(text, nil); back != text {
			t.Fatalf("nothing was registered, yet it became %q", back)
		}
	})
}

func document() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		blanks := rapid.StringMatching(`([ \t]{0,2}(\n|\r\n)?[ \t]{0,3}){0,2}`)
		space := func() string { return blanks.Draw(t, "space") }
		inner := rapid.StringMatching(
			`([a-zé😀/<&]|\\u00[46][1-9a-f]|\\"|\\\\|\\n|[\[\]{},:]){0,6}`)
		str := func() string { return `"` + inner.Draw(t, "string") + `"` }
		var any func(depth int) string
		list := func(open, end string, n int, kid func(i int) string) string {
			var b strings.Builder
			for i := range n {
				if i > 0 {
					b.WriteString(",")
				}
				b.WriteString(space() + kid(i) + space())
			}
			if n == 0 {
				return open + space() + end
			}
			return open + b.String() + end
		}
		count := func() int { return rapid.IntRange(0, 3).Draw(t, "count") }
		member := func(key, value string) string { return key + space() + ":" + space() + value }
		any = func(depth int) string {
			switch k := rapid.IntRange(0, 5).Draw(t, "kind"); {
			case k == 0 && depth > 0:
				return list("{", "}", count(),
					func(i int) string { return member(fmt.Sprintf(`"k%d"`, i), any(depth-1)) })
			case k == 1 && depth > 0:
				return list("[", "]", count(), func(int) string { return any(depth - 1) })
			case k == 2:
				return rapid.SampledFrom([]string{"null", "true", "-0.1e+9",
					"12345678901234567890"}).Draw(t, "scalar")
			}
			return str()
		}
		group := func(int) string {
			return list("{", "}", 2, func(i int) string {
				if i == 0 {
					return member(`"matcher"`, str())
				}
				return member(`"hooks"`, list("[", "]", count(), func(int) string {
					return `{"type":"command","command":` + str() + `}`
				}))
			})
		}
		events := rapid.Permutation([]string{"Stop", "PreToolUse", "SessionEnd", "Notification",
			"Made Up"}).Draw(t, "events")
		hooks := func() string {
			return list("{", "}", count(), func(i int) string {
				return member(quote(events[i]),
					list("[", "]", count(), group))
			})
		}
		keys := rapid.Permutation([]string{"model", "hooks", "env", "hook", "Hooks"}).Draw(t,
			"keys")
		root := list("{", "}", rapid.IntRange(0, 5).Draw(t, "keys"), func(i int) string {
			if keys[i] == "hooks" {
				return member(rapid.SampledFrom([]string{`"hooks"`, `"\u0068ooks"`}).Draw(t, "key"),
					hooks())
			}
			return member(quote(keys[i]), any(2))
		})
		return rapid.SampledFrom([]string{"", "\ufeff"}).Draw(t, "bom") + space() + root + space()
	})
}

// A file that the client could not read either is not touched, and the place is named.
func TestCheck(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"{\n  // mine\n  \"a\": 1\n}", "line 2, column 3: invalid character '/'"},
		{"{\n  \"é\": 1, # no\n}", "line 2, column 11: invalid character '#'"},
		{"{\"a\": 1,}", "line 1, column 9: invalid character '}'"},
		{"{\"a\": 1", "line 1, column 7: unexpected end of JSON input"},
		{"{} {}", "line 1, column 4: invalid character '{' after top-level value"},
		{"\ufeff[]", "line 1, column 1: the settings must be an object, but are a list"},
		{"null", "line 1, column 1: the settings must be an object, but are null"},
		{"\xff\xfe{\x00}\x00", "line 1, column 1: invalid character"},
		{"{\n  \"hooks\": []\n}", `line 2, column 12: "hooks" must be an object, but is a list`},
		{"{\"hooks\": null}", `line 1, column 11: "hooks" must be an object, but is null`},
		{`{"hooks": {"Stop": {}}}`,
			`line 1, column 20: the groups of "Stop" must be a list, but are an object`},
	} {
		err := check(c.text)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) || hint.Of(err) == "" {
			t.Errorf("%q: got %v, want %s", c.text, err, c.want)
		}
	}
	for name, text := range files {
		if err := check(text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Whatever is in a settings file, an edit of it can be undone to the byte.
func FuzzAdd(f *testing.F) {
	for _, text := range files {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if _, bare := cutBOM(text); check(text) != nil || len(programs(bare)) > 0 {
			return
		}
		added := add(text, program, &text)
		if err := check(added); err != nil {
			t.Fatalf("%q became %q: %v", text, added, err)
		}
		if back := remove(added, &text); back != text {
			t.Fatalf("%q came back as %q", text, back)
		}
	})
}
