package loop_test

import (
	"testing"

	"hooks/internal/kind/tasks"
	. "hooks/internal/loop"
)

// T91: an attempt counts if git could be asked at its end, or no worker was sent; it changed
// nothing if it left the commit and the uncommitted files as they were.
func TestIdleAttempts(t *testing.T) {
	unfinished := &Judgement{Verdict: Unfinished}
	for _, c := range []struct {
		name string
		a    Attempt
		want int // iterations in which nothing changed, -1 for none on record
	}{
		{"the same", Attempt{Sent: true, EndHead: "abc", EndTree: "t", Judged: unfinished}, 2},
		{"another commit", Attempt{Sent: true, EndHead: "def", EndTree: "t",
			Judged: unfinished}, -1},
		{"another tree", Attempt{Sent: true, EndHead: "abc", Judged: unfinished}, -1},
		{"flagged", Attempt{Sent: true, EndHead: "abc", EndTree: "t",
			Judged: &Judgement{Verdict: Flagged}}, 2},
		{"a resolved finding", Attempt{Sent: true, EndHead: "abc", EndTree: "t",
			Resolved: []string{"F1"}, Judged: unfinished}, -1},
		{"git failed", Attempt{Sent: true, Judged: &Judgement{Verdict: Overruled}}, 1},
		{"no end was seen", Attempt{Sent: true}, 1},
		{"outage", Attempt{Sent: true, Judged: &Judgement{Verdict: Outage}}, 1},
		{"no worker was sent", Attempt{}, 2},
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
