package loop

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestDenialsAreBounded(t *testing.T) {
	var tick Tick
	for i := range 200 {
		tick.Deny(Denial{Tool: "Bash", Rule: MergeGate, What: fmt.Sprintf("gh pr merge %d", i)})
	}
	tick.Deny(Denial{Tool: "Bash", Rule: MergeGate, What: "gh pr merge 3"})
	tick.Deny(Denial{Tool: "Bash", Rule: MergeGate, What: "gh pr merge 0"})
	if tick.Denied[0].Times != 2 {
		t.Errorf("the first is %+v", tick.Denied[0])
	}
	last := tick.Denied[len(tick.Denied)-1]
	if len(tick.Denied) != maxDenials || Refusals(tick.Denied) != 202 ||
		last.Rule != OtherRule || last.Times != 151 || tick.Denied[3].Times != 2 {
		t.Errorf("%d entries, the last %+v, the fourth %+v", len(tick.Denied), last, tick.Denied[3])
	}
}

func TestDenialIsShortAndOnOneLine(t *testing.T) {
	what := "a\n\tb " + strings.Repeat("é", 300)
	d := AddDenial(nil, Denial{Tool: "Bash", Rule: "of tomorrow", What: what})[0]
	if len(d.What) > maxWhat || !utf8.ValidString(d.What) || !strings.HasPrefix(d.What, "a b é") {
		t.Errorf("%d bytes: %+v", len(d.What), d)
	}
	if d.Rule != OtherRule || d.Times != 1 {
		t.Errorf("%d bytes: %+v", len(d.What), d)
	}
}

// A list that is shared with a history line does not change with the tick.
func TestDenialsAreCopied(t *testing.T) {
	first := AddDenial(nil, Denial{Tool: "Bash", Rule: MergeGate, What: "x"})
	_ = AddDenial(first, Denial{Tool: "Bash", Rule: MergeGate, What: "x"})
	if first[0].Times != 1 {
		t.Errorf("the first list became %+v", first)
	}
}

func TestOverrun(t *testing.T) {
	run := Budget{Ceilings: Ceilings{Dollars: 2 * Dollar}, DollarsEstimate: 2 * Dollar}
	overrun := func(spent USD) *Overrun {
		by := map[string]Tokens{"m": {Dollars: spent}}
		return historyLine(&run, &Tick{}, nil, Ending{Spent: Spent{ByModel: by}}).Overrun
	}
	if overrun(Dollar) != nil {
		t.Error("a ceiling that is reached is not passed")
	}
	run.DollarsEstimate++
	if o := overrun(1); o == nil || o.Over != 1 || overrun(0) != nil {
		t.Errorf("overrun %+v", o)
	}
	if run.Ceilings.Dollars = 0; overrun(1) != nil {
		t.Error("without a ceiling")
	}
	run.Ceilings.Dollars = maxDollars * Dollar
	if limit := run.Ceilings.Dollars.overrun(100); limit != maxDollars*Dollar {
		t.Errorf("limit %d", limit)
	}
}

// A running count is void once the run's own count has moved on, and the one that has read further
// stands.
func TestRunningCount(t *testing.T) {
	run := &Budget{DollarsEstimate: 5, Cursors: []Cursor{{Path: "m.jsonl", Offset: 10}}}
	var tick Tick
	tick.Count(run, Running{From: 5, Dollars: 7, Cursors: []Cursor{{Path: "m.jsonl", Offset: 30}}})
	tick.Count(run, Running{From: 5, Dollars: 6, Cursors: []Cursor{{Path: "m.jsonl", Offset: 20}}})
	r, cursors := tick.Spending(run)
	if r.Dollars != 7 || len(cursors) != 1 || cursors[0].Offset != 30 {
		t.Errorf("%+v from %+v", r, cursors)
	}
	tick.Count(run, Running{From: 5, Dollars: 9, Cursors: []Cursor{{Path: "m.jsonl", Offset: 30}}})
	if r, _ = tick.Spending(run); r.Dollars != 7 {
		t.Errorf("a count that read no further is taken: %+v", r)
	}
	run.DollarsEstimate, run.Cursors[0].Offset = 12, 30
	if r, cursors = tick.Spending(run); r.Dollars != 0 || r.From != 12 || cursors[0].Offset != 30 {
		t.Errorf("after the run's own count: %+v from %+v", r, cursors)
	}
}
