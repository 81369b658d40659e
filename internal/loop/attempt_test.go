package loop

import (
	"slices"
	"testing"
	"time"

	"hooks/internal/guard/effect"
)

// The reading of a call without its words: what a waiting merge gate adds, and which approval a
// merge takes with it.
func TestCallsAtAMergeGate(t *testing.T) {
	gate := Gate{Name: PostFeedbackMerge, Target: prTarget(142)}
	tick := &Tick{Pending: []Gate{gate}, Approvals: []Approval{{PR: 142, HeadSHA: "abc"},
		{PR: 143, HeadSHA: "def"}}}
	s := State{Run: &Budget{Skill: Review, Status: Active}, Tick: tick}
	opaque := Reading{Opaque: "x is computed"}
	if d := (Call{}).unread(s, opaque); d == nil {
		t.Error("text that cannot be read passes while a merge gate waits")
	}
	if tick.Pending = nil; (Call{}).unread(s, opaque) != nil {
		t.Error("text that cannot reach a forge is refused")
	}
	Call{ID: "t1"}.pass(tick, []effect.Act{{Kind: effect.MergePR, PR: 142},
		{Kind: effect.MergePR, PR: 7}, {Kind: effect.MergePR, PR: 143},
		{Kind: effect.MergePR, PR: 142}})
	if slices.ContainsFunc(tick.Passed, func(p Passed) bool { return p.Allows(142, "0123456") }) {
		t.Errorf("PR 142, named twice, passes at any commit: %+v", tick.Passed)
	}
	for _, want := range []struct {
		pr  int
		sha string
	}{{142, "abc"}, {7, "fed"}, {143, "def"}} {
		if !slices.ContainsFunc(tick.Passed, func(p Passed) bool {
			return p.Allows(want.pr, want.sha)
		}) {
			t.Errorf("PR %d at %s does not pass: %+v", want.pr, want.sha, tick.Passed)
		}
	}
	tick = &Tick{StartedAt: time.Now()}
	s = State{Run: &Budget{Skill: Work, Status: Active}, Tick: tick}
	e := Call{ID: "t2", Input: "i", Sends: &Task{}}
	if !e.mustName(s) {
		t.Error("a worker without an issue goes at once")
	}
	tick.Denied = []Denial{{Rule: UnnamedRule}}
	if e.mustName(s) {
		t.Error("it is refused twice")
	}
	plain := Flags{Ceilings: Defaults}
	for prompt, want := range map[string]bool{
		"/loop 1m /sdd:work --loop": true, "/sdd:work --loop --max-prs 3": false,
		"/sdd:work --loop --max-prs x": false,
	} {
		if SameCommand(prompt, Command{Name: "sdd:work", Skill: Work}, plain) != want {
			t.Errorf("%s is the plain command: %v", prompt, !want)
		}
	}
}
