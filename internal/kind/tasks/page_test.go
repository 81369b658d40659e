package tasks

import (
	"strings"
	"testing"

	"hooks/internal/attempt"
	"hooks/internal/loop"
)

// someTasks is a run with a task of each result, at its third of five.
func someTasks() loop.Budget {
	return loop.Budget{RunID: "r1", Skill: Name, Status: loop.Active, Command: "/sdd:go s.md",
		Ceilings: loop.Ceilings{Iterations: 50, PRs: 20, Minutes: 480},
		KindRun: loop.KindRun{Own: &Run{Spec: "s.md", Index: 3, Try: 2, MaxTries: 3,
			Mode: "quick", Drive: loop.DriveStop, Reason: "1 file not committed",
			List: []Item{
				{Title: "a", Result: attempt.Verified, SHA: "0123456789ab", Tries: 1, Minutes: 3},
				{Title: "b", Result: attempt.Claimed, SHA: "abcdef012345", Tries: 2},
				{Title: "c", Result: attempt.Skipped},
				{Title: "d", Tries: 1, Dollars: loop.Dollar}, {Title: "e"}}}}}
}

func verdicts(rows []Row) string {
	var list []string
	for _, r := range rows {
		list = append(list, r.shown())
	}
	return strings.Join(list, " ")
}

// T63: each task has exactly one of the six verdicts; what is claimed never counts as verified.
func TestTaskVerdicts(t *testing.T) {
	flag := &Line{Task: 4, Judgement: attempt.Judgement{Verdict: attempt.Flagged, Why: "key"}}
	for _, c := range []struct {
		name   string
		change func(*loop.Budget)
		tick   *loop.Tick
		last   map[int]loop.Record
		want   string
	}{
		{"between two attempts", func(*loop.Budget) {}, nil, nil, "open"},
		{"an attempt runs", func(*loop.Budget) {}, &loop.Tick{Attempt: &attempt.Attempt{Task: 4}},
			nil,
			"open, under way"},
		{"its worker asks for a person", func(*loop.Budget) {},
			&loop.Tick{Attempt: &attempt.Attempt{
				Task: 4, Judged: &flag.Judgement}}, nil, "flagged"},
		{"paused at the question", func(b *loop.Budget) { b.Status = loop.Paused }, nil,
			map[int]loop.Record{4: flag}, "flagged"},
		{"its attempts are used up", func(b *loop.Budget) {
			b.Status, Of(b).Try = loop.Halted, 3
		}, nil, nil, "blocked"},
		{"its dollars are used up", func(b *loop.Budget) {
			b.Status, b.StopCause = loop.Halted, "task_blocked"
		}, nil, nil, "blocked"},
		{"another cause stopped it", func(b *loop.Budget) { b.Status = loop.Halted }, nil, nil,
			"open"},
	} {
		b := someTasks()
		c.change(&b)
		rows := Of(&b).rows(loop.Shown{Run: &b, Tick: c.tick, Tried: c.last})
		if got := verdicts(rows); got != "verified claimed skipped "+c.want+" open" {
			t.Errorf("%s: %s", c.name, got)
		}
	}
	b := someTasks()
	l := Of(&b).Page(loop.Shown{Run: &b}, "", "", "").(Listing)
	if l.Verified != 1 || l.Claimed != 1 || l.Skipped != 1 {
		t.Errorf("verified %d, claimed %d, skipped %d", l.Verified, l.Claimed, l.Skipped)
	}
}

// T80: what a person may see of a task loop has its cause and the fix.
func TestTaskTrouble(t *testing.T) {
	judged := func(j attempt.Judgement) *Line { return &Line{Task: 4, Judgement: j} }
	for _, c := range []struct {
		change func(*loop.Budget)
		last   *Line
		want   string
	}{
		{func(*loop.Budget) {}, nil, ""},
		{func(*loop.Budget) {}, judged(attempt.Judgement{Verdict: attempt.Verified}), ""},
		{func(*loop.Budget) {}, judged(attempt.Judgement{Verdict: attempt.Unfinished,
			Why: "no claim"}),
			"the loop does not advance, because no claim"},
		{func(*loop.Budget) {}, judged(attempt.Judgement{Verdict: attempt.Overruled,
			Why:   "exit 127",
			Check: &attempt.CheckRun{Exit: 127}}), "the shell did not find a command"},
		{func(*loop.Budget) {}, judged(attempt.Judgement{Verdict: attempt.Overruled, Why: "red"}),
			"task 4 is not accepted, because red: fix the cause, give the task more attempts " +
				"with `--max-task-iterations` or SDD_MAX_TASK_ITER"},
		{func(b *loop.Budget) { b.StopCause = "iteration_budget" }, nil,
			"fix the causes instead of raising the ceiling"},
		{func(b *loop.Budget) { b.StopCause = "no_fresh_context" }, nil, "`hooks doctor`"},
		{func(b *loop.Budget) { b.Pending = []loop.Gate{{Name: GateSpec}} }, nil,
			"gate 1 is waiting for you: finish the review, then answer it"},
	} {
		b := someTasks()
		c.change(&b)
		last := &loop.Iteration{KindLine: loop.KindLine{Own: c.last}}
		got := strings.Join(Of(&b).Trouble(&b, last), "\n")
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
