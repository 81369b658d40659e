package loop

import (
	"testing"
	"time"
)

// Every row of both tables tells where it stands, of every kind of run, with next to nothing known.
func TestEveryRowTells(t *testing.T) {
	for _, run := range []*Budget{{Skill: Work, Ceilings: Defaults},
		{Skill: Review, Ceilings: Defaults},
		{Skill: Review, SinglePR: 142}} {
		for _, tick := range []*Tick{nil, {}} {
			f := Look(run, tick, nil, time.Time{})
			for _, s := range States(f) {
				c := Conditions[s.Number-1]
				if s.Number != c.Number || s.Name != c.Name ||
					s.Applies != c.Applies(run) || s.Applies == (s.Now == "") ||
					(c.Way == "") != (c.Name == "user-interrupt") {
					t.Errorf("%s: %+v", c.Name, s)
				}
			}
			for i, s := range GateStates(f) {
				if s.Name != gates[i].Name || s.Applies == (s.Now == "") || s.Holds != "" {
					t.Errorf("%s: %+v", s.Name, s)
				}
			}
		}
	}
}

// A condition that would stop the run now says so in the words of its stop; a gate shows its
// question.
func TestStatesSayWhatHolds(t *testing.T) {
	run := &Budget{Skill: Work,
		Ceilings: Ceilings{Iterations: 5, PRs: 2, Minutes: 60, Dollars: Dollar}, IterationsUsed: 3,
		DollarsEstimate: 2 * Dollar}
	tick := &Tick{
		Pending: []Gate{{Name: AmbiguousCriteria, Question: "Issue #1?"},
			{Name: AmbiguousCriteria, Question: "Issue #2?"}},
	}
	for _, s := range States(Look(run, tick, nil, time.Time{})) {
		if want := s.Name == "cost-budget"; (s.Holds != "") != want {
			t.Errorf("%s holds: %q", s.Name, s.Holds)
		}
		if s.Name == "iteration-budget" &&
			s.Now != "3 of 5 iterations" {
			t.Error(s.Now)
		}
	}
	for _, s := range GateStates(Look(run, tick, nil, time.Time{})) {
		if s.Name == AmbiguousCriteria && s.Holds != "Issue #1? Issue #2?" {
			t.Error(s.Holds)
		}
	}
}
