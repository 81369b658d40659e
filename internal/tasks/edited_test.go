package tasks

import (
	"strings"
	"testing"
)

// T98: a change of any field is named with both values; the time of the last update is no change,
// and neither is another order, other blanks or a field of another tool.
func TestEdited(t *testing.T) {
	wrote, err := ParseView([]byte(seedView))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range [][3]string{
		{"", "", ""},
		{"12:30:00Z", "18:30:00Z", ""},
		{"{\n", `{"theirs": 1,`, ""},
		{`"taskIndex": 0`, `"taskIndex": 5`, "taskIndex is 5, not 0"},
		{`[1, 2]`, `[1, 2, 3]`, "gatesPassed is [1,2,3], not [1,2]"},
		{`"awaitingGate": null`, `"awaitingGate": 3`, "awaitingGate is 3, not null"},
		{`"execution"`, `"closure"`, `phase is "closure", not "execution"`},
		{`"phase"`, `"phas"`, `phase is "", not "execution"`},
		{`"tdd"`, `"speed"`, `executionMode: `},
		{"{", "", "the state file is no JSON"},
	} {
		got := Edited([]byte(strings.Replace(seedView, c[0], c[1], 1)), wrote)
		if c[2] == "" && got != "" || !strings.HasPrefix(got, c[2]) {
			t.Errorf("%s for %s: %q, want %q", c[1], c[0], got, c[2])
		}
	}
}

func FuzzEdited(f *testing.F) {
	f.Add([]byte(seedView))
	f.Add([]byte(`{"gatesPassed":null}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		v, err := ParseView(text)
		if err != nil {
			if Edited(text, View{}) == "" {
				t.Errorf("%q is no state file, and no difference is named", text)
			}
			return
		}
		if got := Edited(v.Text(), v); got != "" {
			t.Errorf("%q differs from itself: %s", text, got)
		}
	})
}
