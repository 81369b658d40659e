package usage

import (
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"hooks/internal/loop"
)

// However often a running iteration is looked at, and whichever of the looks are kept, it comes to
// what one count at its end comes to.
func TestLooksComeToTheCountAtTheEnd(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 1))
		tr := newTree(t)
		tr.add(tr.main, said1{id: "before", in: 1000})
		begin := tr.count(nil).Cursors
		run := &loop.Budget{Cursors: begin, DollarsEstimate: loop.Dollar}
		var tick loop.Tick
		var last loop.USD
		for n := range 40 {
			id := string(rune('a'+n%26)) + strings.Repeat("x", n/26)
			path := []string{tr.main, tr.agent("agent-1"), tr.agent("agent-2")}[r.IntN(3)]
			of := path[len(path)-7 : len(path)-6]
			line := said1{id: id + of, in: r.Int64N(1000), out: r.Int64N(1000)}
			tr.add(path, line)
			if r.IntN(3) == 0 {
				tr.add(path, line)
			}
			held, from := tick.Spending(run)
			fresh := Fresh(tr.main, from, []string{"1"}, "2")
			look, err := Running(tr.main, from, fresh, NewTable(nil))
			if err != nil || look.Read == 0 {
				t.Fatalf("look %+v, %v", look, err)
			}
			last = held.Dollars + look.Dollars
			if r.IntN(4) == 0 {
				tick.Count(run, after(held, look))
			}
		}
		if all := tr.count(begin); all.Dollars != last {
			t.Fatalf("seed %d: looked at $%s, counted $%s", seed, last, all.Dollars)
		}
	}
}

func after(held loop.Running, l loop.RunningNow) loop.Running {
	held.Dollars += l.Dollars
	held.Cursors = loop.Overlay(held.Cursors, l.Cursors)
	return held
}

func TestNothingNewIsNotRead(t *testing.T) {
	tr := newTree(t)
	tr.add(tr.main, said1{id: "a", in: 1000})
	tr.add(tr.agent("agent-1"), said1{id: "b", in: 1000})
	cursors := tr.count(nil).Cursors
	look, err := Running(tr.main, cursors, nil, NewTable(nil))
	if look.Read != 0 || look.Cursors != nil || err != nil {
		t.Errorf("look %+v, %v", look, err)
	}
	if look, err = Running("", cursors, nil, NewTable(nil)); look.Read != 0 || err != nil {
		t.Errorf("without a transcript: %+v, %v", look, err)
	}
}

// Who spent most is named by the client's own notes.
func TestSpendersAreNamed(t *testing.T) {
	tr := newTree(t)
	tr.add(tr.main, said1{id: "a", in: 10})
	tr.add(tr.agent("agent-1f"), said1{id: "b", in: 1000})
	name := strings.TrimSuffix(tr.agent("agent-1f"), ".jsonl") + ".meta.json"
	note := []byte(`{"agentType":"general-purpose","description":"Implement #12"}`)
	if err := os.WriteFile(name, note, 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := Count(tr.main, nil, NewTable(nil))
	if err != nil {
		t.Fatal(err)
	}
	got := r.Spenders(tr.main)
	if len(got) != 2 || got[0].Who != "worker 1f (general-purpose: Implement #12)" ||
		got[1].Who != "main thread" || got[0].Dollars <= got[1].Dollars {
		t.Errorf("spenders %+v", got)
	}
}
