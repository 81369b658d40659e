package loop

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// R139–R142: what is asked about, what is only said, and what is passed over in silence.
func TestReattach(t *testing.T) {
	pr := func(n int, branch, sha, state string) TrackedPR {
		return TrackedPR{Number: n, Branch: branch, EndSHA: sha, StateAtEnd: state}
	}
	previous := &Iteration{TrackedPRs: []TrackedPR{
		pr(1, "still", "aaaaaaaa", "open"), pr(2, "moved", "aaaaaaaa", "open"),
		pr(3, "gone", "aaaaaaaa", "open"),
		pr(4, "", "aaaaaaaa", "open"), pr(5, "unseen", "", "open"),
		pr(6, "moved", "aaaaaaaa", "merged"), pr(7, "moved", "", "closed"),
	}}
	type result struct{ Asked, Notes []string }
	for name, c := range map[string]struct {
		heads map[string]string
		want  result
	}{
		"heads are known": {
			map[string]string{"still": "aaaaaaaabbbb", "moved": "bbbbbbbb"},
			result{[]string{"PR #2", "PR #3"}, []string{
				"PR #4: its remote head could not be looked up — re-attached as recorded",
				"PR #5: its remote head could not be looked up — re-attached as recorded",
				"PR #6 was already merged at prior iteration end — not re-attaching",
				"PR #7 was already closed at prior iteration end — not re-attaching",
			}},
		},
		"no one could be asked": {nil, result{nil, []string{
			"PR #1: its remote head could not be looked up — re-attached as recorded",
			"PR #2: its remote head could not be looked up — re-attached as recorded",
			"PR #3: its remote head could not be looked up — re-attached as recorded",
			"PR #4: its remote head could not be looked up — re-attached as recorded",
			"PR #5: its remote head could not be looked up — re-attached as recorded",
			"PR #6 was already merged at prior iteration end — not re-attaching",
			"PR #7 was already closed at prior iteration end — not re-attaching",
		}}},
	} {
		e := EntryFacts{Heads: c.heads}
		e.Reattach(previous)
		got := result{Notes: e.Notes}
		for _, g := range e.Gates {
			got.Asked = append(got.Asked, g.Target)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// R82, R139: the branch of a fork's PR is not the remote's of that name; where it stands the
// tracker says.
func TestForksAreNotLookedForOnTheRemote(t *testing.T) {
	tracked := []TrackedPR{{Number: 7, Branch: "main", EndSHA: "aaaaaaaa", StateAtEnd: "open"}}
	previous := &Iteration{Iteration: 1, TrackedPRs: tracked}
	for head, deferred := range map[string]bool{"aaaaaaaa": true, "bbbbbbbb": false} {
		e := EntryFacts{Heads: map[string]string{"main": "aaaaaaaa"},
			Asked: &Asked{PRs: []PR{{Number: 7, HeadSHA: head}}, InForks: []int{7}}}
		e.Reattach(previous)
		if got := len(e.Gates) == 0; got != deferred {
			t.Errorf("head %s: %v", head, e.Gates)
		}
		tick := Tick{Asked: e.Asked}
		tick.follow(&Budget{Skill: Review}, previous, e)
		if got := len(tick.Deferred) > 0; got != deferred || tick.Tracked[0].EndSHA != head {
			t.Errorf("head %s: deferred %v, %+v", head, tick.Deferred, tick.Tracked)
		}
		end := Ending{Around: Around{Heads: map[string]string{"main": "cccccccc"}}}
		l := closeTick(&Budget{Skill: Review}, tick, previous, end)
		if l.TrackedPRs[0].EndSHA != head || len(l.Observed.Heads) > 0 {
			t.Errorf("the remote's own main is taken for the fork's: %+v", l.TrackedPRs)
		}
	}
}

// R21: the label counts in any case of letters, and takes nothing back from a PR that has ended.
func TestDoNotMerge(t *testing.T) {
	r := Report{PRs: []PR{
		{Number: 1, Labels: []string{"bug", "Hold"}},
		{Number: 2, State: "open", Labels: []string{"hold"}},
		{Number: 3, State: "merged", Labels: []string{"hold"}},
		{Number: 4, State: "open", Labels: []string{"on hold"}},
	}}
	r.DoNotMerge("hold")
	var states []string
	for _, pr := range r.PRs {
		states = append(states, pr.State)
	}
	if diff := cmp.Diff([]string{"do-not-merge", "do-not-merge", "merged", "open"},
		states); diff != "" {
		t.Error(diff)
	}
}
