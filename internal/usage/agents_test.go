package usage

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hooks/internal/config"
	"hooks/internal/loop"
)

// told is what each thread spent, as "id type: tokens in".
func told(t *testing.T, s Stretch) (out []string) {
	t.Helper()
	agents, err := ByAgent(s, NewTable(nil))
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range agents {
		var sum loop.Tokens
		for _, m := range a.ByModel {
			sum = sum.Add(m)
		}
		out = append(out,
			strings.TrimSpace(fmt.Sprintf("%s %s %s", a.ID, a.Type, a.Task))+fmt.Sprintf(": %d",
				sum.In()))
	}
	return out
}

// A stretch begins at its prompt, wherever that stands, and ends at its cursors; agents of before
// and after are not in it.
func TestByAgent(t *testing.T) {
	tr := newTree(t)
	at := func(s int) string { return fmt.Sprintf("2026-11-20T12:00:%02d.000Z", s) }
	prompt := func(id string) string {
		return fmt.Sprintf(`{"type":"user","promptId":%q,"message":{"role":"user","content":"x"}}`,
			id)
	}
	tr.add(tr.main, said1{id: "before", in: 1, at: at(1)})
	tr.add(tr.agent("agent-old"), said1{id: "old", in: 10, sidechain: true, at: at(2)})
	pad := strings.Repeat("y", 1<<20)
	for range 5 { // further back than the tail that an entry looks at
		tr.add(tr.main, `{"type":"x","promptId":"p1","pad":"`+pad+`"}`)
	}
	began := Stretch{Transcript: tr.main, Prompt: "p1",
		Since: time.Date(2026, 11, 20, 12, 0, 10, 0, time.UTC)}
	tr.add(tr.main, prompt("p1"), said1{id: "m1", in: 100, at: at(9)},
		said1{id: "m1", in: 100, at: at(9)}, said1{id: "m2", in: 200, at: at(11)})
	for range 5 {
		tr.add(tr.main, `{"type":"x","pad":"`+pad+`"}`)
	}
	tr.add(tr.agent("agent-one"), said1{id: "a1", in: 1000, sidechain: true, at: at(12)})
	tr.add(tr.agent("agent-one/subagents/agent-two"),
		said1{id: "a2", in: 2000, sidechain: true, at: at(13), model: "claude-haiku-4-5"})
	tr.add(strings.TrimSuffix(tr.agent("agent-one"), ".jsonl")+".meta.json",
		`{"agentType":"general-purpose","description":"Implement #143"}`)
	want := []string{": 300", "one general-purpose Implement #143: 1000", "two: 2000"}
	if got := told(t, began); !cmp.Equal(slices.Sorted(slices.Values(got)), want) {
		t.Error(cmp.Diff(want, got))
	}

	began.UpTo = Baseline(tr.main, -1)
	tr.add(tr.main, said1{id: "later", in: 5, at: at(20)})
	tr.add(tr.agent("agent-one"), said1{id: "a3", in: 6, sidechain: true, at: at(21)})
	tr.add(tr.agent("agent-three"), said1{id: "a4", in: 7, sidechain: true, at: at(22)})
	if got := told(t, began); !cmp.Equal(slices.Sorted(slices.Values(got)), want) {
		t.Error(cmp.Diff(want, got))
	}

	began.UpTo, began.Prompt = nil, "another" // a prompt that no one wrote: the time decides
	want = []string{": 205", "one general-purpose Implement #143: 1006", "three: 7", "two: 2000"}
	if got := told(t, began); !cmp.Equal(slices.Sorted(slices.Values(got)), want) {
		t.Error(cmp.Diff(want, got))
	}
}

// What is told apart comes to what is counted, also where files share requests.
func TestByAgentIsTheWholeCount(t *testing.T) {
	tr := session(t, 2<<20)
	tr.add(tr.main, said1{id: "inline", in: 3, sidechain: true})
	tr.add(tr.agent("agent-0"), said1{id: "inline", in: 3, sidechain: true})
	agents, err := ByAgent(Stretch{Transcript: tr.main}, NewTable(nil))
	if err != nil {
		t.Fatal(err)
	}
	var got loop.Tokens
	for _, a := range agents {
		for _, m := range a.ByModel {
			got = got.Add(m)
		}
	}
	if want := sum(tr.count(nil)); got != want || len(agents) != 9 {
		t.Errorf("%d threads: %+v, counted %+v", len(agents), got, want)
	}
}

// The rates in force name each model once, with the client's multipliers on the project's rows.
func TestRowsInForce(t *testing.T) {
	table := NewTable([]config.Rate{{Model: "claude-opus-4-7", Input: 7, Output: 8},
		{Model: "claude-haiku", Input: 1, Output: 2}})
	seen := map[string]Row{}
	for _, r := range table.Rows() {
		if _, twice := seen[r.Model]; twice {
			t.Errorf("%s appears twice", r.Model)
		}
		seen[r.Model] = r
	}
	if r := seen["claude-opus-4-7"]; r.Input != 7 || r.Fast != 6 || r.Source != fromConfig {
		t.Errorf("%+v", r)
	}
	if _, there := seen["claude-haiku-4-5"]; there {
		t.Error("claude-haiku-4-5 is priced by claude-haiku and listed all the same")
	}
	if r := seen["claude-opus-5"]; r.Source == fromConfig || r.Input == 0 {
		t.Errorf("%+v", r)
	}
}

func TestAgeDays(t *testing.T) {
	for at, want := range map[string]int{
		"2026-01-01T00:00:00Z": 0, "2026-11-20T23:00:00Z": 0, "2027-02-18T23:59:59Z": 90,
		"2027-02-19T00:00:00Z": 91,
	} {
		now, err := time.Parse(time.RFC3339, at)
		if err != nil {
			t.Fatal(err)
		}
		if got := AgeDays(now); got != want {
			t.Errorf("%s: %d days, want %d", at, got, want)
		}
	}
}
