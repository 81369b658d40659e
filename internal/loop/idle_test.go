package loop_test

import (
	"testing"

	"hooks/internal/attempt"
	"hooks/internal/kind/tasks"
	. "hooks/internal/loop"
)

// T91: an attempt counts if git could be asked at its end, or no worker was sent; it changed
// nothing if it left the commit and the uncommitted files as they were.
func TestIdleAttempts(t *testing.T) {
	unfinished := &attempt.Judgement{Verdict: attempt.Unfinished}
	for _, c := range []struct {
		name string
		a    attempt.Attempt
		want int // iterations in which nothing changed, -1 for none on record
	}{
		{"the same", attempt.Attempt{Sent: true, EndHead: "abc", EndTree: "t", Judged: unfinished},
			2},
		{"another commit", attempt.Attempt{Sent: true, EndHead: "def", EndTree: "t",
			Judged: unfinished}, -1},
		{"another tree", attempt.Attempt{Sent: true, EndHead: "abc", Judged: unfinished}, -1},
		{"flagged", attempt.Attempt{Sent: true, EndHead: "abc", EndTree: "t",
			Judged: &attempt.Judgement{Verdict: attempt.Flagged}}, 2},
		{"a resolved finding", attempt.Attempt{Sent: true, EndHead: "abc", EndTree: "t",
			Resolved: []string{"F1"}, Judged: unfinished}, -1},
		{"git failed", attempt.Attempt{Sent: true,
			Judged: &attempt.Judgement{Verdict: attempt.Overruled}}, 1},
		{"no end was seen", attempt.Attempt{Sent: true}, 1},
		{"outage", attempt.Attempt{Sent: true,
			Judged: &attempt.Judgement{Verdict: attempt.Outage}}, 1},
		{"no worker was sent", attempt.Attempt{}, 2},
	} {
		run := &Budget{Skill: tasks.Name, Idle: &Idle{Iterations: 1},
			KindRun: ofTasks(&tasks.Run{MaxTries: 5, List: []tasks.Item{{}}})}
		before := *run
		c.a.Head, c.a.Tree = "abc", "t"
		FoldIdle(run, &Tick{Started: true, Attempt: &c.a}, &before, Ending{})
		got := -1
		if run.Idle != nil {
			got = run.Idle.Iterations
		}
		if got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}
