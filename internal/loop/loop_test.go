package loop

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func TestParseFlags(t *testing.T) {
	tests := []struct {
		args string
		want string // the canonical form, or the error
	}{
		{"--loop", "iterations=5 prs=20 minutes=60 dollars=25"},
		{"--loop --max-prs 50 --max-dollars 100", "iterations=5 prs=50 minutes=60 dollars=100"},
		{"SPEC-0019 --loop --max-iterations=3",
			"iterations=3 prs=20 minutes=60 dollars=25 SPEC-0019"},
		{"--loop --max-dollars 0.01 --lock=force --resume",
			"iterations=5 prs=20 minutes=60 dollars=0.01"},
		{"--loop --max-agents 4", "iterations=5 prs=20 minutes=60 dollars=25 --max-agents 4"},
		{"--loop --budget-file 'a b.json'",
			"iterations=5 prs=20 minutes=60 dollars=25 budget-file=a b.json"},
		{"--loop --max-iterations 0",
			`--max-iterations "0" is not a whole number from 1 to 1000000`},
		{"--loop --max-iterations", `--max-iterations "" is not a whole number from 1 to 1000000`},
		{"--loop --max-minutes -3", `--max-minutes "-3" is not a whole number from 1 to 1000000`},
		{"--loop --max-dollars 1000000", "iterations=5 prs=20 minutes=60 dollars=1000000"},
		{"--loop --max-dollars 1000000.000000000001",
			`--max-dollars "1000000.000000000001" is over 1000000 dollars`},
		{"--loop --max-dollars lots", `--max-dollars "lots" is not an amount in dollars`},
		{"--loop --max-dollars -1", `--max-dollars "-1" is not an amount in dollars`},
		{"--loop --max-iteration 3",
			`"--max-iteration" is not a loop flag; did you mean --max-iterations?`},
		{"--loop --lock=maybe", "--lock=maybe is not a lock mode"},
		{"--loop --pr 142", "--pr is a flag of review, not of work"},
		{"--loop --max-prs 1 --max-prs 2", "--max-prs is given twice"},
		{"--loop=true", "--loop=true has a value"},
	}
	for _, tt := range tests {
		f, looping, err := ParseFlags(Work, tt.args)
		got := f.canonical()
		if err != nil {
			got = err.Error()
		}
		if !looping || got != tt.want {
			t.Errorf("%q: %v %q, want %q", tt.args, looping, got, tt.want)
		}
	}
	if _, looping, err := ParseFlags(Work, "SPEC-0019 --lock=x --max-pairs 0"); looping || err != nil {
		t.Error("without --loop the words are the skill's own (R2)")
	}
	if _, _, err := ParseFlags(Work, "SPEC-0019 --max-iterations 0"); err == nil {
		t.Error("a ceiling without --loop passes")
	}
	if f, _, err := ParseFlags(Review, "--loop --pr #142"); err != nil || f.PR != 142 {
		t.Error(f.PR, err)
	}
}

func TestSchedules(t *testing.T) {
	work, watch := Budget{Skill: Work}, Budget{Skill: Review, SinglePR: 142}
	tests := []struct {
		prompt      string
		work, watch bool
	}{
		{"/sdd:work --loop --max-iterations 5", true, false},
		{"/loop /sdd:work --loop", true, false},
		{"/loop 1m /work --loop", true, false},
		{"/sdd:review --loop --pr 142", false, true},
		{"/sdd:review --loop --pr 7", false, false},
		{"/sdd:review --loop", false, false},
		{"/sdd:work", false, false},
		{"/loop check the deploy", false, false},
		{"say /sdd:work --loop", false, false},
		{"/looping /sdd:work --loop", false, false},
	}
	for _, tt := range tests {
		if got := work.Schedules(tt.prompt); got != tt.work {
			t.Errorf("work: %q: %v", tt.prompt, got)
		}
		if got := watch.Schedules(tt.prompt); got != tt.watch {
			t.Errorf("review of 142: %q: %v", tt.prompt, got)
		}
	}
}

// R92–R98: the texts are the requirement's own.
func TestBudgetEscalation(t *testing.T) {
	run := func(used, minutes int, dollars USD) *Facts {
		return &Facts{Run: &Budget{Skill: Work, Ceilings: Defaults, IterationsUsed: used,
			DollarsEstimate: dollars}, Minutes: minutes}
	}
	single := run(3, 0, 21*Dollar)
	single.Run.Skill, single.Run.SinglePR, single.PRs = Review, 142, []string{"#142"}
	single.Run.Ceilings.PRs = 1
	prs := run(0, 0, 0)
	prs.PRs, prs.Tick = make([]string, 14), &Tick{Report: Report{Plan: []int{1, 2}}}
	tests := []struct {
		name string
		f    *Facts
		want string
	}{
		{"below", run(2, 47, 19*Dollar+99*Cent), ""},
		{"iterations", run(3, 0, 0),
			"Approaching iterations (4/5). Continue, raise ceiling, or stop?"},
		{"exactly 80 %", run(0, 48, 0),
			"Approaching minutes (48/60). Continue, raise ceiling, or stop?"},
		{"two", run(3, 49, 0),
			"Approaching iterations (4/5) and minutes (49/60). Continue, raise ceiling(s), or stop?"},
		{"three", run(3, 49, 21*Dollar), "Approaching iterations (4/5), minutes (49/60), and " +
			"dollars ($21.00/$25.00). Continue, raise ceiling(s), or stop?"},
		{"the stop wins", run(4, 49, 0), ""},
		{"PRs with the plan", prs, "Approaching PRs (16/20). Continue, raise ceiling, or stop?"},
		{"a single PR has no PR axis", single, "Approaching iterations (4/5) and dollars " +
			"($21.00/$25.00). Continue, raise ceiling(s), or stop?"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := ""
			for _, g := range budgetDue(tt.f) {
				got += g.Question
			}
			if got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

func TestRaiseLiftsByHalfRoundedUp(t *testing.T) {
	f := &Facts{Tick: &Tick{}, Run: &Budget{Skill: Work,
		Ceilings:       Ceilings{5, 20, 60, 25*Dollar + 1*Cent},
		IterationsUsed: 3, DollarsEstimate: 21 * Dollar}, Minutes: 49}
	g := Due(f, Entry)[0]
	want := Ceilings{8, 20, 90, 37*Dollar + 52*Cent}
	if d := cmp.Diff(want, *g.Raise); d != "" {
		t.Error(d)
	}
	for answer, want := range map[string]Ceilings{
		"raise":                    want,
		"RAISE ":                   want,
		"dollars=50 iterations=12": {12, 20, 60, 50 * Dollar},
		// no ceiling is not set in passing: it acts as continue
		"dollars=0":  f.Run.Ceilings,
		"yes please": f.Run.Ceilings,
		"continue":   f.Run.Ceilings,
	} {
		run, tick := *f.Run, Tick{Pending: []Gate{g}}
		Answer(&run, &tick, 0, GateAnswer{Name: g.Name, Answer: answer})
		if d := cmp.Diff(want, run.Ceilings); d != "" {
			t.Errorf("%q: %s", answer, d)
		}
	}
}

func TestStopAlwaysStopsAndNothingElseDoes(t *testing.T) {
	for _, k := range Gates {
		g := asGate(k.Name, Gate{Question: "?", Target: "#44"})
		for answer, stops := range map[string]bool{"stop": true, " STOP\n": true, "stop?": false,
			"please stop": false, "whatever": false} {
			run, tick := Budget{}, Tick{Iteration: 3, Pending: []Gate{g}}
			Answer(&run, &tick, 0, GateAnswer{Name: k.Name, Answer: answer})
			if tick.Halting() != stops {
				t.Errorf("%s: %q halts: %v", k.Name, answer, tick.Halting())
			}
			if stops && tick.Fired[0].Detail.Iteration != 3 {
				t.Errorf("%s: %+v", k.Name, tick.Fired)
			}
		}
	}
}

func TestSignature(t *testing.T) {
	same := [][2]string{
		{"tests failing in module X", "  Tests failing in module x\n"},
		{"timeout after 31s at 0x7ffe12", "timeout after 9s at 0xdeadbee1"},
		{"line 12: nil map", "line 407: nil map"},
	}
	for _, p := range same {
		if Signature(p[0]) != Signature(p[1]) {
			t.Errorf("%q and %q differ: %q, %q", p[0], p[1], Signature(p[0]), Signature(p[1]))
		}
	}
	if Signature("tests failing in module X") == Signature("tests failing in module Y") {
		t.Error("two causes are one")
	}
}

func TestUSD(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u := USD(rapid.Int64Range(0, int64(1_000_000*Dollar)).Draw(t, "pico-dollars"))
		var back USD
		b, _ := u.MarshalJSON()
		if err := back.UnmarshalJSON(b); err != nil || back != u {
			t.Fatalf("%d is written %s and read %d (%v)", u, b, back, err)
		}
	})
	for in, want := range map[string]string{"25.43": "25.43", "25": "25.00", "0.005": "0.01",
		"0.0049": "0.00", "1e-2": "0.01"} {
		var u USD
		if err := u.UnmarshalJSON([]byte(in)); err != nil || u.String() != want {
			t.Errorf("%s: %s, %v", in, u, err)
		}
	}
}

// What is raised or summed up at the bounds stays within them: a budget that is written can be read
// again.
func TestTheBoundsHold(t *testing.T) {
	run := Budget{Skill: Work, Ceilings: Ceilings{1_000_000, 20, 700_000, 900_000 * Dollar},
		IterationsUsed: 900_000}
	for range 2 {
		run.Spend(Spent{ByModel: map[string]Tokens{"a": {Dollars: 400_000 * Dollar}}})
	}
	due := budgetDue(&Facts{Run: &run, Minutes: 600_000})
	if len(due) != 1 {
		t.Fatalf("due are %+v", due)
	}
	applyBudget(&run, nil, due[0], "raise", "raise")
	run.Spend(Spent{ByModel: map[string]Tokens{"a": {Dollars: 400_000 * Dollar}}})
	if d := cmp.Diff(Ceilings{1_000_000, 20, 1_000_000, 1_000_000 * Dollar},
		run.Ceilings); d != "" {
		t.Errorf("raised ceilings (-want +got):\n%s", d)
	}
	if most := 1_000_000 * Dollar; run.DollarsEstimate != most ||
		run.TokensByModel["a"].Dollars != most {
		t.Errorf("spent $%s, by model %v", run.DollarsEstimate, run.TokensByModel)
	}
}

// The tables are the documentation: twelve conditions and seven gates, and those of a task
// loop, each whole.
func TestTables(t *testing.T) {
	for i, c := range Conditions {
		named := strings.ReplaceAll(c.Name, "-", "_") == c.Cause || c.Number > 12
		if c.Number != i+1 || !named || c.When == 0 || c.Applies == nil {
			t.Errorf("%+v", c)
		}
	}
	if conditions, gates := len(Conditions), len(Gates); conditions != 21 ||
		gates != 18 {
		t.Error(conditions, gates)
	}
	for _, k := range Gates {
		labels := map[string]bool{}
		for _, o := range k.Options {
			labels[o.Label] = true
		}
		if !labels["stop"] || !labels[k.Safest] || k.Safest == "stop" ||
			len([]rune(k.Header)) > 12 || k.Applies == nil || k.When == 0 {
			t.Errorf("%s: %+v", k.Name, k)
		}
	}
	want := []int{2, 3, 5, 6, 8, 9, 10, 11, 12} // R146
	var single []int
	for _, c := range Conditions {
		if c.Applies(&Budget{Skill: Review, SinglePR: 142}) {
			single = append(single, c.Number)
		}
	}
	if !slices.Equal(single, want) {
		t.Errorf("single-PR conditions: %v", single)
	}
}

// Any history of ticks ends within its ceilings, counts every iteration once, and never forgets a
// cause.
func TestEveryLoopEnds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := Request{Now: noon, SessionID: "s", PromptID: "p0",
			Command: Command{"sdd:work", Work, "--loop"}, RunID: "r", Attended: true}
		r.Flags, _, _ = ParseFlags(Work, fmt.Sprintf("--loop --max-iterations %d --max-minutes "+
			"%d --max-prs %d --max-dollars %d",
			rapid.IntRange(1, 6).Draw(t, "iterations"), rapid.IntRange(1, 90).Draw(t, "minutes"),
			rapid.IntRange(1, 5).Draw(t, "prs"), rapid.IntRange(0, 3).Draw(t, "dollars")))
		run := newRun(r)
		var previous *Iteration
		for ticks := 0; run.Status == Active; ticks++ {
			if ticks > 40 {
				t.Fatalf("still running: %+v", run)
			}
			r.PromptID = fmt.Sprint("p", ticks)
			before := run.IterationsUsed
			tick := openTick(&run, previous, r, EntryFacts{})
			for len(tick.Pending) > 0 {
				pick := rapid.SampledFrom(tick.Pending[0].Options).Draw(t, "answer").Label
				Answer(&run, &tick, 0,
					GateAnswer{Name: tick.Pending[0].Name, Answer: pick, At: r.Now})
				StartBody(&run, &tick)
			}
			if tick.Started {
				r.Now = r.Now.Add(time.Duration(rapid.IntRange(0, 20).Draw(t,
					"minutes of work")) * time.Minute)
				Take(Look(&run, &tick, previous, r.Now),
					Report{PRs: []PR{{Number: rapid.IntRange(1, 9).Draw(t, "pr")}}})
			}
			spent := Spent{ByModel: map[string]Tokens{"m": {Output: 10,
				Dollars: USD(rapid.Int64Range(0, int64(Dollar)).Draw(t, "dollars"))}}}
			c := closeTick(&run, tick, previous, Ending{Now: r.Now, Spent: spent})
			if tick.Started && c.Budget.IterationsUsed != before+1 || !tick.Started &&
				c.Budget.IterationsUsed != before {
				t.Fatalf("body %v: %d after %d", tick.Started, c.Budget.IterationsUsed, before)
			}
			halted := c.Budget.Status == Halted
			if halted != (len(c.Fired) > 0) || halted &&
				(c.Budget.StopCause == "" || c.Budget.StopText == "") {
				t.Fatalf("halted without a cause: %+v", &c.Budget)
			}
			run, previous = c.Budget, c
		}
		if run.IterationsUsed > 40 || run.Seq == 0 {
			t.Fatalf("%+v", run)
		}
	})
}

func TestMinutesNeverRunBackwards(t *testing.T) {
	b := Budget{ActiveSince: noon, MinutesElapsed: 7}
	for now, want := range map[time.Duration]int{-time.Hour: 7, 0: 7, 8 * time.Minute: 8,
		8*time.Minute + 59*time.Second: 8} {
		if got := b.Minutes(noon.Add(now)); got != want {
			t.Errorf("%v: %d", now, got)
		}
	}
}
