package loop_test

import (
	"testing"

	"hooks/internal/kind/tasks"
	. "hooks/internal/loop"
)

// T91: no one looks at the end of an attempt without a claim; the next one's beginning shows
// whether it changed anything.
func TestLookBack(t *testing.T) {
	for _, c := range []struct {
		name string
		next EntryFacts
		want int // iterations in which nothing changed, -1 for none on record
	}{
		{"the same", EntryFacts{Head: "abc", Tree: "t"}, 1},
		{"another commit", EntryFacts{Head: "def", Tree: "t"}, -1},
		{"another tree", EntryFacts{Head: "abc"}, -1},
		{"git cannot tell", EntryFacts{Head: "abc", Tree: "t", Unread: "timeout"}, 0},
	} {
		run := fiveTries()
		before := *run
		a := Attempt{Task: 1, Sent: true, Head: "abc", Tree: "t",
			Judged: &Judgement{Verdict: Unfinished}}
		FoldIdle(run, &Tick{Started: true, Attempt: &a}, &before, Ending{})
		if run.Idle == nil || run.Idle.Iterations != 0 {
			t.Fatalf("%s: %+v before it is known", c.name, run.Idle)
		}
		kept := *run.Idle
		LookBack(run, c.next)
		LookBack(run, c.next) // once only
		got := -1
		if run.Idle != nil {
			got = run.Idle.Iterations
		}
		if got != c.want || run.Idle != nil && run.Idle.Unseen != nil || kept.Unseen == nil {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

// T91: an attempt is looked back at only where git can tell its beginning and was not asked at its
// end.
func TestUnseen(t *testing.T) {
	for _, c := range []struct {
		name   string
		a      Attempt
		unseen bool
	}{
		{"no claim", Attempt{Sent: true}, true},
		{"flagged", Attempt{Sent: true, Judged: &Judgement{Verdict: Flagged}}, true},
		{"refused, git failed", Attempt{Sent: true, Judged: &Judgement{Verdict: Overruled}}, false},
		{"claimed", Attempt{Sent: true, Judged: &Judgement{Verdict: Claimed}}, false},
		{"outage", Attempt{Sent: true, Judged: &Judgement{Verdict: Outage}}, false},
		{"no repository", Attempt{Sent: true, NoGit: true}, false},
		{"git could not tell", Attempt{Sent: true, Unread: "timeout"}, false},
	} {
		run := fiveTries()
		before := *run
		FoldIdle(run, &Tick{Started: true, Attempt: &c.a}, &before, Ending{})
		if unseen := run.Idle != nil && run.Idle.Unseen != nil; unseen != c.unseen {
			t.Errorf("%s: %v", c.name, unseen)
		}
	}
	run := fiveTries()
	before := *run
	FoldIdle(run, &Tick{Started: true, Attempt: &Attempt{}}, &before, Ending{})
	if run.Idle == nil || run.Idle.Iterations != 1 || run.Idle.Unseen != nil {
		t.Errorf("no worker was sent: %+v", run.Idle)
	}
}

// fiveTries returns a run of one task.
func fiveTries() *Budget {
	return &Budget{Skill: tasks.Name,
		KindRun: ofTasks(&tasks.Run{MaxTries: 5, List: []tasks.Item{{}}})}
}
