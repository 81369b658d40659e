package loop

import (
	"strings"
	"testing"

	"hooks/internal/guard/effect"
)

func TestWhatIsKnownOfAMerge(t *testing.T) {
	yes, no := true, false
	told := func(feedback *bool) []PR { return []PR{{Number: 7, HumanFeedback: feedback}} }
	for name, c := range map[string]struct {
		tick Tick
		want bool
	}{
		"nothing":               {Tick{}, false},
		"the skill says none":   {Tick{Report: Report{PRs: told(&no)}}, false},
		"the skill says some":   {Tick{Report: Report{PRs: told(&yes)}}, false},
		"the tracker says none": {Tick{Asked: &Asked{PRs: told(&no)}}, true},
		"the tracker cannot tell": {Tick{Asked: &Asked{PRs: told(nil)},
			Report: Report{PRs: told(&no)}}, false},
		"the tracker none, the skill some": {Tick{Asked: &Asked{PRs: told(&no)},
			Report: Report{PRs: told(&yes)}}, false},
		"the skill of another PR": {Tick{Report: Report{PRs: []PR{{Number: 8,
			HumanFeedback: &no}}}}, false},
		"the skill with nothing to say": {Tick{Report: Report{PRs: told(nil)}}, false},
		"of another PR": {Tick{Asked: &Asked{PRs: []PR{{Number: 8,
			HumanFeedback: &no}}}}, false},
	} {
		if got := c.tick.noFeedback(7); got != c.want {
			t.Errorf("%s: no feedback is %v", name, got)
		}
	}
}

func TestAnApprovalIsGoodForOneMerge(t *testing.T) {
	tick := Tick{Approvals: []Approval{{PR: 7, HeadSHA: "a"}, {PR: 8}}}
	if got := tick.approval(7); got == nil || got.HeadSHA != "a" {
		t.Fatalf("the approval is %v", got)
	}
	tick.merge(7)
	if tick.approval(7) != nil || tick.approval(8) == nil || tick.Merges != 1 {
		t.Errorf("after one merge: %+v", tick)
	}
}

func TestATaskOfWhatIsLeftAlone(t *testing.T) {
	run := &Budget{DeferredTargets: []string{"#4", "PR #8", "PR #3"}}
	tick := &Tick{Deferred: []string{"PR #5"}, Taken: []int{7},
		Report: Report{Backlog: &Backlog{InProgress: []int{6, 7}}}}
	const person, now = "a person answered skip for ", " is deferred in this iteration"
	for _, c := range []struct {
		mentions []int
		want     string
	}{
		{nil, ""}, {[]int{4}, person + "#4,"}, {[]int{5}, "#5" + now}, {[]int{6}, "#6" + now},
		{[]int{7}, ""}, {[]int{8}, person + "PR #8,"}, {[]int{4, 9}, ""}, {[]int{4, 6}, "#6" + now},
		{[]int{9}, ""},
	} {
		got := State{Run: run, Tick: tick}.leftAlone(c.mentions)
		if !strings.HasPrefix(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%v: %q, want %q", c.mentions, got, c.want)
		}
	}
}

func TestAnAnswerOfAnOlderVersionNamesNoCommit(t *testing.T) {
	tick := &Tick{Approvals: []Approval{{PR: 7}}}
	tick.mergeTrackerPR(PR{Number: 7, HeadSHA: "abc1234"}, "gh failed")
	s := State{Run: &Budget{Skill: Review}, Tick: tick}
	d := Call{}.mergeOne(s, effect.Act{
		Kind: effect.MergePR, PR: 7, SHA: "abc1234", Command: "gh pr merge 7",
	})
	if d == nil || len(d.Ask) != 1 || d.Ask[0].HeadSHA != "abc1234" || tick.approval(7) != nil {
		t.Errorf("%+v, approvals %+v", d, tick.Approvals)
	}
}
