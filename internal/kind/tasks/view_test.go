package tasks

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// seedView is the example of the specification.
const seedView = `{
  "linearIssue": "CIA-042",
  "phase": "execution",
  "taskIndex": 0,
  "totalTasks": 8,
  "taskIteration": 1,
  "maxTaskIterations": 5,
  "globalIteration": 0,
  "maxGlobalIterations": 50,
  "executionMode": "tdd",
  "gatesPassed": [1, 2],
  "awaitingGate": null,
  "specPath": "docs/specs/user-preferences.md",
  "createdAt": "2026-02-15T12:00:00Z",
  "lastUpdatedAt": "2026-02-15T12:30:00Z"
}
`

func TestView(t *testing.T) {
	seed, err := ParseView([]byte(seedView))
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "view.json", string(seed.Text()))
	words := func(text string) string { return strings.Join(strings.Fields(text), "") }
	if diff := cmp.Diff(words(seedView), words(string(seed.Text()))); diff != "" {
		t.Errorf("not the fields of the specification (-want +got):\n%s", diff)
	}
	gate := 3
	seed.AwaitingGate, seed.GatesPassed, seed.SpecPath = &gate, nil, "<a> & \"b\".md"
	golden(t, "gate.view.json", string(seed.Text()))
}

func TestParseView(t *testing.T) {
	for text, want := range map[string]View{
		`{}`: {},
		"\ufeff" + `{"taskIndex":3,"totalTasks":3,"of another tool":{"a":1},"awaitingGate":null}`: {
			TaskIndex: 3, TotalTasks: 3},
		`{"executionMode":"tdd","phase":"closure"}`: {ExecutionMode: TDD, Phase: "closure"},
	} {
		got, err := ParseView([]byte(text))
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", text, err, diff)
		}
	}
	for text, want := range map[string]string{
		``:                       "unexpected end of JSON input",
		`{} {}`:                  "invalid character '{' after top-level value",
		`[]`:                     "json: cannot unmarshal array into Go value",
		`{"taskIndex":"1"}`:      "json: cannot unmarshal string into Go struct field",
		`{"awaitingGate":false}`: "json: cannot unmarshal bool into Go struct field",
		`{"phase":"Execution"}`:  `phase "Execution" is not one of intake, spec, review`,
		`{"taskIndex":1}`:        "taskIndex 1 is not between 0 and totalTasks 0",
		`{"taskIndex":-1}`:       "taskIndex -1 is not between 0 and totalTasks 0",
	} {
		got, err := ParseView([]byte(text))
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.60s: %v, want %q", text, err, want)
		}
		if diff := cmp.Diff(View{}, got); diff != "" {
			t.Errorf("%.60s: an error and a view:\n%s", text, diff)
		}
	}
}

// A view that can be read is written so that it reads the same.
func FuzzParseView(f *testing.F) {
	f.Add(seedView)
	f.Fuzz(func(t *testing.T, text string) {
		v, err := ParseView([]byte(text))
		if err != nil {
			return
		}
		if v.GatesPassed == nil {
			v.GatesPassed = []int{}
		}
		again, err := ParseView(v.Text())
		if diff := cmp.Diff(v, again); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	})
}
